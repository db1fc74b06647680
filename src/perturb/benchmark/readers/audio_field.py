"""The field of a row that names its audio: a path, or a list of paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from perturb.audio_io.paths import AUDIO_SUFFIXES
from perturb.benchmark.item import MAIN_ROLE
from perturb.errors import BenchmarkError

__all__ = ["AUDIO_FIELDS", "express_audio", "find_audio_field", "name_audios"]

AUDIO_FIELDS = (
    "audio_id",
    "audio_path",
    "audio_paths",
    "path",
    "WavPath",
    "wav_path",
    "file",
    "audio",
    "audio_file",
    "wav",
)
"""Names of such a field, the likelier ones first; `file_name` is the AudioFolder's."""


def find_audio_field(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the first of `AUDIO_FIELDS` that names a file with an audio suffix in some row."""
    for name in AUDIO_FIELDS:
        if any(_is_audio(text) for row in rows for text in _texts(row.get(name)) or ()):
            return name
    return None


def name_audios(value: object, field: str) -> tuple[tuple[str, str], ...]:
    """Return role and path of each audio: `main`, `audio_2`, `audio_3`, …; none for an empty field.

    Raises
    ------
    BenchmarkError
        The field is neither a path nor a list of paths.
    """
    texts = _texts(value)
    if texts is None:
        raise BenchmarkError(
            f"{field} is {repr(value)[:80]}; accepted: the path of an audio file, or a list of them"
        )
    return tuple((_role(place), text) for place, text in enumerate(texts))


def express_audio(
    written: object, audios: Sequence[tuple[str, str]], new: Mapping[str, str | None]
) -> object:
    """Return the field for other audio; null where there is none.

    Parameters
    ----------
    written : object
        The field as it stands.
    audios : sequence of (str, str)
        Role and path of each audio in it.
    new : mapping of str to (str or None)
        What to say for a role; a role that is missing keeps its path.
    """
    texts = [new.get(role, text) for role, text in audios]
    if not isinstance(written, list):
        return texts[0] if texts else written
    return None if None in texts else texts


def _role(place: int) -> str:
    return f"audio_{place + 1}" if place else MAIN_ROLE


def _texts(value: object) -> list[str] | None:
    if value is None:
        return []
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value):
        return value
    return None


def _is_audio(text: str) -> bool:
    return PurePosixPath(text).suffix.lower() in AUDIO_SUFFIXES
