"""Whose predictions a file holds, and in which condition: as said, or by its path.

Said: ``CONDITION=PATH``, ``MODEL=PATH`` or ``MODEL:CONDITION=PATH``. By its path: the condition is
the name that stands in the file's name, else in the nearest folder's; the longest where one holds
another, so that ``prosody_only_sham`` is not ``prosody_only``. The model is what is left of the
file's name once the condition, the benchmark's name, dates and words such as "predictions" are
taken off, else of the nearest folder's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from perturb.audio_io import is_litter
from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError

__all__ = ["PredictionSource", "files_of", "find_condition", "find_model", "parse_sources"]

_FOLDERS = 3
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".eval"})
_DATE = re.compile(
    r"\d{4}[-_]?\d{2}[-_]?\d{2}(?:[-_t]?\d{2}[-_:]?\d{2}(?:[-_:]?\d{2})?)?(?:[-+.]\d+)*"
)
_RUN = re.compile(r"(?<![a-z0-9])(?:run|repeat|rep|trial|seed|epoch)[-_]?\d+(?![a-z0-9])")
_GENERIC = re.compile(
    r"(?<![a-z0-9])(?:predictions?|preds?|outputs?|out|results?|answers?|responses?|samples?|logs?|"
    r"eval|evals|inference|submission|perturb|split|json|test|task)(?![a-z0-9])"
)


class PredictionSource(NamedTuple):
    """A file of predictions, and what was said of it.

    Parameters
    ----------
    path : Path
        The file.
    folder : Path or None
        The folder that was named, where it was found in one.
    model, condition : str or None
        As said on the command line.
    """

    path: Path
    folder: Path | None = None
    model: str | None = None
    condition: str | None = None


def parse_sources(words: Collection[str], conditions: Collection[str]) -> list[PredictionSource]:
    """Return the files that are named, those of folders included.

    Parameters
    ----------
    words : collection of str
        Files and folders, each with or without what it holds in front.
    conditions : collection of str
        Of the split.

    Raises
    ------
    ScoreError
        No name, or nothing there; a folder without any file that could hold predictions; a file
        twice.
    """
    found = [source for word in words for source in _sources_of(str(word), conditions)]
    seen: set[Path] = set()
    for source in found:
        resolved = source.path.resolve()
        if resolved in seen:
            raise ScoreError(f"{printable_path(source.path)}: is named twice")
        seen.add(resolved)
    return found


def files_of(words: Iterable[str]) -> list[Path]:
    """Return the files that `parse_sources` would read, whatever is said of them."""
    places = [_split_word(word)[0] for word in words]
    return [file for place in places for file in (_within(place) if place.is_dir() else [place])]


def _split_word(word: str) -> tuple[Path, str]:
    """Return the path that a word names, and what it says in front; '' for nothing."""
    said, equals, rest = word.partition("=")
    if not equals or (word and Path(word).exists()):
        said, rest = "", word
    if not rest:  # an unset variable of a shell; `Path` would make the current folder of it
        raise ScoreError(f"predictions are {word!r}; accepted: a file or folder, '.' for this one")
    return Path(rest), said


def _within(folder: Path) -> list[Path]:
    return sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in _SUFFIXES and file.is_file() and not is_litter(file)
    )


def _sources_of(word: str, conditions: Collection[str]) -> Iterator[PredictionSource]:
    path, said = _split_word(word)
    model, condition = _parse_said(said, conditions)
    if not path.exists():
        raise ScoreError(f"{printable_path(path)}: nothing there")
    if not path.is_dir():
        yield PredictionSource(path, None, model, condition)
        return
    files = _within(path)
    if not files:
        accepted = ", ".join(sorted(_SUFFIXES))
        raise ScoreError(
            f"{printable_path(path)}: holds no files of predictions; accepted: {accepted}"
        )
    for file in files:
        yield PredictionSource(file, path, model, condition)


def _parse_said(said: str, conditions: Collection[str]) -> tuple[str | None, str | None]:
    model, _, last = said.rpartition(":")
    if last in conditions:
        return model or None, last
    if model and not last:
        return model, None
    if model and re.fullmatch(r"[a-z][a-z0-9_]*", last):
        raise ScoreError(
            f"{said!r} names the condition {last!r}, which the split does not have; accepted: "
            f"{', '.join(conditions)}"
        )
    return said or None, None


def find_condition(source: PredictionSource, conditions: Collection[str]) -> str | None:
    """Return the condition that a path names, None where it names none.

    Raises
    ------
    ScoreError
        One part of the path names two.
    """
    for part in _parts(source):
        names = _named_in(part, conditions)
        if len(names) > 1:
            raise ScoreError(
                f"{printable_path(source.path)}: {part!r} names {' and '.join(sorted(names))}; say "
                "which it is: CONDITION=PATH"
            )
        if names:
            return names.pop()
    return None


def _named_in(part: str, conditions: Collection[str]) -> set[str]:
    """Return the conditions that a part names, but those inside a longer one."""
    plain = re.sub(r"[^a-z0-9]+", "_", part.lower())
    spans = [
        (match.start(), match.end(), name)
        for name in conditions
        for match in re.finditer(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", plain)
    ]
    return {
        name
        for start, stop, name in spans
        if not any(a <= start and stop <= b and (a, b) != (start, stop) for a, b, _ in spans)
    }


def find_model(source: PredictionSource, conditions: Collection[str], benchmark: str) -> str:
    """Return the model that a path names; ``model`` where it names none."""
    for part in _parts(source):
        left = part
        for name in sorted(_named_in(part, conditions), key=len, reverse=True):
            left = re.sub(re.escape(name).replace("_", "[^a-zA-Z0-9]+"), " ", left, flags=re.I)
        if benchmark:
            left = re.sub(re.escape(benchmark), " ", left, flags=re.IGNORECASE)
        for pattern in (_DATE, _RUN, _GENERIC):
            left = re.sub(pattern.pattern, " ", left, flags=re.IGNORECASE)
        left = re.sub(r"[\s_.-]*\s[\s_.-]*", " ", left).strip(" _-.")
        if re.search(r"[A-Za-z]", left):
            return left.replace(" ", "_")
    return "model"


def _parts(source: PredictionSource) -> Iterator[str]:
    """Yield the file's stem, then its folders from the nearest on, up to the one that was named."""
    yield source.path.stem
    parents = source.path.absolute().parents
    for count, parent in enumerate(parents):
        if parent.name and (source.folder is not None or count < _FOLDERS):
            yield parent.name
        if source.folder is not None and parent == source.folder.absolute():
            return
