"""How fast `vocode` synthesises, and what it keeps: speed, then a table of clips and figures.

    python benchmarks/bench_vocode.py [--seconds 60] [--repeats 9] [--figures] [FILE …]

Synthesis alone, 16 kHz mono, one thread, pitch given; the best of some repeats, in turn, after one
that compiles. The bars leave room for the pitch tracker: with it, the probe has to reach 250 and
the sham 200 times real time. `--figures` prints, for the example clips or the given files, what
Praat finds on probe and sham: pitch (median, fine RMSE, gross errors), its correlation, voicing
error, level correlation, SD and mean of the level difference, remaining variance of mel-cepstra,
and the change of the peak.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from perturb.measure.cepstrum import cepstral_variance_ratio
from perturb.measure.f0 import track_f0
from perturb.synthesis.vocode import METHODS, VocodeMethod, vocode_segment, vocode_sham_segment

ROOT = Path(__file__).parents[1]
CLIPS = sorted((ROOT / "examples" / "audio").glob("*/*.wav"))
RATE_HZ = 16_000
BARS = {"pulse": (600, 350)}

Samples = npt.NDArray[np.float32]
Maker = Callable[..., Samples]


def render(make: Maker, samples: Samples, rate_hz: int, method: VocodeMethod = "pulse") -> Samples:
    rng = np.random.default_rng(0)
    f0 = track_f0(samples, rate_hz)
    normals = lambda count: rng.standard_normal(count, dtype=np.float32)  # noqa: E731
    return make(samples[np.newaxis], rate_hz, f0, method, normals)[0]


def print_speeds(seconds: float, repeats: int) -> None:
    sentences = [
        soundfile.read(path, dtype="float32")[0] for path in CLIPS if "librivox" in str(path)
    ]
    samples = np.resize(np.concatenate(sentences), round(seconds * RATE_HZ))
    f0 = track_f0(samples, RATE_HZ)

    def work(make: Maker, method: VocodeMethod) -> None:
        rng = np.random.default_rng(0)
        normals = lambda count: rng.standard_normal(count, dtype=np.float32)  # noqa: E731
        make(samples[np.newaxis], RATE_HZ, f0, method, normals)

    keys = [(make, method) for method in METHODS for make in (vocode_segment, vocode_sham_segment)]
    best = dict.fromkeys(keys, np.inf)
    for turn in range(repeats + 1):
        for key in keys:
            start = time.perf_counter()
            work(*key)
            if turn > 0:
                best[key] = min(best[key], time.perf_counter() - start)
    print(f"{'× real time':14}{'probe':>8}{'bar':>6}{'sham':>8}{'bar':>6}")
    for method in METHODS:
        probe, sham = (
            seconds / best[make, method] for make in (vocode_segment, vocode_sham_segment)
        )
        bars = BARS.get(method, ("", ""))
        print(f"{method:14}{probe:8.0f}{bars[0]!s:>6}{sham:8.0f}{bars[1]!s:>6}")


def print_figures(paths: list[Path]) -> None:
    sys.path.insert(0, str(ROOT))
    from tests.instruments.praat import compare_prosody

    names = ["cents", "RMSE", "gross %", "r F0", "voice %", "r level", "SD dB", "mean dB"]
    names += ["cepstra", "peak dB"]
    for make, title in ((vocode_segment, "probe"), (vocode_sham_segment, "sham")):
        print(f"\n{title:32}" + "".join(f"{name:>9}" for name in names))
        rows = []
        for path in paths:
            samples, rate_hz = soundfile.read(path, dtype="float32")
            result = render(make, samples, rate_hz)
            found = compare_prosody(samples, result, rate_hz)
            rows.append(
                [
                    found.f0_median_cents,
                    found.f0_fine_rmse_cents,
                    100.0 * (found.f0_gross_ratio or 0.0),
                    found.f0_log_correlation,
                    100.0 * found.voicing_error_ratio,
                    found.level_correlation,
                    found.level_difference_sd_db,
                    found.level_difference_mean_db,
                    cepstral_variance_ratio(samples, result, rate_hz).ratio,
                    20.0 * np.log10(np.abs(result).max() / np.abs(samples).max()),
                ]
            )
            print(f"{path.stem[:31]:32}" + "".join(f"{value:9.3f}" for value in rows[-1]))
        median = np.median(np.array(rows, dtype=float), axis=0)
        print(f"{'median':32}" + "".join(f"{value:9.3f}" for value in median))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the audio timed")
    parser.add_argument("--repeats", type=int, default=9, help="runs, of which the best counts")
    parser.add_argument("--figures", action="store_true", help="print what Praat finds, per clip")
    parser.add_argument("files", nargs="*", type=Path, help="speech for the figures, mono")
    options = parser.parse_args()
    print_speeds(options.seconds, options.repeats)
    if options.figures or options.files:
        print_figures(options.files or CLIPS)


if __name__ == "__main__":
    main()
