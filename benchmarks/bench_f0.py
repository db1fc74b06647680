"""How fast pitch is found: tracker and judge beside Praat, and how far they agree with it.

    python benchmarks/bench_f0.py [--seconds 60] [--repeats 9]

One thread, 16 kHz mono, the best of some repeats, in turn, after one that compiles. Praat runs its
autocorrelation method (parselmouth) at the tracker's hop, floor and ceiling, and once at its own
default hop. The last columns compare with Praat on the same audio, clean and with white noise at
10 dB SNR (where the reference stays Praat on the clean audio).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import parselmouth
import soundfile

from perturb.measure.cepstrum import mel_cepstra
from perturb.measure.contour import level_contour_db
from perturb.measure.f0 import track_f0
from perturb.measure.f0_judge import judge_f0
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import compare_f0
from run import best_times

RATE_HZ = 16_000
SPEECH = Path(__file__).parents[1] / "examples" / "audio" / "librivox"

Samples = npt.NDArray[np.float32]


def speech_of(seconds: float) -> Samples:
    sentences = [soundfile.read(path, dtype="float32")[0] for path in sorted(SPEECH.glob("*.wav"))]
    return np.resize(np.concatenate(sentences), round(seconds * RATE_HZ))


def with_noise(samples: Samples, snr_db: float) -> Samples:
    noise = np.random.default_rng(0).standard_normal(samples.size)
    gain = np.sqrt(np.mean(samples.astype(np.float64) ** 2) / 10 ** (snr_db / 10))
    return (samples + gain * noise).astype(np.float32)


def praat_track(samples: Samples, hop_s: float | None) -> F0Track:
    sound = parselmouth.Sound(samples.astype(np.float64), RATE_HZ)
    found = sound.to_pitch_ac(time_step=hop_s, pitch_floor=60.0, pitch_ceiling=500.0)
    f0_hz = found.selected_array["frequency"].astype(np.float32)
    strength = found.selected_array["strength"].astype(np.float32)
    return F0Track(np.asarray(found.xs()), f0_hz, strength, found.dt)


def agreement(reference: F0Track, result: F0Track) -> str:
    found = compare_f0(reference, result)
    return (
        f"{found.median_error_cents:7.2f} {100 * found.gross_error_ratio:7.2f} "
        f"{100 * found.voicing_error_ratio:9.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the audio")
    parser.add_argument("--repeats", type=int, default=9, help="runs, of which the best counts")
    options = parser.parse_args()

    clean = speech_of(options.seconds)
    noisy = with_noise(clean, 10.0)
    reference = praat_track(clean, 0.005)
    works: dict[str, Callable[[], object]] = {
        "track_f0 (5 ms)": lambda: track_f0(clean, RATE_HZ),
        "judge_f0 (10 ms)": lambda: judge_f0(clean, RATE_HZ),
        "Praat (5 ms)": lambda: praat_track(clean, 0.005),
        "Praat (its own hop, 12.5 ms)": lambda: praat_track(clean, None),
        "level_contour_db": lambda: level_contour_db(clean, RATE_HZ),
        "mel_cepstra": lambda: mel_cepstra(clean, RATE_HZ),
    }
    speeds = [options.seconds / t for t in best_times(list(works.values()), options.repeats)]
    praat_speed = speeds[2]

    print(f"{'':30}{'':22}       clean: {'':12} 10 dB SNR:")
    print(
        f"{'':30}{'× real time':>12}{'of Praat':>10}"
        + 2 * f"{'cents':>9}{'gross %':>8}{'voicing %':>10}"
    )
    tracks = {"track_f0 (5 ms)": track_f0, "judge_f0 (10 ms)": judge_f0}
    for name, speed in zip(works, speeds, strict=True):
        line = f"{name:30}{speed:12.0f}{speed / praat_speed:10.1f}"
        if name in tracks:
            for samples in (clean, noisy):
                line += "  " + agreement(reference, tracks[name](samples, RATE_HZ))
        print(line)


if __name__ == "__main__":
    main()
