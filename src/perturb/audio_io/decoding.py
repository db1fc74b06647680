"""From an opened file to samples, in blocks, to the end of what is there."""

from __future__ import annotations

import errno
import os
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from perturb.audio_io.header import Header
from perturb.errors import AudioError
from perturb.signal import FloatArray

__all__ = ["UNKNOWN_FRAMES", "Decoder", "decode", "decoder_reason"]

UNKNOWN_FRAMES = 2**60
"""From here on a frame count of the decoder means that it does not know."""

_BLOCK_FRAMES = 65_536
_INT32_SUBTYPES = frozenset({"PCM_32", "ALAC_32"})


class Decoder(soundfile.SoundFile):  # type: ignore[misc]
    """A decoder that reads on until the content ends.

    soundfile seeks after each read of a file that can seek, which fails at the end of a FLAC file
    of unknown length, and hides where a truncated one breaks off.
    """

    def seekable(self) -> bool:
        """Return False, whatever the file: no seeking behind our back."""
        return False


def decode(stream: Any, header: Header, size_bytes: int) -> tuple[FloatArray, list[str]]:
    """Decode to the end, in blocks: no header can make this reserve more than there is.

    Parameters
    ----------
    stream : soundfile.SoundFile
        At its start.
    header : Header
        What the file says of itself.
    size_bytes : int
        Size of the file.

    Returns
    -------
    samples : ndarray of float32, shape (channels, samples)
        Full scale 1.0.
    notes : list of str
        What is odd but harmless.

    Raises
    ------
    AudioError
        Nothing to decode, a fault on the way, or another length than the header binds itself to.
    """
    dtype = "float32"
    if stream.subtype in _INT32_SUBTYPES:
        dtype = "int32"
    elif stream.subtype == "DOUBLE":
        dtype = "float64"
    blocks: list[FloatArray] = []
    room = _room(header, stream.channels, size_bytes)
    count = over_count = rounded_count = 0
    peak = 0.0
    while True:
        try:
            block = stream.read(_BLOCK_FRAMES, dtype=dtype, always_2d=True)
        except soundfile.SoundFileError as error:
            declared = f" of {header.declared_frames}" if header.declared_frames else ""
            raise AudioError(
                f"truncated or damaged: decoding fails after sample {count}{declared} "
                f"({decoder_reason(error)})"
            ) from error
        if not len(block):
            break
        samples, rounded = _as_float32(block.T)
        rounded_count += rounded
        magnitudes = np.abs(samples)
        over_count += int(np.count_nonzero(magnitudes > 1.0))
        peak = max(peak, float(magnitudes.max()))
        stop = count + samples.shape[1]
        if room is None:
            blocks.append(samples)
        elif stop <= room.shape[1]:  # else the length is refused below
            room[:, count:stop] = samples
        count = stop
    notes = _check_length(count, header, stream.frames)
    if rounded_count:
        notes.append(
            f"{stream.subtype} source: {rounded_count} samples were rounded to float32, "
            "which keeps 24 bits"
        )
    if over_count:
        notes.append(f"{over_count} samples above full scale, peak {peak:.4g}")
    return _joined(blocks) if room is None else room, notes


def _room(header: Header, channels: int, size_bytes: int) -> FloatArray | None:
    """Return an array for all that is declared, where a sample takes a byte or more of the file."""
    frames = header.declared_frames
    if frames is None or not header.is_binding or frames * channels > size_bytes:
        return None
    return np.empty((channels, frames), dtype=np.float32)


def _joined(blocks: list[FloatArray]) -> FloatArray:
    """Return the blocks in one array: for a moment there is twice the clip."""
    if len(blocks) == 1:
        return blocks[0]
    return np.concatenate(blocks, axis=1)


def _as_float32(block: npt.NDArray[Any]) -> tuple[FloatArray, int]:
    """Return a C-contiguous float32 copy at full scale 1.0, and how many samples lost bits."""
    if block.dtype == np.float32:
        return np.ascontiguousarray(block), 0
    exact = np.array(block, dtype=np.float64, order="C")
    if block.dtype == np.int32:
        exact *= 2.0**-31
    # Too large a number becomes inf, which Signal refuses with its position; NaN as it is.
    with np.errstate(over="ignore", invalid="ignore"):
        samples = exact.astype(np.float32)
    return samples, int(np.count_nonzero((samples != exact) & np.isfinite(samples)))


def _check_length(count: int, header: Header, decoder_frames: int) -> list[str]:
    """Compare the decoded length with the declared one."""
    if count == 0:
        raise AudioError("the audio is empty: 0 frames")
    declared = header.declared_frames
    if header.is_binding and declared is not None:
        if declared > count:
            raise AudioError(f"truncated: {declared} samples declared, {count} decoded")
        if declared < count:
            raise AudioError(
                f"contradictory header: {declared} samples declared, {count} decoded. "
                "Write the file anew"
            )
    elif header.parts is None and count != decoder_frames < UNKNOWN_FRAMES:
        return [f"{decoder_frames} samples declared, {count} decoded; the decoded length counts"]
    return []


def decoder_reason(error: Exception) -> str:
    """Return the decoder's own words, without their decoration."""
    text = str(getattr(error, "error_string", error)).removeprefix("Error : ").strip()
    return text.rstrip(".") or os.strerror(errno.EIO)
