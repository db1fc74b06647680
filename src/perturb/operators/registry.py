"""The registry: every operator by its name, built in or brought by another package.

Built-in operators are found by looking into this folder, so that adding one is adding its file.
Others register a class under the entry-point group ``perturb.operators``.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Mapping
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Union

import msgspec

import perturb.operators
from perturb.errors import ParameterError
from perturb.operators.protocol import Operator, snake_case
from perturb.record import describe_fields

__all__ = [
    "ENTRY_POINT_GROUP",
    "all_operators",
    "operator_by_class_name",
    "operator_class",
    "operator_from_fields",
    "operator_schema",
]

ENTRY_POINT_GROUP = "perturb.operators"
_FRAMEWORK = frozenset(
    {
        "editing",
        "ledger",
        "proof",
        "prosody_proof",
        "protocol",
        "registry",
        "repitching",
        "respoken_proof",
        "retime_proof",
        "tempo_edit",
        "unchanged",
        "voice_proof",
    }
)


def operator_class(name: str) -> type[Operator]:
    """Return the operator known by `name`.

    Raises
    ------
    ParameterError
        No such operator; the nearest names are offered.
    """
    if name in _builtin_names():
        return _class_in(importlib.import_module(f"perturb.operators.{name}"))
    found = _foreign().get(name)
    if found is None:
        known = sorted({*_builtin_names(), *_foreign()})
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ParameterError(f"no operator is called {name!r}; {hint}accepted: {', '.join(known)}")
    return found


def operator_by_class_name(class_name: str) -> type[Operator] | None:
    """Return the operator whose class is called `class_name`, or None."""
    name = snake_case(class_name)
    if name not in _builtin_names() and name not in _foreign():
        return None
    found = operator_class(name)
    return found if found.__name__ == class_name else None


def all_operators() -> dict[str, type[Operator]]:
    """Return every registered operator by name, in alphabetical order."""
    names = sorted({*_builtin_names(), *_foreign()})
    return {name: operator_class(name) for name in names}


def operator_from_fields(fields: Mapping[str, Any]) -> Operator:
    """Build an operator from its dump: the field ``op`` names it, the others are its own.

    Raises
    ------
    ParameterError
        Unknown operator or field, a missing one, or a value out of range; all are named.
    """
    given = dict(fields)
    name = given.pop("op", None)
    if not isinstance(name, str):
        raise ParameterError(f"op is {name!r}; accepted: the name of an operator")
    kind = operator_class(name)
    described = describe_fields(kind)
    known = [info.name for info in described]
    problems = []
    for key in given:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            accepted = ", ".join(known) or "none, it has no fields"
            problems.append(f"{key} is not a field of it; {hint}accepted: {accepted}")
    problems.extend(
        f"{info.name} is missing; accepted: {info.accepted}"
        for info in described
        if info.is_required and info.name not in given
    )
    if problems:
        raise ParameterError(f"{name}: " + "; ".join(problems))
    for info in described:
        # Nested records arrive as tables: build them here, so that their own errors speak.
        if isinstance(given.get(info.name), list | dict):
            try:
                given[info.name] = msgspec.convert(given[info.name], info.annotation)
            except msgspec.ValidationError as error:
                raise ParameterError(f"{name}: {info.name}: {error}") from None
    return kind(**given)


def operator_schema(kind: type[Operator] | None = None) -> dict[str, Any]:
    """Return the JSON Schema of one operator, or of any registered one."""
    if kind is not None:
        return msgspec.json.schema(kind)
    union: Any = Union[tuple(all_operators().values())]  # noqa: UP007  (built at run time)
    return msgspec.json.schema(union)


@functools.cache
def _builtin_names() -> frozenset[str]:
    names = (module.name for module in pkgutil.iter_modules(perturb.operators.__path__))
    return frozenset(name for name in names if not name.startswith("_") and name not in _FRAMEWORK)


def _class_in(module: ModuleType) -> type[Operator]:
    name = module.__name__.rsplit(".", 1)[-1]
    for value in vars(module).values():
        is_operator = isinstance(value, type) and issubclass(value, Operator)
        if is_operator and value.__module__ == module.__name__ and value.op_name() == name:
            found: type[Operator] = value
            return found
    raise ParameterError(f"{module.__name__} defines no operator with the tag {name!r}")


@functools.cache
def _foreign() -> dict[str, type[Operator]]:
    found: dict[str, type[Operator]] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        where = f"entry point {point.name!r} of {point.dist.name if point.dist else 'a package'}"
        try:
            loaded = point.load()
        except Exception as error:  # whatever another package's import raises, name the package
            raise ParameterError(f"{where} cannot be loaded: {error!r}") from error
        if not (isinstance(loaded, type) and issubclass(loaded, Operator)):
            raise ParameterError(f"{where} is not an Operator class")
        if loaded.op_name() != point.name:
            raise ParameterError(
                f"{where} loads an operator tagged {loaded.op_name()!r}; the two names must agree"
            )
        if point.name in _builtin_names() or point.name in found:
            raise ParameterError(f"{where}: the name is taken; register it under another")
        found[point.name] = loaded
    return found
