"""How fast the operators are: × real time on one core, beside a peer in the same run.

    python benchmarks/run.py [--seconds 60] [--repeats 7]

The clip is the LibriVox sentences in a row, 16 kHz. An operator is timed alone: without proof,
reading, writing and headroom. The best of several runs counts, ours and the peer's in turn, since
the noise of a machine only ever adds time. The peers are Praat (through parselmouth) and numpy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import parselmouth

import perturb as pt
from perturb.measure.analysis import Analysis
from perturb.measure.f0 import track_f0
from perturb.plan.step import Plan
from perturb.render.chain import run_chain
from perturb.render.references import References

SENTENCES = Path(__file__).parents[1] / "examples" / "audio" / "librivox"

Work = Callable[[], object]


def make_clip(seconds: float) -> pt.Signal:
    """Return the sentences in a row, over and over, `seconds` long."""
    parts = [pt.read_audio(path).signal for path in sorted(SENTENCES.glob("*.wav"))]
    row = np.concatenate([part.samples for part in parts], axis=1)
    count = round(seconds * parts[0].sample_rate_hz)
    return pt.Signal.adopt(np.resize(row[0], (1, count)), parts[0].sample_rate_hz)


def best_times(works: list[Work], repeats: int) -> list[float]:
    """Return the best time of each in seconds, run in turn, after a run that compiles."""
    for work in works:
        work()
    times = [[] for _ in works]
    for _ in range(repeats):
        for work, record in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            record.append(time.perf_counter() - start)
    return [min(record) for record in times]


def operator_alone(clip: pt.Signal, operator: pt.Operator, *, sham: bool = False) -> Work:
    """Return the work of one operator on a fresh analysis: F0 tracking and gate included."""
    role = "sham" if sham else "probe"
    plan = Plan.of([operator], clip_id="clip", role=role)
    return lambda: run_chain(plan, Analysis(clip), References(Path.cwd()))


def praat_pitch(clip: pt.Signal) -> Work:
    """Return the work of Praat's autocorrelation pitch at our hop."""
    sound = parselmouth.Sound(clip.samples[0].astype(np.float64), clip.sample_rate_hz)
    return lambda: sound.to_pitch_ac(time_step=0.005, pitch_floor=60.0, pitch_ceiling=500.0)


def praat_hum(clip: pt.Signal) -> Work:
    """Return the work of Praat's own prosody-only sound: pitch, pulses, hum."""
    sound = parselmouth.Sound(clip.samples[0].astype(np.float64), clip.sample_rate_hz)

    def work() -> object:
        pitch = sound.to_pitch_ac(time_step=0.005, pitch_floor=60.0, pitch_ceiling=500.0)
        return parselmouth.praat.call(pitch, "To Sound (hum)")

    return work


def praat_lpc(clip: pt.Signal) -> Work:
    """Return the work of Praat's LPC analysis and resynthesis from pulses."""
    sound = parselmouth.Sound(clip.samples[0].astype(np.float64), clip.sample_rate_hz)
    call = parselmouth.praat.call

    def work() -> object:
        pitch = sound.to_pitch_ac(time_step=0.005, pitch_floor=60.0, pitch_ceiling=500.0)
        pulses = call(
            call(pitch, "To PointProcess"),
            "To Sound (phonation)",
            clip.sample_rate_hz,
            1.0,
            0.05,
            0.7,
            0.03,
            3.0,
            4.0,
        )
        lpc = call(sound, "To LPC (burg)", 18, 0.025, 0.005, 50.0)
        return call([lpc, pulses], "Filter", "no")

    return work


def numpy_scale(clip: pt.Signal) -> Work:
    """Return the work of multiplying a copy with numpy."""
    return lambda: clip.samples * np.float32(0.5)


def main() -> None:
    """Time everything and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    clip = make_clip(options.seconds)
    f0 = lambda: track_f0(clip.samples[0], clip.sample_rate_hz)  # noqa: E731
    rows = [
        ("F0 and voicing", 800, f0, "Praat pitch (ac)", praat_pitch(clip)),
        (
            "vocode, F0 included",
            250,
            operator_alone(clip, pt.Vocode()),
            "Praat hum",
            praat_hum(clip),
        ),
        (
            "vocode sham, F0 included",
            200,
            operator_alone(clip, pt.Vocode(), sham=True),
            "Praat LPC",
            praat_lpc(clip),
        ),
        (
            "gain, whole clip",
            3000,
            operator_alone(clip, pt.Gain(gain_db=-6.0)),
            "numpy multiply",
            numpy_scale(clip),
        ),
        (
            "silence, whole clip",
            3000,
            operator_alone(clip, pt.Silence()),
            "numpy multiply",
            numpy_scale(clip),
        ),
        ("silence:fill=room", None, operator_alone(clip, pt.Silence(fill="room")), "", None),
        ("silence:fill=noise", None, operator_alone(clip, pt.Silence(fill="noise")), "", None),
    ]
    rows += [
        (f"vocode:method={method}", None, operator_alone(clip, pt.Vocode(method=method)), "", None)
        for method in ("hum", "interpolated", "envelope", "lowpass")
    ]
    print(f"{clip.duration_s:.0f} s at {clip.sample_rate_hz} Hz, best of {options.repeats}")
    print(f"{'':28}{'× real time':>12}{'to reach':>10}   peer")
    for name, bar, ours, peer, theirs in rows:
        works = [work for work in (ours, theirs) if work is not None]
        found = best_times(works, options.repeats)
        speeds = [clip.duration_s / seconds for seconds in found]
        peers = (
            f"{peer} {speeds[1]:.0f} ×, ours {speeds[0] / speeds[1]:.2f} times as fast"
            if (len(speeds) > 1)
            else ""
        )
        print(f"{name:28}{speeds[0]:12.0f}{bar or '':>10}   {peers}")


if __name__ == "__main__":
    main()
