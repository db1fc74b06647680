"""Series of conditions that differ in one number alone: accuracy by dose.

The conditions of a series name the same random streams in their recipes; the dose is the field that
differs. Two fields that differ are one dose where they agree in every condition (both ends of a
range). Whether accuracy rises with the dose is taken from the answers: the threshold is then fitted
only where the ends differ by more than chance, two-sided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import PerturbError
from perturb.operators.registry import operator_class
from perturb.record import describe_fields
from perturb.score.arms import ModelArms
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import Floats
from perturb.score.records.dose import DoseCurve
from perturb.score.statistics.chance import chance
from perturb.score.statistics.dose_response import dose_response

__all__ = ["DoseSeries", "dose_curves", "dose_series"]

_FEWEST = 2


class DoseSeries(NamedTuple):
    """Conditions in order of their dose.

    Parameters
    ----------
    name : str
        Of the random streams.
    field, unit : str
        What differs, as ``operator.field``, and its unit.
    doses : dict of str to float
        By condition.
    """

    name: str
    field: str
    unit: str
    doses: dict[str, float]


def dose_series(arms: ModelArms) -> Iterator[DoseSeries]:
    """Yield the series of the conditions that a model answered."""
    streams: dict[str, dict[str, dict[str, Any]]] = {}
    for name in arms.edited:
        recorded = arms.found.conditions[name].recorded
        if recorded.recipe is None or recorded.sham_of is not None or recorded.has_donor:
            continue
        stream = recorded.recipe.get("stream")
        if stream:
            fields = dict(_numbers("", _steps(recorded.recipe)))
            streams.setdefault(stream, {})[name] = fields
    for stream, conditions in streams.items():
        series = _series(stream, conditions)
        if series is not None:
            yield series


def dose_curves(arms: ModelArms, settings: Settings) -> tuple[DoseCurve, ...]:
    """Return the curve of each series."""
    return tuple(_curve(arms, series, settings) for series in dose_series(arms))


def _curve(arms: ModelArms, series: DoseSeries, settings: Settings) -> DoseCurve:
    names = list(series.doses)
    scores = np.array([arms.strict(name) for name in names])
    rises = _mean(scores[-1]) > _mean(scores[0])
    guess = chance(arms.options_in(names[0]))
    floor = _mean(np.where(np.isnan(scores[0]), np.nan, guess))
    plain = None if arms.plain is None else _mean(arms.strict(arms.plain))
    return DoseCurve(
        series=series.name,
        field=series.field,
        unit=series.unit,
        conditions=tuple(names),
        rises=bool(rises),
        response=dose_response(
            list(series.doses.values()),
            scores,
            arms.found.clusters,
            floor=0.0 if np.isnan(floor) else floor,
            rises=bool(rises),
            settings=settings,
        ),
        repeat=None if plain is None or np.isnan(plain) else plain,
    )


def _mean(values: Floats) -> float:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if kept.size else float("nan")


def _steps(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a recipe by operator, with the step's number where one occurs twice."""
    names = [str(step["op"]) for step in recipe["steps"]]
    return {
        name if names.count(name) == 1 else f"{name} {number}": step["fields"]
        for number, (name, step) in enumerate(zip(names, recipe["steps"], strict=True), 1)
    }


def _numbers(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each plain value of a nested table under its dotted path."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _numbers(f"{path}.{key}" if path else str(key), part)
    else:
        yield path, value


def _series(stream: str, conditions: Mapping[str, Mapping[str, Any]]) -> DoseSeries | None:
    tables = list(conditions.values())
    if len(tables) < _FEWEST or any(table.keys() != tables[0].keys() for table in tables):
        return None
    differing = [
        path for path in tables[0] if any(table[path] != tables[0][path] for table in tables)
    ]
    doses = {}
    for name, table in conditions.items():
        values = {table[path] for path in differing if _is_number(table[path])}
        if len(values) != 1 or not all(_is_number(table[path]) for path in differing):
            return None
        doses[name] = float(values.pop())
    if len({*doses.values()}) < len(doses):
        return None
    field = differing[0]
    ordered = dict(sorted(doses.items(), key=lambda one: one[1]))
    return DoseSeries(stream, field, _unit(field), ordered)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unit(field: str) -> str:
    operator, _, name = field.partition(".")
    try:
        fields = describe_fields(operator_class(operator.partition(" ")[0]))
    except PerturbError:
        return ""
    return next((info.unit for info in fields if info.name == name), "")
