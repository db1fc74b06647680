"""Read an audio file: decode what is there, and refuse what the header does not bear out."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import soundfile

from perturb.audio_io.containers import inspect_header
from perturb.audio_io.decoding import UNKNOWN_FRAMES, Decoder, decode, decoder_reason
from perturb.audio_io.header import Header, SplicedFile, read_at, whole_file
from perturb.audio_io.paths import errors_named, is_litter
from perturb.errors import AudioError
from perturb.signal import MAX_CHANNELS, SAMPLE_RATE_RANGE_HZ, Signal

__all__ = ["AudioFile", "AudioInfo", "decode_file", "read_audio", "read_info"]

_SUFFIX_CONTAINERS = {
    ".wav": {"WAV", "WAVEX", "RF64"},
    ".flac": {"FLAC"},
    ".mp3": {"MP3"},
    ".ogg": {"OGG"},
    ".oga": {"OGG"},
    ".opus": {"OGG"},
}


@dataclass(frozen=True)
class AudioFile:
    """A file that was read: its audio, and the form in which it was stored.

    Parameters
    ----------
    path : Path
        As it was given.
    signal : Signal
        The decoded audio, at the file's own rate and channel count.
    container, subtype : str
        In libsndfile's words: 'WAV', 'WAVEX', 'RF64', 'FLAC', 'OGG', 'MP3', 'AIFF', …, and
        'PCM_16', 'PCM_24', 'FLOAT', 'ALAW', 'VORBIS', ….
    channel_mask : int or None
        Speaker positions of a WAVE_EXTENSIBLE header; None for any other.
    notes : tuple of str
        What is odd but harmless: wrong counts, samples above full scale, precision lost.
    file_sha256 : str
        Hash of the bytes that were decoded.
    """

    path: Path
    signal: Signal
    container: str
    subtype: str
    channel_mask: int | None
    notes: tuple[str, ...]
    file_sha256: str


@dataclass(frozen=True)
class AudioInfo:
    """What a scan tells without decoding; fields as in `AudioFile`.

    `declared_frames` is what the header says, None where it does not say or is known to be wrong.
    """

    path: Path
    container: str
    subtype: str
    sample_rate_hz: int
    channel_count: int
    declared_frames: int | None
    channel_mask: int | None
    notes: tuple[str, ...]
    file_size_bytes: int


def read_audio(path: str | os.PathLike[str]) -> AudioFile:
    """Read an audio file, whatever libsndfile decodes, at its own rate and channel count.

    Integers are divided by their full scale, 2 ** (bits - 1). PCM_32 and DOUBLE lose the bits that
    float32 cannot hold; a note counts the samples that did. The decoded length is the only length.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    AudioFile

    Raises
    ------
    AudioError
        Missing, a folder, not audio, empty, truncated (declared longer than decoded), damaged,
        contradictory, a rate outside 8 to 192 kHz, more than 64 channels, a sample that is not
        finite or beyond +60 dBFS. The message starts with the path and names the position.
    """
    with errors_named(path):
        return decode_file(Path(path))


def decode_file(path: Path) -> AudioFile:
    """Read as `read_audio` does; errors do not name the path."""
    with (
        _open_file(path) as (file, size_bytes),
        _open_stream(file, size_bytes) as (stream, header),
    ):
        samples, notes = decode(stream, header, size_bytes)
        signal = Signal.adopt(samples, stream.samplerate)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return AudioFile(
            path=path,
            signal=signal,
            container=header.container or stream.format,
            subtype=stream.subtype,
            channel_mask=header.channel_mask,
            notes=(*_name_notes(path, stream.format), *header.notes, *notes),
            file_sha256=digest,
        )


def read_info(path: str | os.PathLike[str]) -> AudioInfo:
    """Scan an audio file: everything that `read_audio` checks before it decodes.

    Raises
    ------
    AudioError
        As `read_audio`, as far as header and container tell.
    """
    path = Path(path)
    with (
        errors_named(path),
        _open_file(path) as (file, size_bytes),
        _open_stream(file, size_bytes) as (stream, header),
    ):
        frames = header.declared_frames
        if frames is None and header.parts is None and stream.frames < UNKNOWN_FRAMES:
            frames = stream.frames
        return AudioInfo(
            path=path,
            container=header.container or stream.format,
            subtype=stream.subtype,
            sample_rate_hz=stream.samplerate,
            channel_count=stream.channels,
            declared_frames=frames,
            channel_mask=header.channel_mask,
            notes=(*_name_notes(path, stream.format), *header.notes),
            file_size_bytes=size_bytes,
        )


@contextmanager
def _open_file(path: Path) -> Iterator[tuple[io.BufferedReader, int]]:
    """Open a regular file with content, or say what is there instead."""
    try:
        status = path.stat()  # before opening: a pipe would block
    except FileNotFoundError:
        if path.is_symlink():
            raise AudioError(f"a link to {path.readlink()}, which does not exist") from None
        raise AudioError("no such file") from None
    except ValueError as error:
        raise AudioError(f"not a path: {error}") from None
    if stat.S_ISDIR(status.st_mode):
        raise AudioError("a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise AudioError("not a regular file")
    if status.st_size == 0:
        raise AudioError("the file is empty: 0 bytes")
    with path.open("rb") as file:
        try:
            yield file, os.fstat(file.fileno()).st_size
        except soundfile.SoundFileError as error:
            hint = " (litter of another system, not audio)" if is_litter(path) else ""
            raise AudioError(f"not readable as audio: {decoder_reason(error)}{hint}") from error


@contextmanager
def _open_stream(file: io.BufferedReader, size_bytes: int) -> Iterator[tuple[Any, Header]]:
    """Check the header, then hand the file to the decoder."""
    if read_at(file, 0, 19) == b"version https://git":
        raise AudioError("a Git LFS pointer, not audio; fetch the file itself with 'git lfs pull'")
    header = inspect_header(file, size_bytes)
    view = SplicedFile(file, header.parts or whole_file(size_bytes))
    with Decoder(view) as stream:
        low_hz, high_hz = SAMPLE_RATE_RANGE_HZ
        if not low_hz <= stream.samplerate <= high_hz:
            raise AudioError(
                f"sample rate {stream.samplerate} Hz; accepted: {low_hz} to {high_hz} Hz. "
                "Resample the file first"
            )
        if stream.channels > MAX_CHANNELS:
            raise AudioError(f"{stream.channels} channels; accepted: 1 to {MAX_CHANNELS}")
        yield stream, header


def _name_notes(path: Path, container: str) -> list[str]:
    expected = _SUFFIX_CONTAINERS.get(path.suffix.lower())
    if expected is None or container in expected:
        return []
    return [f"the name ends in {path.suffix}, the content is {container}"]
