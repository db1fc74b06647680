"""Gold answers of a source: how they name their option, and how to name another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from perturb.benchmark.choices import ChoiceStyle, letter_index, split_letter
from perturb.benchmark.layout import AnswerForm
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError

__all__ = ["FORM_NAMES", "Asked", "express_answer", "find_answer", "find_answer_form"]

Asked = tuple[Any, tuple[str, ...], ChoiceStyle | None]
"""An answer as it stands, the options without letters, and how these are written."""

FORM_NAMES: dict[AnswerForm, str] = {
    "text": "option text",
    "option": "options with their letters",
    "letter": "letters",
    "index": "places from 0",
}
"""What each form is called in messages."""

_SHARE = 0.9
"""Share of the rows that fit one form alone which must fit the same; the others are noted."""


def find_answer_form(
    asked: Sequence[Asked], where: str, *, otherwise: AnswerForm | None = None
) -> AnswerForm:
    """Return how the answers of a whole source name their options.

    Rows whose answer fits one form alone decide. An answer "B" under the options "B" and "A" fits
    two and decides nothing.

    Parameters
    ----------
    asked : sequence of Asked
        Of every row that has options and an answer.
    where : str
        File and column, for messages.
    otherwise : {'text', 'option', 'letter', 'index'} or None
        The form to take where no row decides; None to refuse a source that fits two.

    Raises
    ------
    BenchmarkError
        Two forms fit every row, or rows contradict each other.
    """
    fitting = [[form for form in FORM_NAMES if _places(row, form)] for row in asked]
    alone = Counter(forms[0] for forms in fitting if len(forms) == 1)
    if alone:
        form, count = alone.most_common(1)[0]
        if count < _SHARE * alone.total():
            stated = ", ".join(f"{FORM_NAMES[form]} in {alone[form]}" for form in alone)
            raise BenchmarkError(
                f"{where}: the answers are {stated} rows; accepted: one kind in a file; mend the "
                "odd ones, or part the file in two"
            )
        return form
    open_to = next(
        (forms for row, forms in zip(asked, fitting, strict=True) if _contradict(row, forms)), None
    )
    if open_to is not None and otherwise is None:
        names = " and as ".join(FORM_NAMES[form] for form in open_to)
        raise BenchmarkError(
            f"{where}: the answers can be read as {names}, and no row tells which; write them as "
            "the options' texts (the readers lettered_text and lettered_letter take them as said)"
        )
    if otherwise is not None:
        return otherwise
    return next((forms[0] for forms in fitting if forms), "text")


def _contradict(row: Asked, forms: Sequence[AnswerForm]) -> bool:
    """Whether an answer names one option in one form and another one in another."""
    return len({_places(row, form) for form in forms}) > 1


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
    """Return what the answer's field says for another question, as the source says it.

    A gold that stays is said as it was. Brackets, case and leading space are the source's. Without
    options, an answer is text.
    """
    answer, choices, style = row
    index, text = question.answer_index, question.answer
    gold, place = find_answer(row, form)
    if text == gold and (form == "text" or index == place):
        return answer
    if text is None:
        return None
    if index is None or form == "text":
        is_bare = not isinstance(answer, str) or answer in choices
        return text if is_bare else _lead(answer) + text.lstrip()
    if form == "index":
        return index if isinstance(answer, int) else str(index)
    if form == "letter":
        is_letter = letter_index(str(answer), len(ascii_uppercase)) is not None
        return _with_letter(str(answer) if is_letter else "A", index)
    parted = split_letter(str(answer))
    if parted is not None:
        return _with_letter(parted[0], index) + text
    return style.lettering.apply(index, text) if style and style.lettering else text


def _places(row: Asked, form: AnswerForm) -> tuple[int, ...]:
    """Return the options that an answer fits."""
    answer, choices, _ = row
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return ()
    text = str(answer)
    if form == "index":
        is_text = isinstance(answer, str) and text.strip() in (choice.strip() for choice in choices)
        is_index = text.strip().isdecimal() and not is_text and int(text) < len(choices)
        return (int(text),) if is_index else ()
    if form == "letter":
        index = letter_index(text, len(choices))
        return () if index is None else (index,)
    if form == "option":
        parted = split_letter(text)
        if parted is None or parted[1] >= len(choices):
            return ()
        return (parted[1],) if _equal(parted[2], choices[parted[1]]) else ()
    exact = tuple(index for index, choice in enumerate(choices) if choice == text)
    return exact or tuple(i for i, choice in enumerate(choices) if _equal(choice, text))


def _equal(first: str, second: str) -> bool:
    return first.strip().casefold() == second.strip().casefold()


def _lead(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _with_letter(text: str, index: int) -> str:
    """Return text with its first letter replaced by that of a place, in the same case."""
    letter = chr(ord("A") + index)
    return re.sub(
        r"[A-Za-z]", lambda m: letter if m[0].isupper() else letter.lower(), text, count=1
    )
