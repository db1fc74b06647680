"""What becomes of a clip in each condition: recipe, role and streams, checked before any work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perturb.anchors.finding import ClipFinder
from perturb.audio_io import read_info
from perturb.errors import ParameterError, PerturbError, RecipeError
from perturb.measure.analysis import Analysis
from perturb.operators.identity import Identity
from perturb.plan.step import Role, Step
from perturb.recipes.for_clip import RecipeSteps, parse_spans
from perturb.recipes.recipe import Anchor, Recipe
from perturb.recipes.suite import Condition, DonorArm, Suite
from perturb.span import Span
from perturb.streams import Streams

__all__ = ["Treatment", "treatments_of"]

_TRIAL_S = 60.0
_TRIAL_SOUND = "bank:dog_bark#0"


@dataclass(frozen=True)
class Treatment:
    """The audio side of one condition; travels to workers.

    Parameters
    ----------
    condition : Condition
        As the suite has it.
    probe : Condition
        The condition whose sham it is, or itself.
    make_steps : RecipeSteps or None
        Makes the steps for a clip; None where the clip is not edited, or is joined with others.
    """

    condition: Condition
    probe: Condition
    make_steps: RecipeSteps | None = None

    @property
    def stream(self) -> str:
        """Name of the random streams: the probe's for its sham, so that both draw alike."""
        return self.probe.name if self.make_steps is None else self.make_steps.stream

    @property
    def recipe(self) -> Recipe | None:
        """The recipe, a sham's being its probe's."""
        return None if self.make_steps is None else self.make_steps.recipe

    @property
    def role(self) -> Role:
        """Whether steps are probes or shams."""
        return _role(self.condition)

    @property
    def listens_to_labels(self) -> bool:
        """Whether it matters what the benchmark says is heard in a clip."""
        return self.make_steps is not None and self.make_steps.may_ask_for_absent_sound

    def check_ready(self) -> None:
        """Refuse, before any work, what is missing here: a program, a package, a named file.

        Raises
        ------
        ParameterError
            With the way out.
        AudioError
            A file that the recipe names cannot be read.
        """
        if self.make_steps is None:
            return
        self.make_steps.check_available()
        for step in self.trial_steps(_TRIAL_S):
            for reference in step.operator.references():
                scheme, _, name = reference.partition(":")
                if scheme == "file":
                    read_info(Path(name).expanduser())
                elif scheme == "bank":
                    from perturb.events.bank import parse_event
                    from perturb.events.registry import find_category

                    find_category(parse_event(name)[0])

    def steps(
        self, clip: Analysis, ref: str | None = None, labels: tuple[str, ...] | None = None
    ) -> tuple[Step, ...]:
        """Return the steps for one clip, every number drawn, every place found.

        Parameters
        ----------
        clip : Analysis
            The clip, known by the hash of its decoded audio.
        ref : str, optional
            The donor, where the condition takes one.
        labels : tuple of str, optional
            What the benchmark says is heard in the clip.

        Raises
        ------
        InapplicableError
            The clip holds no place for the edit, or no sound is absent from it.
        """
        if self.make_steps is None:
            return (Step(operator=Identity()),)
        makes = _with_donor(self.make_steps, ref)
        makes = replace(makes, find=ClipFinder(labels=labels))
        signal = clip.signal
        return makes(signal.audio_sha256, signal.duration_s, clip)

    def trial_steps(self, duration_s: float) -> tuple[Step, ...]:
        """Return steps of a clip that nobody has: what the suite asks for is tried by them.

        Parameters
        ----------
        duration_s : float
            Duration of the clip in seconds.
        """
        if self.make_steps is None:
            return (Step(operator=Identity()),)
        makes = _with_donor(self.make_steps, "item:trial" if self.condition.donor else None)
        return replace(makes, find=_TrialFinder(duration_s))("trial", duration_s)


def _with_donor(makes: RecipeSteps, ref: str | None) -> RecipeSteps:
    return makes if ref is None else replace(makes, given={**makes.given, "ref": ref})


@dataclass(frozen=True)
class _TrialFinder:
    """Finds places and a sound for a clip that nobody has."""

    duration_s: float

    def spans(self, anchor: Anchor, clip: Analysis | None, streams: Streams) -> tuple[Span, ...]:
        """Return as many short spans as there are at least, evenly spread."""
        fewest = anchor.positions[0]
        slot_s = self.duration_s / fewest
        return tuple(Span((at + 0.45) * slot_s, (at + 0.55) * slot_s) for at in range(fewest))

    def absent_sound(self, clip: Analysis | None, streams: Streams) -> str:
        """Return a sound that there is."""
        return _TRIAL_SOUND


def treatments_of(
    suite: Suite,
    load: Callable[[str], Recipe],
    *,
    seed: int = 0,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Treatment]:
    """Return the treatment of every condition of a suite, each tried on numbers alone.

    Parameters
    ----------
    suite : Suite
        Its conditions.
    load : callable
        Finds a recipe by its name.
    seed : int
        The user's seed.
    given : mapping, optional
        Values for recipes that ask for them, over what the suite gives.

    Returns
    -------
    dict of str to Treatment
        In the order of the suite.

    Raises
    ------
    RecipeError
        A value that is asked for is not given, a sham that does not exist, a value that nobody
        asks for: every problem, with the condition.
    """
    values = dict(given or {})
    found: dict[str, Treatment] = {}
    problems: list[str] = []
    asked: set[str] = set()
    for condition in suite.conditions:
        try:
            treatment = _treatment(condition, suite.conditions, load, seed, values)
            if treatment.recipe is not None:
                asked.update(treatment.recipe.asked_names)
                treatment.trial_steps(_TRIAL_S)
        except PerturbError as error:
            problems.append(f"{suite.name}: condition {condition.name!r}: {error}")
            continue
        found[condition.name] = treatment
    problems.extend(
        f"{suite.name}: no recipe asks for {name!r} (--set)" for name in values if name not in asked
    )
    if problems:
        raise RecipeError("\n".join(problems))
    return found


def _treatment(
    condition: Condition,
    others: Sequence[Condition],
    load: Callable[[str], Recipe],
    seed: int,
    values: Mapping[str, Any],
) -> Treatment:
    probe = condition
    if condition.sham_of is not None:
        probe = next(other for other in others if other.name == condition.sham_of)
    if probe.recipe is None:
        return Treatment(condition, probe)
    recipe = load(probe.recipe)
    given = {**values, **probe.given}
    given = {name: value for name, value in given.items() if name in recipe.asked_names}
    if condition.donor is not None:
        given["ref"] = "item:donor"
    elif "ref" in recipe.given_names and "ref" not in given:
        raise ParameterError(
            'asks for ref: a donor (donor = "hard", "easy" or "same_answer"), or --set ref=…'
        )
    return Treatment(
        condition,
        probe,
        RecipeSteps(
            recipe=recipe,
            seed=seed,
            role=_role(condition),
            given=given,
            spans=None if probe.at is None else parse_spans(probe.at),
            stream_name=probe.name,
            find=ClipFinder(),
        ),
    )


def _role(condition: Condition) -> Role:
    """Return the role of the steps: a sham by another donor is the same edit once more."""
    arm: DonorArm | None = condition.donor
    return "sham" if condition.sham_of is not None and arm is None else "probe"
