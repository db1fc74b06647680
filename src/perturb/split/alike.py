"""Reasons that differ in their numbers alone, counted as one: what a table of reasons shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["alike"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def alike(reasons: Mapping[str, int]) -> list[str]:
    """Return a line for each kind of reason, the commonest kind first.

    Parameters
    ----------
    reasons : mapping of str to int
        How often each reason was given.

    Returns
    -------
    list of str
        ``COUNT × REASON``; of reasons that differ in their numbers the commonest is an example.

    Examples
    --------
    >>> alike({"2 s is too short": 1, "no speech": 2, "3 s is too short": 4})
    ['5 × such as: 3 s is too short', '2 × no speech']
    """
    kinds: dict[str, list[tuple[int, str]]] = {}
    for reason, count in reasons.items():
        kinds.setdefault(_NUMBER.sub("#", reason), []).append((count, reason))
    lines = []
    for members in kinds.values():
        total = sum(count for count, _ in members)
        example = max(members, key=lambda one: one[0])[1]
        lines.append((total, f"{total} × {'such as: ' if len(members) > 1 else ''}{example}"))
    return [line for _, line in sorted(lines, key=lambda one: -one[0])]
