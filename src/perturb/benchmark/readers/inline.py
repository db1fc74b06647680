"""`InlineReader`: the common part of readers whose options stand inside the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from perturb.benchmark.choices import ChoiceStyle
from perturb.benchmark.layout import Layout
from perturb.benchmark.readers.flat import FlatReader, layout_with_audio, text_of
from perturb.benchmark.readers.inline_options import InlineOptions
from perturb.benchmark.variant import Question

__all__ = ["InlineReader", "express_inline", "part_question"]


class InlineReader(FlatReader):
    """Reads rows whose question holds its options, if it has any.

    Options in a question carry letters, so an answer that is a bare letter names one.
    """

    prescribed: ClassVar[Mapping[str, str]]
    """Fields of the layout that the format names, and their names."""
    otherwise = "letter"

    def find_layout(self, rows: Sequence[Mapping[str, Any]]) -> Layout | None:
        """Return which field holds what, where the prescribed fields are in the first row."""
        if not all(name in rows[0] for name in self.prescribed.values()):
            return None
        layout = layout_with_audio(rows, **self.prescribed)
        return layout if layout and not layout.choices and not layout.options else None

    def ask(
        self, row: Mapping[str, Any], layout: Layout
    ) -> tuple[str, tuple[str, ...], ChoiceStyle | None]:
        """Return a row's question and the options inside it; see `FlatReader`."""
        return part_question(text_of(row, layout.question))

    def express_question(
        self, row: Mapping[str, Any], layout: Layout, question: Question
    ) -> dict[str, Any]:
        """Return the question with its options inside."""
        return {str(layout.question): express_inline(text_of(row, layout.question), question)}


def part_question(text: str) -> tuple[str, tuple[str, ...], ChoiceStyle | None]:
    """Return a question without the options inside it, these, and their style."""
    inline = InlineOptions.find(text)
    if inline is None:
        return text, (), None
    style = ChoiceStyle(form="joined", lettering=inline.lettering, separator=inline.gap)
    return inline.question, inline.options, style


def express_inline(written: str, question: Question) -> str:
    """Return what a field says that holds a question and its options.

    Options are written as those that stand there; where none do, one a line: A. text.
    """
    inline = InlineOptions.find(written)
    if inline is None:
        inline = InlineOptions.find("\nA. a\nB. b")
    if inline is None or not question.choices:
        return question.question
    return inline.compose(question.question, question.choices)
