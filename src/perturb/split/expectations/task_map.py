"""Task maps: what the questions of a task are answered from, and so what is expected of an edit.

A map is a TOML file::

    title = "…"                             # and source, as in recipes
    abstention = ["cannot be determined"]   # texts of abstaining options; detected without them
    abstention_languages = ["en", "th"]     # whose phrases detection knows; by default all

    [[task]]
    name = "emotion"
    match = { task = ["emotion recognition"], language = "th" }
    needs = ["words", "intonation"]         # every property that the answer may be read from
    [[task.flip]]                           # a rule that computes a new gold
    condition = ["voice_swap"]
    gold = { "Ann" = "Ben", "Ben" = "Ann" } # or "donor": the answer of the clip that is heard

The first task whose every `match` holds counts. Maps of the catalogue have a name, others end in
``.toml``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from perturb.benchmark.item import Item
from perturb.errors import ParameterError, RecipeError
from perturb.operators.ledger import PROPERTIES, Property
from perturb.recipes.catalogue import TASK_MAPS, catalogue_folder
from perturb.recipes.parsing import Problems, read_toml
from perturb.recipes.suite import CONDITION_NAME
from perturb.record import Record
from perturb.split.expectations.abstention import LANGUAGES, abstaining_options

__all__ = ["FlipRule", "MatchField", "TaskMap", "TaskNeeds", "load_task_map", "task_map_names"]

MatchField = Literal["task", "language", "speaker", "recording"]
_MATCH_FIELDS: tuple[str, ...] = get_args(MatchField)


class FlipRule(Record, frozen=True, kw_only=True):
    """How some conditions change the answer.

    Parameters
    ----------
    condition : tuple of str
        Names of the conditions.
    gold : dict of str to str, or 'donor'
        The new gold by the old one, or the gold of the donor.
    """

    condition: tuple[str, ...]
    gold: dict[str, str] | Literal["donor"]


class TaskNeeds(Record, frozen=True, kw_only=True):
    """One task of a map.

    Parameters
    ----------
    name : str
        For people.
    match : dict of str to tuple of str
        Accepted values of the item's task, language, speaker or recording; compared without case,
        ``-`` and ``_`` as spaces. All fields have to match.
    needs : tuple of Property
        Every property that the answer may be read from.
    flip : tuple of FlipRule
        Conditions that change the answer.
    """

    name: str
    match: dict[MatchField, tuple[str, ...]]
    needs: tuple[Property, ...]
    flip: tuple[FlipRule, ...] = ()

    def matches(self, item: Item) -> bool:
        """Whether the item is of this task; a field that it does not state never matches."""
        return all(
            _plain(getattr(item, name) or "") in {_plain(value) for value in values}
            for name, values in self.match.items()
        )

    def rule_for(self, condition: str) -> FlipRule | None:
        """Return the rule of a condition, or None."""
        return next((rule for rule in self.flip if condition in rule.condition), None)


class TaskMap(Record, frozen=True, kw_only=True):
    """What a benchmark's questions need.

    Parameters
    ----------
    name, title, source : str
        As for recipes.
    tasks : tuple of TaskNeeds
        In order; the first that matches counts.
    abstention : tuple of str
        Texts of abstaining options; empty where they are to be detected.
    abstention_languages : tuple of str
        Languages whose phrases are detected.
    """

    name: str
    title: str
    source: str = ""
    tasks: tuple[TaskNeeds, ...]
    abstention: tuple[str, ...] = ()
    abstention_languages: tuple[str, ...] = LANGUAGES

    def task_of(self, item: Item) -> TaskNeeds | None:
        """Return the task of an item, or None where the map has none for it."""
        return next((task for task in self.tasks if task.matches(item)), None)

    def abstaining(self, choices: tuple[str, ...]) -> tuple[int, ...]:
        """Return the places of the options that abstain."""
        return abstaining_options(choices, self.abstention, self.abstention_languages)


def task_map_names() -> tuple[str, ...]:
    """Return the names of the task maps of the catalogue."""
    return tuple(sorted(path.stem for path in (catalogue_folder() / TASK_MAPS).glob("*.toml")))


def load_task_map(name: str) -> TaskMap:
    """Return the task map of a name or a file.

    Parameters
    ----------
    name : str
        As `task_map_names` lists them, or a path that ends in ``.toml``.

    Raises
    ------
    RecipeError
        There is none, or it is not acceptable: every problem with file and path.
    """
    if name.endswith(".toml"):
        return parse_task_map(read_toml(Path(name), name), name)
    known = task_map_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise RecipeError(
            f"no task map is called {name!r}; {hint}accepted: {', '.join(known)}, or a file of "
            "your own that ends in .toml"
        )
    path = catalogue_folder() / TASK_MAPS / f"{name}.toml"
    return parse_task_map(read_toml(path, name), name)


def parse_task_map(table: Mapping[str, Any], name: str) -> TaskMap:
    """Check a table and return the task map.

    Raises
    ------
    RecipeError
        Every problem found, one a line.
    """
    problems = Problems(name)
    accepted = ("title", "source", "abstention", "abstention_languages", "task")
    problems.check_keys(table, "$", accepted)
    title, source = problems.text(table, "title"), problems.text(table, "source", "")
    abstention = _texts(table.get("abstention", []), "$.abstention", problems)
    languages = _texts(
        table.get("abstention_languages", list(LANGUAGES)), "$.abstention_languages", problems
    )
    for code in languages:
        if code not in LANGUAGES:
            problems.add(
                "$.abstention_languages", f"holds {code!r}; accepted: {', '.join(LANGUAGES)}"
            )
    given = table.get("task")
    if not isinstance(given, list) or not given:
        problems.add("$.task", "is missing; accepted: one [[task]] or more")
        given = []
    tasks = [_parse_task(item, f"$.task[{at}]", problems) for at, item in enumerate(given)]
    problems.raise_if_any()
    return TaskMap(
        name=name,
        title=title,
        source=source,
        tasks=tuple(task for task in tasks if task is not None),
        abstention=abstention,
        abstention_languages=languages,
    )


def _parse_task(item: Any, path: str, problems: Problems) -> TaskNeeds | None:
    if not isinstance(item, dict):
        problems.add(path, "is no table; accepted: a [[task]]")
        return None
    before = len(problems.lines)
    problems.check_keys(item, path, TaskNeeds.__struct_fields__)
    if not isinstance(item.get("name"), str) or not item["name"]:
        problems.add(f"{path}.name", f"is {item.get('name')!r}; accepted: text")
    match = item.get("match")
    if not isinstance(match, dict) or not match:
        problems.add(
            f"{path}.match", f"is {match!r}; accepted: a table of {', '.join(_MATCH_FIELDS)}"
        )
        match = {}
    problems.check_keys(match, f"{path}.match", _MATCH_FIELDS)
    values = {key: _texts(value, f"{path}.match.{key}", problems) for key, value in match.items()}
    needs = _texts(item.get("needs", []), f"{path}.needs", problems)
    if not needs or not set(needs) <= set(PROPERTIES):
        problems.add(
            f"{path}.needs", f"is {list(needs)}; accepted: one or more of {', '.join(PROPERTIES)}"
        )
    flips = item.get("flip", [])
    if not isinstance(flips, list):
        problems.add(f"{path}.flip", "is no list; accepted: [[task.flip]]")
        flips = []
    rules = [_parse_flip(flip, f"{path}.flip[{at}]", problems) for at, flip in enumerate(flips)]
    if len(problems.lines) > before:
        return None
    fields = {"name": item["name"], "match": values, "needs": needs, "flip": rules}
    return msgspec.convert(fields, TaskNeeds)


def _parse_flip(item: Any, path: str, problems: Problems) -> FlipRule | None:
    if not isinstance(item, dict):
        problems.add(path, "is no table; accepted: a [[task.flip]]")
        return None
    problems.check_keys(item, path, FlipRule.__struct_fields__)
    conditions = _texts(item.get("condition", []), f"{path}.condition", problems)
    for condition in conditions:
        if not CONDITION_NAME.fullmatch(condition):
            problems.add(f"{path}.condition", f"is {condition!r}; accepted: [a-z][a-z0-9_]*")
    if not conditions:
        problems.add(f"{path}.condition", "is missing; accepted: names of conditions")
    gold = item.get("gold")
    try:
        rule = FlipRule(condition=conditions, gold=gold)  # type: ignore[arg-type]
    except ParameterError:
        rule = None
    if rule is None or not gold:
        problems.add(
            f"{path}.gold", f'is {gold!r}; accepted: "donor", or a table from old gold to new'
        )
        return None
    if isinstance(gold, dict):
        for old, new in gold.items():
            if _plain(old) == _plain(new):
                problems.add(f"{path}.gold", f"maps {old!r} to itself; leave it out")
    return rule


def _texts(value: Any, path: str, problems: Problems) -> tuple[str, ...]:
    """Return a text, or a list of texts, as a tuple."""
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list) and all(isinstance(text, str) and text for text in values):
        return tuple(values)
    problems.add(path, f"is {value!r}; accepted: text, or a list of texts")
    return ()


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())
