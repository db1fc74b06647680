"""What a split would cost, and what it could show: the dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from perturb.errors import PerturbError
from perturb.plan.step import Step
from perturb.split.power import smallest_difference
from perturb.split.preparation import PreparedSplit
from perturb.split.presentation import Presentation
from perturb.split.tasks import ClipTask, VariantTask

__all__ = ["ConditionForecast", "Forecast", "forecast"]

_SUBTYPE_BYTES = {"PCM_24": 3, "PCM_32": 4, "FLOAT": 4, "DOUBLE": 8}


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
    smallest_difference : float or None
        Smallest difference in accuracy between two conditions that items as many as these can
        show, 0 to 1; None where no size could.
    assumes : str
        What that figure rests on.
    """

    items: int
    clips: int
    unreadable: int
    source_s: float
    conditions: tuple[ConditionForecast, ...]
    model_calls: int
    warnings: tuple[str, ...] = ()
    smallest_difference: float | None = None
    assumes: str = ""
