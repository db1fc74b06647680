"""Which categories the generated bank has."""

from __future__ import annotations

import difflib
import functools
import importlib

from perturb.errors import ParameterError
from perturb.events.category import FAMILIES, Category

__all__ = ["all_categories", "find_category", "unknown_category"]

_MODULES = (
    "mammals",
    "birds",
    "insects",
    "alarms",
    "bells",
    "impacts",
    "ringing",
    "nature",
    "water",
    "machines",
    "household",
    "kitchen",
    "human",
    "bodies",
)


@functools.cache
def all_categories() -> dict[str, Category]:
    """Return the generated categories by name, family by family in the order of `FAMILIES`."""
    found = []
    for name in _MODULES:
        found += importlib.import_module(f"perturb.events.families.{name}").FAMILY.categories
    order = list(FAMILIES)
    found.sort(key=lambda category: (order.index(category.family), category.name))
    return {category.name: category for category in found}


def find_category(name: str) -> Category:
    """Return a generated category.

    Raises
    ------
    ParameterError
        There is none of this name; the closest names are given.
    """
    categories = all_categories()
    if name not in categories:
        raise unknown_category(name, tuple(categories))
    return categories[name]


def unknown_category(name: str, known: tuple[str, ...]) -> ParameterError:
    """Return the error of a category that a bank does not have."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    return ParameterError(
        f"category {name!r} is not in the bank of {len(known)}{hint} (perturb events list)"
    )
