"""Noise of a given spectrum: Gaussian, as long as wanted, never looped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.fft

from perturb.measure.spectrum import RoomTone
from perturb.signal import FloatArray

__all__ = ["NormalSource", "room_noise"]

NormalSource = Callable[[int], npt.NDArray[np.float32]]
"""Returns the next so many standard normal numbers."""

_TRANSFORM_SAMPLES = 1 << 13
_BLOCKS_AT_ONCE = 4  # scipy transforms four rows of float32 in about the time of one


def room_noise(room: RoomTone, length: int, normals: NormalSource) -> FloatArray:
    """Return stationary noise with the spectrum and level of a room tone.

    White noise, one draw for all channels, through a linear-phase filter of the length of the
    room's analysis frame for each channel.

    Parameters
    ----------
    room : RoomTone
        Spectrum to follow, per channel.
    length : int
        Samples wanted.
    normals : callable
        Source of standard normal numbers; asked for ``length + frame - 1`` of them, in order.

    Returns
    -------
    ndarray of float32, shape (channels, length)
    """
    filters = _filters(room)
    taps = filters.shape[1]
    out = np.empty((filters.shape[0], length), dtype=np.float32)
    # The block fills the transform: what is carried over is not computed twice.
    size = max(_TRANSFORM_SAMPLES, 1 << (2 * taps - 1).bit_length())
    step = size - (taps - 1)
    responses = scipy.fft.rfft(filters.astype(np.float32), size, axis=1)
    carried = normals(taps - 1)
    for start in range(0, length, _BLOCKS_AT_ONCE * step):
        count = min(_BLOCKS_AT_ONCE * step, length - start)
        drawn = np.zeros(taps - 1 + -(-count // step) * step, dtype=np.float32)
        drawn[: taps - 1] = carried
        drawn[taps - 1 : taps - 1 + count] = normals(count)
        carried = drawn[count : count + taps - 1]
        blocks = np.lib.stride_tricks.sliding_window_view(drawn, size)[::step]
        spectra = scipy.fft.rfft(blocks, axis=1)
        for channel, response in enumerate(responses):
            shaped = scipy.fft.irfft(spectra * response, size, axis=1)[:, taps - 1 :]
            out[channel, start : start + count] = shaped.reshape(-1)[:count]
    return out


def _filters(room: RoomTone) -> npt.NDArray[np.float64]:
    """Return one linear-phase filter per channel whose power response is the room's spectrum."""
    frame = room.frame_samples
    response = np.sqrt(room.power)
    filters = np.fft.irfft(response, frame, axis=1)
    filters = np.roll(filters, frame // 2, axis=1)
    filters *= 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(frame) + 0.5) / frame)
    # Exactly the room's power, whatever windowing did to it.
    power = np.square(filters).sum(axis=1, keepdims=True)
    wanted = room.power.sum(axis=1, keepdims=True)
    ratio = np.divide(wanted, power, out=np.zeros_like(power), where=power > 0.0)
    scaled: npt.NDArray[np.float64] = filters * np.sqrt(ratio)
    return scaled
