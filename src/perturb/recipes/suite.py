"""`Suite`: the conditions of an experiment, each a recipe, a sham of one, or the clip itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from perturb.errors import ParameterError, RecipeError
from perturb.recipes.join import Join
from perturb.recipes.parsing import Problems
from perturb.recipes.recipe import Recipe
from perturb.recipes.wording import Wording
from perturb.record import Record, bounds, describe_fields

__all__ = [
    "CONDITION_NAME",
    "UNEDITED",
    "Condition",
    "DonorArm",
    "Join",
    "Suite",
    "parse_suite",
]

CONDITION_NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a condition may be called: dataset libraries refuse other names of splits."""

UNEDITED = ("original", "repeat")
"""Conditions that need nothing said: the clip itself, and its bytes again."""

_ASKED = ("transcript", "open_ended", "options", "table", "wording")

DonorArm = Literal["hard", "easy", "same_answer"]
"""Which donors a mismatched condition takes: as alike as possible but for the answer, of another
kind, or with the same answer (the sham of the other two)."""


class Condition(Record, frozen=True, kw_only=True):
    """One condition: what becomes of the audio, and how the question is asked.

    Parameters
    ----------
    name : str
        ``[a-z][a-z0-9_]*``; also the name of its random streams, unless its recipe names one.
    recipe : str or None
        Name of its recipe in the catalogue; None for unedited audio and for shams.
    sham_of : str or None
        Name of the condition whose sham it is. With ``donor = "same_answer"``: the same edit, by a
        donor that leaves the answer as it is.
    given : dict
        Values that the recipe asks for.
    at : str or None
        Spans for the recipe's anchors, as on the command line.
    roles : tuple of str
        Roles of the audios that are edited; the others stay as they are. A sham has its probe's.
    donor : {'hard', 'easy', 'same_answer'} or None
        Where the recipe's `ref` comes from another item of the benchmark: which kind.
    draw : int
        Which of the donor draws; another number, another donor.
    join : Join or None
        Joins the clip with others into one stimulus.
    audio : {'own', 'none'}
        Whether the question comes with audio.
    transcript : {'none', 'plain', 'oracle'}
        Whether the transcript goes before the question; 'oracle' adds the edits that were made.
    edits_of : str or None
        For 'oracle': the earlier condition whose recorded edits are told.
    open_ended : bool
        Whether the options are taken away.
    options : int or None
        How many options are left, the gold among them.
    table : bool
        Whether question and options come from the table that the run is given (another language).
    wording : Wording
        What is written around the question.
    """

    name: str
    recipe: str | None = None
    sham_of: str | None = None
    given: dict[str, Any] = msgspec.field(default_factory=dict)
    at: str | None = None
    roles: tuple[str, ...] = ("main",)
    donor: DonorArm | None = None
    draw: Annotated[int, bounds(1, 99, "", "draw of the donor")] = 1
    join: Join | None = None
    audio: Literal["own", "none"] = "own"
    transcript: Literal["none", "plain", "oracle"] = "none"
    edits_of: str | None = None
    open_ended: bool = False
    options: Annotated[int, bounds(2, 26, "", "options left")] | None = None
    table: bool = False
    wording: Wording = Wording()

    @property
    def has_audio(self) -> bool:
        """Whether its rows carry audio."""
        return self.audio == "own"

    @property
    def changes_question(self) -> bool:
        """Whether the question is asked otherwise than in the source."""
        return (
            self.transcript != "none"
            or self.open_ended
            or self.table
            or self.options is not None
            or self.join is not None
        )

    @property
    def is_edited(self) -> bool:
        """Whether the audio is edited."""
        return self.recipe is not None or self.sham_of is not None or self.join is not None


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
        problems.check_keys(item, path, Condition.__struct_fields__)
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
    condition = _convert(item, path, problems)
    if condition is None:
        return None
    _check_audio(condition, path, problems)
    if isinstance(recipe, str):
        try:
            _check_given(condition, load(recipe), path, problems)
        except RecipeError as error:
            problems.add(f"{path}.recipe", str(error))
    probes = [earlier for earlier in before if earlier.recipe or earlier.join]
    edited = [earlier for earlier in before if earlier.is_edited]
    is_known = _check_name(sham_of, f"{path}.sham_of", "with a recipe or a join", probes, problems)
    _check_name(condition.edits_of, f"{path}.edits_of", "that edits audio", edited, problems)
    if not is_known:
        return None
    probe = next((earlier for earlier in probes if earlier.name == sham_of), None)
    return condition if probe is None else _as_probe(condition, probe, item, path, problems)


