"""What a field of a recipe may be instead of a number: a range, a choice, a named value to come.

Ranges live in recipes alone. Each draw comes from the keyed stream of (seed, clip, stream name,
step, field): adding a field or a step to a recipe changes no other draw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import numpy as np

from perturb.errors import ParameterError
from perturb.record import Record

__all__ = [
    "Choice",
    "Draw",
    "Given",
    "Integer",
    "LogUniform",
    "Uniform",
    "alternatives",
    "draw_value",
    "given_value",
    "read_draw",
]

_Pair = Annotated[tuple[float, float], msgspec.Meta(description="lowest and highest value")]


class _Range(Record, frozen=True, kw_only=True):
    def check_order(self, low: float, high: float, name: str) -> None:
        """Refuse a range that runs backwards."""
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ParameterError(
                f"{name} is [{low}, {high}]; accepted: two finite numbers, the lower one first"
            )


class Uniform(_Range, frozen=True, kw_only=True, tag_field="draw", tag="uniform"):
    """A number drawn evenly from a range.

    Parameters
    ----------
    uniform : pair of float
        Lowest and highest value.
    """

    uniform: _Pair

    def check(self) -> None:
        """The lower end comes first."""
        self.check_order(*self.uniform, "uniform")


class LogUniform(_Range, frozen=True, kw_only=True, tag_field="draw", tag="log_uniform"):
    """A number drawn evenly on a logarithmic scale: as often half as double.

    Parameters
    ----------
    log_uniform : pair of float
        Lowest and highest value, above 0.
    """

    log_uniform: _Pair

    def check(self) -> None:
        """The lower end comes first, above 0."""
        self.check_order(*self.log_uniform, "log_uniform")
        if self.log_uniform[0] <= 0.0:
            raise ParameterError(f"log_uniform starts at {self.log_uniform[0]}; accepted: above 0")


class Integer(_Range, frozen=True, kw_only=True, tag_field="draw", tag="integer"):
    """A whole number drawn evenly from a range, both ends included.

    Parameters
    ----------
    integer : pair of int
        Lowest and highest value.
    """

    integer: tuple[int, int]

    def check(self) -> None:
        """The lower end comes first."""
        self.check_order(*self.integer, "integer")


class Choice(Record, frozen=True, kw_only=True, tag_field="draw", tag="choice"):
    """One of several values, each as likely.

    Parameters
    ----------
    choice : tuple
        The values.
    """

    choice: tuple[Any, ...]

    def check(self) -> None:
        """At least one value."""
        if not self.choice:
            raise ParameterError("choice is empty; accepted: at least one value")


class Given(Record, frozen=True, kw_only=True, tag_field="draw", tag="given"):
    """A value that whoever applies the recipe has to name, e.g. the file of an event.

    Parameters
    ----------
    given : str
        Its name: ``--set NAME=VALUE`` on the command line.
    default : object, optional
        What stands in where none is given.
    """

    given: str
    default: Any = None


Draw = Uniform | LogUniform | Integer | Choice | Given

_KINDS: dict[str, type[Draw]] = {
    "uniform": Uniform,
    "log_uniform": LogUniform,
    "integer": Integer,
    "choice": Choice,
    "given": Given,
}


def read_draw(table: Mapping[str, Any]) -> Draw | None:
    """Return the draw that a TOML table describes, or None where it is a plain table.

    Raises
    ------
    ParameterError
        The table names a draw and is not a valid one.

    Examples
    --------
    >>> read_draw({"uniform": [6.0, 10.0]})
    Uniform(uniform=(6.0, 10.0))
    """
    names = [name for name in table if name in _KINDS]
    if not names:
        return None
    kind = _KINDS[names[0]]
    accepted = {*kind.__struct_fields__}
    unknown = sorted(set(table) - accepted)
    if unknown:
        raise ParameterError(
            f"{', '.join(unknown)} does not go with {names[0]}; accepted: "
            f"{', '.join(sorted(accepted))}"
        )
    if isinstance(table.get("choice"), str):  # one that is made for each clip: "bank:absent"
        table = {"choice": [table["choice"]]}
    try:
        return msgspec.convert({"draw": names[0], **table}, kind)
    except msgspec.ValidationError as error:
        raise ParameterError(str(error)) from None


def draw_value(value: Any, generator: np.random.Generator, given: Mapping[str, Any]) -> Any:
    """Return the plain value of a field: itself, or what its draw gives.

    Parameters
    ----------
    value : object
        A plain value or a `Draw`.
    generator : numpy.random.Generator
        At the start of the field's own stream.
    given : mapping
        Values for `Given`, by name.

    Raises
    ------
    ParameterError
        A value that has to be given is not.
    """
    if isinstance(value, Uniform):
        low, high = value.uniform
        return _rounded(low + (high - low) * generator.random())
    if isinstance(value, LogUniform):
        low, high = (math.log(end) for end in value.log_uniform)
        return _rounded(math.exp(low + (high - low) * generator.random()))
    if isinstance(value, Integer):
        return int(generator.integers(value.integer[0], value.integer[1], endpoint=True))
    if isinstance(value, Choice):
        chosen = value.choice[int(generator.integers(len(value.choice)))]
        return draw_value(chosen, generator, given)
    if isinstance(value, Given):
        found = given_value(value, given)
        if found is None:
            raise ParameterError(
                f"{value.given} has to be given; on the command line: --set {value.given}=…"
            )
        return found
    return value


def given_value(value: Any, given: Mapping[str, Any]) -> Any:
    """Return what a field is once values are given: for `Given` its value, else what it was.

    Examples
    --------
    >>> given_value(Given(given="ref", default="bank:absent"), {})
    'bank:absent'
    """
    return given.get(value.given, value.default) if isinstance(value, Given) else value


def alternatives(value: Any) -> list[Any]:
    """Return what a field may be once its choices are made: one value, or a draw, for each.

    Examples
    --------
    >>> alternatives(Choice(choice=("wsola", Choice(choice=("spectral", "rubberband")))))
    ['wsola', 'spectral', 'rubberband']
    >>> alternatives(1.5)
    [1.5]
    """
    if not isinstance(value, Choice):
        return [value]
    return [found for part in value.choice for found in alternatives(part)]


def _rounded(value: float) -> float:
    # Six digits say all that a listener can tell, and read well in a plan.
    return float(f"{value:.6g}")
