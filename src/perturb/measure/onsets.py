"""When sounds begin: sharp rises of level to the sample, changes of sound to a few milliseconds.

Two detectors, joined. *Rises*: a block of 1 ms whose power exceeds everything in the 25 ms before
it by 12 dB is an attack; its onset is the first sample that stands out of what was there before.
25 ms hold a period of any voice, so the pulses of a voice are no onsets. *Changes*, where no rise
was found: third-octave bands whose power over the next 10 to 40 ms is 12 dB above that of the 30
to 10 ms before, that carry two fifths of the new power or more, and not 20 dB less than all that
went before. Their onset is the moment at which they have half their new amplitude. A sound that
stops is no onset, though its end splashes over all bands: the splash does not last.

Sound in noise of similar level, and slow swells, have no onset here. Rumble, whose few bands rise
and fall by 12 dB on their own, has some by chance.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.measure.level import frame_powers, sample_peak

__all__ = ["find_onsets"]

RISE_DB = 12.0
BACKGROUND_S = 0.025
SEPARATION_S = 0.03
FLOOR_DB = -60.0
"""Sound further than this below the clip's loudest has no onsets."""

_BLOCK_S = 0.001
_ATTACK_BLOCKS = 5
_STAND_OUT_RATIO = 2.0
_ATTACK_SHARE = 0.1
_WINDOW_S = 0.02
_HOP_S = 0.005
_BEFORE_FRAMES = (-6, -1)
_AFTER_FRAMES = (2, 9)
_SPLASH_FRAMES = 4
"""Frames that one event can touch: a window is four hops long."""

_DROP_DB = -20.0
"""What is left when a sound fades out lies further below it than this."""

_NEIGHBOUR_FRAMES = 6
_NEW_SHARE = 0.4
_FRAMES_PER_BLOCK = 512


