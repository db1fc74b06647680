"""AIR-Bench, MMSU, AudioMarathon and their kind: a field for each option, `choice_a` and on.

Answers are the option's text or its letter, one of the two in a file. The rows tell; where both
readings fit, the file is refused until the reader is named that says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from perturb.benchmark.choices import ChoiceStyle
from perturb.benchmark.layout import AnswerForm, Layout
from perturb.benchmark.readers.flat import FlatReader, layout_with_audio, text_of
from perturb.benchmark.rows.csv_rows import CSV_SUFFIXES
from perturb.benchmark.rows.json_rows import JSON_SUFFIXES
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError

__all__ = ["LetteredReader"]

_FLAC_TASK = "Audio_Grounding"


class LetteredReader(FlatReader):
    """Reads rows with a field for each option.

    AIR-Bench names a file alone and keeps it in the folder ``<task_name>_<dataset_name>`` (as FLAC
    for one task), which is looked for first.

    Parameters
    ----------
    form : {'text', 'letter'} or None
        What answers are; None to tell it from the rows.
    """

    looked_for = (
        "JSON or CSV rows with audio in path, audio_path or the like, a question, and options in "
        "choice_a, choice_b and on"
    )

    suffixes = JSON_SUFFIXES | CSV_SUFFIXES

    def __init__(self, form: AnswerForm | None = None) -> None:
        self.name = "lettered" if form is None else f"lettered_{form}"
        self.form = form

    def find_layout(self, rows: Sequence[Mapping[str, Any]]) -> Layout | None:
        """Return which field holds what, where there are fields of options."""
        layout = layout_with_audio(rows)
        return layout if layout is not None and layout.options else None

    def ask(
        self, row: Mapping[str, Any], layout: Layout
    ) -> tuple[str, tuple[str, ...], ChoiceStyle | None]:
        """Return a row's question and options; see `FlatReader`."""
        texts = [_option(row, name) for name in layout.options]
        count = max((place + 1 for place, text in enumerate(texts) if text), default=0)
        if not all(texts[:count]):
            gap = layout.options[texts.index("")]
            raise BenchmarkError(f"{gap} is empty, but {layout.options[count - 1]} is not")
        return text_of(row, layout.question), tuple(texts[:count]), None

    def express_question(
        self, row: Mapping[str, Any], layout: Layout, question: Question
    ) -> dict[str, Any]:
        """Return question and options; fields without an option are as empty as the row's are."""
        _, choices, _ = self.ask(row, layout)
        new: dict[str, Any] = {str(layout.question): question.question}
        if question.choices == choices:
            return new
        if len(question.choices) > len(layout.options):
            raise BenchmarkError(
                f"{len(question.choices)} options do not fit the fields {', '.join(layout.options)}"
            )
        nothing = "" if "" in (row.get(name) for name in layout.options) else None
        for place, name in enumerate(layout.options):
            if place < len(question.choices):
                text = question.choices[place]
                new[name] = row[name] if name in row and _option(row, name) == text else text
            elif name in row:
                new[name] = nothing
        return new

    def paths(self, row: Mapping[str, Any], text: str) -> tuple[str, ...]:
        """Return the path in its task's folder, where the row names one, and as it stands."""
        task, dataset = row.get("task_name"), row.get("dataset_name")
        if not (isinstance(task, str) and isinstance(dataset, str)):
            return (text,)
        name = str(PurePosixPath(text).with_suffix(".flac")) if task == _FLAC_TASK else text
        return f"{task}_{dataset}/{name}", text


def _option(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value)
