"""Inspect: JSONL of messages whose content holds audio beside text, options, a target's letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.benchmark.answers import express_answer
from perturb.benchmark.choices import ChoiceStyle, parse_choices
from perturb.benchmark.item import MAIN_ROLE, Benchmark
from perturb.benchmark.layout import Layout
from perturb.benchmark.readers.assembly import Draft, DraftAudio, Source, assemble, collect
from perturb.benchmark.rows.json_rows import JSON_SUFFIXES
from perturb.benchmark.rows.opening import PEEKED_ROWS, open_rows, peek
from perturb.benchmark.variant import VariantRow
from perturb.errors import BenchmarkError

__all__ = ["InspectReader"]

_LAYOUT = Layout(
    audios=((MAIN_ROLE, "input"),),
    item_id="id",
    question="input",
    choices="choices",
    answer="target",
)
_DETAILS = ("task", "language", "speaker", "recording", "transcript", "chain", "chain_level")


class InspectReader:
    """Reads the samples of Inspect; see `perturb.benchmark.protocols.Reader`.

    The question is the text of the last message of the user; its first text takes a changed
    question, further ones go. Without audio, a message has no part for it, since Inspect knows no
    empty one. Task, language and the like are read from `metadata`.
    """

    name = "inspect"
    looked_for = "JSONL rows with input, a list of messages with audio in their content, and target"

    def recognise(self, path: Path) -> str | None:
        """Return in one line what of this format is seen at `path`, or None."""
        rows = peek(path) if path.suffix.lower() in JSON_SUFFIXES else ()
        return _describe(rows) if _is_inspect(rows) else None

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read everything but the audio; see `Reader`."""
        rows = open_rows(path)
        first = [rows.row(index) for index in range(min(len(rows), PEEKED_ROWS))]
        if not _is_inspect(first):
            raise BenchmarkError(
                f"{printable_path(path)}: nothing for the reader {self.name}, which looks for "
                f"{self.looked_for}"
            )
        source = Source(
            reader=self.name,
            path=path,
            rows=rows,
            reason=f"{len(rows)} rows: {_describe(first)}",
            layout=_LAYOUT,
            otherwise="letter",
        )
        drafts = collect(path, len(rows), lambda index: _draft(rows.row(index)))
        return assemble(source, drafts, audio_root)

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields of the source that differ in this variant; see `Reader`."""
        row = benchmark.rows.row(variant.item.row)
        texts = [audio_fields.get(audio.role, audio.source) for audio in variant.item.audios]
        question = variant.question.question if variant.is_question_changed else None
        new: dict[str, Any] = {"input": _changed_input(row["input"], iter(texts), question)}
        if variant.is_question_changed:
            new.update(_changed_options(row, variant, Layout.of(benchmark.fields)))
        return {name: value for name, value in new.items() if value != row.get(name)}


def _changed_options(row: Mapping[str, Any], variant: VariantRow, layout: Layout) -> dict[str, Any]:
    choices, style = _choices(row)
    new: dict[str, Any] = {
        "target": express_answer(
            (row.get("target"), choices, style), layout.answer_form, variant.question
        )
    }
    if variant.question.choices != choices:
        new["choices"] = style.format(variant.question.choices) or None
    return new


def _draft(row: Mapping[str, Any]) -> Draft:
    metadata = row.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    parts = [part for part in _parts(row.get("input")) if part.get("type") == "audio"]
    audios = []
    for place, part in enumerate(parts):
        text = part.get("audio")
        if not isinstance(text, str) or not text:
            raise BenchmarkError(f"audio is {repr(text)[:80]}; accepted: the path of a file")
        role = f"audio_{place + 1}" if place else MAIN_ROLE
        audios.append(DraftAudio(role, text, (text,)))
    return Draft(
        item_id=row.get("id"),
        audios=tuple(audios),
        question=_question(row.get("input")),
        choices=_choices(row)[0],
        answer=row.get("target") if isinstance(row.get("target"), str) else None,
        details={name: metadata.get(name) for name in _DETAILS},
    )


def _choices(row: Mapping[str, Any]) -> tuple[tuple[str, ...], ChoiceStyle]:
    parsed = parse_choices(row.get("choices"))
    if parsed is None:
        raise BenchmarkError(f"choices is {repr(row['choices'])[:80]}; accepted: a list of texts")
    return parsed


def _question(messages: object) -> str:
    """Return the text of the last message of the user."""
    if isinstance(messages, str):
        return messages
    content = _last_of_user(messages).get("content")
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _parts([{"content": content}]) if _is_text(part))
    return "\n".join(text for text in texts if isinstance(text, str))


def _changed_input(messages: object, audios: Iterator[str | None], question: str | None) -> object:
    """Return messages with other audio, and with another question unless it is None."""
    if isinstance(messages, str):
        return messages if question is None else question
    last = _last_of_user(messages)
    changed = []
    for message in _messages(messages):
        asked = question if message is last else None
        content = message.get("content")
        if isinstance(content, list):
            content = list(_changed_parts(content, audios, asked))
        elif asked is not None:
            content = asked
        changed.append({**message, "content": content})
    return changed


def _changed_parts(
    parts: Sequence[Any], audios: Iterator[str | None], question: str | None
) -> Iterator[Any]:
    is_asked = False
    for part in parts:
        if isinstance(part, dict) and part.get("type") == "audio":
            audio = next(audios)
            if audio is not None:
                yield {**part, "audio": audio, **_changed_format(part, audio)}
        elif isinstance(part, dict) and _is_text(part) and question is not None:
            if not is_asked:
                yield {**part, "text": question}
            is_asked = True
        else:
            yield part
    if question is not None and not is_asked:
        yield {"type": "text", "text": question}


def _changed_format(part: Mapping[str, Any], audio: str) -> dict[str, str]:
    """Return the format that goes with a path of another suffix; nothing where none is named."""
    suffix = PurePosixPath(audio).suffix.lower().removeprefix(".")
    return {"format": suffix} if suffix and "format" in part else {}


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "text"


def _messages(messages: object) -> list[dict[str, Any]]:
    if not isinstance(messages, list):
        return []
    return [message for message in messages if isinstance(message, dict)]


def _last_of_user(messages: object) -> dict[str, Any]:
    found = [message for message in _messages(messages) if message.get("role") == "user"]
    return found[-1] if found else {}


def _parts(messages: object) -> Iterator[dict[str, Any]]:
    for message in _messages(messages):
        content = message.get("content")
        if isinstance(content, list):
            yield from (part for part in content if isinstance(part, dict))


def _is_inspect(rows: Sequence[Mapping[str, Any]]) -> bool:
    has_audio = any(
        part.get("type") == "audio" for row in rows for part in _parts(row.get("input"))
    )
    return has_audio and all("input" in row for row in rows)


def _describe(rows: Sequence[Mapping[str, Any]]) -> str:
    has_choices = any(row.get("choices") for row in rows)
    return "messages with audio in input, " + ("choices, " if has_choices else "") + "target"
