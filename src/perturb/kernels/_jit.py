"""The one decorator of all kernels, and the one door through which arrays reach them.

Rules of the folder: plain arrays and scalars in; the caller allocates; a written argument ends in
``_out`` or ``_inout``; no random numbers; no fast-math; a callee lives in its caller's file,
because numba's cache does not see changes in other files. Every kernel has a plain twin in
``tests/reference/``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["as_input", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on first use and keep the result in numba's cache.

    Where no cache can be written (read-only site-packages and no home folder), the kernel is
    compiled again in each process: slower to start, the same results.
    """
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no place for its cache
        compiled = numba.njit(**_OPTIONS)(function)
    return cast("Callable[P, R]", compiled)


def as_input(array: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """Return a read-only, C-contiguous view (or copy) of `array`: the one form kernels accept.

    One form means one compilation per kernel, and an input that cannot be written to.
    """
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.setflags(write=False)
    return view
