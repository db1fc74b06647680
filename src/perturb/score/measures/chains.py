"""Chains: longest correct prefix, and later links by whether perception was right (AudioSpan)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perturb.score.arms import ModelArms
from perturb.score.inference.statistic import Floats, mean
from perturb.score.measures.draft import Draft, Family, Found, fixed, on_items
from perturb.score.statistics.chain import chain_floor, chain_scores, link_by_perception

__all__ = ["chains"]

_NONE = "no chain has all of its links"
_NAMES = ("perception", "understanding", "reasoning")

_Table = tuple[list[int], list[list[int]]]
"""The first item of each chain, and the items of its links, -1 where one is missing."""


def _drafts(arms: ModelArms, everyone: Sequence[ModelArms]) -> Found:
    tables = list(_by_length(arms))
    if not tables:
        return "no items are known to be a chain: give columns `chain` and `link` by --labels"
    return [draft for name in arms.names for draft in _of(arms, name, tables)]


def _by_length(arms: ModelArms) -> Iterator[_Table]:
    """Yield the chains of each length apart."""
    lengths: dict[int, _Table] = {}
    for places in arms.labels.chains():
        links = {int(arms.labels.link[place]): place for place in places}
        length = max(links) + 1
        heads, rows = lengths.setdefault(length, ([], []))
        heads.append(places[0])
        rows.append([links.get(link, -1) for link in range(length)])
    for length in sorted(lengths):
        yield lengths[length]


def _links(values: Floats, rows: list[list[int]]) -> Floats:
    """Return the values of each chain's links, NaN where one is missing."""
    places = np.array(rows)
    return np.where(places >= 0, values[places], np.nan)


def _of(arms: ModelArms, name: str, tables: Sequence[_Table]) -> Iterator[Draft]:
    count = len(arms.found.items)
    scores, floors = np.full(count, np.nan), np.full(count, np.nan)
    for heads, rows in tables:
        links = _links(arms.strict(name), rows)
        scores = np.fmax(scores, on_items(chain_scores(links), heads, count))
        floor = chain_floor(_links(arms.options.astype(np.float64), rows))
        floors = np.fmax(floors, on_items(floor, heads, count))
    yield Draft(
        name="chain_score",
        title="Longest correct prefix of a chain over its length",
        unit="score",
        value=mean(scores, _NONE),
        condition=name,
        beside=(("a guesser's", fixed(floors)),),
    )
    yield from _by_perception(arms, name, tables)


def _by_perception(arms: ModelArms, name: str, tables: Sequence[_Table]) -> Iterator[Draft]:
    longest = max(len(rows[0]) for _, rows in tables)
    heads = [head for part, _ in tables for head in part]
    padded = [row + [-1] * (longest - len(row)) for _, rows in tables for row in rows]
    links = _links(arms.strict(name), padded)
    count = len(arms.found.items)
    for link in range(1, longest):
        spread = np.column_stack([on_items(links[:, at], heads, count) for at in (0, link)])
        found = link_by_perception(spread, 1)
        title = _NAMES[link] if longest <= len(_NAMES) else f"link {link + 1}"
        for state, value in zip(("perceived", "missed"), found, strict=True):
            yield Draft(
                name="link_by_perception",
                title=f"{title.capitalize()} right where perception was "
                + ("right" if state == "perceived" else "wrong"),
                unit="share",
                value=value,
                condition=name,
                group={"link": title, "perception": state},
            )


chains = Family("chains", "Chains", _drafts)
