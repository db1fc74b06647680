"""Every writer by its name, found by looking into this folder: adding one is adding its file."""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from typing import cast

import perturb.benchmark.writers as folder
from perturb.benchmark.protocols import Writer
from perturb.errors import ParameterError

__all__ = ["find_writer", "writer_names"]

_FRAMEWORK = frozenset({"checking", "linking", "placing", "registry", "unpacking"})


@functools.cache
def writer_names() -> tuple[str, ...]:
    """Return the names that ``--writer`` accepts, in alphabetical order; imports none of them."""
    found = (module.name for module in pkgutil.iter_modules(folder.__path__))
    return tuple(sorted(name for name in found if name not in _FRAMEWORK))


def find_writer(name: str) -> Writer:
    """Return a writer of the form known by `name`.

    Raises
    ------
    ParameterError
        No such form; the nearest name is offered.

    Examples
    --------
    >>> find_writer("inspect").name
    'inspect'
    """
    known = writer_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ParameterError(f"writer is {name!r}; {hint}accepted: {', '.join(known)}")
    module = importlib.import_module(f"{folder.__name__}.{name}")
    for value in vars(module).values():
        is_own = isinstance(value, type) and value.__module__ == module.__name__
        if is_own and getattr(value, "name", None) == name:
            return cast("Writer", value())
    raise ParameterError(f"{module.__name__} defines no class with the name {name!r}")
