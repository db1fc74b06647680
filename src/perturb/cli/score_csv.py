"""The result of ``perturb score`` as one long table: every number in a row of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from perturb.score.inference.contrasts import Contrast
    from perturb.score.inference.estimate import Estimate
    from perturb.score.inference.verdict import Verdict
    from perturb.score.records.condition import Baselines
    from perturb.score.records.overview import ModelScore, Overview

__all__ = ["CSV_HEADER", "STATES", "csv_text"]

STATES = ("unparsed", "refused", "empty", "missing", "invalid", "ungraded")
"""What becomes of rows that were not answered with an option."""

_COLUMNS = (
    "model",
    "kind",
    "name",
    "condition",
    "against",
    "group",
    "role",
    "n",
    "clusters",
    "value",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "verdict",
    *STATES,
    "off_target",
    "reason",
)
CSV_HEADER = ",".join(_COLUMNS) + "\n"
"""The first line of the table."""

Row = dict[str, Any]


def csv_text(shown: Overview) -> str:
    """Return the table as CSV, with a header."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for model in shown.models:
        for rows in (
            _accuracies,
            _differences,
            _noise,
            _groups,
            _measures,
            _paired,
            _dose,
            _claims,
        ):
            writer.writerows({"model": model.model, **row} for row in rows(model))
    writer.writerows(_baseline_rows(shown.baselines, ""))
    for group in shown.group_baselines:
        writer.writerows(_baseline_rows(group.baselines, f"{group.by}={group.group}"))
    writer.writerows(_compared(shown))
    writer.writerows(
        {"kind": "attrition", "name": status, "condition": one.condition, "value": count}
        for one in shown.conditions
        for status, count in one.statuses.items()
    )
    return text.getvalue()


def _accuracies(model: ModelScore) -> Iterator[Row]:
    for one in model.conditions:
        yield {
            "kind": "accuracy",
            "condition": one.condition,
            **_numbers(one.accuracy),
            **{state: one.states.get(state, 0) for state in STATES},
            "off_target": one.off_target,
        }


def _differences(model: ModelScore) -> Iterator[Row]:
    for pair in model.comparisons:
        yield {
            "kind": "difference",
            "condition": pair.first,
            "against": pair.second,
            "role": pair.role,
            **_contrast(pair.contrast, pair.verdict),
        }


def _noise(model: ModelScore) -> Iterator[Row]:
    yield {"kind": "noise_floor", **_numbers(model.noise_floor)}


def _groups(model: ModelScore) -> Iterator[Row]:
    for one in model.groups:
        yield {
            "kind": "group_accuracy",
            "condition": one.condition,
            "group": f"{one.by}={one.group}",
            **_numbers(one.accuracy),
        }


def _measures(model: ModelScore) -> Iterator[Row]:
    for one in model.measures:
        row = {
            "name": one.name,
            "condition": one.condition,
            "against": one.against,
            "group": _group(one.group),
        }
        yield {"kind": "measure", **row, **_numbers(one.estimate)}
        for floor in one.beside:
            yield {
                "kind": "beside",
                **row,
                "against": floor.label,
                **_numbers(floor.estimate),
            }


def _paired(model: ModelScore) -> Iterator[Row]:
    for one in model.paired:
        for name in ("both", "only_first", "only_second", "neither"):
            yield {
                "kind": "paired",
                "name": name,
                "condition": one.first,
                "against": one.second,
                "value": getattr(one, name),
            }


def _dose(model: ModelScore) -> Iterator[Row]:
    for curve in model.dose:
        response = curve.response
        for condition, dose, found in zip(
            curve.conditions, response.doses, response.accuracies, strict=True
        ):
            yield {
                "kind": "dose",
                "name": curve.series,
                "condition": condition,
                "group": f"{curve.field}={dose:g}",
                **_numbers(found),
            }
        yield {
            "kind": "threshold",
            "name": curve.series,
            "group": curve.field,
            **_numbers(response.threshold),
        }


def _claims(model: ModelScore) -> Iterator[Row]:
    for one in model.claims:
        yield {
            "kind": "claim",
            "name": one.name,
            "condition": one.condition,
            "against": one.against,
            "role": one.role,
            "verdict": one.verdict,
            "reason": one.sentence,
        }


def _baseline_rows(baselines: Baselines, group: str) -> Iterator[Row]:
    for name, found in msgspec.structs.asdict(baselines).items():
        yield {"kind": "baseline", "name": name, "group": group, **_numbers(found)}


def _compared(shown: Overview) -> Iterator[Row]:
    for part in shown.compared:
        for pair in part.pairs:
            yield {
                "model": pair.first,
                "kind": "models",
                "condition": part.condition,
                "against": pair.second,
                **_contrast(pair.contrast, pair.verdict),
            }
        for one in part.ranks.rankings:
            yield {
                "model": one.model,
                "kind": "rank",
                "condition": part.condition,
                "n": part.ranks.n,
                "value": one.rank,
                "low": one.low,
                "high": one.high,
            }


def _contrast(contrast: Contrast, verdict: Verdict) -> Row:
    return {
        **_numbers(contrast.difference),
        "p_value": contrast.test.p_value,
        "p_adjusted": verdict.p_adjusted,
        "verdict": verdict.verdict,
    }


def _group(group: Mapping[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in group.items())


def _numbers(one: Estimate) -> Row:
    names = ("n", "clusters", "value", "low", "high", "reason")
    return {name: getattr(one, name) for name in names}
