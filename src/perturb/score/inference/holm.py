"""Holm's step-down correction: the chance of any false alarm in a family stays below the level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["adjust_holm"]


def adjust_holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return adjusted p-values, in the same order (Holm 1979); compare each with the level.

    Parameters
    ----------
    p_values : sequence of float or None
        Of one family; None where a test is undefined: it stays None and does not count.
    """
    tested = [place for place, p_value in enumerate(p_values) if p_value is not None]
    values = np.array([p_values[place] for place in tested], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(values.size, 0, -1)
    stepped = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    adjusted: list[float | None] = [None] * len(p_values)
    for place, p_value in zip(order.tolist(), stepped.tolist(), strict=True):
        adjusted[tested[place]] = p_value
    return adjusted
