"""Rows of predictions joined to the items of a split: by pair id, item id, place or order.

A join is proven where the rows repeat the question or the gold. Rows that belong to no item are
counted, never guessed at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.matching.normalising import normalise
from perturb.score.predictions.columns import as_id, as_text
from perturb.score.predictions.protocol import PredictionRows
from perturb.split.records.manifest import ItemRow

__all__ = ["Joined", "Joiner"]

_ENOUGH = 0.5
"""Share of the rows that a field must know an item for, to be taken for the id."""
_DISAGREE = 0.5
"""Share of the rows whose gold is another one, from which a join by place is refused."""


class Joined(NamedTuple):
    """Where rows belong.

    Parameters
    ----------
    places : list of int
        The item of each row, -1 where there is none.
    by : str
        What they were joined by, in words.
    keys : list of str
        What each row calls itself, for messages.
    """

    places: list[int]
    by: str
    keys: Sequence[str]


class Joiner:
    """Joins rows to items.

    Parameters
    ----------
    items : sequence of ItemRow
        Of the split, in row order.
    """

    def __init__(self, items: Sequence[ItemRow]) -> None:
        self._items = items
        self._by_pair = {item.pair_id: place for place, item in enumerate(items)}
        by_item: dict[str, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            by_item[item.item_id].append(place)
        self._by_item: Mapping[str, list[int]] = by_item
        self._has_repeated = len(by_item) < len(items)

    def join(self, rows: PredictionRows, groups: Sequence[object]) -> Joined:
        """Return the item of every row.

        Parameters
        ----------
        rows : PredictionRows
            Of one file.
        groups : sequence
            Which run each row belongs to: order and repeated ids are counted within each.

        Raises
        ------
        ScoreError
            No id of the rows is known and their number is not that of the items; or the golds that
            the rows repeat are others.
        """
        for field, values in rows.ids.items():
            keys = [as_id(value) for value in values]
            known = sum(key in self._by_item or key in self._by_pair for key in keys)
            if keys and known >= _ENOUGH * len(keys):
                places = self._places_of(keys, groups)
                return Joined(places, f"the id in {field}", [key or "?" for key in keys])
        joined = self._join_by_place(rows, groups)
        self._prove(rows, joined)
        return joined

    def _places_of(self, keys: Sequence[str | None], groups: Sequence[object]) -> list[int]:
        """Return items by pair id, else by item id; an id that several items have counts on."""
        by_pair, by_item = self._by_pair, self._by_item
        if not self._has_repeated:
            return [
                -1 if key is None else by_pair.get(key, by_item.get(key, (-1,))[0]) for key in keys
            ]
        seen: Counter[tuple[object, str]] = Counter()
        places = []
        for number, key in enumerate(keys):
            shared = () if key is None else by_item.get(key, ())
            if key is not None and len(shared) > 1:
                run = (groups[number], key)
                places.append(shared[seen[run] % len(shared)])
                seen[run] += 1
            else:
                places.append(-1 if key is None else by_pair.get(key, shared[0] if shared else -1))
        return places

    def _join_by_place(self, rows: PredictionRows, groups: Sequence[object]) -> Joined:
        count = len(rows.answers)
        if rows.places is not None:
            numbers = [as_id(value) for value in rows.places]
            places = [
                int(text)
                if text is not None and text.isdecimal() and int(text) < len(self._items)
                else -1
                for text in numbers
            ]
            return Joined(places, "the place in doc_id", [text or "?" for text in numbers])
        order = _order_in_groups(groups)
        if set(Counter(groups).values()) != {len(self._items)}:
            ids = "; ".join(
                f"{field} has {', '.join(repr(value) for value in values[:2])}"
                for field, values in rows.ids.items()
            )
            raise ScoreError(
                f"{printable_path(rows.path)}: cannot be joined: "
                f"{'no ids' if not ids else f'no ids that the split has ({ids})'}, and "
                f"{count} rows where the split has {len(self._items)} items; add a column with the "
                "pair id or the item id"
            )
        return Joined(order, "the order of the rows", [f"row {number}" for number in range(count)])

    def _prove(self, rows: PredictionRows, joined: Joined) -> None:
        """Refuse a join by place where the rows repeat other golds or questions than the items'."""
        for what, values in rows.checks.items():
            pairs = [
                (self._items[place], value)
                for place, value in zip(joined.places, values, strict=True)
                if place >= 0 and value not in (None, "")
            ]
            same = [_agrees(what, item, value) for item, value in pairs]
            differing = same.count(False)
            if same and differing > _DISAGREE * len(same):
                raise ScoreError(
                    f"{printable_path(rows.path)}: joined by {joined.by}, {differing} of "
                    f"{len(same)} rows have another {what} than the split's item; the rows are in "
                    "another order, or of another benchmark"
                )


def _agrees(what: str, item: ItemRow, value: Any) -> bool:
    if value == (item.question if what == "question" else item.answer):
        return True
    text = normalise(as_text(value) or "")
    if what == "question":
        return normalise(item.question) in text
    if item.answer is None:
        return True
    golds = {normalise(item.answer)}
    if item.answer_index is not None:
        letter = chr(ord("a") + item.answer_index)
        golds |= {letter, f"({letter})", str(item.answer_index)}
    return text in golds or text.endswith(normalise(item.answer))


def _order_in_groups(groups: Sequence[object]) -> list[int]:
    seen: Counter[object] = Counter()
    order = []
    for group in groups:
        order.append(seen[group])
        seen[group] += 1
    return order
