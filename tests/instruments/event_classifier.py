"""A plain classifier of sound events: linear discriminants over statistics of a mel spectrogram."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

__all__ = ["LinearDiscriminants", "describe_event"]

_FRAME_S = 0.025
_HOP_S = 0.01
_BANDS = 40
_FLOOR_DB = -45.0
_RATES_HZ = (1.0, 2.0, 3.0, 4.5, 6.5, 9.0, 13.0, 19.0, 27.0, 40.0)


def describe_event(samples: np.ndarray, sample_rate_hz: int) -> np.ndarray:
    """Return what a mel spectrogram says of a sound, whatever its level.

    Means, spreads, quantiles and changes of 40 bands; means of the three thirds; at which rates
    the loudness and the centre of gravity go up and down; how long it sounds.
    """
    levels = _mel_levels(samples, sample_rate_hz)
    levels = np.maximum(levels - np.quantile(levels.max(axis=1), 0.99), _FLOOR_DB)
    loud = levels.max(axis=1)
    heard = np.flatnonzero(loud > _FLOOR_DB + 12.0)
    levels = levels[heard[0] : heard[-1] + 1]
    loud = levels.max(axis=1)
    shares = 10.0 ** (levels / 10.0)
    centre = np.log2((shares * np.arange(_BANDS)).sum(axis=1) / shares.sum(axis=1) + 1.0)
    thirds = np.array_split(levels, 3)
    peaky = levels.max(axis=1) - levels.mean(axis=1)
    return np.concatenate(
        [
            levels.mean(axis=0),
            levels.std(axis=0),
            *np.quantile(levels, [0.1, 0.5, 0.9], axis=0),
            np.abs(np.diff(levels, axis=0)).mean(axis=0),
            *(part.mean(axis=0) for part in thirds),
            20.0 * _rates(loud / 10.0),
            20.0 * _rates(4.0 * centre),
            [20.0 * np.log2(len(levels)), loud.mean(), peaky.mean(), peaky.std()],
            np.quantile(loud, [0.1, 0.25, 0.5, 0.75]),
        ]
    )


def _rates(curve: np.ndarray) -> np.ndarray:
    """Return how strongly a curve goes up and down at each of some rates."""
    padded = np.zeros(1024)
    centred = (curve - curve.mean())[:1024]
    padded[: len(centred)] = centred
    power = np.abs(np.fft.rfft(padded)) ** 2 / len(curve)
    at_hz = np.arange(len(power)) / (1024 * _HOP_S)
    edges = [0.5, *np.sqrt(np.multiply(_RATES_HZ[:-1], _RATES_HZ[1:])), 50.0]
    bands = [power[(at_hz >= low) & (at_hz < high)].mean() for low, high in pairwise(edges)]
    return np.log10(np.array(bands) + 1e-3)


def _mel_levels(samples: np.ndarray, sample_rate_hz: int) -> np.ndarray:
    frame, hop = round(_FRAME_S * sample_rate_hz), round(_HOP_S * sample_rate_hz)
    padded = np.pad(np.asarray(samples, dtype=np.float64), (frame, frame))
    frames = np.lib.stride_tricks.sliding_window_view(padded, frame)[::hop] * np.hanning(frame)
    power = np.abs(np.fft.rfft(frames, 1024)) ** 2
    return 10.0 * np.log10(power @ _filters(sample_rate_hz).T + 1e-12)


def _filters(sample_rate_hz: int) -> np.ndarray:
    top = 2595.0 * np.log10(1.0 + min(7_600.0, 0.475 * sample_rate_hz) / 700.0)
    mels = np.linspace(2595.0 * np.log10(1.0 + 50.0 / 700.0), top, _BANDS + 2)
    edges_hz = 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    bins_hz = np.arange(513) * sample_rate_hz / 1024
    low, mid, high = edges_hz[:-2, None], edges_hz[1:-1, None], edges_hz[2:, None]
    return np.clip(np.minimum((bins_hz - low) / (mid - low), (high - bins_hz) / (high - mid)), 0, 1)


class LinearDiscriminants:
    """Nearest class mean under a shared covariance that is shrunk towards its diagonal."""

    def __init__(self, features: np.ndarray, labels: np.ndarray, shrinkage: float = 0.3) -> None:
        self.names = np.unique(labels)
        self._scale = features.std(axis=0) + 1e-9
        scaled = features / self._scale
        self._means = np.array([scaled[labels == name].mean(axis=0) for name in self.names])
        within = scaled - self._means[np.searchsorted(self.names, labels)]
        spread = within.T @ within / (len(scaled) - len(self.names))
        spread = (1.0 - shrinkage) * spread + shrinkage * np.diag(np.diag(spread) + 1e-6)
        self._weights = np.linalg.solve(spread, self._means.T)
        self._offsets = -0.5 * np.einsum("kd,dk->k", self._means, self._weights)

    def classify(self, features: np.ndarray) -> np.ndarray:
        """Return the name of the class nearest to each row."""
        scores = (features / self._scale) @ self._weights + self._offsets
        return self.names[scores.argmax(axis=1)]
