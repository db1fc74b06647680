"""Verdicts: *differs*, *equivalent* or *undecided*, never more than the interval allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from perturb.record import Record, bounds
from perturb.score.inference.contrasts import Contrast
from perturb.score.inference.holm import adjust_holm
from perturb.score.inference.settings import Settings

__all__ = ["Verdict", "decide", "decide_all"]

_DEFAULT = Settings()


class Verdict(Record, frozen=True, kw_only=True):
    """What a contrast shows.

    Parameters
    ----------
    verdict : {'differs', 'equivalent', 'undecided'}
        `equivalent` where the difference is shown to lie within the margin; `differs` where it is
        shown not to be zero, and not to be equivalent; else `undecided`.
    p_adjusted : float or None
        P-value by which it was decided: Holm's, where the contrast is one of a family.
    sentence : str
        The same in words.
    """

    verdict: Literal["differs", "equivalent", "undecided"]
    p_adjusted: Annotated[float, bounds(0.0, 1.0, "", "probability")] | None
    sentence: str


def decide_all(contrasts: Sequence[Contrast], settings: Settings = _DEFAULT) -> list[Verdict]:
    """Return the verdicts of one family of contrasts, their p-values adjusted by Holm."""
    adjusted = adjust_holm([each.test.p_value for each in contrasts])
    return [
        decide(each, p_value, settings) for each, p_value in zip(contrasts, adjusted, strict=True)
    ]


def decide(contrast: Contrast, p_value: float | None, settings: Settings = _DEFAULT) -> Verdict:
    """Return the verdict of one contrast.

    Parameters
    ----------
    contrast : Contrast
        Of the two arms.
    p_value : float or None
        Of its test, adjusted where it is one of a family.
    settings : Settings
        Level of the test.
    """
    found = contrast.difference
    if found.value is None:
        return _verdict("undecided", p_value, f"There is no difference to speak of: {found.reason}")
    if found.low is None or found.high is None:
        return _verdict(
            "undecided", p_value, f"{_points(found.value)}, without an interval: {found.reason}"
        )
    measured = (
        f"{_points(found.value)} ({100.0 * found.confidence:g} % interval "
        f"{100.0 * found.low:+.1f} to {100.0 * found.high:+.1f})"
    )
    margin = f"{100.0 * contrast.margin:g} points"
    is_apart = p_value is not None and p_value <= settings.alpha
    is_apart = is_apart and not found.low <= 0.0 <= found.high
    if contrast.is_within_margin():
        note = " not zero, but" if is_apart else ""
        return _verdict("equivalent", p_value, f"{measured}:{note} within {margin} of zero")
    if is_apart:
        return _verdict("differs", p_value, f"{measured}: the arms differ")
    return _verdict(
        "undecided",
        p_value,
        f"{measured}: shown neither to differ from zero nor to lie within {margin} of it",
    )


def _verdict(
    verdict: Literal["differs", "equivalent", "undecided"], p_value: float | None, sentence: str
) -> Verdict:
    return Verdict(verdict=verdict, p_adjusted=p_value, sentence=sentence)


def _points(value: float) -> str:
    return f"{100.0 * value:+.1f} points"
