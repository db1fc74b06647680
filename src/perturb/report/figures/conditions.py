"""What conditions are to a figure: their kind, their order, the legend of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perturb.report.result import ScoreResult
from perturb.report.svg.chart import Key, Line
from perturb.report.wording import percent
from perturb.score.records.condition import Baselines

__all__ = ["baseline_keys", "baseline_lines", "condition_keys", "kinds_of", "ordered"]

_KINDS = {
    "unedited": "the audio as it is",
    "control": "control: nothing of the clip is heard",
    "probe": "probe",
    "sham": "sham of a probe",
    "question": "asked otherwise",
}
_BASELINES = {"chance": "chance", "majority": "majority", "always_first": "always the first"}


def kinds_of(result: ScoreResult) -> dict[str, str]:
    """Return the kind of each condition, as figures colour it."""
    kinds = {
        one.condition: "unedited" if one.kind in ("original", "repeat") else one.kind
        for one in result.conditions
    }
    for model in result.models:
        for score in model.conditions:
            is_plain = score.condition in ("original", "repeat")
            kind = "unedited" if is_plain else "probe" if score.sham_of is None else "sham"
            kinds.setdefault(score.condition, kind)
    return kinds


def ordered(result: ScoreResult) -> list[tuple[str, bool]]:
    """Return all conditions in the order of the suite, and whether each is the sham above it."""
    facts = {one.condition: one.sham_of for one in result.conditions}
    for model in result.models:
        for score in model.conditions:
            facts.setdefault(score.condition, score.sham_of)
    found: list[tuple[str, bool]] = []
    for name, sham_of in facts.items():
        if sham_of in facts:
            continue
        found.append((name, False))
        found += [(other, True) for other, probe in facts.items() if probe == name]
    return found


def condition_keys(kinds: Iterable[str]) -> tuple[Key, ...]:
    """Return the legend of the kinds that occur."""
    seen = set(kinds)
    return tuple(Key("point", kind, text) for kind, text in _KINDS.items() if kind in seen)


def baseline_lines(baselines: Baselines) -> tuple[Line, ...]:
    """Return the baselines as lines; those that are undefined are left out."""
    values = {name: getattr(baselines, name).value for name in _BASELINES}
    return tuple(Line(value, name) for name, value in values.items() if value is not None)


def baseline_keys(baselines: Sequence[Baselines]) -> tuple[Key, ...]:
    """Return the legend of baselines, with the value where there is one for all."""
    keys = []
    for name, text in _BASELINES.items():
        values = {getattr(each, name).value for each in baselines} - {None}
        if values:
            shown = f" {percent(values.pop())}" if len(values) == 1 else ""
            keys.append(Key("line", name, text + shown))
    return tuple(keys)
