"""A part of a benchmark: stratified, by keyed draws, the same for the same set of items."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from perturb.benchmark.item import Item
from perturb.errors import ParameterError
from perturb.streams import Streams

__all__ = ["STRATA_FIELDS", "Share", "parse_share", "parse_strata", "sample_items"]

STRATA_FIELDS = ("task", "language", "speaker", "recording", "answer")
"""Fields of an item that may name strata."""


class Share(NamedTuple):
    """How much to take: a fraction of the items, or a number of them; one of the two."""

    fraction: float | None = None
    items: int | None = None

    def of(self, total: int) -> int:
        """Return how many of `total` that is, rounded half up."""
        if self.items is not None:
            return min(self.items, total)
        return math.floor((self.fraction or 0.0) * total + 0.5)


def parse_share(text: str) -> Share:
    """Read ``10%``, ``0.1`` or ``250``.

    A whole number without a percent sign counts items; a number with a point is a fraction.

    Examples
    --------
    >>> parse_share("10%"), parse_share("250")
    (Share(fraction=0.1, items=None), Share(fraction=None, items=250))

    Raises
    ------
    ParameterError
        Anything else, nothing, or more than everything.
    """
    found = re.fullmatch(r"\s*(\d+|\d*\.\d+|\d+\.)\s*(%?)\s*", text, re.ASCII)
    if found is not None:
        number, percent = found.groups()
        if not percent and number.isdigit():
            if int(number) > 0:
                return Share(items=int(number))
        else:
            fraction = float(number) / (100.0 if percent else 1.0)
            if 0.0 < fraction <= 1.0:
                return Share(fraction=fraction)
    raise ParameterError(
        f"sample is {text!r}; accepted: a share such as 10% or 0.1, above 0 to all, or a number of "
        "items such as 250"
    )


def parse_strata(text: str) -> tuple[str, ...]:
    """Read ``task,language``.

    Raises
    ------
    ParameterError
        A field that items do not have, or one twice.
    """
    fields = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    if set(fields) <= set(STRATA_FIELDS) and len(set(fields)) == len(fields):
        return fields
    raise ParameterError(
        f"stratify is {text!r}; accepted: {', '.join(STRATA_FIELDS)}, each once, with commas"
    )


def sample_items(
    items: Sequence[Item],
    share: Share | None = None,
    strata: Sequence[str] = (),
    seed: int = 0,
    limit: int | None = None,
) -> tuple[Item, ...]:
    """Return a part of the items, in their order.

    Every item has a rank, drawn by seed and pair id alone; a stratum gives its lowest. So the same
    items are taken in any order of the source; but for rounding between strata a larger share holds
    a smaller one, and an item that is added takes the place of one other at most.

    Parameters
    ----------
    items : sequence of Item
        All.
    share : Share, optional
        How much; all by default.
    strata : sequence of str
        Fields from `STRATA_FIELDS`; each combination that occurs is a stratum. The shares of
        strata are proportional (largest remainders), at least one item each.
    seed : int
        Of the draws.
    limit : int, optional
        Most items, whatever the strata ask for.

    Raises
    ------
    ParameterError
        A field that items do not have, or a limit below 1.
    """
    parse_strata(",".join(strata))
    if limit is not None and limit < 1:
        raise ParameterError(f"limit is {limit}; accepted: a whole number, at least 1")
    target = len(items) if share is None else share.of(len(items))
    cap = len(items) if limit is None else min(limit, len(items))
    ranks = {
        item.pair_id: Streams(seed, item.pair_id, "sample").key("rank")
        for item in items
        if target < len(items) or cap < len(items)
    }
    if not ranks:
        return tuple(items)
    by_stratum: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
    for item in items:
        by_stratum[tuple(getattr(item, name) for name in strata)].append(item.pair_id)
    members = [sorted(ids, key=ranks.__getitem__) for ids in by_stratum.values()]
    members.sort(key=lambda ids: ranks[ids[0]])
    counts = _apportion([len(ids) for ids in members], min(max(target, len(members)), cap))
    taken = {pair_id for ids, count in zip(members, counts, strict=True) for pair_id in ids[:count]}
    return tuple(item for item in items if item.pair_id in taken)


def _apportion(sizes: Sequence[int], total: int) -> list[int]:
    """Return how many to take of each stratum: one at least, else by largest remainders.

    Equal remainders go to the earlier stratum; the caller brings them in a drawn order.
    """
    if total < len(sizes):
        return [int(at < total) for at in range(len(sizes))]
    counts = [1] * len(sizes)
    free = list(range(len(sizes)))
    while True:
        rest, whole = total - len(sizes) + len(free), sum(sizes[at] for at in free)
        large = [at for at in free if rest * sizes[at] >= whole]
        if len(large) == len(free):
            break
        free = large
    for at in free:
        counts[at] = rest * sizes[at] // whole
    by_remainder = sorted(free, key=lambda at: -(rest * sizes[at] % whole))
    for at in by_remainder[: total - sum(counts)]:
        counts[at] += 1
    return counts
