"""`Recipe`: an ordered list of steps whose fields may be ranges and choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from perturb.errors import ParameterError, RecipeError
from perturb.operators.protocol import Operator
from perturb.operators.registry import operator_from_fields
from perturb.plan.step import Role, Step
from perturb.recipes.draws import Given, alternatives, draw_value
from perturb.record import Record, bounds
from perturb.span import Span
from perturb.streams import Streams

__all__ = ["Anchor", "Place", "Recipe", "RecipeStep", "RelativeSpans", "Where"]

Place = Callable[["Anchor"], tuple[Span, ...]]
"""Finds spans for an anchor in the clip at hand; handed in by whoever can."""


class RelativeSpans(Record, frozen=True, kw_only=True):
    """Spans as shares of the clip's duration.

    Parameters
    ----------
    relative : tuple of pairs of float
        Start and stop of each span, 0 to 1.
    """

    relative: tuple[tuple[float, float], ...]

    def check(self) -> None:
        """Every pair lies within the clip and in order."""
        for start, stop in self.relative:
            if not 0.0 <= start < stop <= 1.0:
                raise ParameterError(
                    f"relative holds [{start}, {stop}]; accepted: shares of the clip, 0 to 1, "
                    "the start first"
                )

    def in_seconds(self, duration_s: float) -> tuple[Span, ...]:
        """Return the spans of a clip of this duration."""
        return tuple(
            Span(round(start * duration_s, 6), min(round(stop * duration_s, 6), duration_s))
            for start, stop in self.relative
        )


class Anchor(Record, frozen=True, kw_only=True):
    """A named rule of placement, resolved for each clip.

    Parameters
    ----------
    anchor : {'given', 'speech'}
        Name of the rule: 'speech' for windows over active speech, found in the clip unless
        whoever applies the recipe names spans; 'given' for spans that have to be named.
    positions : pair of int
        Fewest and most positions.
    """

    anchor: Literal["given", "speech"] = "given"
    positions: tuple[
        Annotated[int, bounds(1, None, "", "fewest")], Annotated[int, bounds(1, None, "", "most")]
    ] = (1, 3)

    def check(self) -> None:
        """The fewest come first."""
        fewest, most = self.positions
        if fewest > most:
            raise ParameterError(
                f"positions is [{fewest}, {most}]; accepted: two whole numbers, the fewest first"
            )


Where = tuple[Span, ...] | RelativeSpans | Anchor


class RecipeStep(Record, frozen=True, kw_only=True):
    """One step before its numbers are drawn.

    Parameters
    ----------
    op : str
        Name of the operator.
    fields : dict
        Its fields: plain values or draws.
    at : tuple of Span, RelativeSpans or Anchor
        Where it acts; no spans is the whole clip.
    """

    op: str
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    at: Any = ()


class Recipe(Record, frozen=True, kw_only=True):
    """An edit with ranges: what the catalogue names and a suite's conditions use.

    Parameters
    ----------
    name : str
        Its name in the catalogue, or the path that it was read from.
    title : str
        One line on what it does.
    source : str
        The study or standard that asks for it.
    stream : str or None
        Name of its random streams, where a series shares one so that only the dose differs.
    steps : tuple of RecipeStep
        In the order in which they act.
    """

    name: str
    title: str
    source: str = ""
    stream: str | None = None
    steps: tuple[RecipeStep, ...]

    def resolve(
        self,
        streams: Streams,
        duration_s: float,
        *,
        role: Role = "probe",
        given: Mapping[str, Any] | None = None,
        place: Place | None = None,
    ) -> tuple[Step, ...]:
        """Draw every number for one clip.

        Parameters
        ----------
        streams : Streams
            Keyed by seed, clip and stream name; a sham is resolved with its probe's.
        duration_s : float
            Duration of the clip in seconds.
        role : {'probe', 'sham'}
            Role of the steps.
        given : mapping, optional
            Values that the recipe leaves to whoever applies it.
        place : callable, optional
            Finds the spans of an anchor.

        Returns
        -------
        tuple of Step
            Plain numbers.

        Raises
        ------
        RecipeError
            Something that has to be given is not, or the numbers drawn do not fit together.
        """
        steps = []
        for index, step in enumerate(self.steps):
            where = f"{self.name}: $.step[{index}]"
            try:
                fields = {
                    name: draw_value(
                        value, streams.generator(f"recipe/{index}/{name}"), given or {}
                    )
                    for name, value in step.fields.items()
                }
                operator = operator_from_fields({"op": step.op, **fields})
                spans = self._spans(step, duration_s, place)
                steps.append(Step(operator=operator, spans=spans, role=role))
            except ParameterError as error:
                raise RecipeError(f"{where}: {error}") from error
        return tuple(steps)

    def check_available(self, given: Mapping[str, Any] | None = None) -> None:
        """Refuse a recipe that may ask for a package or program that is missing.

        Every value of every choice is tried, whatever a clip would draw.

        Raises
        ------
        RecipeError
            Something is missing; the way out is named.
        """
        for index, step in enumerate(self.steps):
            for operator in _possible_operators(step, given or {}):
                try:
                    operator.check_available()
                except ParameterError as error:
                    raise RecipeError(f"{self.name}: $.step[{index}]: {error}") from error

    def _spans(self, step: RecipeStep, duration_s: float, place: Place | None) -> tuple[Span, ...]:
        if isinstance(step.at, RelativeSpans):
            return step.at.in_seconds(duration_s)
        if isinstance(step.at, Anchor):
            if place is None:
                raise ParameterError(
                    f"its spans are found by the anchor {step.at.anchor!r}; name them instead, on "
                    "the command line: --at start-stop[+start-stop…]"
                )
            return place(step.at)
        spans: tuple[Span, ...] = step.at
        return spans

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names of the values that have to be given."""
        return tuple(dict.fromkeys(item.given for item in self._asked() if item.default is None))

    @property
    def asked_names(self) -> tuple[str, ...]:
        """Names of the values that may be given."""
        return tuple(dict.fromkeys(item.given for item in self._asked()))

    def _asked(self) -> Iterator[Given]:
        for step in self.steps:
            for value in step.fields.values():
                if isinstance(value, Given):
                    yield value

    @property
    def needs_spans(self) -> bool:
        """Whether some step's spans are left to an anchor."""
        return any(isinstance(step.at, Anchor) for step in self.steps)

    @property
    def can_be_placed(self) -> bool:
        """Whether every anchor can be found in a clip."""
        anchors = [step.at for step in self.steps if isinstance(step.at, Anchor)]
        return all(anchor.anchor == "speech" for anchor in anchors)


def _possible_operators(step: RecipeStep, given: Mapping[str, Any]) -> Iterator[Operator]:
    """Yield operators of a step until every value of every choice has come up."""
    choices = {name: alternatives(value) for name, value in step.fields.items()}
    generator = np.random.default_rng(0)
    for turn in range(max(map(len, choices.values()), default=1)):
        try:
            fields = {
                name: draw_value(values[turn % len(values)], generator, given)
                for name, values in choices.items()
            }
            operator = operator_from_fields({"op": step.op, **fields})
        except ParameterError:
            continue  # what does not fit together is the error of the clip that draws it
        yield operator
