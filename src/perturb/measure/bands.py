"""Third-octave bands after IEC 61260: where they lie, and their levels in a power spectrum.

A band's level is the sum of its bins, those on its edges counted in part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.measure.level import DIGITAL_SILENCE
from perturb.measure.reading import Reading

__all__ = ["MIN_BANDWIDTH_DURATION", "Band", "band_levels"]

MIN_BANDWIDTH_DURATION = 30.0
"""Bandwidth times duration from which on a noise level is comparable (its scatter is .8 dB)."""


@dataclass(frozen=True)
class Band:
    """The level of one third-octave band.

    Parameters
    ----------
    centre_hz : float
        Exact centre frequency (IEC 61260, base ten): 1000 Hz times a power of ``10 ** 0.1``.
    level_dbfs : Reading
        Power in the band, averaged over channels, in dB re full scale 1.0.
    bandwidth_hz : float
        Upper minus lower edge, in Hz.
    duration_s : float
        Duration of the audio that was looked at, in seconds.
    """

    centre_hz: float
    level_dbfs: Reading
    bandwidth_hz: float
    duration_s: float

    @property
    def is_reliable(self) -> bool:
        """Whether bandwidth × duration reaches 30, so that a noise level is worth comparing."""
        return self.bandwidth_hz * self.duration_s >= MIN_BANDWIDTH_DURATION


def band_levels(
    power: npt.NDArray[np.float64], sample_rate_hz: int, frame_samples: int, duration_s: float
) -> tuple[Band, ...]:
    """Add the bins of a power spectrum up to third-octave levels.

    Parameters
    ----------
    power : ndarray of float64, shape (frame_samples // 2 + 1,)
        One-sided power per bin, averaged over channels; the bins add up to the mean power.
    sample_rate_hz : int
        Sampling rate in Hz.
    frame_samples : int
        Length of the frames behind the spectrum, in samples.
    duration_s : float
        Duration of the audio behind it, in seconds.

    Returns
    -------
    tuple of Band
        Rising in frequency: from the first band wider than the resolution (1.5 bins) to the last
        that ends at or below half the sampling rate.
    """
    resolution_hz = sample_rate_hz / frame_samples
    # A bin stands for the resolution around its centre: running sums at those edges, linear
    # between them, are the power below any frequency.
    edges_hz = (np.arange(len(power) + 1) - 0.5) * resolution_hz
    below = np.concatenate([[0.0], np.cumsum(power)])
    bands = []
    for step in range(-20, 21):
        centre_hz = 1000.0 * 10.0 ** (step / 10.0)
        low_hz, high_hz = centre_hz * 10.0**-0.05, centre_hz * 10.0**0.05
        if high_hz - low_hz < 1.5 * resolution_hz or high_hz > sample_rate_hz / 2:
            continue
        low, high = np.interp([low_hz, high_hz], edges_hz, below)
        bands.append(
            Band(
                centre_hz=centre_hz,
                level_dbfs=Reading.of_power(float(high - low), DIGITAL_SILENCE),
                bandwidth_hz=high_hz - low_hz,
                duration_s=duration_s,
            )
        )
    return tuple(bands)
