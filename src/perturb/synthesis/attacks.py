"""Attacks: where a sound begins so suddenly that it must not be heard late, twice, or never."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perturb.measure.level import frame_powers, sample_peak
from perturb.signal import FloatArray

__all__ = ["find_attacks"]

_BLOCK_S = 0.001
_BACKGROUND_BLOCKS = 25
_ATTACK_BLOCKS = 5
_RISE_RATIO = 8.0
_FLOOR_RATIO = 1e-5
_STAND_OUT_RATIO = 2.0
_ATTACK_SHARE = 0.1


def find_attacks(
    mono: FloatArray, sample_rate_hz: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Find the first samples of sounds that rise by 9 dB over all that was in the 25 ms before.

    25 ms hold a period of most voices, so that their pulses are no attacks. Sounds more than 50 dB
    under the loudest have none.

    Parameters
    ----------
    mono : ndarray of float32, shape (n,)
        One channel.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    places : ndarray of int64, shape (attacks,)
        First samples, rising.
    powers : ndarray of float64, shape (attacks,)
        Largest power of the 1 ms blocks of the first 5 ms.

    Examples
    --------
    >>> clip = np.zeros(16_000, dtype=np.float32)
    >>> clip[[4_000, 8_000]] = 0.5
    >>> find_attacks(clip, 16_000)[0]
    array([4000, 8000])
    """
    block = max(1, round(_BLOCK_S * sample_rate_hz))
    powers = frame_powers(mono, block)
    history = np.concatenate([np.zeros(_BACKGROUND_BLOCKS), powers[:-1]])
    background = np.lib.stride_tricks.sliding_window_view(history, _BACKGROUND_BLOCKS).max(axis=1)
    has_risen = (powers > _FLOOR_RATIO * powers.max()) & (powers >= _RISE_RATIO * background)
    blocks = np.flatnonzero(has_risen)
    found = [_first_sample(mono, int(risen), block) for risen in blocks]
    places, first = np.unique(np.array(found, dtype=np.int64), return_index=True)
    loudest = [float(powers[risen : risen + _ATTACK_BLOCKS].max()) for risen in blocks[first]]
    return places, np.array(loudest, dtype=np.float64)


def _first_sample(mono: FloatArray, found: int, block: int) -> int:
    # The attack may have begun in the block before, too late to lift its power.
    start = max(0, (found - 1) * block)
    rise = np.abs(mono[start : (found + _ATTACK_BLOCKS) * block])
    quiet = mono[max(0, start - _BACKGROUND_BLOCKS * block) : start]
    least = max(_STAND_OUT_RATIO * sample_peak(quiet), _ATTACK_SHARE * float(rise.max()))
    standing_out = np.flatnonzero(rise >= least)
    return start + int(standing_out[0]) if standing_out.size else found * block
