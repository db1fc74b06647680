"""A function in a process of its own, so that its memory is not taken for that of others.

The peak that Linux reports of a process that was just started is its parent's, where that is
larger: whoever measures peaks of processes must stay small.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

__all__ = ["apart"]

P = ParamSpec("P")
R = TypeVar("R")


def apart(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what a function returns, called in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *args, **kwargs).result()
