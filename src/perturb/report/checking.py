"""What the records of a score cannot say alone: what each number is, and which names there are.

A record checks that its fields are finite and in order. Whether an estimate is a share, a
difference or a ratio follows from where it stands, and a name must be one that the score holds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from perturb.errors import ParameterError
from perturb.record import Record
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.models import Ranking, RankStability
from perturb.score.inference.worst_case import WorstCase
from perturb.score.records.comparison import (
    Comparison,
    ModelComparison,
    ModelsCompared,
    PairedTable,
)
from perturb.score.records.condition import Baselines, ConditionFacts, ConditionScore, GroupScore
from perturb.score.records.dose import DoseCurve
from perturb.score.records.measure import Measure
from perturb.score.records.overview import ModelScore, Overview
from perturb.score.statistics.dose_response import DoseResponse
from perturb.split.forecasting.power import DetectableDifference

__all__ = ["check_overview"]

_ROUNDING = 1e-9


class _Range(NamedTuple):
    """The values that a number may have, and what it is; `high` None for no limit."""

    low: float
    high: float | None
    what: str

    def holds(self, value: float) -> bool:
        return self.low - _ROUNDING <= value and (
            self.high is None or value <= self.high + _ROUNDING
        )

    def accepted(self) -> str:
        end = f"{self.low:g} to {self.high:g}" if self.high is not None else f"from {self.low:g}"
        return f"{self.what}, {end}"


_SHARE = _Range(0.0, 1.0, "a share")
_DIFFERENCE = _Range(-1.0, 1.0, "a difference of shares")
_COUNT = _Range(0.0, None, "a count")
_UNITS = {
    "share": _SHARE,
    "score": _Range(0.0, 1.0, "a score"),
    "difference": _DIFFERENCE,
    "ratio": _Range(0.0, None, "a ratio"),
    "count": _COUNT,
}
_RANGES: dict[type[Record], dict[str, _Range]] = {
    ConditionFacts: {"statuses": _COUNT},
    ConditionScore: {"accuracy": _SHARE, "states": _COUNT},
    GroupScore: {"accuracy": _SHARE},
    Baselines: dict.fromkeys(("chance", "majority", "always_first", "longest_option"), _SHARE),
    ModelScore: {"noise_floor": _SHARE},
    Contrast: dict.fromkeys(("difference", "inner_low", "inner_high"), _DIFFERENCE),
    Comparison: {"with_off_target": _DIFFERENCE},
    WorstCase: dict.fromkeys(("low", "high"), _DIFFERENCE),
    DetectableDifference: {
        "difference": _SHARE,
        "effective_items": _COUNT,
        "design_effect": _UNITS["ratio"],
    },
    DoseResponse: {
        "accuracies": _SHARE,
        "ceiling": _SHARE,
        "width": _Range(0.0, None, "a width"),
    },
    Ranking: {"score": _SHARE},
}
_CONDITIONS: dict[type[Record], tuple[str, ...]] = {
    Comparison: ("first", "second"),
    PairedTable: ("first", "second"),
    GroupScore: ("condition",),
    ModelsCompared: ("condition",),
}
_MODELS: dict[type[Record], tuple[str, ...]] = {
    ModelComparison: ("first", "second"),
    Ranking: ("model",),
}


def check_overview(score: Overview) -> None:
    """Check every number against what it is, and every name against those of the score.

    An interval from resampling need not hold its value; Wilson's does.

    Raises
    ------
    ParameterError
        One does not fit; with its place, its value and what is accepted.
    """
    models = [one.model for one in score.models]
    conditions = [one.condition for one in score.conditions]
    conditions += [one.condition for model in score.models for one in model.conditions]
    for place, record in _records(score, ""):
        for name, accepted in _ranges_of(record).items():
            for where, value in _numbers(getattr(record, name), f"{place}{name}"):
                if not accepted.holds(value):
                    raise ParameterError(f"{where} is {value:g}; accepted: {accepted.accepted()}")
        if isinstance(record, Estimate):
            _check_wilson(record, place)
        if isinstance(record, DoseResponse):
            _check_doses(record.doses, place)
        for fields, names, kind in (
            (_CONDITIONS, conditions, "a condition"),
            (_MODELS, models, "a model"),
        ):
            for name in fields.get(type(record), ()):
                _check_name(f"{place}{name}", getattr(record, name), names, kind)


def _ranges_of(record: Record) -> dict[str, _Range]:
    """Return what each field of numbers may hold."""
    if isinstance(record, Measure):
        return dict.fromkeys(("estimate", "beside"), _UNITS[record.unit])
    if isinstance(record, DoseCurve):
        doses = record.response.doses
        if doses:
            return {"response": _Range(min(doses), max(doses), "a dose of the curve")}
    if isinstance(record, RankStability):
        return {"rankings": _Range(1.0, float(len(record.rankings)), "a rank")}
    return _RANGES.get(type(record), {})


def _numbers(value: Any, place: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers that a field stands for, each with its place."""
    if isinstance(value, int | float):
        yield place, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _numbers(each, f"{place}.{name}")
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _numbers(each, f"{place}[{number}]")
    elif isinstance(value, Record):
        # Of an estimate the value and its interval; of a ranking the rank and its own.
        for name in ("value", "rank", "low", "high", "estimate", "threshold"):
            yield from _numbers(getattr(value, name, None), f"{place}.{name}")


def _records(value: Any, place: str) -> Iterator[tuple[str, Record]]:
    """Yield every record, outermost first, with its place up to and including the last dot."""
    if isinstance(value, Record):
        yield place, value
        for name in value.__struct_fields__:
            yield from _records(getattr(value, name), f"{place}{name}.")
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _records(each, f"{place.removesuffix('.')}[{number}].")


def _check_wilson(found: Estimate, place: str) -> None:
    if found.value is None or found.low is None or found.high is None:
        return
    accepted = _Range(found.low, found.high, "from low to high")
    if found.method == "wilson" and not accepted.holds(found.value):
        raise ParameterError(f"{place}value is {found.value:g}; accepted: {accepted.accepted()}")


def _check_doses(doses: tuple[float, ...], place: str) -> None:
    if any(not 0.0 < after - before < math.inf for before, after in pairwise(doses)):
        shown = ", ".join(f"{dose:g}" for dose in doses)
        raise ParameterError(f"{place}doses is {shown}; accepted: finite doses, ascending")


def _check_name(place: str, value: str, names: Collection[str], kind: str) -> None:
    if value not in names:
        shown = ", ".join(dict.fromkeys(names)) or "none"
        raise ParameterError(f"{place} is {value!r}; accepted: {kind} of the score, {shown}")
