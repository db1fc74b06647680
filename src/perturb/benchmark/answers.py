"""Gold answers of a table: how they name their option, and how to name another one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from perturb.benchmark.choices import ChoiceStyle, letter_index
from perturb.benchmark.layout import AnswerForm
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError

__all__ = ["express_answer", "find_answer", "find_answer_form"]

Asked = tuple[Any, tuple[str, ...], ChoiceStyle | None]
"""An answer as it stands, the options without letters, and how these are written."""


def find_answer_form(asked: Sequence[Asked], where: str) -> AnswerForm:
    """Return how the answers of a whole table name their options.

    Texts come first: a form is taken if it fits more rows than those before it.

    Parameters
    ----------
    asked : sequence of Asked
        Of every row that has options and an answer.
    where : str
        File and column, for messages.

    Raises
    ------
    BenchmarkError
        Two forms fit every row and contradict each other.
    """
    readings: dict[AnswerForm, list[tuple[int, ...]]] = {
        form: [_places(row, form) for row in asked]
        for form in ("text", "option", "letter", "index")
    }
    full = [form for form, places in readings.items() if asked and all(places)]
    for other in full[1:]:
        pairs = zip(readings[full[0]], readings[other], strict=True)
        if any(set(first).isdisjoint(second) for first, second in pairs):
            raise BenchmarkError(
                f"{where}: the answers can be read as {full[0]} and as {other}, and the two "
                "contradict each other; write them as the options' texts"
            )
    return max(readings, key=lambda form: sum(map(bool, readings[form])))


def find_answer(row: Asked, form: AnswerForm) -> tuple[str | None, int | None]:
    """Return the gold as text and its place; the place is None where it is not certain."""
    answer, choices, _ = row
    if answer is None:
        return None, None
    places = _places(row, form)
    if not places:
        return str(answer), None
    return choices[places[0]], places[0] if len(places) == 1 else None


def express_answer(row: Asked, form: AnswerForm, question: Question) -> Any:
    """Return what the answer's field says for another question, as the source says it."""
    answer, _, style = row
    index = question.answer_index
    if question.answer is None:
        return None
    if form == "letter" and index is not None:
        return re.sub(r"[A-Za-z]", lambda match: _letter(index, match[0]), str(answer), count=1)
    if form == "index":
        return index if isinstance(answer, int) or index is None else str(index)
    if form == "option" and style and style.lettering and index is not None:
        return style.lettering.apply(index, question.answer)
    return question.answer


def _places(row: Asked, form: AnswerForm) -> tuple[int, ...]:
    """Return the options that an answer fits."""
    answer, choices, style = row
    if form == "index":
        text = str(answer).strip()
        is_text = isinstance(answer, str) and text in (choice.strip() for choice in choices)
        is_index = text.isdecimal() and not is_text and int(text) < len(choices)
        return (int(text),) if is_index else ()
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return ()
    if form == "letter":
        index = letter_index(str(answer), len(choices))
        return () if index is None else (index,)
    shown: Sequence[str] = choices
    if form == "option":
        if style is None or style.lettering is None:
            return ()
        shown = [style.lettering.apply(index, text) for index, text in enumerate(choices)]
    wanted = str(answer)
    exact = tuple(index for index, text in enumerate(shown) if text == wanted)
    if exact:
        return exact
    return tuple(index for index, text in enumerate(shown) if text.strip() == wanted.strip())


def _letter(index: int, like: str) -> str:
    letter = chr(ord("A") + index)
    return letter if like.isupper() else letter.lower()