def _as_probe(
    sham: Condition, probe: Condition, item: Mapping[str, Any], path: str, problems: Problems
) -> Condition:
    """Return a sham that edits what its probe edits; refuse what would set the two apart."""
    if "roles" in item and sham.roles != probe.roles:
        problems.add(f"{path}.roles", f"a sham has its probe's: {', '.join(probe.roles)}")
    for name in _ASKED:
        if name in item and getattr(sham, name) != getattr(probe, name):
            problems.add(f"{path}.{name}", f"a sham is asked as its probe, {probe.name!r}, is")
    return msgspec.structs.replace(sham, roles=probe.roles)


def _check_name(
    name: Any, path: str, kind: str, conditions: list[Condition], problems: Problems
) -> bool:
    """Refuse the name of a condition that is not among those of its kind."""
    names = [condition.name for condition in conditions]
    if name is None or name in names:
        return True
    known = f" ({', '.join(names)})" if names else ""
    problems.add(path, f"is {name!r}; accepted: an earlier condition {kind}{known}")
    return False


def _convert(item: Mapping[str, Any], path: str, problems: Problems) -> Condition | None:
    """Return the condition of a table; fields are converted one by one, so that all are named."""
    fields: dict[str, Any] = {}
    for info in describe_fields(Condition):
        if info.name not in item:
            continue
        try:
            fields[info.name] = msgspec.convert(item[info.name], info.annotation)
        except (msgspec.ValidationError, ParameterError) as error:
            accepted = "the name of a recipe" if info.name == "recipe" else info.accepted
            detail = f" ({error})" if info.name in ("join", "wording") else ""
            problems.add(
                f"{path}.{info.name}", f"is {item[info.name]!r}; accepted: {accepted}{detail}"
            )
    unreadable = [info.name for info in describe_fields(Condition) if info.name in item]
    return Condition(**fields) if len(fields) == len(unreadable) else None


def _check_audio(condition: Condition, path: str, problems: Problems) -> None:
    """Refuse what does not go together."""
    name = condition.name
    sources = {"recipe": condition.recipe, "sham_of": condition.sham_of, "join": condition.join}
    stated = [key for key, value in sources.items() if value is not None]
    asks_otherwise = condition.changes_question or not condition.has_audio
    if len(stated) > 1 or (not stated and not asks_otherwise and name not in UNEDITED):
        problems.add(
            path,
            "needs a recipe or sham_of, one of the two; without either: "
            + ", ".join(UNEDITED)
            + ', a join, or a question asked otherwise (audio = "none", transcript, open_ended, '
            "options, table)",
        )
    if name in UNEDITED and (stated or asks_otherwise):
        problems.add(path, f"{name!r} is the unedited clip: it takes no recipe")
    if stated and not condition.has_audio:
        problems.add(f"{path}.audio", f"is 'none', and {stated[0]} edits audio; leave out one")
    if (condition.transcript == "oracle") != (condition.edits_of is not None):
        problems.add(f"{path}.edits_of", "goes with transcript = 'oracle', and that with it")
    if condition.transcript == "oracle" and condition.has_audio:
        problems.add(f"{path}.audio", "is 'own', and 'oracle' stands in for it; accepted: 'none'")
    if condition.open_ended and condition.options is not None:
        problems.add(f"{path}.options", "goes with options that are left, not with open_ended")
    if condition.donor is None and condition.draw != 1:
        problems.add(f"{path}.draw", "goes with a donor")
    if not condition.roles:
        problems.add(f"{path}.roles", "is empty; accepted: roles of audios, e.g. main")
    takes_others = condition.donor is not None or condition.join is not None
    if takes_others and condition.roles != ("main",):
        problems.add(f"{path}.roles", "donors and joined clips are drawn for main alone")
    extra = [key for key in ("given", "at", "donor") if getattr(condition, key) not in (None, {})]
    if condition.sham_of is not None and condition.donor == "same_answer":
        extra.remove("donor")  # the sham of a donor with another answer is one with the same
    if condition.recipe is None and extra:
        problems.add(f"{path}.{extra[0]}", "goes with a recipe; a sham has its probe's")


def _check_given(condition: Condition, recipe: Recipe, path: str, problems: Problems) -> None:
    """Refuse values that the recipe does not ask for; what it lacks may still be given later."""
    unknown = [name for name in condition.given if name not in recipe.asked_names]
    if unknown:
        asked = ", ".join(recipe.asked_names) or "nothing"
        problems.add(f"{path}.given", f"holds {', '.join(unknown)}; {recipe.name} asks for {asked}")
    if condition.donor is not None and "ref" not in recipe.asked_names:
        problems.add(f"{path}.donor", f"needs a recipe that asks for ref; {recipe.name} does not")
    if condition.donor is not None and "ref" in condition.given:
        problems.add(f"{path}.given", "holds ref, which the donor gives")
    if condition.at is not None and not recipe.needs_spans:
        problems.add(f"{path}.at", f"{recipe.name} has its own places")
