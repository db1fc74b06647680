"""An utterance spoken anew put in the place of the one that was there.

The new recording's speech, from its first sound to its last, is made to last as long as the old
one's and laid where that was, the clip's room tone under it. Before and after it the clip stays as
it is; the joins lie where the clip is quietest, in the 100 ms next to the speech.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import JOIN_S, join_ramp
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample
from perturb.synthesis.conform import conform
from perturb.synthesis.mix import mix_down
from perturb.synthesis.slot import Extent, Slot, find_slot, find_speech, noise_floor_dbfs
from perturb.synthesis.speed import least_samples, stretch
from perturb.synthesis.tempo import Tempo

__all__ = ["MOST_STRETCH", "Fitted", "Placed", "fit", "lay", "place"]

MOST_STRETCH = 0.15
"""How much longer or shorter a recording may be made."""

_PAD_S = 0.06
"""Breath and decay next to the speech that come along, where there is room."""

_LEVEL_PASSES = 4

LevelOf = Callable[[FloatArray], float]


class Placed(NamedTuple):
    """A recording, and where it goes.

    Parameters
    ----------
    recording : ndarray of float32, shape (channels, m)
        At the clip's rate and channel count.
    speech : Extent
        Its speech.
    slot : Slot
        The utterance that it takes the place of.
    """

    recording: FloatArray
    speech: Extent
    slot: Slot


class Fitted(NamedTuple):
    """A recording at its place in a slot, not scaled.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        As long as the span.
    stretch : float
        How much longer its speech became.
    """

    samples: FloatArray
    stretch: float


def place(clip: Signal, start: int, stop: int, recording: Signal, whose: str) -> Placed:
    """Return a recording in the clip's form, its speech, and the slot in the clip's span.

    A recording in mono comes from the side where the utterance was.

    Parameters
    ----------
    clip : Signal
        The whole clip.
    start, stop : int
        The span, in samples.
    recording : Signal
        The utterance spoken anew.
    whose : str
        What messages call it.

    Raises
    ------
    InapplicableError
        One of them holds no speech.
    """
    rate_hz = clip.sample_rate_hz
    span = clip.samples[:, start:stop]
    slot = find_slot(span, rate_hz, noise_floor_dbfs(clip.samples, rate_hz))
    samples = np.array(conform(recording, rate_hz, clip.channel_count))
    if recording.channel_count == 1 and clip.channel_count > 1:
        powers = np.square(span, dtype=np.float64).mean(axis=1)
        samples *= np.sqrt(powers / powers.max()).astype(np.float32)[:, np.newaxis]
    floor_dbfs = noise_floor_dbfs(samples, rate_hz)
    return Placed(samples, find_speech(samples, rate_hz, floor_dbfs, whose), slot)


def fit(recording: FloatArray, speech: Extent, sample_rate_hz: int, slot: Slot) -> Fitted:
    """Return a recording made to last as long as the utterance, at its place.

    Parameters
    ----------
    recording : ndarray of float32, shape (channels, m)
        At the clip's rate and channel count.
    speech : Extent
        Its speech.
    sample_rate_hz : int
        Sampling rate in Hz.
    slot : Slot
        Where it goes.

    Raises
    ------
    InapplicableError
        It would have to be made more than 15 % longer or shorter, or either is under 50 ms.
    """
    ratio = slot.speech.length / speech.length
    if abs(ratio - 1.0) > MOST_STRETCH:
        raise InapplicableError(
            f"the recording's speech lasts {speech.length / sample_rate_hz:.3g} s, the utterance "
            f"{slot.speech.length / sample_rate_hz:.3g} s: it would have to be made {ratio:.2f} "
            f"times as long; accepted: {1.0 - MOST_STRETCH:.2f} to {1.0 + MOST_STRETCH:.2f}"
        )
    if min(slot.speech.length, speech.length) < least_samples(sample_rate_hz):
        raise InapplicableError("the utterance is too short to be fitted: under 50 ms of speech")
    count = slot.weight.size
    heard = np.flatnonzero(slot.weight)
    pad = seconds_to_sample(_PAD_S, sample_rate_hz)
    before = min(pad, speech.start, int((slot.speech.start - heard[0]) / ratio))
    after = min(pad, recording.shape[1] - speech.stop, int((heard[-1] - slot.speech.stop) / ratio))
    before, after = max(before, 0), max(after, 0)
    piece = recording[:, speech.start - before : speech.stop + after]
    first = slot.speech.start - round(before * ratio)
    last = min(slot.speech.stop + round(after * ratio), count)
    tempo = Tempo.uniform(piece.shape[1], last - first)
    played = stretch(piece, mix_down(piece), sample_rate_hz, tempo).samples
    samples = np.zeros((recording.shape[0], count), dtype=np.float32)
    fade = seconds_to_sample(JOIN_S, sample_rate_hz) // 2
    samples[:, first:last] = played * join_ramp(last - first, fade, fade)
    return Fitted(samples, ratio)


def lay(
    clip: FloatArray, fitted: FloatArray, room: FloatArray, weight: FloatArray, level_of: LevelOf
) -> tuple[FloatArray, float]:
    """Return a span with its utterance replaced, at the level it had, and the gain of the new one.

    Parameters
    ----------
    clip, fitted, room : ndarray of float32, shape (channels, n)
        The span, the fitted recording, the room tone under it.
    weight : ndarray of float32, shape (n,)
        What is replaced.
    level_of : callable
        The meter, in dBFS.

    Returns
    -------
    ndarray of float32, shape (channels, n)
    float
        Gain of the recording in dB.
    """
    wanted_db, gain_db = level_of(clip), 0.0
    laid = _mixed(clip, fitted, room, weight, gain_db)
    for _ in range(_LEVEL_PASSES):
        gain_db += wanted_db - level_of(laid)
        laid = _mixed(clip, fitted, room, weight, gain_db)
    return laid, gain_db


def _mixed(
    clip: FloatArray, fitted: FloatArray, room: FloatArray, weight: FloatArray, gain_db: float
) -> FloatArray:
    gain = np.float32(10.0 ** (gain_db / 20.0))
    mixed: FloatArray = clip * (np.float32(1.0) - weight) + weight * (room + gain * fitted)
    return mixed
