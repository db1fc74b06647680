"""Canonical FLAC as WAV, for readers that take no FLAC: the same samples, which is proven.

Both forms hold integers of 16 or 24 bits, which float32 holds exactly, so that the comparison of
the decoded samples is a comparison of the bits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from perturb.audio_io import output_format_for, prepare_audio, read_audio
from perturb.errors import AudioError
from perturb.signal import Signal

__all__ = ["unpack_flac", "unpacked_problem"]


def unpack_flac(source: Path, target: Path) -> None:
    """Write a FLAC file as WAV of the same rate, channels and bit depth, atomically.

    The file is decoded back before it gets its name, and compared sample by sample.

    Raises
    ------
    AudioError
        A file cannot be read or written, or a sample differs.
    """
    packed = read_audio(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    with prepare_audio(target, packed.signal, output_format_for(packed, ".wav")) as pending:
        if not _are_equal(packed.signal, pending.written.signal):
            raise AudioError(f"{target}: the samples differ from those of {source}")
        pending.commit()


def unpacked_problem(unpacked: Path, source: Path) -> str | None:
    """Return in one line how a WAV differs from its FLAC; None where it does not."""
    try:
        ours, theirs = read_audio(unpacked), read_audio(source)
    except AudioError as error:
        return str(error)
    if ours.subtype != theirs.subtype:
        return f"is {ours.subtype}; {source.name} is {theirs.subtype}"
    if not _are_equal(ours.signal, theirs.signal):
        return f"the samples differ from those of {source.parent.name}/{source.name}"
    return None


def _are_equal(first: Signal, second: Signal) -> bool:
    return first.sample_rate_hz == second.sample_rate_hz and np.array_equal(
        first.samples, second.samples
    )
