"""How fast the operators are that keep the words, beside Praat's overlap-add; and what they do.

    python benchmarks/bench_mirror.py [--seconds 60] [--repeats 7] [--figures] [FILE …]

Whole operators, pitch and gate included, without proof, reading and writing; 16 kHz mono, one
thread, the best of some runs in turn. `--figures` prints what Praat finds per voice (a file's
folder): the median clip and the share of clips inside the bound.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import parselmouth

import perturb as pt
from perturb.measure.f0_track import F0Track
from perturb.measure.melody import f0_fine_correlation, f0_slope, f0_span_cents
from perturb.measure.prosody import compare_f0
from perturb.synthesis.pitch_contours import (
    contour_from_points,
    exaggerated,
    flat,
    remapped,
    stretched,
)
from perturb.synthesis.trusted_pitch import trusted_pitch
from run import best_times, make_clip, operator_alone

ROOT = Path(__file__).parents[1]
CLIPS = sorted((ROOT / "examples" / "audio").glob("*/*.wav"))
POINTS = ((0.0, 120.0), (0.6, 180.0), (1.0, 110.0))
OPERATORS = {
    "monotone": (pt.Monotone(), False, 150),
    "exaggerate": (pt.Exaggerate(), False, 150),
    "contour": (pt.Contour(points=POINTS, register="own"), False, 150),
    "their sham": (pt.Monotone(), True, 150),
    "whisper": (pt.Whisper(), False, 400),
    "its sham": (pt.Whisper(), True, 400),
    "flat_intensity": (pt.FlatIntensity(), False, 400),
    "voice": (pt.Voice(), False, 150),
    "sham of voice": (pt.Voice(), True, 150),
}


def praat_monotone(clip: pt.Signal):
    """Return the work of Praat's own flattening: manipulation, pitch tier, overlap-add."""
    call = parselmouth.praat.call

    def work() -> object:
        sound = parselmouth.Sound(clip.samples[0].astype(np.float64), clip.sample_rate_hz)
        manipulation = call(sound, "To Manipulation", 0.005, 60, 500)
        tier = call(manipulation, "Extract pitch tier")
        call(tier, "Formula", "120")
        call([tier, manipulation], "Replace pitch tier")
        return call(manipulation, "Get resynthesis (overlap-add)")

    return work


def print_speeds(seconds: float, repeats: int) -> None:
    """Print × real time of each operator and of the peer."""
    clip = make_clip(seconds)
    works = [operator_alone(clip, one, sham=sham) for one, sham, _ in OPERATORS.values()]
    times = best_times([*works, praat_monotone(clip)], repeats)
    print(f"{'':32}{'× real time':>12}{'to reach':>10}")
    bars = [bar for _, _, bar in OPERATORS.values()]
    for name, time_s, bar in zip(
        [*OPERATORS, "Praat's overlap-add"], times, [*bars, ""], strict=True
    ):
        print(f"{name:32}{clip.duration_s / time_s:12.0f}{bar:>10}")


def _praat_track(samples: npt.NDArray[np.float32], rate_hz: int) -> F0Track:
    from tests.instruments import praat

    found = praat.pitch(samples, rate_hz)
    pitch_hz = found.f0_hz.astype(np.float32)
    return F0Track(found.times_s, pitch_hz, pitch_hz, praat.TIME_STEP_S)


def _figures(clip: pt.Analysis, name: str) -> dict[str, tuple[float, bool]]:
    """Return each figure of an operator on a clip, and whether it is inside its bound."""
    from tests.instruments import praat

    operator, is_sham, _ = OPERATORS[name]
    variant = pt.apply(clip, operator, sham=is_sham)
    edited, notes = variant.signal, variant.trace.steps[0].notes
    rate_hz = edited.sample_rate_hz
    before, after = clip.mono, edited.samples[clip.strongest_channel]
    heard, own = _praat_track(after, rate_hz), _praat_track(before, rate_hz)
    compared = praat.compare_prosody(before, after, rate_hz)
    least = {"whisper": 0.98, "their sham": 0.99, "its sham": 0.99, "sham of voice": 0.99}.get(
        name, 0.985
    )
    level = {"level r": (compared.level_correlation, compared.level_correlation >= least)}
    if name == "whisper":
        share = 100.0 * heard.voiced_share
        return {"voiced %": (share, share <= 15.0), **level}
    if name == "flat_intensity":
        levels, achieved = (praat.intensity(x, rate_hz).level_db for x in (before, after))
        spread = float(achieved[levels > levels.max() - praat.INTENSITY_RANGE_DB].std())
        return {"level SD dB": (spread, spread <= 1.6)}
    wanted = {
        "monotone": lambda f0: flat(f0, None),
        "exaggerate": lambda f0: exaggerated(trusted_pitch(f0), 1.8).track,
        "contour": lambda f0: _own_register(f0),
        "voice": lambda f0: remapped(f0, notes["own_hz"], notes["target_hz"], 1.0),
    }.get(name, lambda f0: own)(clip.f0)
    found = compare_f0(wanted, heard)
    gross = 100.0 * (found.gross_error_ratio or 0.0)
    most_gross = {"monotone": 0.5, "contour": 3.0, "voice": 3.0}.get(name, 1.0)
    figures = {
        "cents": (found.median_error_cents, found.median_error_cents <= 12.0),
        "gross %": (gross, gross <= most_gross),
        **level,
    }
    if name == "monotone":
        span = f0_span_cents(wanted, heard).value
        figures["span cents"] = (span, span <= 60.0)
    if name == "exaggerate":
        slope = f0_slope(clip.f0, wanted, heard).value
        figures["slope"] = (slope, slope >= 1.55)
    if name == "contour":
        correlation = f0_fine_correlation(wanted, heard).value
        figures["r"] = (correlation, correlation >= 0.95)
    return figures


def _own_register(f0: F0Track) -> F0Track:
    from perturb.synthesis.pitch_contours import with_register

    return with_register(stretched(contour_from_points(POINTS, 512), f0), f0)


def print_figures(paths: list[Path]) -> None:
    """Print the table voice × operator × figure."""
    sys.path.insert(0, str(ROOT))
    rows: dict[tuple[str, str, str], list[tuple[float, bool]]] = {}
    refused = 0
    for path in paths:
        clip = pt.Analysis(pt.read_audio(path).signal)
        try:
            for name in OPERATORS:
                for figure, value in _figures(clip, name).items():
                    rows.setdefault((name, figure, path.parent.name), []).append(value)
        except pt.InapplicableError as error:
            refused += 1
            print(f"{path.name}: inapplicable, {error}")
    print(f"\n{'operator':16}{'figure':14}{'voice':24}{'clips':>6}{'median':>10}{'inside':>8}")
    for (name, figure, voice), values in sorted(rows.items()):
        numbers = np.array([value for value, _ in values], dtype=float)
        inside = np.mean([is_inside for _, is_inside in values])
        print(
            f"{name:16}{figure:14}{voice[:23]:24}{len(values):6}{np.median(numbers):10.3f}"
            f"{inside:8.0%}"
        )
    print(f"{refused} inapplicable of {len(paths)}")


def main() -> None:
    """Time everything; print figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the audio timed")
    parser.add_argument("--repeats", type=int, default=7, help="runs, of which the best counts")
    parser.add_argument("--figures", action="store_true", help="print what Praat finds, per voice")
    parser.add_argument("files", nargs="*", type=Path, help="speech for the figures")
    options = parser.parse_args()
    print_speeds(options.seconds, options.repeats)
    if options.figures or options.files:
        print_figures(options.files or CLIPS)


if __name__ == "__main__":
    main()
