"""How fast the band operators are, beside plain scipy implementations in the same run.

    python benchmarks/bench_bands.py [--seconds 20] [--repeats 9]

One thread, 16 kHz mono speech, the best of some repeats, in turn, after one that compiles. The
operator is timed alone, as rendering runs it: applicability, synthesis and splice, without proof,
reading, writing and headroom. The peers do what a script would: `sosfiltfilt` for each filter,
`oaconvolve` for shaped noise, a multiplied cosine for rotation; the vocoder's peer has one pass
where the operator has three (envelopes imposed and levels restored on the sum).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.signal
import soundfile

from perturb.measure.analysis import Analysis
from perturb.operators.noise_vocode import NoiseVocode
from perturb.operators.obscure import Obscure
from perturb.operators.protocol import Operator
from perturb.operators.rotate import Rotate
from perturb.plan.step import Plan
from perturb.render.chain import run_chain
from perturb.render.references import References
from perturb.signal import Signal
from perturb.synthesis.cochlear_bands import band_edges_hz
from run import best_times

RATE_HZ = 16_000
SPEECH = Path(__file__).parents[1] / "examples" / "audio" / "librivox"

Samples = npt.NDArray[np.float64]
Work = Callable[[], object]


def speech_of(seconds: float) -> Signal:
    sentences = [soundfile.read(path, dtype="float32")[0] for path in sorted(SPEECH.glob("*.wav"))]
    count = round(seconds * RATE_HZ)
    return Signal.from_array(np.resize(np.concatenate(sentences), count), RATE_HZ)


def ours(clip: Signal, operator: Operator, *, sham: bool = False) -> Work:
    plan = Plan.of([operator], clip_id="clip", role="sham" if sham else "probe")
    return lambda: run_chain(plan, Analysis(clip), References(Path.cwd()))


def plain_noise_vocode(samples: Samples, bands: int) -> Samples:
    noise = np.random.default_rng(0).standard_normal(samples.size)
    smoother = scipy.signal.butter(2, 30.0, fs=RATE_HZ, output="sos")
    result = np.zeros_like(samples)
    for low, high in itertools.pairwise(band_edges_hz(bands, RATE_HZ)):
        sections = scipy.signal.butter(3, [low, high], "bandpass", fs=RATE_HZ, output="sos")
        part = scipy.signal.sosfiltfilt(sections, samples)
        envelope = np.maximum(scipy.signal.sosfiltfilt(smoother, np.abs(part)), 0.0)
        shaped = scipy.signal.sosfiltfilt(sections, envelope * noise)
        result += shaped * np.sqrt(np.sum(part**2) / np.sum(shaped**2))
    return result


def plain_obscure(samples: Samples) -> Samples:
    noise = np.random.default_rng(0).standard_normal(samples.size)
    low = scipy.signal.butter(6, 300.0, fs=RATE_HZ, output="sos")
    kept = scipy.signal.sosfiltfilt(low, samples)
    frequencies, power = scipy.signal.welch(samples - kept, RATE_HZ, nperseg=400)
    taps = scipy.signal.firwin2(401, 2.0 * frequencies / RATE_HZ, np.sqrt(power))
    shaped = scipy.signal.oaconvolve(noise, taps, mode="same")
    missing = np.sum(samples**2) - np.sum(kept**2)
    return kept + shaped * np.sqrt(missing / np.sum(shaped**2))


def plain_rotate(samples: Samples) -> Samples:
    taps = scipy.signal.firwin(641, [200.0, 3_800.0], pass_zero=False, fs=RATE_HZ)
    limited = scipy.signal.oaconvolve(samples, taps, mode="same")
    carrier = 2.0 * np.cos(2.0 * np.pi * 4_000.0 * np.arange(samples.size) / RATE_HZ)
    return scipy.signal.oaconvolve(limited * carrier, taps, mode="same")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="length of the audio")
    parser.add_argument("--repeats", type=int, default=9, help="runs, of which the best counts")
    options = parser.parse_args()

    clip = speech_of(options.seconds)
    samples = clip.samples[0].astype(np.float64)
    rows: list[tuple[str, str, Work, Work | None]] = [
        (
            f"noise_vocode:bands={bands}",
            "≥ 200" if bands == 8 else "",
            ours(clip, NoiseVocode(bands=bands)),
            lambda bands=bands: plain_noise_vocode(samples, bands),
        )
        for bands in (1, 4, 8, 16, 32)
    ]
    rows += [
        ("obscure", "≥ 300", ours(clip, Obscure()), lambda: plain_obscure(samples)),
        ("obscure:modulation=speech", "≥ 300", ours(clip, Obscure(modulation="speech")), None),
        ("obscure:modulation=steady", "≥ 300", ours(clip, Obscure(modulation="steady")), None),
        ("obscure, sham", "", ours(clip, Obscure(), sham=True), None),
        ("rotate", "", ours(clip, Rotate()), lambda: plain_rotate(samples)),
        ("rotate, sham", "", ours(clip, Rotate(), sham=True), None),
    ]
    print(f"{options.seconds:g} s of 16 kHz mono, best of {options.repeats}\n")
    print("| operator | × real time | bar | plain scipy | ratio |")
    print("|---|---:|---:|---:|---:|")
    for name, bar, work, peer in rows:
        works = [work] if peer is None else [work, peer]
        speeds = [options.seconds / taken_s for taken_s in best_times(works, options.repeats)]
        beside = f"{speeds[1]:,.0f} | {speeds[0] / speeds[1]:.1f}" if peer else "|"
        print(f"| {name} | {speeds[0]:,.0f} | {bar} | {beside} |")


if __name__ == "__main__":
    main()