def find_onsets(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Find the times at which sounds begin.

    Parameters
    ----------
    samples : ndarray of float32, shape (samples,)
        One channel.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    ndarray of float64, shape (onsets,)
        Times in seconds, rising, at least 30 ms apart. Empty for silence. A clip that begins in
        sound has an onset at its beginning.

    Raises
    ------
    ParameterError
        `samples` has more than one dimension.

    Examples
    --------
    >>> clip = np.zeros(16_000, dtype=np.float32)
    >>> clip[[4_000, 8_000]] = 0.5
    >>> find_onsets(clip, 16_000)
    array([0.25, 0.5 ])
    """
    if samples.ndim != 1:
        raise ParameterError(
            f"samples have shape {samples.shape}; accepted: one channel, (samples,)"
        )
    if sample_peak(samples) == 0.0:
        return np.zeros(0, dtype=np.float64)
    rises = _level_rises(samples, sample_rate_hz)
    changes = _spectral_changes(samples, sample_rate_hz, rises)
    return np.sort(np.concatenate([rises, changes]))


def _level_rises(samples: npt.NDArray[np.float32], sample_rate_hz: int) -> npt.NDArray[np.float64]:
    block_samples = max(1, round(_BLOCK_S * sample_rate_hz))
    powers = frame_powers(samples, block_samples)
    before_blocks = round(BACKGROUND_S / _BLOCK_S)
    separation = round(SEPARATION_S * sample_rate_hz)
    history = np.concatenate([np.zeros(before_blocks), powers[:-1]])
    background = np.lib.stride_tricks.sliding_window_view(history, before_blocks).max(axis=1)
    floor = powers.max() * 10.0 ** (FLOOR_DB / 10.0)
    risen = (powers > floor) & (powers >= background * 10.0 ** (RISE_DB / 10.0))
    onsets: list[int] = []
    for block in np.flatnonzero(risen):
        # The attack may have begun in the block before, too late to lift its power.
        start = max(0, (int(block) - 1) * block_samples)
        stop = min(len(samples), (int(block) + _ATTACK_BLOCKS) * block_samples)
        attack = np.abs(samples[start:stop])
        quiet = samples[max(0, start - before_blocks * block_samples) : start]
        threshold = max(_STAND_OUT_RATIO * sample_peak(quiet), _ATTACK_SHARE * float(attack.max()))
        standing_out = np.flatnonzero(attack >= threshold)
        onset = start + int(standing_out[0]) if len(standing_out) else int(block) * block_samples
        if not onsets or onset - onsets[-1] >= separation:
            onsets.append(onset)
    return np.array(onsets, dtype=np.float64) / sample_rate_hz


def _spectral_changes(
    samples: npt.NDArray[np.float32], sample_rate_hz: int, rises: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    rise_db = _sustained_rise_db(samples, sample_rate_hz)
    hop_samples = max(1, round(_HOP_S * sample_rate_hz))
    onsets: list[float] = []
    for frame in np.flatnonzero(rise_db):
        around = rise_db[max(0, frame - _NEIGHBOUR_FRAMES) : frame + _NEIGHBOUR_FRAMES + 1]
        change = int(frame) * hop_samples
        # Near a rise it is the same sound, which the rise places more exactly.
        if rise_db[frame] < around.max() or _is_near(change / sample_rate_hz, rises):
            continue
        onset = _half_amplitude_time(samples, sample_rate_hz, change)
        if not _is_near(onset, rises) and (not onsets or onset - onsets[-1] >= SEPARATION_S):
            onsets.append(onset)
    return np.array(onsets, dtype=np.float64)


def _sustained_rise_db(
    samples: npt.NDArray[np.float32], sample_rate_hz: int
) -> npt.NDArray[np.float64]:
    """Return by how much the bands that rise have risen, 0 where they are not most of the sound."""
    hop_samples = max(1, round(_HOP_S * sample_rate_hz))
    frames = -(-len(samples) // hop_samples)
    rise_db = np.zeros(frames, dtype=np.float64)
    floor = sample_peak(samples) ** 2 * 10.0 ** (FLOOR_DB / 10.0)
    for first in range(0, frames, _FRAMES_PER_BLOCK):
        last = min(frames, first + _FRAMES_PER_BLOCK)
        centres = np.arange(first + _BEFORE_FRAMES[0], last + _AFTER_FRAMES[1] - 1) * hop_samples
        powers = _band_powers(samples, centres, sample_rate_hz)
        before = _windows(powers, _BEFORE_FRAMES, last - first).mean(axis=2)
        # Lasting means: still there when the frames that one splash can touch are left out.
        lasting = _windows(powers, _AFTER_FRAMES, last - first)
        rank = lasting.shape[2] - _SPLASH_FRAMES - 1
        after = np.partition(lasting, rank, axis=2)[:, :, rank]
        risen = (after > before * 10.0 ** (RISE_DB / 10.0)) & (after > floor)
        new = (after * risen).sum(axis=1)
        old = (before * risen).sum(axis=1)
        much = (new > 0.0) & (new >= _NEW_SHARE * after.sum(axis=1))
        much &= new >= before.sum(axis=1) * 10.0 ** (_DROP_DB / 10.0)
        rise_db[first:last][much] = 10.0 * np.log10(new[much] / np.maximum(old[much], floor))
    return rise_db


def _windows(
    powers: npt.NDArray[np.float64], around: tuple[int, int], frames: int
) -> npt.NDArray[np.float64]:
    """Return, for each of `frames` frames, the powers `around` it: (frames, bands, offsets)."""
    start = around[0] - _BEFORE_FRAMES[0]
    width = around[1] - around[0]
    windows = np.lib.stride_tricks.sliding_window_view(powers, width, axis=0)
    return windows[start : start + frames]


def _is_near(time_s: float, rises: npt.NDArray[np.float64]) -> bool:
    place = int(np.searchsorted(rises, time_s))
    return bool((np.abs(rises[max(0, place - 1) : place + 1] - time_s) < SEPARATION_S).any())


def _half_amplitude_time(samples: npt.NDArray[np.float32], sample_rate_hz: int, near: int) -> float:
    """Return when the bands that rise around a sample have half their new amplitude.

    A symmetric window that is half inside a new sound sees half its amplitude: this moment does
    not depend on how loud the new sound is, as the steepest rise in dB does.
    """
    reach = round(2.0 * _WINDOW_S * sample_rate_hz)
    step = max(1, round(_BLOCK_S * sample_rate_hz))
    centres = np.arange(near - reach, near + reach + 1, step)
    powers = _band_powers(samples, centres, sample_rate_hz)
    quarter = len(centres) // 4
    risen = powers[-quarter:].mean(axis=0) > powers[:quarter].mean(axis=0)
    course = np.sqrt(powers[:, risen].sum(axis=1))
    target = 0.5 * (course[:quarter].mean() + course[-quarter:].mean())
    # The last crossing before the new sound is there for good.
    crossings = np.flatnonzero((course[:-1] < target) & (course[1:] >= target))
    if len(crossings) == 0:
        return near / sample_rate_hz
    at = int(crossings[np.abs(crossings - len(course) // 2).argmin()])
    part = float((target - course[at]) / (course[at + 1] - course[at]))
    return (float(centres[at]) + part * step) / sample_rate_hz


def _band_powers(
    samples: npt.NDArray[np.float32], centres: npt.NDArray[np.int64], sample_rate_hz: int
) -> npt.NDArray[np.float64]:
    """Return the power in each band in windows about `centres`, shape (centres, bands).

    Scaled so that a sine of amplitude ``a`` has about ``a ** 2``.
    """
    length = max(4, round(_WINDOW_S * sample_rate_hz))
    window, edges = _analysis(length, sample_rate_hz)
    powers = np.empty((len(centres), len(edges) - 1), dtype=np.float64)
    offsets = np.arange(length) - length // 2
    for first in range(0, len(centres), _FRAMES_PER_BLOCK):
        places = centres[first : first + _FRAMES_PER_BLOCK, np.newaxis] + offsets
        inside = (places >= 0) & (places < len(samples))
        frames = np.where(inside, samples[np.clip(places, 0, len(samples) - 1)], 0.0) * window
        spectra = np.fft.rfft(frames, axis=1)
        bins = (spectra.real**2 + spectra.imag**2) * (4.0 / float(window.sum()) ** 2)
        powers[first : first + len(places)] = np.add.reduceat(bins, edges[:-1], axis=1)
    return powers


@functools.lru_cache(maxsize=16)
def _analysis(
    length: int, sample_rate_hz: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the window and the first bin of each band, from 100 Hz up, third octaves apart."""
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(length) + 0.5) / length)
    limits_hz = 100.0 * 2.0 ** (np.arange(0, 30) / 3.0)
    limits = np.round(limits_hz[limits_hz < sample_rate_hz / 2] * length / sample_rate_hz)
    edges = np.unique(limits.astype(np.int64))
    return window, np.append(edges[edges < length // 2], length // 2 + 1)
