"""MMAU, MMAR, MMAU-Pro and their kind: a question, a list of choices, the answer's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from perturb.benchmark.choices import ChoiceStyle, parse_choices
from perturb.benchmark.layout import Layout
from perturb.benchmark.readers.flat import FlatReader, layout_with_audio, text_of
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError

__all__ = ["MmauReader"]


class MmauReader(FlatReader):
    """Reads rows with a list of choices.

    Answers are option text, as the format has it, unless the rows say otherwise. A row whose
    choices are null, empty or missing is an open-ended question.
    """

    name = "mmau"
    looked_for = (
        "JSON rows with audio in audio_id, audio_path, path, WavPath or file, a question, and "
        "choices in a list"
    )
    otherwise = "text"

    def find_layout(self, rows: Sequence[Mapping[str, Any]]) -> Layout | None:
        """Return which field holds what, where some row has a list of choices."""
        layout = layout_with_audio(rows)
        if layout is None or layout.choices is None:
            return None
        has_list = any(isinstance(row.get(layout.choices), list) for row in rows)
        return layout if has_list else None

    def ask(
        self, row: Mapping[str, Any], layout: Layout
    ) -> tuple[str, tuple[str, ...], ChoiceStyle | None]:
        """Return a row's question, options, and their style; see `FlatReader`."""
        value = row.get(layout.choices or "")
        parsed = parse_choices(value)
        if parsed is None:
            raise BenchmarkError(
                f"{layout.choices} is {repr(value)[:80]}; accepted: a list of texts or numbers"
            )
        return text_of(row, layout.question), *parsed

    def express_question(
        self, row: Mapping[str, Any], layout: Layout, question: Question
    ) -> dict[str, Any]:
        """Return question and choices; a choice that stays is written as it was."""
        _, choices, style = self.ask(row, layout)
        new: dict[str, Any] = {str(layout.question): question.question}
        if question.choices != choices and layout.choices is not None and style is not None:
            texts = style.format(question.choices)
            if isinstance(texts, list) and style.lettering is None:
                written = dict(zip(choices, row.get(layout.choices) or (), strict=False))
                texts = [written.get(text, text) for text in texts]
            new[layout.choices] = texts
        return new
