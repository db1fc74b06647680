"""Audio contribution: what accuracy the audio adds and costs, and what stays right without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics import contribution as statistics
from perturb.score.statistics.correct_on_silence import (
    correct_on_silence,
    still_correct_on_silence,
)

__all__ = ["NO_CONTROL", "contribution"]

NO_CONTROL = (
    "no condition takes the audio away (silence, noise, another clip, the question alone), or none "
    "was answered"
)
"""Why nothing can be said of answers without audio."""


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    if arms.plain is None:
        return "neither `original` nor `repeat` was answered"
    if not arms.controls:
        return NO_CONTROL
    plain = arms.plain
    return [draft for name in arms.controls for draft in _of(arms, name, plain)]


def _of(arms: ModelArms, name: str, plain: str) -> Iterator[Draft]:
    heard, without = arms.strict(plain), arms.strict(name)
    found = statistics.contribution(heard, without)
    for part, title, value in (
        ("net_contribution", "Net contribution of the audio", found.net),
        ("gained", "Right only with the audio", found.gained),
        ("lost", "Right only without the audio", found.lost),
    ):
        yield Draft(
            name=part,
            title=title,
            unit="difference" if part == "net_contribution" else "share",
            value=value,
            condition=name,
            against=plain,
        )
    yield Draft(
        name="correct_without_audio",
        title="Right without the audio",
        unit="share",
        value=correct_on_silence(without),
        condition=name,
    )
    yield Draft(
        name="still_correct_without_audio",
        title="Of the items that are right with the audio, right without it too",
        unit="share",
        value=still_correct_on_silence(heard, without),
        condition=name,
        against=plain,
    )


contribution = Family("contribution", "Audio contribution", _drafts)
