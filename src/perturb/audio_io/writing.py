"""Write audio, and give back what the file really holds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from perturb.audio_io.encoding import count_over_full_scale, encode_audio
from perturb.audio_io.output_format import OutputFormat
from perturb.audio_io.paths import errors_named, printable_path
from perturb.audio_io.pending import Pending, PendingFile
from perturb.audio_io.reading import decode_file
from perturb.errors import AudioError, ParameterError
from perturb.signal import Signal

__all__ = ["PendingAudio", "Written", "prepare_audio", "write_audio"]


@dataclass(frozen=True)
class Written:
    """A file that was written.

    Parameters
    ----------
    path : Path
        The final name.
    signal : Signal
        The audio decoded back from the file: what proofs are measured on.
    output_format : OutputFormat
        The form.
    clipped_samples : int
        Samples beyond full scale that an integer form had to clip; 0 for floats.
    file_sha256 : str
        Hash of the file's bytes.
    """

    path: Path
    signal: Signal
    output_format: OutputFormat
    clipped_samples: int
    file_sha256: str


class PendingAudio(Pending):
    """Audio that is written, read back and checked, but does not have its name yet.

    A context manager: leaving it without `commit` discards. With it, audio and the trace that
    describes it are both complete before either appears::

        with prepare_audio(out, signal, output_format) as audio:
            trace = describe(audio.written.signal)
            with prepare_bytes(trace_path, trace) as record:
                audio.commit()
                record.commit()
    """

    def __init__(self, pending: PendingFile, written: Written) -> None:
        self._pending = pending
        self.written = written

    def commit(self) -> Written:
        """Give the file its name and return what was written; raises as `PendingFile.commit`."""
        self._pending.commit()
        return self.written

    def discard(self) -> None:
        """Remove the temporary file; does nothing after `commit` or `discard`."""
        self._pending.discard()


def prepare_audio(
    path: str | os.PathLike[str],
    signal: Signal,
    output_format: OutputFormat,
    *,
    overwrite: bool = True,
) -> PendingAudio:
    """Write audio under a temporary name beside `path` and read it back.

    Parameters
    ----------
    path : path
        The final name, ending in .wav or .flac as the form asks. Its folder must exist.
    signal : Signal
        Audio of any level. Integer forms clip what is beyond full scale, and count it.
    output_format : OutputFormat
        The form, from `output_format_for`.
    overwrite : bool
        Whether an existing file may be replaced.

    Returns
    -------
    PendingAudio

    Raises
    ------
    AudioError
        The file cannot be written, or reads back otherwise. Nothing stays behind.
    ParameterError
        More than 8 channels for FLAC, or a suffix that does not fit the form.
    """
    suffix = ".flac" if output_format.container == "FLAC" else ".wav"
    if Path(path).suffix.lower() != suffix:
        raise ParameterError(
            f"{printable_path(path)}: {output_format.container} is written under {suffix}"
        )
    blocks = encode_audio(signal, output_format)
    pending = PendingFile(path, blocks, overwrite=overwrite)
    try:
        with errors_named(path):
            back = decode_file(pending.temporary_path)
        if (
            back.file_sha256 != pending.file_sha256
            or back.signal.samples.shape != signal.samples.shape
            or back.signal.sample_rate_hz != signal.sample_rate_hz
        ):
            raise AudioError(
                f"{printable_path(path)}: what was written reads back otherwise; "
                "check the disk or file system"
            )
        is_integer = output_format.full_scale_bits is not None
        written = Written(
            path=Path(path),
            signal=back.signal,
            output_format=output_format,
            clipped_samples=count_over_full_scale(signal) if is_integer else 0,
            file_sha256=back.file_sha256,
        )
    except BaseException:
        pending.discard()
        raise
    return PendingAudio(pending, written)


def write_audio(
    path: str | os.PathLike[str],
    signal: Signal,
    output_format: OutputFormat,
    *,
    overwrite: bool = True,
) -> Written:
    """Write audio in one go: `prepare_audio`, then `commit`.

    The same signal and form give the same bytes, always: no chunk holds a time.
    """
    return prepare_audio(path, signal, output_format, overwrite=overwrite).commit()
