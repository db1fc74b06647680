"""How alike two sounds are at the lag where they are most alike."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import scipy.fft

from perturb.measure.reading import Reading
from perturb.record import Record
from perturb.signal import FloatArray

__all__ = ["Likeness", "largest_correlation"]

_MAX_SAMPLES = 1 << 22


class Likeness(Record, frozen=True):
    """The largest correlation of two sounds, over all lags.

    Parameters
    ----------
    correlation : Reading
        Magnitude, 0 to 1; undefined where one of them is constant.
    lag_samples : int
        Where: the second sound is the first, so many samples later.
    """

    correlation: Reading
    lag_samples: int = 0


def largest_correlation(first: FloatArray, second: FloatArray) -> Likeness:
    """Find the lag at which two sounds are most alike, or most alike turned upside down.

    Parameters
    ----------
    first, second : ndarray of float32, shape (samples,)
        Their means are taken out. Above 4.2 million samples (4.4 minutes at 16 kHz) both are
        averaged down by a whole factor first, which leaves the low frequencies: the cost stays
        ``n log n`` and the memory bounded.

    Returns
    -------
    Likeness
        Normalised by the energies of the whole sounds: a part of one that lies in the other counts
        by its share.

    Examples
    --------
    >>> noise = np.random.default_rng(0).standard_normal(4_000).astype(np.float32)
    >>> found = largest_correlation(noise, np.roll(-noise, 300))
    >>> found.correlation.value > 0.9, found.lag_samples
    (True, 300)
    """
    factor = -(-max(first.size, second.size) // _MAX_SAMPLES)
    one, two = (_centred(samples, factor) for samples in (first, second))
    energy = math.sqrt(_energy(one) * _energy(two))
    if energy == 0.0:
        return Likeness(correlation=Reading(None, "a constant sound correlates with nothing"))
    size = scipy.fft.next_fast_len(one.size + two.size - 1, real=True)
    spectrum = scipy.fft.rfft(one, size)
    np.conjugate(spectrum, out=spectrum)
    spectrum *= scipy.fft.rfft(two, size)
    products = np.abs(scipy.fft.irfft(spectrum, size, overwrite_x=True))
    at = int(np.argmax(products))
    lag = at if at < two.size else at - size
    value = min(1.0, float(products[at]) / energy)
    return Likeness(correlation=Reading(value), lag_samples=lag * factor)


def _centred(samples: FloatArray, factor: int) -> FloatArray:
    """Return samples without their mean, averaged down by a whole factor."""
    if factor > 1:
        whole = samples.size // factor * factor
        samples = samples[:whole].reshape(-1, factor).mean(axis=1)
    centred: FloatArray = samples - samples.mean(dtype=np.float64).astype(np.float32)
    return centred


def _energy(samples: npt.NDArray[np.float32]) -> float:
    return float(np.square(samples, dtype=np.float64).sum())
