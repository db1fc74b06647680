"""Reading recipes: TOML in, a checked `Recipe` out, or every problem at once with file and path."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from perturb.errors import ParameterError, RecipeError
from perturb.operators.registry import operator_class, operator_from_fields
from perturb.plan.step import MOST_STEPS, Step
from perturb.recipes.draws import Choice, Given, Integer, LogUniform, Uniform, read_draw
from perturb.recipes.recipe import Anchor, Recipe, RecipeStep, RelativeSpans, Where
from perturb.record import FieldInfo, describe_fields
from perturb.span import Span

__all__ = ["Problems", "dump_recipe", "parse_recipe", "read_toml"]

_NO_OP = "is missing; accepted: the name of an operator"


class Problems:
    """Collects what is wrong with a file, so that a person mends it in one go."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[str] = []

    def add(self, path: str, message: str) -> None:
        """Note one problem at a path such as ``$.step[0].snr_db``."""
        self.lines.append(f"{self.name}: {path}: {message}")

    def check_keys(self, table: Mapping[str, Any], path: str, accepted: tuple[str, ...]) -> None:
        """Note keys that are not accepted, with the nearest one."""
        for key in table:
            if key not in accepted:
                near = difflib.get_close_matches(key, accepted, n=1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                self.add(f"{path}.{key}", f"unknown key; {hint}accepted: {', '.join(accepted)}")

    def text(self, table: Mapping[str, Any], key: str, default: str | None = None) -> str:
        """Return a text of the table, or note that it is missing or no text."""
        value = table.get(key, default)
        if isinstance(value, str) and (value or default is not None):
            return value
        self.add(f"$.{key}", f"is {value!r}; accepted: text" if key in table else "is missing")
        return ""

    def raise_if_any(self) -> None:
        """Raise all problems together."""
        if self.lines:
            raise RecipeError("\n".join(self.lines))


def read_toml(path: Path, name: str) -> dict[str, Any]:
    """Return a TOML file as a table.

    Raises
    ------
    RecipeError
        The file is missing, unreadable or no TOML; the line is named.
    """
    try:
        # Editors of one system begin a file with a mark that TOML does not know.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise RecipeError(f"{name}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{name}: cannot be read: {error}") from None
    except ValueError as error:  # whole numbers of too many digits are no TOMLDecodeError
        raise RecipeError(f"{name}: not TOML: {error}") from None
    except RecursionError:
        raise RecipeError(f"{name}: nested too deeply to be read") from None


def parse_recipe(table: Mapping[str, Any], name: str) -> Recipe:
    """Check a table and return the recipe.

    Parameters
    ----------
    table : mapping
        As read from TOML.
    name : str
        Name for messages: the recipe's in the catalogue, or its path.

    Raises
    ------
    RecipeError
        Every problem found, one a line, each with file and path.
    """
    problems = Problems(name)
    problems.check_keys(table, "$", ("title", "source", "stream", "step"))
    title = problems.text(table, "title")
    source = problems.text(table, "source", "")
    stream = table.get("stream")
    if stream is not None and not (isinstance(stream, str) and stream):
        problems.add("$.stream", f"is {stream!r}; accepted: text")
        stream = None
    given_steps = table.get("step")
    steps = []
    if not isinstance(given_steps, list) or not given_steps:
        problems.add("$.step", "is missing; accepted: one [[step]] or more")
    elif len(given_steps) > MOST_STEPS:
        problems.add("$.step", f"holds {len(given_steps)} steps; accepted: up to {MOST_STEPS}")
    else:
        for index, item in enumerate(given_steps):
            step = _parse_step(item, f"$.step[{index}]", problems)
            if step is not None:
                steps.append(step)
    problems.raise_if_any()
    return Recipe(name=name, title=title, source=source, stream=stream, steps=tuple(steps))


def _parse_step(item: Any, path: str, problems: Problems) -> RecipeStep | None:
    if not isinstance(item, dict):
        problems.add(path, "is no table; accepted: a [[step]]")
        return None
    name = item.get("op")
    if not isinstance(name, str):
        is_there = "op" in item
        problems.add(
            f"{path}.op", f"is {name!r}; accepted: the name of an operator" if is_there else _NO_OP
        )
        return None
    try:
        kind = operator_class(name)
    except ParameterError as error:
        problems.add(f"{path}.op", str(error))
        return None
    before = len(problems.lines)
    described = {info.name: info for info in describe_fields(kind)}
    problems.check_keys(item, path, ("op", "at", *described))
    fields: dict[str, Any] = {}
    for key, value in item.items():
        if key in described:
            fields[key] = _parse_field(value, described[key], f"{path}.{key}", problems)
    for key, info in described.items():
        if info.is_required and key not in item:
            problems.add(f"{path}.{key}", f"is missing; accepted: {info.accepted}")
    at = _parse_where(item.get("at", []), f"{path}.at", problems)
    if len(problems.lines) > before:
        return None
    step = RecipeStep(op=name, fields=fields, at=at)
    _try_corners(step, path, problems)
    return step


def _parse_field(value: Any, info: FieldInfo, path: str, problems: Problems) -> Any:
    """Check a plain value, or both ends of a draw, against the operator's field."""
    draw = None
    if isinstance(value, dict):
        try:
            draw = read_draw(value)
        except ParameterError as error:
            problems.add(path, str(error))
            return None
    for corner in _corners(value if draw is None else draw):
        try:
            msgspec.convert(corner, info.annotation)
        except msgspec.ValidationError:
            problems.add(path, f"is {corner!r}; accepted: {info.accepted}")
    return value if draw is None else draw


def _corners(value: Any) -> tuple[Any, ...]:
    """Return the extreme values that a field can take."""
    if isinstance(value, Uniform):
        return value.uniform
    if isinstance(value, LogUniform):
        return value.log_uniform
    if isinstance(value, Integer):
        return value.integer
    if isinstance(value, Choice):
        return value.choice
    if isinstance(value, Given):
        return () if value.default is None else (value.default,)
    return (value,)


def _try_corners(step: RecipeStep, path: str, problems: Problems) -> None:
    """Build the operator with the first and with the last value of every field."""
    corners = {name: _corners(value) for name, value in step.fields.items()}
    if not all(corners.values()):
        return  # a value to be given: nothing to build yet
    for pick in (0, -1):
        fields = {name: values[pick] for name, values in corners.items()}
        try:
            operator = operator_from_fields({"op": step.op, **fields})
            spans = step.at if isinstance(step.at, tuple) else (Span(0.0, 1.0),)
            Step(operator=operator, spans=spans)
        except ParameterError as error:
            problems.add(path, str(error))
            return


def _parse_where(value: Any, path: str, problems: Problems) -> Where:
    try:
        if isinstance(value, dict) and "relative" in value:
            return msgspec.convert(value, RelativeSpans)
        if isinstance(value, dict):
            return msgspec.convert(value, Anchor)
        if isinstance(value, list) and value and isinstance(value[0], int | float):
            value = [value]
        return msgspec.convert(value, tuple[Span, ...])
    except (msgspec.ValidationError, ParameterError) as error:
        problems.add(
            path,
            f"{error}; accepted: [start, stop] or a list of them in seconds, "
            "{ relative = [[start, stop], …] }, { anchor = NAME, positions = [fewest, most] }",
        )
        return ()


def dump_recipe(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as the table that `parse_recipe` reads back to an equal recipe."""
    table: dict[str, Any] = {"title": recipe.title, "source": recipe.source}
    if recipe.stream is not None:
        table["stream"] = recipe.stream
    table["step"] = []
    for step in recipe.steps:
        item: dict[str, Any] = {"op": step.op}
        for name, value in step.fields.items():
            plain = msgspec.to_builtins(value)
            if isinstance(plain, dict):
                plain = {key: part for key, part in plain.items() if part is not None}
                plain.pop("draw", None)
            item[name] = plain
        if step.at:
            item["at"] = msgspec.to_builtins(step.at)
        table["step"].append(item)
    return table
