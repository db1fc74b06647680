"""What a split would cost, and what it could show: the dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from perturb.benchmark.item import Item
from perturb.errors import PerturbError
from perturb.plan.step import Step
from perturb.split.forecasting.hearing import hearing_warnings
from perturb.split.forecasting.power import DetectableDifference, smallest_difference
from perturb.split.preparation import PreparedSplit, with_edits
from perturb.split.presentation import ORIGINAL, Joined
from perturb.split.treatment import Treatment

__all__ = ["ConditionForecast", "Forecast", "forecast"]

_SUBTYPE_BYTES = {"PCM_24": 3, "PCM_32": 4, "FLOAT": 4, "DOUBLE": 8}
_HEADER_BYTES = 44


class ConditionForecast(msgspec.Struct, frozen=True, kw_only=True):
    """What one condition will hold.

    Parameters
    ----------
    condition : str
        Its name.
    rows : int
        One for each item.
    impossible : int
        Rows that will have no edit, as far as is known before rendering.
    files : int
        Files to be made for it.
    file_s, file_bytes : float, int
        Their audio in seconds, and their size; estimates where an edit changes the length.
    heard_s : float
        Seconds of audio that a model will be sent, all rows together.
    reasons : dict of str to int
        Why rows will have no edit.
    """

    condition: str
    rows: int
    impossible: int
    files: int
    file_s: float
    file_bytes: int
    heard_s: float
    reasons: dict[str, int]


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What a split will cost and could show.

    Parameters
    ----------
    items, clips, unreadable : int
        Items that are presented, clips they are about, clips that cannot be read.
    source_s : float
        Seconds of source audio.
    conditions : tuple of ConditionForecast
        In order; where the suite leaves out `original`, its files are made all the same.
    model_calls : int
        Rows of all conditions.
    warnings : tuple of str
        What common harnesses will not hear.
    detectable : DetectableDifference
        Smallest difference between two conditions that as many items can show.
    """

    items: int
    clips: int
    unreadable: int
    source_s: float
    conditions: tuple[ConditionForecast, ...]
    model_calls: int
    warnings: tuple[str, ...] = ()
    detectable: DetectableDifference


def forecast(prepared: PreparedSplit) -> Forecast:
    """Return what a prepared split will cost and could show; nothing is rendered."""
    request = prepared.request
    prepared = replace(prepared, presentation=with_edits(prepared, _edits_to_tell(prepared)))
    durations = _Durations(prepared)
    keys = {audio.clip for item in request.items for audio in item.audios}
    found = smallest_difference(len(request.items), _clusters(request.items))
    conditions = tuple(_of_condition(prepared, name, durations) for name in prepared.conditions)
    return Forecast(
        items=len(request.items),
        clips=len(keys),
        unreadable=len(keys & prepared.scan.unreadable.keys()),
        source_s=sum(prepared.scan.durations_s.get(key, 0.0) for key in keys),
        conditions=conditions,
        model_calls=len(request.items) * len(conditions),
        warnings=tuple(hearing_warnings(prepared)),
        detectable=found,
    )


def _edits_to_tell(prepared: PreparedSplit) -> dict[tuple[str, str], str]:
    """Return a text for each edit that is to be told in words, and that nothing stands against."""
    told = {c.edits_of for c in prepared.request.suite.conditions if c.edits_of is not None}
    return {
        (name, item.pair_id): "an edit"
        for name in told
        for item in prepared.request.items
        if prepared.presentation.row(item, name).reason is None
    }


class _Durations:
    """How long variants will be, as far as can be told before they are rendered."""

    def __init__(self, prepared: PreparedSplit) -> None:
        self._source_s = prepared.scan.durations_s
        self._treatments = prepared.request.treatments
        self._known: dict[tuple[str, float], float] = {}

    def of(
        self,
        clip: str,
        condition: str,
        joined: Joined | None,
        planned: tuple[Step, ...] | None = None,
    ) -> float:
        """Return the duration of a clip in a condition, in seconds."""
        own_s = self._source_s.get(clip, 0.0)
        if planned is not None and condition != ORIGINAL:
            return _after(own_s, planned)
        if joined is not None:
            others_s = sum(self._source_s.get(key, 0.0) for key in joined.clips)
            return own_s + others_s + sum(sum(step.operator.gaps_s) for step in joined.steps)
        treatment = self._treatments.get(condition)
        if treatment is None or treatment.recipe is None or own_s <= 0.0:
            return own_s
        key = (condition, own_s)
        if key not in self._known:
            self._known[key] = self._edited_s(treatment, own_s)
        return self._known[key]

    @staticmethod
    def _edited_s(treatment: Treatment, duration_s: float) -> float:
        if treatment.role == "sham":
            return duration_s
        try:
            steps = treatment.trial_steps(duration_s)
        except PerturbError:
            return duration_s
        return _after(duration_s, steps)


def _after(duration_s: float, steps: tuple[Step, ...]) -> float:
    """Return how long the result of some steps is, in seconds; a sham keeps the length."""
    for step in steps:
        if step.role == "probe":
            duration_s = step.operator.result_duration_s(duration_s, step.spans)
    return duration_s


def _of_condition(prepared: PreparedSplit, name: str, durations: _Durations) -> ConditionForecast:
    request = prepared.request
    seen: set[tuple[str, str]] = set()
    reasons: Counter[str] = Counter()
    impossible = 0
    heard_s = file_s = 0.0
    size = 0
    for item in request.items:
        plan = prepared.presentation.row(item, name)
        unreadable = [a.clip for a, _ in plan.audios or () if a.clip in prepared.scan.unreadable]
        reason = plan.reason or (prepared.scan.unreadable[unreadable[0]] if unreadable else None)
        if reason is not None:
            impossible += 1
            reasons[reason] += 1
        for audio, (condition, extra) in plan.audios or ():
            duration_s = durations.of(audio.clip, condition, plan.joined, plan.steps)
            heard_s += duration_s
            if condition == name and (audio.clip, extra) not in seen:
                seen.add((audio.clip, extra))
                file_s += duration_s
                size += _bytes(prepared, audio.clip, duration_s)
    return ConditionForecast(
        condition=name,
        rows=len(request.items),
        impossible=impossible,
        files=len(seen),
        file_s=file_s,
        file_bytes=size,
        heard_s=heard_s,
        reasons=dict(reasons.most_common()),
    )


def _bytes(prepared: PreparedSplit, clip: str, duration_s: float) -> int:
    info = prepared.scan.infos.get(clip)
    if info is None:
        return 0
    width = _SUBTYPE_BYTES.get(info.subtype, 2)
    return round(duration_s * info.sample_rate_hz) * info.channel_count * width + _HEADER_BYTES


def _clusters(items: Sequence[Item]) -> int:
    """Return how many recordings the items are about: those of one do not count as many."""
    recordings = {
        item.recording or (item.audios[0].clip if item.audios else item.pair_id) for item in items
    }
    return len(recordings)
