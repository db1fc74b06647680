"""Which generated categories a clip may already sound like: an acoustic test that errs towards yes.

A clip is cut into windows of one second, each described by statistics of a mel spectrogram below
3.8 kHz. Every category, and speech alone, has a mean under one shared covariance (Fisher's linear
discriminants), learnt from events laid over real speech at -5 to 15 dB. A category is suspected
where a window is likelier to hold it than speech alone by a margin, and not much less likely than
the likeliest category. The table of numbers is made by ``benchmarks/train_resemblance.py``.

What it misses and what it invents stands in `perturb.events.exclusion`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soxr

from perturb.signal import Signal

__all__ = [
    "SPEECH",
    "TABLE_PATH",
    "Discriminants",
    "describe_windows",
    "shipped_table",
    "suspected_categories",
]

Floats = npt.NDArray[np.float64]

SPEECH = ""
"""Name of the class of speech without any event."""

SPEECH_MARGIN = 0.0
BEST_MARGIN = 12.0

_RATE_HZ = 8_000
_FRAME, _HOP = 256, 80
_BANDS = 32
_RANGE_HZ = (60.0, 3_800.0)
_FLOOR_DB = -50.0
_WINDOW_FRAMES, _STEP_FRAMES = 100, 50
_TAUGHT_WINDOWS = 9
_RATE_EDGES_HZ = (0.9, 2.5, 4.0, 6.0, 9.0, 13.0, 19.0, 28.0, 50.0)
TABLE_PATH = Path(__file__).with_name("resemblance.npz")


@dataclass(frozen=True, eq=False)
class Discriminants:
    """Linear discriminants of the categories and of speech.

    Parameters
    ----------
    names : tuple of str
        The classes.
    scale : ndarray of float64, shape (features,)
        What features are divided by.
    weights : ndarray of float64, shape (features, classes)
    offsets : ndarray of float64, shape (classes,)
        Score of a window: ``features / scale @ weights + offsets``.
    fingerprint : str
        Of the sounds that they were learnt from.
    """

    names: tuple[str, ...]
    scale: Floats
    weights: Floats
    offsets: Floats
    fingerprint: str = ""

    def suspicions(self, described: Floats) -> Floats:
        """Return how strongly each class but speech is suspected, in nats; above 0 where it is.

        Parameters
        ----------
        described : ndarray of float64, shape (windows, features)
            The windows of a clip. The more there are, the surer a single one has to be: the margin
            grows by the logarithm of their number.
        """
        scores = described / self.scale @ self.weights + self.offsets
        speech = self.names.index(SPEECH)
        events = np.delete(scores, speech, axis=1)
        margin = SPEECH_MARGIN + max(0.0, math.log(len(scores) / _TAUGHT_WINDOWS))
        over_speech = events - scores[:, [speech]] - margin
        under_best = events - events.max(axis=1, keepdims=True) + BEST_MARGIN
        return np.asarray(np.minimum(over_speech, under_best).max(axis=0))

    @property
    def categories(self) -> tuple[str, ...]:
        """The classes but speech, in the order of `suspicions`."""
        return tuple(name for name in self.names if name != SPEECH)

    def save(self, path: Path) -> None:
        """Write the table."""
        np.savez_compressed(
            path,
            names=np.array(self.names),
            scale=self.scale.astype(np.float32),
            weights=self.weights.astype(np.float32),
            offsets=self.offsets.astype(np.float32),
            fingerprint=np.array(self.fingerprint),
        )


@functools.cache
def shipped_table() -> Discriminants:
    """Return the discriminants that come with the package."""
    with np.load(TABLE_PATH) as stored:
        return Discriminants(
            names=tuple(str(name) for name in stored["names"]),
            scale=stored["scale"].astype(np.float64),
            weights=stored["weights"].astype(np.float64),
            offsets=stored["offsets"].astype(np.float64),
            fingerprint=str(stored["fingerprint"]),
        )


def suspected_categories(signal: Signal) -> dict[str, float]:
    """Return the categories that a clip may already hold, with how strongly each is suspected.

    Parameters
    ----------
    signal : Signal
        The clip, any rate and channels.

    Returns
    -------
    dict of str to float
        By category, in nats, the strongest first; empty for digital silence.
    """
    if not np.any(signal.samples):
        return {}
    table = shipped_table()
    strengths = table.suspicions(describe_windows(signal))
    found = [(float(s), name) for s, name in zip(strengths, table.categories, strict=True) if s > 0]
    return {name: strength for strength, name in sorted(found, reverse=True)}


def describe_windows(signal: Signal) -> Floats:
    """Return statistics of each window, shape (windows, features), whatever the clip's level.

    A clip shorter than a window is one window.
    """
    levels = _mel_levels(signal)
    if len(levels) < _WINDOW_FRAMES:
        levels = np.pad(levels, ((0, _WINDOW_FRAMES - len(levels)), (0, 0)), constant_values=-120.0)
    starts = range(0, len(levels) - _WINDOW_FRAMES + 1, _STEP_FRAMES)
    return np.array([_describe(levels[start : start + _WINDOW_FRAMES]) for start in starts])


def _describe(levels: Floats) -> Floats:
    levels = np.maximum(levels - levels.max(), _FLOOR_DB)
    power = 10.0 ** (levels / 10.0)
    loud = 10.0 * np.log10(power.sum(axis=1))
    centre = power @ np.arange(_BANDS) / power.sum(axis=1)
    return np.concatenate(
        [
            levels.mean(axis=0),
            levels.std(axis=0),
            *_quantiles(levels, (0.1, 0.5, 0.9)),
            np.abs(np.diff(levels, axis=0)).mean(axis=0),
            10.0 * _rates(loud),
            10.0 * _rates(centre),
            _quantiles(loud, (0.1, 0.25, 0.5, 0.75)) - loud.max(),
            _quantiles(levels.max(axis=1) - levels.mean(axis=1), (0.1, 0.5, 0.9)),
        ]
    )


def _quantiles(values: Floats, shares: tuple[float, ...]) -> Floats:
    """Return quantiles along the first axis, as `numpy.quantile` does in several times the time."""
    ranked = np.sort(values, axis=0)
    places = np.array(shares) * (len(values) - 1)
    below = places.astype(int)
    rest = (places - below).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray(ranked[below] + rest * (ranked[below + 1] - ranked[below]))


def _rates(curve: Floats) -> Floats:
    """Return how strongly a curve goes up and down, by rate, as common logarithms of power."""
    centred = (curve - curve.mean()) * np.hanning(len(curve))
    power = np.abs(np.fft.rfft(centred, 2 * _WINDOW_FRAMES)) ** 2
    at_hz = np.arange(len(power)) * (_RATE_HZ / _HOP) / (2 * _WINDOW_FRAMES)
    places = np.searchsorted(at_hz, _RATE_EDGES_HZ)
    sums = np.add.reduceat(power, places[:-1])
    return np.asarray(np.log10(sums / np.diff(places) + 1e-2))


def _mel_levels(signal: Signal) -> Floats:
    """Return mel levels in dB every 10 ms, shape (frames, bands), averaged over channels."""
    samples = signal.samples.mean(axis=0, dtype=np.float64)
    if signal.sample_rate_hz != _RATE_HZ:
        samples = soxr.resample(samples, signal.sample_rate_hz, _RATE_HZ, quality="HQ")
    samples = np.pad(samples, (_FRAME // 2, _FRAME))
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP]
    levels = np.empty((len(frames), _BANDS))
    for start in range(0, len(frames), 4_096):
        block = frames[start : start + 4_096] * np.hanning(_FRAME)
        power = np.abs(np.fft.rfft(block, axis=1)) ** 2
        levels[start : start + 4_096] = 10.0 * np.log10(power @ _mel_filters() + 1e-12)
    return levels


@functools.cache
def _mel_filters() -> Floats:
    """Return triangles of equal width in mel from 60 to 3800 Hz, shape (bins, bands)."""
    low, high = (2595.0 * math.log10(1.0 + edge_hz / 700.0) for edge_hz in _RANGE_HZ)
    mels = np.linspace(low, high, _BANDS + 2)
    edges_hz = 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    bins_hz = np.arange(_FRAME // 2 + 1)[:, np.newaxis] * (_RATE_HZ / _FRAME)
    rising = (bins_hz - edges_hz[:-2]) / np.maximum(edges_hz[1:-1] - edges_hz[:-2], 31.25)
    falling = (edges_hz[2:] - bins_hz) / np.maximum(edges_hz[2:] - edges_hz[1:-1], 31.25)
    return np.asarray(np.clip(np.minimum(rising, falling), 0.0, 1.0) + 1e-6)
