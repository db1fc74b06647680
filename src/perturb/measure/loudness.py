"""Loudness after ITU-R BS.1770-4, in LUFS: pyloudnorm behind guards, the judge of results.

What edits are driven by is `perturb.measure.quick_loudness`.

pyloudnorm filters and measures stretches of a clip, one second of run-in before each, and its
block loudnesses are gated here over the whole clip. That is what it does itself, in bounded
memory (a clip of 23 minutes in one piece takes 600 MB), and without the block that it adds at the
end of most clips and fills with fewer samples than it divides by.

What is handled before it is reached: non-finite samples (a `Signal` holds none), clips under
400 ms, digital silence, material under the absolute gate of −70 LUFS (no value, instead of minus
infinity), more than five channels.

Conventions. A mono clip is one loudspeaker: the same audio in two equal channels reads 3.01 LU
more, as the recommendation has it; compare only clips with the same number of channels. Three to
five channels are taken as left, right, centre, left surround, right surround, the last two
weighted by 1.41. pyloudnorm's own filters are used at every rate: against the recommendation's
coefficients they read .04 LU low at 48 kHz, and on speech at 8 to 192 kHz between .04 and .06 LU
low (its alternative, exact at 48 kHz, reads .2 LU high at 8 kHz).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from perturb.measure.level import DIGITAL_SILENCE, sample_peak
from perturb.measure.reading import Reading
from perturb.signal import Signal

__all__ = [
    "BLOCK_STEPS",
    "CHANNEL_WEIGHTS",
    "MAX_LOUDNESS_CHANNELS",
    "MIN_LOUDNESS_S",
    "STEPS_PER_S",
    "Powers",
    "block_count",
    "gated_loudness",
    "loudness_lufs",
]

Powers = npt.NDArray[np.float64]

MIN_LOUDNESS_S = 0.4
"""Shortest clip that has a loudness: one block."""

CHANNEL_WEIGHTS = (1.0, 1.0, 1.0, 1.41, 1.41)
"""Weights of the channels' powers."""

MAX_LOUDNESS_CHANNELS = len(CHANNEL_WEIGHTS)
"""Most channels for which the recommendation's weights are known."""

STEPS_PER_S = 10
"""Blocks begin every 100 ms."""

BLOCK_STEPS = 4
"""Length of a block: 400 ms."""

_ABSOLUTE_GATE_LUFS = -70.0
_RELATIVE_GATE_LU = -10.0
_OFFSET_LU = -0.691
_RUN_IN_S = 1
_STRETCH_SAMPLES = 2**21


def loudness_lufs(signal: Signal) -> Reading:
    """Measure the integrated loudness of a clip.

    Parameters
    ----------
    signal : Signal
        Any rate; up to five channels.

    Returns
    -------
    Reading
        Integrated gated loudness in LUFS (full-scale material may read above 0). None, with the
        reason, for clips under .4 s, digital silence, material under −70 LUFS and more than five
        channels.

    References
    ----------
    ITU-R BS.1770-4 (2015), Algorithms to measure audio programme loudness and true-peak level.

    Examples
    --------
    >>> time_s = np.arange(48_000) / 48_000
    >>> clip = Signal.from_array(0.1 * np.sin(2 * np.pi * 997 * time_s), 48_000)
    >>> round(loudness_lufs(clip).value, 1)
    -23.1
    >>> loudness_lufs(clip.slice(0, 9_600)).reason
    '0.2 s is under the 0.4 s of one loudness block'
    """
    return gated_loudness(signal, _block_powers)


def gated_loudness(signal: Signal, block_powers: Callable[[Signal], Powers]) -> Reading:
    """Gate the powers of a clip's blocks, once it is known to have any.

    Parameters
    ----------
    signal : Signal
        Any rate and channel count.
    block_powers : callable
        Returns the weighted power of each whole block, shape (`block_count`,).

    Returns
    -------
    Reading
        As of `loudness_lufs`.
    """
    if signal.channel_count > MAX_LOUDNESS_CHANNELS:
        return Reading(
            None,
            f"{signal.channel_count} channels: loudness weights are known for up to "
            f"{MAX_LOUDNESS_CHANNELS}",
        )
    if signal.sample_count < MIN_LOUDNESS_S * signal.sample_rate_hz:
        return Reading(
            None,
            f"{signal.duration_s:.3g} s is under the {MIN_LOUDNESS_S:g} s of one loudness block",
        )
    if sample_peak(signal.samples) == 0.0:
        return Reading(None, DIGITAL_SILENCE)
    powers = block_powers(signal)
    loud = powers[powers >= _to_power(_ABSOLUTE_GATE_LUFS)]
    if len(loud) == 0:
        return Reading(None, f"under the absolute gate of {_ABSOLUTE_GATE_LUFS:g} LUFS")
    gate = float(loud.mean()) * 10.0 ** (_RELATIVE_GATE_LU / 10.0)
    return Reading(_to_loudness(float(loud[loud > gate].mean())))


def block_count(signal: Signal) -> int:
    """Return the number of whole blocks; a block is whole if its last sample exists."""
    beyond_s = signal.sample_count / signal.sample_rate_hz - MIN_LOUDNESS_S
    return 1 + math.floor(beyond_s * STEPS_PER_S + 1e-9)


def _block_powers(signal: Signal) -> Powers:
    """Return the weighted power of each whole 400 ms block, 100 ms apart."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what importing scipy says is not about this clip
        from pyloudnorm import Meter

    rate = signal.sample_rate_hz
    meter = Meter(rate)
    blocks = block_count(signal)
    powers = np.zeros(blocks, dtype=np.float64)
    stretch_s = max(1, _STRETCH_SAMPLES // (rate * signal.channel_count))
    for start_s in range(0, -(-blocks // STEPS_PER_S), stretch_s):
        first = start_s * STEPS_PER_S
        last = min(blocks, first + stretch_s * STEPS_PER_S)
        run_in_s = min(start_s, _RUN_IN_S)
        # Half a block beyond the last keeps its rounding of the block count from cutting one off.
        begin = (start_s - run_in_s) * rate
        end = math.ceil(((last - 1) / STEPS_PER_S + MIN_LOUDNESS_S + 0.05) * rate)
        piece = signal.samples[:, begin:end].T.astype(np.float64)
        meter.integrated_loudness(piece)
        skipped = run_in_s * STEPS_PER_S
        found = np.asarray(meter.blockwise_loudness)[skipped : skipped + last - first]
        powers[first:last] = _to_power(found)
    return powers


def _to_power(loudness_lufs: npt.ArrayLike) -> Powers:
    return np.asarray(10.0 ** ((np.asarray(loudness_lufs) - _OFFSET_LU) / 10.0))


def _to_loudness(power: float) -> float:
    return _OFFSET_LU + 10.0 * math.log10(power)
