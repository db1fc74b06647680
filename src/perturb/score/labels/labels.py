"""`Labels`: what statistics need to know of items that the records of a split do not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNKNOWN", "AuditLabels", "Labels", "no_labels"]

UNKNOWN = -1
"""Where nothing is said of an item."""


@dataclass(frozen=True)
class AuditLabels:
    """How a person judged the answers of one model in one condition.

    Parameters
    ----------
    quality, failure : tuple of (str or None)
        By item: the quality of a right answer (SEABED: genuine, partial, lucky), and the kind of
        failure of a wrong one; None where it was not audited.
    weights : ndarray of float64 or None
        How many items each audited one stands for; None where all stand for as many.
    """

    quality: tuple[str | None, ...]
    failure: tuple[str | None, ...]
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Labels:
    """Labels of the items of a split, in row order.

    Parameters
    ----------
    pair, chain, axis : tuple of (str or None)
        The pair, the chain and the axis of the headline that each item belongs to.
    link : ndarray of int16
        Place in its chain, from 0; `UNKNOWN` elsewhere.
    trap : ndarray of int16
        Place, among the item's own options, of the answer that the words suggest and the voice
        denies; `UNKNOWN` elsewhere.
    conflict, tonal : ndarray of int8
        1 where words and voice conflict, or the language is tonal; 0 where not; else `UNKNOWN`.
    audits : mapping of (str or None, str or None) to AuditLabels
        By model and condition, None for any.
    sources : tuple of str
        Where the labels come from, for notes.
    """

    pair: tuple[str | None, ...]
    chain: tuple[str | None, ...]
    axis: tuple[str | None, ...]
    link: NDArray[np.int16]
    trap: NDArray[np.int16]
    conflict: NDArray[np.int8]
    tonal: NDArray[np.int8]
    audits: Mapping[tuple[str | None, str | None], AuditLabels] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    def audit_of(self, model: str, condition: str) -> AuditLabels | None:
        """Return the audit of a model in a condition; the most particular one that there is."""
        keys = ((model, condition), (model, None), (None, condition), (None, None))
        return next((self.audits[key] for key in keys if key in self.audits), None)

    def chains(self) -> list[list[int]]:
        """Return the items of each chain in order of their links, chains as they come."""
        found: dict[str, dict[int, int]] = {}
        for place, name in enumerate(self.chain):
            if name is not None:
                found.setdefault(name, {})[int(self.link[place])] = place
        return [[links[at] for at in sorted(links)] for links in found.values()]

    def belonging(self) -> Iterator[Sequence[int]]:
        """Yield items that belong together: they are drawn as one by the bootstrap."""
        for names in (self.pair, self.chain):
            groups: dict[str, list[int]] = {}
            for place, name in enumerate(names):
                if name is not None:
                    groups.setdefault(name, []).append(place)
            yield from groups.values()


def no_labels(count: int) -> Labels:
    """Return the labels of items of which nothing is known."""
    nothing: tuple[str | None, ...] = (None,) * count
    return Labels(
        pair=nothing,
        chain=nothing,
        axis=nothing,
        link=np.full(count, UNKNOWN, np.int16),
        trap=np.full(count, UNKNOWN, np.int16),
        conflict=np.full(count, UNKNOWN, np.int8),
        tonal=np.full(count, UNKNOWN, np.int8),
    )
