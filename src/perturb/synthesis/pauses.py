"""Pauses of speech: where they are, and all of one length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perturb.measure.contour import level_contour_db
from perturb.measure.rumble import without_rumble
from perturb.signal import FloatArray
from perturb.synthesis.speed import splice_in_place, stretch
from perturb.synthesis.tempo import Tempo

__all__ = ["Pause", "find_pauses", "pause_tempo", "set_pauses"]

Pause = tuple[int, int]
"""First sample and the one past the last."""

LEAST_PAUSE_S = 0.120
PAUSE_DB = 35.0
"""A pause lies this far under the loudest moment."""
SPEECH_DB = 20.0
"""What comes before the first pause and after the last is as near to the loudest moment."""
WINDOW_S = 0.025
HOP_S = 0.005


def find_pauses(mono: FloatArray, sample_rate_hz: int) -> list[Pause]:
    """Return the pauses between parts of speech: 120 ms or more, 35 dB under the loudest moment.

    Levels are RMS over 25 ms, above 40 Hz. What is quiet before the speech begins or after it ends
    is no pause.

    Parameters
    ----------
    mono : ndarray of float32, shape (n,)
        One channel.
    sample_rate_hz : int
        Sampling rate in Hz.

    Examples
    --------
    >>> tone = np.sin(np.arange(8_000, dtype=np.float32))
    >>> tone[3_000:5_000] = 0.0
    >>> [(start, stop)] = find_pauses(tone, 8_000)
    >>> abs(start - 3_000) < 120, abs(stop - 5_000) < 120
    (True, True)
    """
    levels_db = level_contour_db(
        without_rumble(mono, sample_rate_hz), sample_rate_hz, WINDOW_S, HOP_S
    )
    loudest_db = float(levels_db.max())
    speech = np.flatnonzero(levels_db >= loudest_db - SPEECH_DB)
    is_quiet = levels_db < loudest_db - PAUSE_DB
    is_quiet[: speech[0]] = is_quiet[speech[-1] :] = False
    padded = np.concatenate([[False], is_quiet, [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    hop = HOP_S * sample_rate_hz
    return [
        (round((first - 0.5) * hop), round((last - 0.5) * hop))
        for first, last in zip(edges[::2], edges[1::2], strict=True)
        if (last - first) * HOP_S >= LEAST_PAUSE_S - 1e-9
    ]


def pause_tempo(pauses: Sequence[Pause], length: int, count: int) -> Tempo:
    """Return the path on which every pause has `length` samples and all else its own time.

    Parameters
    ----------
    pauses : sequence of (int, int)
        Where they are, in order.
    length : int
        Samples that each is to have.
    count : int
        Samples in all.
    """
    source, target = [0.0], [0.0]
    for start, stop in pauses:
        source += [float(start), float(stop)]
        heard = target[-1] + start - source[-3]
        target += [heard, heard + length]
    if source[-1] < count:
        target.append(target[-1] + count - source[-1])
        source.append(float(count))
    return Tempo(np.array(source), np.array(target))


def set_pauses(
    samples: FloatArray,
    mono: FloatArray,
    sample_rate_hz: int,
    pauses: Sequence[Pause],
    length: int,
    *,
    is_sham: bool,
) -> FloatArray:
    """Return speech with its pauses at one length, as `pause_tempo` has them.

    Each pause is stretched by WSOLA, so that its room goes on; all between is copied.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The speech.
    mono : ndarray of float32, shape (n,)
        Its mix, by which splices are placed.
    sample_rate_hz : int
        Sampling rate in Hz.
    pauses : sequence of (int, int)
        Where they are.
    length : int
        Samples that each is to have, at least 50 ms.
    is_sham : bool
        Splice each pause as often, and leave its length.
    """
    play = splice_in_place if is_sham else stretch
    parts, at = [], 0
    for start, stop in pauses:
        tempo = Tempo.uniform(stop - start, length)
        pause = slice(start, stop)
        played = play(samples[:, pause], mono[pause], sample_rate_hz, tempo).samples
        parts += [samples[:, at:start], played]
        at = stop
    return np.concatenate([*parts, samples[:, at:]], axis=1)
