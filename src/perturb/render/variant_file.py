"""One variant on its way to disk: written under a temporary name, proven there, described."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from perturb.audio_io import (
    AudioFile,
    OutputFormat,
    PendingAudio,
    Written,
    prepare_audio,
    quantise,
)
from perturb.audio_io.paths import printable_path
from perturb.errors import ParameterError
from perturb.plan.trace import AudioRecord, Trace
from perturb.render.references import References
from perturb.render.rendering import Rendering, prove, trace_of
from perturb.signal import Signal

__all__ = [
    "check_recordable",
    "describe_file",
    "prepare_variant",
    "relative_to_trace",
    "with_relative_references",
]


def relative_to_trace(path: Path, trace_folder: Path) -> str:
    """Return a path as a trace records it: relative, with forward slashes.

    Raises
    ------
    ParameterError
        A name that is not Unicode (old archives hold such): a trace cannot record it.
    """
    return check_recordable(os.path.relpath(path.resolve(), trace_folder.resolve()))


def check_recordable(name: str) -> str:
    """Return a name with forward slashes; refuse one that is not Unicode (`ParameterError`)."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ParameterError(
            f"{printable_path(name)}: the name is not valid UTF-8, so that no trace can record it; "
            "rename the file or folder"
        ) from None
    return Path(name).as_posix()


def describe_file(source: AudioFile, trace_folder: Path) -> AudioRecord:
    """Return the record of a file that was read."""
    return AudioRecord(
        path=relative_to_trace(source.path, trace_folder),
        file_sha256=source.file_sha256,
        audio_sha256=source.signal.audio_sha256,
        sample_rate_hz=source.signal.sample_rate_hz,
        channels=source.signal.channel_count,
        samples=source.signal.sample_count,
        container=source.container,
        subtype=source.subtype,
        notes=source.notes,
    )


@contextmanager
def prepare_variant(
    rendering: Rendering,
    output: Path,
    file_format: OutputFormat,
    source: AudioRecord,
    references: References,
    trace_folder: Path,
) -> Iterator[tuple[PendingAudio, Trace]]:
    """Write a rendering under a temporary name and prove it on what was written.

    Parameters
    ----------
    rendering : Rendering
        What is to be written.
    output : Path
        The final name; its folder must exist.
    file_format : OutputFormat
        The form.
    source : AudioRecord
        The clip that was edited.
    references : References
        Where outside audio came from.
    trace_folder : Path
        Where the trace will lie: its paths are relative to it.

    Yields
    ------
    audio : PendingAudio
        To be committed inside the block; otherwise nothing stays behind.
    trace : Trace
        Of the variant as it lies on disk.
    """

    def as_written(signal: Signal) -> Signal:
        return quantise(signal, file_format)

    with prepare_audio(output, rendering.finished(), file_format) as audio:
        proofs = prove(rendering, audio.written.signal, references, as_written)
        described = _describe_written(audio.written, trace_folder)
        trace = trace_of(
            rendering, proofs, source, described, references, output_format=file_format
        )
        yield audio, with_relative_references(trace, trace_folder)


def _describe_written(written: Written, trace_folder: Path) -> AudioRecord:
    return AudioRecord(
        path=check_recordable(os.path.relpath(written.path, trace_folder)),
        file_sha256=written.file_sha256,
        audio_sha256=written.signal.audio_sha256,
        sample_rate_hz=written.signal.sample_rate_hz,
        channels=written.signal.channel_count,
        samples=written.signal.sample_count,
        container=written.output_format.container,
        subtype=written.output_format.subtype,
        clipped_samples=written.clipped_samples,
        notes=written.output_format.notes,
    )


def with_relative_references(trace: Trace, folder: Path) -> Trace:
    """Return the trace with the paths of its references relative to where it lies."""
    records = {
        name: record
        if record.path is None
        else msgspec.structs.replace(record, path=relative_to_trace(Path(record.path), folder))
        for name, record in trace.references.items()
    }
    return msgspec.structs.replace(trace, references=records)
