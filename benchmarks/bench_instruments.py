"""How fast the instruments are, beside pyloudnorm in the same run.

    python benchmarks/bench_instruments.py [--seconds 60] [--repeats 7]

One thread, 16 kHz mono, the best of some repeats after one that compiles. `× real time` is the
duration of the audio over the time taken; `of pyloudnorm` is the ratio to pyloudnorm's integrated
loudness on the same audio. The two true-peak rows are a clip whose level varies, as speech does,
and noise of one level, where hardly anything can be screened.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyloudnorm
import soundfile
from scipy.signal import resample_poly

from perturb.measure.active_level import active_speech_level
from perturb.measure.activity import speech_activity
from perturb.measure.level import gated_level_dbfs, rms_dbfs
from perturb.measure.loudness import loudness_lufs
from perturb.measure.onsets import find_onsets
from perturb.measure.quick_loudness import quick_loudness_lufs
from perturb.measure.spectrum import room_tone, third_octave_levels
from perturb.measure.true_peak import is_true_peak_within, true_peak_dbtp
from perturb.signal import Signal

RATE_HZ = 16_000
SPEECH = Path(__file__).parents[1] / "examples" / "audio" / "librivox"


def speech_of(seconds: float) -> Signal:
    sentences = [soundfile.read(path, dtype="float32")[0] for path in sorted(SPEECH.glob("*.wav"))]
    count = round(seconds * RATE_HZ)
    return Signal.from_array(np.resize(np.concatenate(sentences), count), RATE_HZ)


def best_time_s(measure: Callable[[], object], repeats: int) -> float:
    measure()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        measure()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the audio")
    parser.add_argument("--repeats", type=int, default=7, help="runs, of which the best counts")
    options = parser.parse_args()

    speech = speech_of(options.seconds)
    mono = speech.samples[0]
    random = np.random.default_rng(0)
    noise = Signal.from_array(random.standard_normal(speech.sample_count) * 0.1, RATE_HZ)
    meter = pyloudnorm.Meter(RATE_HZ)
    as_float64 = mono.astype(np.float64)
    rows: list[tuple[str, str, Callable[[], object]]] = [
        ("pyloudnorm, integrated loudness", "", lambda: meter.integrated_loudness(as_float64)),
        ("scipy resample_poly × 4, peak", "", lambda: np.abs(resample_poly(mono, 4, 1)).max()),
        ("RMS level", "", lambda: rms_dbfs(mono)),
        ("gated level", "", lambda: gated_level_dbfs(mono, RATE_HZ)),
        ("P.56 active speech level", "≥ 1500", lambda: active_speech_level(speech)),
        ("loudness, guarded", "", lambda: loudness_lufs(speech)),
        ("loudness that drives edits", "", lambda: quick_loudness_lufs(speech)),
        ("true peak, speech", "", lambda: true_peak_dbtp(speech)),
        ("true peak, even noise", "≥ 500", lambda: true_peak_dbtp(noise)),
        ("true peak within -1 dBTP", "", lambda: is_true_peak_within(speech, -1.0)),
        ("speech activity", "≥ 400", lambda: speech_activity(mono, RATE_HZ)),
        ("room tone", "", lambda: room_tone(speech)),
        ("third-octave levels", "", lambda: third_octave_levels(mono, RATE_HZ)),
        ("onsets", "", lambda: find_onsets(mono, RATE_HZ)),
    ]
    print(f"{options.seconds:g} s of 16 kHz mono, best of {options.repeats}\n")
    print("| instrument | × real time | bar | of pyloudnorm |")
    print("|---|---:|---:|---:|")
    reference_s = 0.0
    for name, bar, measure in rows:
        taken_s = best_time_s(measure, options.repeats)
        reference_s = reference_s or taken_s
        speed, ratio = options.seconds / taken_s, reference_s / taken_s
        print(f"| {name} | {speed:,.0f} | {bar} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
