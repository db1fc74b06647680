"""Why Praat finds another pitch than was asked for: each gross frame, by its cause.

    python benchmarks/mirror_misses.py [FILE …]

A frame is gross where Praat's pitch is off by more than a fifth. Its cause is the first that holds:

- untouched: its voiced run holds less than two periods, and was left as it is;
- two minds: on the clip itself Praat and the second algorithm disagree, or one hears no voice;
- other octave: Praat has the pitch asked for among its own candidates, at most .15 less strong than
  the one it chose;
- glide: the pitch asked for moves by a quarter of an octave or more within Praat's window of 50 ms;
- edge: within 50 ms of an end of the voiced run;
- unexplained.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import parselmouth

import perturb as pt
from bench_mirror import CLIPS
from perturb.measure.f0_track import F0Track
from perturb.synthesis.pitch_contours import exaggerated, flat
from perturb.synthesis.psola import run_extents
from perturb.synthesis.trusted_pitch import trusted_pitch

CAUSES = ("untouched", "two minds", "other octave", "glide", "edge", "unexplained")
EDITS = {
    "monotone": (pt.Monotone(), False, lambda own, heard: flat(own, None)),
    "exaggerate": (
        pt.Exaggerate(),
        False,
        lambda own, heard: exaggerated(trusted_pitch(own), 1.8).track,
    ),
    "their sham": (pt.Monotone(), True, lambda own, heard: heard),
}
"""Operator, whether its sham, and what is asked for: of our track, and of Praat's before."""
GROSS = 0.2
NEAR = 0.05
WEAKER = 0.15
WINDOW_S = 0.05
GLIDE_OCTAVES = 0.25


class Clip(NamedTuple):
    """A clip, what Praat hears of it, and which samples belong to its voiced runs.

    Parameters
    ----------
    analysis : Analysis
        The clip.
    heard : F0Track
        Praat's pitch.
    runs : list of (int, int)
        First sample of each voiced run, and the one past its last.
    """

    analysis: pt.Analysis
    heard: F0Track
    runs: list[tuple[int, int]]


def causes(clip: Clip, name: str) -> tuple[Counter[str], int]:
    """Return how many gross frames of an edit have each cause, and how many frames there are."""
    operator, is_sham, make = EDITS[name]
    analysis = clip.analysis
    rate_hz = analysis.signal.sample_rate_hz
    edited = pt.apply(analysis, operator, sham=is_sham).signal
    before, after = analysis.mono, edited.samples[analysis.strongest_channel]
    pitch = _praat(after, rate_hz)
    wanted = make(analysis.f0, clip.heard)
    goal_hz, found_hz = wanted.f0_hz, _track(pitch).at(wanted.times_s)
    is_common = (goal_hz > 0.0) & (found_hz > 0.0)
    is_gross = is_common & (np.abs(found_hz / np.where(goal_hz > 0, goal_hz, 1.0) - 1.0) > GROSS)
    counts: Counter[str] = Counter()
    for frame in np.flatnonzero(is_gross):
        time_s = float(wanted.times_s[frame])
        at = round(time_s * rate_hz)
        run = next(((low, high) for low, high in clip.runs if low <= at < high), (at, at + 1))
        if np.array_equal(before[slice(*run)], after[slice(*run)]):
            counts["untouched"] += 1
        elif _disagree(clip, time_s):
            counts["two minds"] += 1
        elif _is_candidate(pitch, time_s, float(goal_hz[frame])):
            counts["other octave"] += 1
        elif _glide_octaves(wanted, time_s) >= GLIDE_OCTAVES:
            counts["glide"] += 1
        elif min(at - run[0], run[1] - at) < WINDOW_S * rate_hz:
            counts["edge"] += 1
        else:
            counts["unexplained"] += 1
    return counts, int(is_common.sum())


def _praat(samples: np.ndarray, rate_hz: int) -> parselmouth.Pitch:
    sound = parselmouth.Sound(samples.astype(np.float64), sampling_frequency=float(rate_hz))
    return sound.to_pitch_ac(time_step=0.005, pitch_floor=60.0, pitch_ceiling=500.0)


def _track(pitch: parselmouth.Pitch) -> F0Track:
    found_hz = np.asarray(pitch.selected_array["frequency"], dtype=np.float32)
    return F0Track(np.asarray(pitch.xs()), found_hz, np.ones_like(found_hz), 0.005)


def _disagree(clip: Clip, time_s: float) -> bool:
    """Whether the two algorithms are of two minds about the clip itself."""
    one, other = (float(track.at([time_s])[0]) for track in (clip.heard, clip.analysis.f0_judge))
    return min(one, other) == 0.0 or abs(other / one - 1.0) > GROSS


def _is_candidate(pitch: parselmouth.Pitch, time_s: float, wanted_hz: float) -> bool:
    """Whether Praat has the pitch among its candidates, hardly weaker than its choice."""
    candidates = pitch.get_frame(round(pitch.get_frame_number_from_time(time_s))).candidates
    voiced = [one for one in candidates if one.frequency > 0.0]
    near = [one.strength for one in voiced if abs(one.frequency / wanted_hz - 1.0) <= NEAR]
    # Praat puts its choice first.
    return bool(near) and max(near) >= voiced[0].strength - WEAKER


def _glide_octaves(wanted: F0Track, time_s: float) -> float:
    """Return how far the wanted pitch moves within the window about a moment."""
    times_s = time_s + np.linspace(-0.5, 0.5, 11) * WINDOW_S
    pitches_hz = wanted.at(times_s)
    voiced = np.log2(pitches_hz[pitches_hz > 0.0])
    return float(np.ptp(voiced)) if voiced.size else 0.0


def main() -> None:
    """Print clips with gross frames, and how many of all frames have each cause."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="speech; else the examples")
    totals = {name: Counter[str]() for name in EDITS}
    frames = Counter[str]()
    for path in parser.parse_args().files or CLIPS:
        analysis = pt.Analysis(pt.read_audio(path).signal)
        signal = analysis.signal
        runs = run_extents(analysis.f0, signal.sample_rate_hz, signal.sample_count)
        clip = Clip(analysis, _track(_praat(analysis.mono, signal.sample_rate_hz)), runs)
        for name in EDITS:
            try:
                counts, count = causes(clip, name)
            except pt.InapplicableError as error:
                print(f"{path.name}: {name}: inapplicable, {error}")
                continue
            totals[name] += counts
            frames[name] += count
            if counts:
                share = 100.0 * counts.total() / count
                print(f"{path.parent.name}/{path.stem}: {name}: {share:.2f} %: {dict(counts)}")
    print(f"\n{'frames':16}{'all':>8}{'gross %':>9}" + "".join(f"{cause:>14}" for cause in CAUSES))
    for name, counts in totals.items():
        share = 100.0 * counts.total() / max(frames[name], 1)
        row = "".join(f"{counts[cause]:14}" for cause in CAUSES)
        print(f"{name:16}{frames[name]:8}{share:9.3f}{row}")


if __name__ == "__main__":
    main()
