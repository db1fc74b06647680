"""`Suite`: the conditions of an experiment, each a recipe, a sham of one, or the clip itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from perturb.errors import RecipeError
from perturb.recipes.parsing import Problems
from perturb.recipes.recipe import Recipe
from perturb.record import Record

__all__ = ["CONDITION_NAME", "Condition", "Suite", "parse_suite"]

CONDITION_NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a condition may be called: dataset libraries refuse other names of splits."""

_UNEDITED = ("original", "repeat")


class Condition(Record, frozen=True, kw_only=True):
    """One condition.

    Parameters
    ----------
    name : str
        ``[a-z][a-z0-9_]*``; also the name of its random streams, unless its recipe names one.
    recipe : str or None
        Name of its recipe in the catalogue; None for the unedited clip and for shams.
    sham_of : str or None
        Name of the condition whose sham it is.
    """

    name: str
    recipe: str | None = None
    sham_of: str | None = None


class Suite(Record, frozen=True, kw_only=True):
    """A list of conditions.

    Parameters
    ----------
    name, title, source : str
        As for recipes.
    conditions : tuple of Condition
        In order; every name once.
    """

    name: str
    title: str
    source: str = ""
    conditions: tuple[Condition, ...]


def parse_suite(table: Mapping[str, Any], name: str, load: Callable[[str], Recipe]) -> Suite:
    """Check a table and return the suite.

    Parameters
    ----------
    table : mapping
        As read from TOML: title, source, one [[condition]] or more.
    name : str
        Name for messages.
    load : callable
        Finds a recipe by its name, so that a suite without its recipes is refused.

    Raises
    ------
    RecipeError
        Every problem found, one a line.
    """
    problems = Problems(name)
    problems.check_keys(table, "$", ("title", "source", "condition"))
    title = problems.text(table, "title")
    source = problems.text(table, "source", "")
    items = table.get("condition")
    conditions: list[Condition] = []
    if not isinstance(items, list) or not items:
        problems.add("$.condition", "is missing; accepted: one [[condition]] or more")
        items = []
    for index, item in enumerate(items):
        path = f"$.condition[{index}]"
        if not isinstance(item, dict):
            problems.add(path, "is no table")
            continue
        problems.check_keys(item, path, ("name", "recipe", "sham_of"))
        condition = _parse_condition(item, path, conditions, problems, load)
        if condition is not None:
            conditions.append(condition)
    problems.raise_if_any()
    return Suite(name=name, title=title, source=source, conditions=tuple(conditions))


def _parse_condition(
    item: Mapping[str, Any],
    path: str,
    before: list[Condition],
    problems: Problems,
    load: Callable[[str], Recipe],
) -> Condition | None:
    name, recipe, sham_of = item.get("name"), item.get("recipe"), item.get("sham_of")
    if not isinstance(name, str) or not CONDITION_NAME.fullmatch(name):
        problems.add(f"{path}.name", f"is {name!r}; accepted: [a-z][a-z0-9_]*")
        return None
    if any(condition.name == name for condition in before):
        problems.add(f"{path}.name", f"{name!r} is taken by an earlier condition")
    if (recipe is None) == (sham_of is None) and name not in _UNEDITED:
        problems.add(
            path,
            "needs a recipe or sham_of, one of the two; without either: " + ", ".join(_UNEDITED),
        )
    if name in _UNEDITED and (recipe is not None or sham_of is not None):
        problems.add(path, f"{name!r} is the unedited clip: it takes no recipe")
    if isinstance(recipe, str):
        try:
            load(recipe)
        except RecipeError as error:
            problems.add(f"{path}.recipe", str(error))
    elif recipe is not None:
        problems.add(f"{path}.recipe", f"is {recipe!r}; accepted: the name of a recipe")
    if sham_of is not None:
        probes = [condition.name for condition in before if condition.recipe is not None]
        if sham_of not in probes:
            problems.add(
                f"{path}.sham_of",
                f"is {sham_of!r}; accepted: an earlier condition with a recipe"
                + (f" ({', '.join(probes)})" if probes else ""),
            )
            return None
    if not (recipe is None or isinstance(recipe, str)):
        return None
    return Condition(name=name, recipe=recipe, sham_of=sham_of)
