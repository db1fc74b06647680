"""The noise vocoder: what a cochlear implant with so many electrodes would let through.

Each band's envelope, and nothing else of it, is put on noise of the same band. Two passes over the
sum follow. Bands overlap and noise of a narrow band has an envelope of its own, so the first pass
imposes the envelope that each band ought to have on what is found in it, and the second restores
its RMS level.

References
----------
R. V. Shannon, F.-G. Zeng, V. Kamath, J. Wygonski and M. Ekelid, "Speech recognition with primarily
temporal cues", Science 270, 1995, 303–304.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import as_input
from perturb.kernels.zero_phase import add_scaled
from perturb.signal import FloatArray
from perturb.synthesis.cochlear_bands import (
    AUDIBLE_RANGE_DB,
    WHOLE,
    BandEnvelope,
    band_envelope,
    band_filters,
)
from perturb.synthesis.filters import ZeroPhaseFilter, energy_of
from perturb.synthesis.noise import NormalSource

__all__ = ["noise_vocode"]

_LARGEST_GAIN = 4.0
_LEVEL_ROUNDS = 6
_LAST_CORRECTION_DB = 1.5
"""A round that had to correct no more than this leaves less than .5 dB."""
_ONE_BLOCK = 1024


def noise_vocode(
    samples: FloatArray,
    sample_rate_hz: int,
    bands: int,
    normals: NormalSource,
    core: slice = WHOLE,
) -> FloatArray:
    """Replace what each band holds by noise with its envelope and level.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        At least one sample.
    sample_rate_hz : int
        Sampling rate in Hz.
    bands : int
        Number of bands, 1 to 32.
    normals : callable
        Source of standard normal numbers; asked for n of them, which serve all channels.
    core : slice
        Samples over which levels are restored: those that will be heard alone.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        What lies outside the bands is left out. Equal channels stay equal, silence stays silence.
    """
    filters = band_filters(bands, sample_rate_hz)
    count = samples.shape[1]
    noise = normals(count)
    workspace = np.empty(count + max(band.settle_samples for band in filters), dtype=np.float32)
    out = np.zeros(samples.shape, dtype=np.float32)
    for channel, result in zip(samples, out, strict=True):
        wanted = [_excite(channel, noise, band, workspace, core, result) for band in filters]
        for band, target in zip(filters, wanted, strict=True):
            _impose_envelope(band, target, workspace, result)
        _restore_levels(filters, [target.energy for target in wanted], workspace, core, result)
    return out


def _excite(
    channel: FloatArray,
    noise: FloatArray,
    band: ZeroPhaseFilter,
    workspace: FloatArray,
    core: slice,
    inout: FloatArray,
) -> BandEnvelope:
    """Add noise with the band's envelope to `inout`; return what the band ought to hold."""
    target = band_envelope(channel, band, workspace, core)
    shaped = band.run(
        noise, workspace, contour=target.magnitudes, block_samples=target.block_samples
    )
    energy = energy_of(shaped[core])
    if energy > 0.0:
        _add(shaped, np.array([math.sqrt(target.energy / energy)]), target.block_samples, inout)
    return target


def _impose_envelope(
    band: ZeroPhaseFilter, target: BandEnvelope, workspace: FloatArray, inout: FloatArray
) -> None:
    found = band_envelope(inout, band, workspace)
    gains = np.full(found.magnitudes.shape, _LARGEST_GAIN, dtype=np.float32)
    is_enough = _LARGEST_GAIN * found.magnitudes > target.magnitudes
    np.divide(target.magnitudes, found.magnitudes, out=gains, where=is_enough)
    _add(workspace[: inout.size], gains - 1.0, found.block_samples, inout)


def _restore_levels(
    filters: tuple[ZeroPhaseFilter, ...],
    energies: list[float],
    workspace: FloatArray,
    core: slice,
    inout: FloatArray,
) -> None:
    """Scale what is found in each band to its level, until all are right at once."""
    faintest = max(energies) * 10.0 ** (-AUDIBLE_RANGE_DB / 10.0)
    for _ in range(_LEVEL_ROUNDS):
        largest_db = 0.0
        for band, wanted in zip(filters, energies, strict=True):
            part = band.run(inout, workspace)
            found = energy_of(part[core])
            if found == 0.0:
                continue
            gain = math.sqrt(wanted / found)
            gain = min(max(gain, 1.0 / _LARGEST_GAIN), _LARGEST_GAIN)
            _add(part, np.array([gain - 1.0]), _ONE_BLOCK, inout)
            if wanted > faintest:
                largest_db = max(largest_db, abs(20.0 * math.log10(gain)))
        if largest_db <= _LAST_CORRECTION_DB:
            return


def _add(
    samples: FloatArray, gains: npt.NDArray[np.floating], block_samples: int, inout: FloatArray
) -> None:
    add_scaled(as_input(samples), as_input(gains), block_samples, inout)
