"""`Tempo`: the path of time through a span, in samples; and the path that speech asks for.

`speech_tempo` shares out the time of a span unevenly: pauses give way first, steady sounds next,
and what carries the words, the movement from sound to sound, last. The idea is that of Mach1,
simplified: no stress is estimated.

References
----------
M. Covell, M. Withgott and M. Slaney, "Mach1: nonuniform time-scale modification of speech", ICASSP
1998, 349–352.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.measure.cepstrum import mel_cepstra
from perturb.measure.contour import level_contour_db
from perturb.signal import FloatArray

__all__ = ["Tempo", "speech_tempo"]

Floats = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_HOP_S = 0.010
_LEVEL_WINDOW_S = 0.025
_REACH_FRAMES = 2
"""Movement is the spectral distance between 20 ms before and 20 ms after."""

_SMOOTH_FRAMES = 5
_ACTIVE_RANGE_DB = 40.0
_LOUD_PERCENTILE = 90.0
_PAUSE_DB = 30.0
"""Frames so far under the loud ones are pauses; those 6 dB above them, not at all."""

_EDGE_DB = 6.0
_YIELD_MOVING, _YIELD_STEADY, _YIELD_PAUSE = 0.2, 1.0, 4.0
"""How readily a frame gives way: the exponents of its share of time."""

_LARGEST_SHARE = 4.0
"""No frame is faster or slower than this times the span's own rate."""

_TOLERANCE_S = 0.002
"""Largest error of the straight lines that the path is told in."""


@dataclass(frozen=True, eq=False)
class Tempo:
    """Straight lines from knot to knot: source places and where they are heard, in samples.

    Parameters
    ----------
    source, target : ndarray of float64, shape (knots,)
        Both rise from 0 to the number of samples before and after.
    """

    source: Floats
    target: Floats

    @classmethod
    def uniform(cls, source_length: int, target_length: int) -> Tempo:
        """Return the path of one rate throughout."""
        return cls(np.array([0.0, source_length]), np.array([0.0, target_length]))

    @property
    def source_length(self) -> int:
        """Samples before."""
        return round(float(self.source[-1]))

    @property
    def target_length(self) -> int:
        """Samples after."""
        return round(float(self.target[-1]))

    def to_target(self, places: IntArray | Floats) -> Floats:
        """Return where places of the source are heard."""
        return np.interp(places, self.source, self.target)

    def to_source(self, places: IntArray | Floats) -> Floats:
        """Return which places of the source are heard at places of the target."""
        return np.interp(places, self.target, self.source)


def speech_tempo(mono: FloatArray, sample_rate_hz: int, target_length: int) -> Tempo:
    """Share out a new length over a stretch of speech, pauses and steady sounds first.

    Each 10 ms gets ``exp(-strain * yield)`` of its time, where the one strain for all makes the
    whole as long as it has to be, and the local rate stays within a factor of 4 of the overall one.
    The yield is 4 in pauses, 1 in steady sounds and down to .2 where the spectrum moves.

    Parameters
    ----------
    mono : ndarray of float32, shape (n,)
        One channel, at least 50 ms.
    sample_rate_hz : int
        Sampling rate in Hz.
    target_length : int
        Samples after.

    Returns
    -------
    Tempo
        Its straight lines keep within 2 ms of the path, of the longer of the two times.
    """
    edges = _frame_edges(mono.size, sample_rate_hz)
    shares = _shares(_yields(mono, sample_rate_hz), np.diff(edges), target_length / mono.size)
    places = np.concatenate([[0.0], np.cumsum(shares * np.diff(edges))])
    places *= target_length / places[-1]
    slowest = max(1.0, target_length / mono.size)
    knots = _knots(edges, places, _TOLERANCE_S * slowest * sample_rate_hz)
    return Tempo(edges[knots], places[knots])


def _frame_edges(size: int, sample_rate_hz: int) -> Floats:
    """Return the edges of the frames, which are centred at multiples of the hop."""
    hop = _HOP_S * sample_rate_hz
    frames = 1 + int(size / hop + 1e-9)
    edges: Floats = (np.arange(frames + 1, dtype=np.float64) - 0.5) * hop
    edges[0], edges[-1] = 0.0, size
    return edges


def _yields(mono: FloatArray, sample_rate_hz: int) -> Floats:
    levels_db = level_contour_db(mono, sample_rate_hz, _LEVEL_WINDOW_S, _HOP_S)
    active = levels_db > levels_db.max() - _ACTIVE_RANGE_DB
    pause_db = float(np.percentile(levels_db[active], _LOUD_PERCENTILE)) - _PAUSE_DB
    pause = np.clip((pause_db + _EDGE_DB - levels_db) / _EDGE_DB, 0.0, 1.0)
    movement = _movement(mel_cepstra(mono, sample_rate_hz))
    usual = float(np.median(movement[pause < 1.0]))
    moving = np.clip(0.5 * movement / usual, 0.0, 1.0) if usual > 0.0 else np.zeros(movement.size)
    yields = _YIELD_STEADY + (_YIELD_MOVING - _YIELD_STEADY) * moving
    yields += (_YIELD_PAUSE - yields) * pause
    padded = np.pad(yields, _SMOOTH_FRAMES // 2, mode="edge")
    smooth: Floats = np.convolve(padded, np.full(_SMOOTH_FRAMES, 1.0 / _SMOOTH_FRAMES), "valid")
    return smooth


def _movement(cepstra: FloatArray) -> Floats:
    padded = np.pad(cepstra, ((_REACH_FRAMES, _REACH_FRAMES), (0, 0)), mode="edge")
    change = padded[2 * _REACH_FRAMES :] - padded[: -2 * _REACH_FRAMES]
    moved: Floats = np.sqrt(np.square(change, dtype=np.float64).sum(axis=1))
    return moved


def _shares(yields: Floats, lengths: Floats, overall: float) -> Floats:
    """Return the share of its time that each frame keeps, `overall` of the whole."""
    least, most = overall / _LARGEST_SHARE, overall * _LARGEST_SHARE
    wanted = overall * lengths.sum()
    low, high = -20.0, 20.0
    for _ in range(60):
        strain = 0.5 * (low + high)
        shares: Floats = np.clip(np.exp(-strain * yields), least, most)
        if (shares * lengths).sum() > wanted:
            low = strain
        else:
            high = strain
    return shares


def _knots(source: Floats, target: Floats, tolerance: float) -> list[int]:
    """Return the points that straight lines must pass through to stay near all others."""
    knots = [0]
    low, high = -np.inf, np.inf
    xs, ys = source.tolist(), target.tolist()
    x, y = xs[0], ys[0]
    for point in range(1, len(xs)):
        run = xs[point] - x
        slope = (ys[point] - y) / run
        if not low <= slope <= high:
            knots.append(point - 1)
            x, y = xs[point - 1], ys[point - 1]
            run = xs[point] - x
            low, high = -np.inf, np.inf
        low = max(low, (ys[point] - tolerance - y) / run)
        high = min(high, (ys[point] + tolerance - y) / run)
    return [*knots, len(xs) - 1]
