"""Transcripts and questions that are given beside a benchmark.

A transcript belongs to an item (column `id`) or to a clip (`clip`, `audio`, `path` …); without
times it is one row, with `start_s` and `stop_s` one row for each line. A question table holds
questions in other words, commonly in another language: `id`, `question`, `choices` in the source's
order, and the `answer` if it is to be checked.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from perturb.benchmark.item import Benchmark, Item
from perturb.split.questions.options import gold_among, gold_place, same_text
from perturb.split.questions.side_table import SideTable, TableRow, finite_number, shown

__all__ = [
    "GivenQuestion",
    "QuestionTable",
    "Transcripts",
    "load_question_table",
    "load_transcripts",
]

_TEXTS = ("transcript", "text")
_STARTS = ("start_s", "start")
_STOPS = ("stop_s", "stop", "end_s", "end")
_CHOICE = re.compile(r"choice_([a-z])")


class Transcripts(msgspec.Struct, frozen=True, kw_only=True):
    """Transcripts by item.

    Parameters
    ----------
    by_pair : dict of str to str
        Text by pair id; with times, each line starts with them: ``[1.2-3.4 s] …``.
    notes : tuple of str
        Names that are not in the benchmark, and how many items have no transcript here.
    """

    by_pair: dict[str, str]
    notes: tuple[str, ...] = ()


class GivenQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a table.

    Parameters
    ----------
    question : str
        In place of the source's.
    choices : tuple of str
        In the source's order; empty where the source has none.
    answer : str or None
        The gold in the table's words; None where it is not known.
    answer_index : int or None
        Its place: the source's, else that of the table's answer.
    """

    question: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    answer_index: int | None = None


class QuestionTable(msgspec.Struct, frozen=True, kw_only=True):
    """Questions by item.

    Parameters
    ----------
    by_pair : dict of str to GivenQuestion
        By pair id.
    notes : tuple of str
        Names that are not in the benchmark, and how many items have no question here.
    """

    by_pair: dict[str, GivenQuestion]
    notes: tuple[str, ...] = ()


def load_transcripts(path: Path, benchmark: Benchmark) -> Transcripts:
    """Read transcripts from CSV, TSV, JSONL or JSON.

    Parameters
    ----------
    path : Path
        The table.
    benchmark : Benchmark
        Whose items and clips it names.

    Raises
    ------
    BenchmarkError
        Every problem with file and row; or no row is about this benchmark.
    """
    table = SideTable(path, benchmark)
    lines: dict[str, list[tuple[float, float, str] | str]] = {}
    empty = 0
    for row in table.rows:
        pairs = table.pairs_of(row)
        text = row.first(_TEXTS)
        if text is None or (isinstance(text, str) and not text.strip()):
            empty += 1
            continue
        if not isinstance(text, str):
            table.add(row, f"text is {text!r}; accepted: text")
            continue
        line = _timed(table, row, text.strip())
        if line is None:
            continue
        for pair in pairs:
            known = lines.setdefault(pair, [])
            if known and (isinstance(line, str) or isinstance(known[0], str)):
                table.add(row, f"{pair!r} has a transcript already; several lines need times")
                break
            known.append(line)
    if empty:
        table.notes.append(f"{path.name}: {empty} rows without text (columns: {', '.join(_TEXTS)})")
    by_pair = {pair: _written(known) for pair, known in lines.items()}
    return Transcripts(by_pair=by_pair, notes=table.finish(by_pair))


def _timed(table: SideTable, row: TableRow, text: str) -> tuple[float, float, str] | str | None:
    """Return a line with its times, or the text alone; None where the times are none."""
    given = row.first(_STARTS), row.first(_STOPS)
    if given == (None, None):
        return text
    times = [finite_number(value) for value in given]
    if times[0] is None or times[1] is None or not 0.0 <= times[0] < times[1]:
        table.add(
            row,
            f"times are {shown(given[0])} and {shown(given[1])}; accepted: start_s before "
            "stop_s, in s",
        )
        return None
    return times[0], times[1], text


def _written(lines: list[tuple[float, float, str] | str]) -> str:
    timed = sorted(line for line in lines if not isinstance(line, str))
    plain = [line for line in lines if isinstance(line, str)]
    return "\n".join([*plain, *(f"[{start:g}-{stop:g} s] {text}" for start, stop, text in timed)])


def load_question_table(path: Path, benchmark: Benchmark) -> QuestionTable:
    """Read questions, and their options in the source's order, from CSV, TSV, JSONL or JSON.

    In CSV the options are a JSON list in `choices`, or columns `choice_a`, `choice_b`, ….

    Parameters
    ----------
    path : Path
        The table.
    benchmark : Benchmark
        Whose items it names.

    Raises
    ------
    BenchmarkError
        Every problem with file and row: no question, another number of options than the item has,
        an answer that is none of them or stands elsewhere than the source's.
    """
    table = SideTable(path, benchmark)
    items = {item.pair_id: item for item in benchmark.items}
    found: dict[str, GivenQuestion] = {}
    for row in table.rows:
        for pair in table.pairs_of(row):
            if pair in found:
                table.add(row, f"{pair!r} has a question already")
                continue
            given = _given_question(table, row, items[pair])
            if given is not None:
                found[pair] = given
    return QuestionTable(by_pair=found, notes=table.finish(found))


def _given_question(table: SideTable, row: TableRow, item: Item) -> GivenQuestion | None:
    question, answer = row.fields.get("question"), row.fields.get("answer")
    choices = _choices(row)
    if not isinstance(question, str) or not question.strip():
        table.add(row, f"question is {question!r}; accepted: text")
        return None
    if choices is None:
        table.add(
            row, "choices are no list of texts; accepted: a JSON list, or choice_a, choice_b …"
        )
        return None
    if len(choices) != len(item.choices):
        table.add(row, f"{len(choices)} choices; {item.pair_id!r} has {len(item.choices)}")
        return None
    given = None if answer is None else str(answer).strip()
    if not choices:
        return GivenQuestion(question=question, answer=given or item.answer)
    gold = gold_place(item)
    index = gold_among(item, range(len(choices)))
    if given is not None:
        places = _places(given, choices)
        if not places or (gold is not None and gold not in places):
            stands = "" if gold is None else f", the source's is choice {gold + 1}"
            table.add(row, f"answer is {given!r}; accepted: the text of a choice{stands}")
            return None
        if gold is None:
            gold = places[0]
            index = gold if len(places) == 1 else None
    text = None if gold is None else choices[gold]
    return GivenQuestion(question=question, choices=choices, answer=text, answer_index=index)


def _choices(row: TableRow) -> tuple[str, ...] | None:
    """Return the options of a row, none where it has none; None where they cannot be read."""
    value = row.fields.get("choices")
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return None
    if value is None:
        named = [name for name in row.fields if _CHOICE.fullmatch(name)]
        value = [row.fields[name] for name in sorted(named)]
    if not isinstance(value, list) or not all(isinstance(choice, str) for choice in value):
        return None
    return tuple(value)


def _places(answer: str, choices: tuple[str, ...]) -> list[int]:
    """Return the options that an answer names by its text, else the one named by its letter."""
    places = [n for n, choice in enumerate(choices) if same_text(choice) == same_text(answer)]
    if not places and len(answer) == 1 and answer.isascii() and answer.isalpha():
        letter = ord(answer.upper()) - ord("A")
        places = [letter] if letter < len(choices) else []
    return places
