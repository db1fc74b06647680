"""Items from the columns of a table, and the fields of a table for a variant of an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from perturb.benchmark.answers import express_answer, find_answer, find_answer_form
from perturb.benchmark.choices import ChoiceStyle, parse_choices
from perturb.benchmark.item import Item, ItemAudio
from perturb.benchmark.layout import AnswerForm, Layout
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["express_fields", "item_ids", "make_items", "pair_ids"]

_TEXT_FIELDS = (
    "task",
    "language",
    "speaker",
    "recording",
    "transcript",
    "chain",
    "chain_level",
)
_FEW = 5


def pair_ids(item_ids: Sequence[str]) -> list[str]:
    """Return ids of which none occurs twice: ``#2``, ``#3``, … are added to the later ones.

    Examples
    --------
    >>> pair_ids(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    seen: Counter[str] = Counter()
    taken = set(item_ids)
    found = []
    for item_id in item_ids:
        seen[item_id] += 1
        pair_id = item_id
        while seen[item_id] > 1 and pair_id in taken:
            pair_id = f"{item_id}#{seen[item_id]}"
            seen[item_id] += pair_id in taken
        taken.add(pair_id)
        found.append(pair_id)
    return found


def item_ids(layout: Layout, columns: Mapping[str, Sequence[Any]], rows: int) -> list[str]:
    """Return each row's id as text; its number where it has none."""
    if layout.item_id is None:
        return [str(row) for row in range(rows)]
    values = columns[layout.item_id]
    return [str(row) if _text(value) is None else str(value) for row, value in enumerate(values)]


def make_items(
    layout: Layout,
    columns: Mapping[str, Sequence[Any]],
    audios: Sequence[tuple[ItemAudio, ...]],
    where: str,
    *,
    form: AnswerForm | None = None,
    otherwise: AnswerForm | None = None,
) -> tuple[Layout, tuple[Item, ...], tuple[str, ...]]:
    """Return the items of a table, its layout with the form of its answers, and notes.

    Parameters
    ----------
    layout : Layout
        Which column holds what.
    columns : mapping of str to sequence
        Values by column.
    audios : sequence of tuple of ItemAudio
        For each row.
    where : str
        The file, for messages.
    form : {'text', 'option', 'letter', 'index'} or None
        What answers are, where that is given; else the rows tell.
    otherwise : {'text', 'option', 'letter', 'index'} or None
        What they are where no row tells; None to refuse.

    Raises
    ------
    BenchmarkError
        Options that are no list, or answers that can be read in two ways.
    """
    count = len(audios)
    asked = _asked(layout, columns, count, where)
    if layout.answer is not None:
        answered = [row for row in asked if row[1] and row[0] is not None]
        if form is None:
            column = f"{where}: {layout.answer}"
            form = find_answer_form(answered, column, otherwise=otherwise)
        layout = msgspec.structs.replace(layout, answer_form=form)
    ids = item_ids(layout, columns, count)
    texts = {
        name: columns[column]
        for name in _TEXT_FIELDS
        if (column := getattr(layout, name)) is not None
    }
    questions = columns[layout.question] if layout.question is not None else [""] * count
    items = []
    for row, pair_id in enumerate(pair_ids(ids)):
        answer, answer_index = find_answer(asked[row], layout.answer_form)
        items.append(
            Item(
                row=row,
                item_id=ids[row],
                pair_id=pair_id,
                audios=audios[row],
                question="" if questions[row] is None else str(questions[row]),
                choices=asked[row][1],
                answer=answer,
                answer_index=answer_index,
                **{name: _text(values[row]) for name, values in texts.items()},
            )
        )
    return layout, tuple(items), _notes(items)


def express_fields(
    layout: Layout,
    row: Mapping[str, Any],
    variant: VariantRow,
    audio_fields: Mapping[str, str | None],
) -> dict[str, Any]:
    """Return the columns of a table that differ in a variant; see `Reader.express`."""
    audios: dict[str, Any] = {
        column: audio_fields[role] for role, column in layout.audios if role in audio_fields
    }
    if not variant.is_question_changed:
        return audios
    changed: dict[str, Any] = {}
    before, after = variant.item, variant.question
    if layout.question is not None and after.question != before.question:
        changed[layout.question] = after.question
    answer = None if layout.answer is None else row[layout.answer]
    style = ChoiceStyle(form="list")
    if layout.choices is not None:
        parsed = parse_choices(row[layout.choices])
        style = parsed[1] if parsed is not None else style
        if after.choices != before.choices:
            changed[layout.choices] = style.format(after.choices)
    elif layout.options and after.choices != before.choices:
        changed.update(_option_fields(layout, after.choices))
    is_gold_changed = (after.answer, after.answer_index, after.choices) != (
        before.answer,
        before.answer_index,
        before.choices,
    )
    if layout.answer is not None and is_gold_changed:
        asked = (answer, before.choices, style)
        changed[layout.answer] = express_answer(asked, layout.answer_form, after)
    return audios | {name: value for name, value in changed.items() if value != row.get(name)}


def _option_fields(layout: Layout, choices: Sequence[str]) -> dict[str, str | None]:
    if len(choices) > len(layout.options):
        raise BenchmarkError(
            f"{len(choices)} options do not fit the columns {', '.join(layout.options)}"
        )
    spare: list[str | None] = [None] * (len(layout.options) - len(choices))
    return dict(zip(layout.options, [*choices, *spare], strict=True))


def _asked(
    layout: Layout, columns: Mapping[str, Sequence[Any]], count: int, where: str
) -> list[tuple[Any, tuple[str, ...], ChoiceStyle | None]]:
    answers = columns[layout.answer] if layout.answer is not None else [None] * count
    if layout.choices is None:
        options = [columns[name] for name in layout.options]
        return [
            (answer, tuple(text for column in options if (text := _text(column[row]))), None)
            for row, answer in enumerate(answers)
        ]
    found: list[tuple[Any, tuple[str, ...], ChoiceStyle | None]] = []
    bad = []
    for row, value in enumerate(columns[layout.choices]):
        parsed = parse_choices(value)
        if parsed is None:
            bad.append(f"{where}, row {row}: {layout.choices} is {value!r:.80}")
            parsed = ((), ChoiceStyle(form="list"))
        found.append((answers[row], *parsed))
    if bad:
        more = f"; and {len(bad) - _FEW} more" if len(bad) > _FEW else ""
        raise BenchmarkError(
            "; ".join(bad[:_FEW]) + more + "; accepted: a list of options, the same as JSON, or "
            "options with letters one after the other"
        )
    return found


def _notes(items: Sequence[Item]) -> tuple[str, ...]:
    """Return what is odd but harmless, with the first few rows."""
    oddities: dict[str, Callable[[Item], bool]] = {
        "an id that occurred before": lambda item: item.pair_id != item.item_id,
        "two equal options": lambda item: len(set(item.choices)) < len(item.choices),
        "an answer that matches no option": lambda item: bool(
            item.choices and item.answer is not None and item.answer not in item.choices
        ),
        "no audio": lambda item: not item.audios,
    }
    notes = []
    for what, is_odd in oddities.items():
        found = [item for item in items if is_odd(item)]
        if found:
            first = ", ".join(item.pair_id for item in found[:_FEW])
            more = ", …" if len(found) > _FEW else ""
            notes.append(f"{len(found)} of {len(items)} items with {what}: {first}{more}")
    return tuple(notes)


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
