"""How each item appears in each condition: which audio files, which question, or why not.

Pure: the same item, condition and donors give the same answer, so that nothing has to be kept for
a hundred thousand items times eight conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from perturb.benchmark.item import Item, ItemAudio
from perturb.benchmark.variant import Question
from perturb.errors import InapplicableError
from perturb.plan.step import Step
from perturb.recipes.suite import Condition
from perturb.split.joining.planning import JoinPlan
from perturb.split.treatment import Treatment
from perturb.split.work.tasks import ClipTask, VariantTask, audio_name

__all__ = [
    "ORIGINAL",
    "Ask",
    "DonorOf",
    "JoinOf",
    "Joined",
    "PlannedFor",
    "Presentation",
    "RowPlan",
    "Substitute",
]

ORIGINAL = "original"
"""Condition whose files stand in wherever there is no edit."""


@dataclass(frozen=True)
class Substitute:
    """The clip that takes the place of an item's own.

    Parameters
    ----------
    clip : str
        Its key.
    answer : str or None
        The gold of its items, where they share one.
    """

    clip: str
    answer: str | None = None


@dataclass(frozen=True)
class Joined:
    """The stimulus that an item's clip is joined into.

    Parameters
    ----------
    steps : tuple of Step
        What joins it.
    clips : tuple of str
        Keys of the other clips.
    plan : JoinPlan
        Order, golds and places.
    task : str or None
        Whose items share it.
    """

    steps: tuple[Step, ...]
    clips: tuple[str, ...]
    plan: JoinPlan
    task: str | None = None


DonorOf = Callable[[Item], "Substitute | str"]
"""Returns the donor for an item, or why there is none."""
JoinOf = Callable[[Item], "Joined | str"]
"""Returns the stimulus for an item, or why there is none."""
PlannedFor = Callable[[Item], "tuple[Step, ...] | str"]
"""Returns the steps that were planned for an item's clip, or why there are none."""
Ask = Callable[[Item, Condition], Question]
"""Asks an item as a condition does; raises `InapplicableError` with the reason. A sham asks as its
probe does."""


@dataclass(frozen=True)
class RowPlan:
    """An item in one condition, before anything is rendered.

    Parameters
    ----------
    item : Item
        The item.
    condition : Condition
        The condition.
    question : Question
        As it is asked; the source's own where the condition cannot ask.
    audios : tuple of (ItemAudio, (str, str))
        Each audio and the variant that is heard: condition and `extra`. None without audio.
    reason : str or None
        Why there is no edit, known before rendering.
    donor : Substitute or None
        Whose clip takes the place of the item's.
    joined : Joined or None
        What the clip is joined with.
    steps : tuple of Step or None
        What was planned for this clip alone.
    """

    item: Item
    condition: Condition
    question: Question
    audios: tuple[tuple[ItemAudio, tuple[str, str]], ...] | None
    reason: str | None = None
    donor: Substitute | None = None
    joined: Joined | None = None
    steps: tuple[Step, ...] | None = None


@dataclass(frozen=True)
class Presentation:
    """Presents items in conditions.

    Parameters
    ----------
    treatments : mapping of str to Treatment
        By condition.
    ask : callable
        Asks a question as a condition does.
    donors : mapping of str to callable
        By condition, for those that take donors.
    joins : mapping of str to callable
        By condition, for those that join.
    planned : mapping of str to callable
        By condition, for those whose steps are planned clip by clip.
    """

    treatments: Mapping[str, Treatment]
    ask: Ask
    donors: Mapping[str, DonorOf] = field(default_factory=dict)
    joins: Mapping[str, JoinOf] = field(default_factory=dict)
    planned: Mapping[str, PlannedFor] = field(default_factory=dict)

    def row(self, item: Item, name: str) -> RowPlan:
        """Return how an item appears in a condition."""
        condition = self.treatments[name].condition
        edited = [audio for audio in item.audios if audio.role in condition.roles]
        reason = donor = joined = steps = None
        extra = ""
        if condition.has_audio and self._has_variant(condition) and not edited:
            reason = f"the item has no audio in the role {' or '.join(condition.roles)}"
        if reason is None and name in self.donors:
            found = self.donors[name](item)
            reason, donor = (found, None) if isinstance(found, str) else (None, found)
            extra = "" if donor is None else donor.clip
        if reason is None and name in self.joins:
            made = self.joins[name](item)
            reason, joined = (made, None) if isinstance(made, str) else (None, made)
            extra = "" if joined is None else joined.task or ""
        if reason is None and name in self.planned:
            made_for = self.planned[name](item)
            reason, steps = (made_for, None) if isinstance(made_for, str) else (None, made_for)
        question = Question.of(item)
        if reason is None:
            try:
                question = self.ask(item, self.treatments[name].probe)
            except InapplicableError as error:
                reason = str(error)
        if not condition.has_audio:
            return RowPlan(item, condition, question, None, reason)
        is_varied = reason is None and self._has_variant(condition)
        audios = tuple(
            (audio, (name, extra) if is_varied and audio in edited else (ORIGINAL, ""))
            for audio in item.audios
        )
        return RowPlan(item, condition, question, audios, reason, donor, joined, steps)

    @staticmethod
    def _has_variant(condition: Condition) -> bool:
        """Whether the condition has files of its own rather than the original's."""
        return condition.is_edited or condition.name == "repeat"

    def clip_tasks(self, items: tuple[Item, ...], files: Mapping[str, Path]) -> list[ClipTask]:
        """Return what has to be rendered for some items: each clip once in each condition.

        Parameters
        ----------
        items : tuple of Item
            In any order.
        files : mapping of str to Path
            File of each clip.
        """
        wanted: dict[str, dict[tuple[str, str], VariantTask]] = {}
        for item in items:
            for audio in item.audios:
                variants = wanted.setdefault(audio.clip, {})
                variants.setdefault((ORIGINAL, ""), _variant(audio.clip, ORIGINAL, ""))
            for name in self.treatments:
                plan = self.row(item, name)
                for audio, key in plan.audios or ():
                    variants = wanted[audio.clip]
                    if key not in variants:
                        variants[key] = _variant_of(plan, audio.clip, key, files)
        order = {name: index for index, name in enumerate(self.treatments)}
        return [
            ClipTask(
                key,
                files[key],
                tuple(
                    sorted(variants.values(), key=lambda v: (order.get(v.condition, -1), v.extra))
                ),
            )
            for key, variants in sorted(wanted.items())
        ]


def _variant(
    clip: str,
    condition: str,
    extra: str,
    ref: str | None = None,
    steps: tuple[Step, ...] | None = None,
    references: Mapping[str, Path] | None = None,
) -> VariantTask:
    return VariantTask(
        condition, extra, audio_name(clip, condition, extra), ref, steps, references or {}
    )


def _variant_of(
    plan: RowPlan, clip: str, key: tuple[str, str], files: Mapping[str, Path]
) -> VariantTask:
    condition, extra = key
    if plan.donor is not None:
        donor = plan.donor.clip
        return _variant(clip, condition, extra, f"item:{donor}", None, {donor: files[donor]})
    if plan.joined is not None:
        others = {name: files[name] for name in plan.joined.clips}
        return _variant(clip, condition, extra, None, plan.joined.steps, others)
    # The original stands in for variants that an item does not have; it has no steps of its own.
    return _variant(clip, condition, extra, None, None if condition == ORIGINAL else plan.steps)
