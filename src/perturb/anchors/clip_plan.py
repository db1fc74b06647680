"""One clip planned: its segments, windows, sound, steps, and the places of wrong answers.

Everything is drawn from streams keyed by seed and audio alone, so that neither other clips nor
workers matter. Nothing is rendered.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from perturb.anchors.decoys import Decoy, draw_decoys, far_s
from perturb.anchors.edits import AnchorEdit
from perturb.anchors.placement import Infeasible, Placement, PlacementRules
from perturb.anchors.placing import place
from perturb.anchors.questions.hearings import needed_decoys
from perturb.anchors.segment import Segment, Segmentation
from perturb.anchors.segmenting import find_segments
from perturb.anchors.sounds import Sound, SoundBank
from perturb.audio_io import read_audio
from perturb.audio_io.paths import printable_path
from perturb.errors import InapplicableError, PerturbError
from perturb.measure.analysis import Analysis
from perturb.plan.step import Step
from perturb.recipes.for_clip import RecipeSteps
from perturb.recipes.recipe import Recipe
from perturb.signal import Signal
from perturb.streams import Streams

__all__ = ["EDITED", "ClipJob", "ClipPlan", "plan_clip"]

EDITED = "edited"
"""Condition that carries the edits; also the name of their random streams."""


@dataclass(frozen=True)
class ClipJob:
    """A clip to be planned; travels to workers.

    Parameters
    ----------
    key : str
        Its key in the benchmark.
    path : Path
        Its file.
    edit : AnchorEdit
        What is done.
    recipe : Recipe
        How.
    rules : PlacementRules
        Where it may be done.
    bank : SoundBank
        Where sounds come from.
    seed : int
        The user's seed.
    segments : tuple of Segment or None
        As they were given, in any order; None to find them in the audio.
    labels : tuple of str or None
        What the item says is heard in it.
    """

    key: str
    path: Path
    edit: AnchorEdit
    recipe: Recipe
    rules: PlacementRules
    bank: SoundBank
    seed: int
    segments: tuple[Segment, ...] | None = None
    labels: tuple[str, ...] | None = None


class ClipPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done to a clip, or why nothing is.

    Parameters
    ----------
    key : str
        The clip.
    duration_s : float or None
        Its duration in seconds; None where it could not be read.
    segmentation : Segmentation or None
        Its segments.
    placement : Placement or None
        Where it is edited.
    sound : Sound or None
        What is laid over.
    steps : tuple of Step
        The edit, as probe.
    decoys : tuple of Decoy
        Places for wrong answers.
    status : {'ok', 'inapplicable', 'failed'}
        Whether there is a plan.
    constraint, reason : str or None
        Why there is none.
    """

    key: str
    duration_s: float | None = None
    segmentation: Segmentation | None = None
    placement: Placement | None = None
    sound: Sound | None = None
    steps: tuple[Step, ...] = ()
    decoys: tuple[Decoy, ...] = ()
    status: Literal["ok", "inapplicable", "failed"] = "ok"
    constraint: str | None = None
    reason: str | None = None


def plan_clip(job: ClipJob) -> ClipPlan:
    """Plan one clip; what is wrong with it is in the plan.

    Parameters
    ----------
    job : ClipJob
        The clip, and what is asked.

    Returns
    -------
    ClipPlan
        With steps, or the reason why there are none.
    """
    try:
        signal = read_audio(job.path).signal
    except PerturbError as error:
        reason = str(error).replace(printable_path(job.path), job.key)
        return ClipPlan(key=job.key, status="failed", reason=reason)
    analysis = Analysis(signal)
    streams = Streams(job.seed, signal.audio_sha256, EDITED)
    found = ClipPlan(key=job.key, duration_s=signal.duration_s)
    segmentation = find_segments(analysis, job.segments)
    found = replace(found, segmentation=segmentation)
    placed = _place(job, analysis, segmentation, streams)
    if isinstance(placed, Infeasible):
        return replace(
            found, status="inapplicable", constraint=placed.constraint, reason=placed.reason
        )
    placement, decoys = placed
    missing = needed_decoys(len(placement.windows)) - len(decoys)
    if missing > 0:
        return replace(
            found,
            status="inapplicable",
            constraint="wrong_answers",
            reason=f"{missing} of the places that wrong answers name are missing: none other lies "
            f"{far_s(signal.duration_s):g} s from every edit; a longer clip would do",
        )
    try:
        sound = _sound(job, signal, streams)
    except InapplicableError as error:
        return replace(found, status="inapplicable", constraint="sound", reason=str(error))
    steps = _steps(job, signal, placement, sound)
    return replace(found, placement=placement, sound=sound, steps=steps, decoys=decoys)


def _place(
    job: ClipJob, analysis: Analysis, segmentation: Segmentation, streams: Streams
) -> tuple[Placement, tuple[Decoy, ...]] | Infeasible:
    """Place the edits, at fewer places where so many leave none for wrong answers."""
    rules, segments = job.rules, segmentation.segments
    while True:
        placement = place(analysis, segments, rules, streams.generator("anchors"))
        if isinstance(placement, Infeasible):
            return placement
        count = len(placement.windows)
        heard_s = _heard_s(rules, analysis.signal.duration_s, count * placement.length_s)
        decoys = draw_decoys(placement, segments, heard_s, streams.generator("decoys"))
        if len(decoys) >= needed_decoys(count) or count <= rules.positions[0]:
            return placement, decoys
        rules = replace(rules, positions=(rules.positions[0], count - 1))


def _heard_s(rules: PlacementRules, duration_s: float, edited_s: float) -> float:
    """Return how much of a clip is heard, in its own time: what an edit lengthens pushes the rest
    out.
    """
    if rules.hearing_limit_s is None:
        return duration_s
    return min(duration_s, rules.hearing_limit_s - (rules.lengthening - 1.0) * edited_s)


def _sound(job: ClipJob, signal: Signal, streams: Streams) -> Sound | None:
    if job.edit.edit != "event":
        return None
    return job.bank.choose(signal, job.labels, streams.generator("sound"))


def _steps(
    job: ClipJob, signal: Signal, placement: Placement, sound: Sound | None
) -> tuple[Step, ...]:
    """Return the recipe's steps at the windows: one edit, the same everywhere."""
    make = RecipeSteps(
        recipe=job.recipe,
        seed=job.seed,
        given={} if sound is None else {"ref": sound.reference},
        spans=placement.spans,
        stream_name=EDITED,
    )
    return make(signal.audio_sha256, signal.duration_s)
