"""A recipe made ready for many clips: seed, role, given values and spans filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec.structs import replace

from perturb.errors import ParameterError
from perturb.measure.analysis import Analysis
from perturb.plan.step import Role, Step
from perturb.plan.step_text import parse_span_list, parse_value
from perturb.recipes.draws import alternatives, given_value
from perturb.recipes.recipe import Anchor, Recipe
from perturb.span import Span
from perturb.streams import Streams

__all__ = ["ABSENT_SOUND", "Finder", "RecipeSteps", "parse_given", "parse_spans"]

ABSENT_SOUND = "bank:absent"
"""In a recipe, a sound of a category that the clip does not hold; in a plan, never."""


class Finder(Protocol):
    """Finds in a clip what a recipe leaves open.

    Where there is no clip to look at, one that needs it raises `ParameterError`.
    """

    def spans(self, anchor: Anchor, clip: Analysis | None, streams: Streams) -> tuple[Span, ...]:
        """Return the spans of an anchor, or raise `InapplicableError`."""

    def absent_sound(self, clip: Analysis | None, streams: Streams) -> str:
        """Return the reference that `ABSENT_SOUND` stands for, or raise `InapplicableError`."""


@dataclass(frozen=True)
class RecipeSteps:
    """Makes the steps of a recipe for one clip after the other; travels to workers.

    Parameters
    ----------
    recipe : Recipe
        Ranges and choices.
    seed : int
        The user's seed.
    role : {'probe', 'sham'}
        Role of every step.
    given : mapping
        Values that the recipe asks for.
    spans : tuple of Span, optional
        Spans for the recipe's anchors.
    find : Finder, optional
        Finds them in the clip where they are not given, and sounds that are absent from it.
    stream_name : str
        Name of the random streams, unless the recipe names one.
    """

    recipe: Recipe
    seed: int = 0
    role: Role = "probe"
    given: Mapping[str, Any] = field(default_factory=dict)
    spans: tuple[Span, ...] | None = None
    stream_name: str = "main"
    find: Finder | None = None

    def __post_init__(self) -> None:
        missing = [name for name in self.recipe.given_names if name not in self.given]
        if missing:
            raise ParameterError(
                f"{self.recipe.name} asks for {', '.join(missing)}: --set {missing[0]}=…"
            )
        unknown = [name for name in self.given if name not in self.recipe.asked_names]
        if unknown:
            asked = ", ".join(self.recipe.asked_names) or "nothing"
            raise ParameterError(
                f"{self.recipe.name} does not ask for {', '.join(unknown)}; accepted by --set: "
                f"{asked}"
            )
        can_find = self.find is not None and self.recipe.can_be_placed
        if self.recipe.needs_spans and self.spans is None and not can_find:
            raise ParameterError(
                f"{self.recipe.name} asks where: --at start-stop[+start-stop…], seconds"
            )
        if self.spans is not None and not self.recipe.needs_spans:
            raise ParameterError(f"{self.recipe.name} has its own places; leave out --at")

    def check_available(self) -> None:
        """Refuse a recipe that may ask for a package or program that is missing."""
        self.recipe.check_available(self.given)

    @property
    def stream(self) -> str:
        """Name of the random streams: the recipe's, or `stream_name`."""
        return self.recipe.stream or self.stream_name

    @property
    def may_ask_for_absent_sound(self) -> bool:
        """Whether some sound is chosen by what a clip does not hold."""
        values = (value for step in self.recipe.steps for value in step.fields.values())
        return any(ABSENT_SOUND in alternatives(given_value(value, self.given)) for value in values)

    def __call__(
        self, clip_id: str, duration_s: float, clip: Analysis | None = None
    ) -> tuple[Step, ...]:
        """Return the steps for one clip.

        Parameters
        ----------
        clip_id : str
            The clip's id.
        duration_s : float
            Its duration in seconds.
        clip : Analysis, optional
            What `find` looks at.

        Raises
        ------
        InapplicableError
            The clip holds no place, or no sound is absent from it.
        """
        streams = Streams(self.seed, clip_id, self.stream)

        def place(anchor: Anchor) -> tuple[Span, ...]:
            if self.spans is not None:
                return self._given_spans(anchor, self.spans)
            if self.find is None:
                raise ParameterError("its places are found in a clip, and nobody looks; name them")
            return self.find.spans(anchor, clip, streams)

        steps = self.recipe.resolve(
            streams,
            duration_s,
            role=self.role,
            given=self.given,
            place=place if self.recipe.needs_spans else None,
        )
        return tuple(self._with_sound(step, clip, streams) for step in steps)

    def _given_spans(self, anchor: Anchor, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        fewest, most = anchor.positions
        if not fewest <= len(spans) <= most:
            raise ParameterError(
                f"{len(spans)} positions; accepted: {fewest} to {most} (positions of the anchor)"
            )
        return spans

    def _with_sound(self, step: Step, clip: Analysis | None, streams: Streams) -> Step:
        if ABSENT_SOUND not in step.operator.references():
            return step
        if self.find is None:
            raise ParameterError(
                f"{self.recipe.name}: {ABSENT_SOUND} is decided by listening to a clip, and nobody "
                "listens; name a sound: --set ref=…"
            )
        sound = self.find.absent_sound(clip, streams)
        return replace(step, operator=replace(step.operator, ref=sound))


def parse_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of ``start-stop[+start-stop…]``, in seconds.

    Examples
    --------
    >>> [str(span) for span in parse_spans("1-2.5+4-5")]
    ['@1-2.5', '@4-5']
    """
    return parse_span_list(text)


def parse_given(pairs: Iterable[str]) -> dict[str, Any]:
    """Return the values of ``NAME=VALUE`` texts; a value is a TOML value, else a bare string.

    Examples
    --------
    >>> parse_given(["ref=file:dog.wav", "snr_db=6.5"])
    {'ref': 'file:dog.wav', 'snr_db': 6.5}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ParameterError(f"--set {pair!r}; accepted: NAME=VALUE")
        if name in found:
            raise ParameterError(f"--set {name} is given twice")
        found[name] = parse_value(value.strip())
    return found
