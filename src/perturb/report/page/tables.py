"""Tables of a page: all that the figures show, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perturb.report.svg.markup import element, escape

__all__ = ["Table", "draw_table"]


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Parameters
    ----------
    columns : tuple of str
        Heads.
    rows : tuple of tuple of str
        Cells; the first of a row names it.
    numbers : frozenset of int
        Places of columns that hold numbers, set to the right.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()


def draw_table(table: Table, caption: str = "") -> str:
    """Return a table in a box that scrolls where it is wider than the page."""
    head = element(
        "tr",
        *(
            element("th", escape(text), scope="col", class_=_kind(table, at))
            for at, text in enumerate(table.columns)
        ),
    )
    body = [element("tr", *_cells(table, row)) for row in table.rows]
    title = element("caption", escape(caption)) if caption else ""
    inside = title + element("thead", head) + element("tbody", *body)
    return element("div", element("table", inside), class_="scroll", tabindex="0")


def _cells(table: Table, row: Sequence[str]) -> list[str]:
    first, *others = row
    cells = [element("th", element("bdi", escape(first)), scope="row")]
    cells += [
        element("td", element("bdi", escape(text)), class_=_kind(table, at))
        for at, text in enumerate(others, start=1)
    ]
    return cells


def _kind(table: Table, place: int) -> str | None:
    return "number" if place in table.numbers else None
