"""Tonal against non-tonal languages, on the labels that both share (SEABED)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from perturb.score.arms import ModelArms
from perturb.score.measures.draft import Draft, Family, Found
from perturb.score.statistics.tonal import tonal_contrast

__all__ = ["tonal"]


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    known = arms.labels.tonal
    if not ((known == 0).any() and (known == 1).any()):
        return (
            "it takes items in tonal and in non-tonal languages: the source's languages, or a "
            "column `tonal` by --labels"
        )
    golds = np.array([item.answer or "" for item in arms.found.items], dtype=np.str_)
    return [draft for name in arms.names for draft in _of(arms, name, golds)]


def _of(arms: ModelArms, name: str, golds: NDArray[np.str_]) -> Iterator[Draft]:
    known = arms.labels.tonal
    scores = np.where((known >= 0) & (golds != ""), arms.strict(name), np.nan)
    found = tonal_contrast(scores, golds, known == 1)
    labels = f"{len(found.labels)} shared labels"
    for part, title, value in (
        ("tonal", "Accuracy in tonal languages", found.tonal),
        ("non_tonal", "Accuracy in non-tonal languages", found.non_tonal),
    ):
        yield Draft(
            name=f"accuracy_{part}",
            title=f"{title}, on the labels that both share",
            unit="share",
            value=value,
            condition=name,
            group={"languages": part.replace("_", "-"), "labels": labels},
        )
    yield Draft(
        name="tonal_difference",
        title="Tonal minus non-tonal, label by label",
        unit="difference",
        value=found.difference,
        condition=name,
        group={"labels": labels},
    )


tonal = Family("tonal", "Tonal against non-tonal languages", _drafts)
