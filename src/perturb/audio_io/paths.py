"""Names of files: which are audio, which are litter, and how they appear in messages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perturb.errors import AudioError, OutputError

__all__ = ["AUDIO_SUFFIXES", "errors_named", "find_audio", "is_litter", "printable_path"]

AUDIO_SUFFIXES = frozenset(
    {".aif", ".aifc", ".aiff", ".au", ".caf", ".flac", ".mp3", ".oga", ".ogg", ".opus"}
    | {".rf64", ".sph", ".w64", ".wav", ".wave"}
)
"""Suffixes that `find_audio` looks for, in lower case."""

_LITTER_NAMES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})


def printable_path(path: str | os.PathLike[str]) -> str:
    """Return a path on one printable line: quoted and escaped only where it must be."""
    text = os.fspath(path)
    return text if text.isprintable() else ascii(text)


@contextmanager
def errors_named(
    path: str | os.PathLike[str], kind: type[AudioError] = AudioError
) -> Iterator[None]:
    """Turn what goes wrong inside into an error of a kind that starts with the path."""
    try:
        yield
    except OutputError as error:
        raise OutputError(f"{printable_path(path)}: {error}") from error
    except AudioError as error:
        raise kind(f"{printable_path(path)}: {error}") from error
    except OSError as error:
        raise kind(f"{printable_path(path)}: {error.strerror or error}") from error


def is_litter(path: str | os.PathLike[str]) -> bool:
    """Whether a file is what systems and interrupted runs leave behind, whatever its suffix.

    AppleDouble twins (``._x.wav``) and the ``__MACOSX`` folder of zip archives, Finder and Explorer
    files, and this package's unfinished ``.perturb-….tmp``.

    Examples
    --------
    >>> is_litter("clips/._x.wav"), is_litter("clips/x.wav")
    (True, False)
    """
    path = Path(path)
    name = path.name.lower()
    return (
        name.startswith("._")
        or name in _LITTER_NAMES
        or (name.startswith(".perturb-") and name.endswith(".tmp"))
        or "__MACOSX" in path.parts[:-1]
    )


def find_audio(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the audio files in a folder and below, sorted.

    Suffixes count in any case. Hidden files, hidden folders and litter are passed over. Links to
    files are listed under their own names, broken ones too, so that reading them says what is
    wrong; links to folders are not followed, so no loop and no file outside the folder is met.

    Parameters
    ----------
    folder : path
        Where to look; may itself be a link.

    Returns
    -------
    list of Path
        In the order of their path components, the same on every file system.

    Raises
    ------
    AudioError
        `folder` is missing, is a file, or it or a folder below cannot be listed.
    """

    def refuse(error: OSError) -> None:
        name = printable_path(error.filename or folder)
        raise AudioError(f"{name}: cannot list this folder: {error.strerror}") from error

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__MACOSX"]
        for name in names:
            path = Path(parent, name)
            if path.suffix.lower() in AUDIO_SUFFIXES and not name.startswith("."):
                found.append(path)
    return sorted(found, key=lambda path: path.parts)
