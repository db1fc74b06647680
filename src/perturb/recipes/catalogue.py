"""The catalogue: named recipes and suites, and those that lie in a file of one's own.

A name is the path below the catalogue without its suffix (`seabed/prosody_only`); a path that ends
in ``.toml`` is a file. The catalogue lies inside the package, or at the source root of an editable
install. Task maps lie beside it, in a folder of their own that is no part of it.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from perturb.errors import RecipeError
from perturb.recipes.parsing import parse_recipe, read_toml
from perturb.recipes.recipe import Recipe
from perturb.recipes.suite import Suite, parse_suite

__all__ = [
    "TASK_MAPS",
    "catalogue_folder",
    "catalogue_names",
    "is_suite",
    "load_recipe",
    "load_suite",
]

TASK_MAPS = "task_maps"
"""Folder of the task maps."""


def catalogue_folder() -> Path:
    """Return the folder of the catalogue.

    Raises
    ------
    RecipeError
        It is neither in the package nor at the source root.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "_catalogue", package.parents[1] / "perturbations"):
        if folder.is_dir():
            return folder
    raise RecipeError("the catalogue is missing from this installation; install perturb again")


def catalogue_names() -> tuple[str, ...]:
    """Return the names of all recipes and suites, in alphabetical order."""
    folder = catalogue_folder()
    return tuple(
        sorted(
            path.relative_to(folder).with_suffix("").as_posix()
            for path in folder.rglob("*.toml")
            if path.relative_to(folder).parts[0] != TASK_MAPS
        )
    )


def is_suite(name: str) -> bool:
    """Whether the name (or file) holds conditions rather than steps."""
    return "condition" in read_toml(_find(name), name)


def load_recipe(name: str) -> Recipe:
    """Return the recipe of a name or a file.

    Raises
    ------
    RecipeError
        There is none, or it is not acceptable: every problem with file and path.
    """
    table = read_toml(_find(name), name)
    if "condition" in table:
        raise RecipeError(f"{name}: is a suite of conditions; a recipe has [[step]]")
    return parse_recipe(table, name)


def load_suite(name: str) -> Suite:
    """Return the suite of a name or a file, its recipes checked.

    Raises
    ------
    RecipeError
        There is none, or it or one of its recipes is not acceptable.
    """
    table = read_toml(_find(name), name)
    if "step" in table:
        raise RecipeError(f"{name}: is a recipe of steps; a suite has [[condition]]")
    return parse_suite(table, name, load_recipe)


def _find(name: str) -> Path:
    if name.endswith(".toml"):
        return Path(name)
    known = catalogue_names()
    if name in known:
        return catalogue_folder() / f"{name}.toml"
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise RecipeError(
        f"no recipe is called {name!r}; {hint}perturb recipes lists them, a file of your own ends "
        "in .toml"
    )
