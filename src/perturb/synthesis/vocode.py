"""The synthesis behind `vocode`: pitch, loudness and timing of a segment, and nothing else of it.

A train of pulses at the segment's F0, noise where it is unvoiced, goes through one filter that
never moves: a neutral vowel. Its level then follows the segment's. The sham sends the very same
pulses and noise through the segment's own moving envelope (linear prediction), so it keeps the
words and differs from the probe in that alone.

References
----------
M. R. Schroeder, "Synthesis of low-peak-factor signals and binary sequences with low
autocorrelation", IEEE Transactions on Information Theory 16, 1970 (the dispersion of pulses).
J. D. Markel and A. H. Gray, "Linear Prediction of Speech", Springer, 1976 (the lattice).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.excitation import add_noise, add_pulses, place_pulses
from perturb.kernels.lattice import resonate
from perturb.kernels.level_match import impose_level
from perturb.measure.f0_track import F0Track
from perturb.signal import FloatArray
from perturb.synthesis.block_filter import filter_blocks
from perturb.synthesis.noise import NormalSource
from perturb.synthesis.vocode_responses import (
    flat_table,
    highpass_response,
    lowpass_response,
    vowel_table,
)

__all__ = ["METHODS", "VocodeMethod", "vocode_segment", "vocode_sham_segment"]

VocodeMethod = Literal["pulse", "hum", "interpolated", "lowpass", "envelope"]
METHODS: tuple[VocodeMethod, ...] = ("pulse", "hum", "interpolated", "lowpass", "envelope")

# Steady breath in the voice fills the gaps between harmonics. Without it the spectrum of a high
# voice, as heard through critical bands, still moves with F0. Healthy voices have about as much.
BREATH_GAIN = 10.0 ** (-17.0 / 20.0)
VOICING_FADE_S = 0.005

LEVEL_BLOCK_S = 0.0025
LEVEL_WINDOW_S = 0.025
LEVEL_PERIODS = 3.0
LEVEL_PASSES = 3

ENVELOPE_WINDOW_S = 0.025
ENVELOPE_HOP_S = 0.005
PREEMPHASIS_HZ = 80.0
# Smooths the envelope by so much: else it follows the harmonics of a high voice, and one that
# sits on the second harmonic turns the pitch into its octave.
ENVELOPE_SMOOTHING_HZ = 70.0
ENVELOPE_FLOOR = 1e-4
# Order is this and one per kHz. The usual 2 lose a fortieth of the words that 6 keep.
ENVELOPE_EXTRA_ORDER = 6

BLOCK_SAMPLES = 1 << 13

Floats = npt.NDArray[np.float64]


def vocode_segment(
    samples: FloatArray,
    sample_rate_hz: int,
    f0: F0Track,
    method: VocodeMethod,
    normals: NormalSource,
) -> FloatArray:
    """Resynthesise a segment from its pitch and level alone.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The segment. All channels get one excitation, each its own level contour.
    sample_rate_hz : int
        Sampling rate in Hz, 8000 to 192000.
    f0 : F0Track
        Its pitch, with times counted from the start of the segment.
    method : {'pulse', 'hum', 'interpolated', 'lowpass', 'envelope'}
        `pulse`: pulses where voiced, noise elsewhere. `hum`: silence elsewhere. `interpolated`:
        F0 is carried through, all is voiced. `lowpass`: the segment itself under 400 Hz.
        `envelope`: noise throughout, with the level contour alone.
    normals : callable
        Source of standard normal numbers, asked for one per sample, in order; not by `lowpass`.

    Returns
    -------
    ndarray of float32, shape (channels, n)
        Silence stays silence; peaks may be higher than before.

    Raises
    ------
    ParameterError
        The method is unknown.

    Examples
    --------
    >>> silence = np.zeros((1, 800), dtype=np.float32)
    >>> track = F0Track(np.arange(3) * 0.005, np.zeros(3), np.zeros(3), 0.005)
    >>> normals = lambda count: np.random.default_rng(0).standard_normal(count, dtype=np.float32)
    >>> bool(vocode_segment(silence, 8_000, track, "pulse", normals).any())
    False
    """
    _check_method(method)
    if method == "lowpass":
        return _split(samples, sample_rate_hz, with_rest=False)
    pitch = _pitch_of(f0, method)
    excitation = np.zeros(samples.shape[1], dtype=np.float32)
    response, centre = vowel_table(sample_rate_hz)
    blocks = filter_blocks(_draws(normals, excitation.size), response[0], centre)
    _excite(excitation, sample_rate_hz, pitch, response, centre, blocks)
    result = _per_channel(excitation, samples.shape[0])
    for channel, out in zip(samples, result, strict=True):
        _match_level(channel, sample_rate_hz, pitch, method, 1.0, out)
    return result


def vocode_sham_segment(
    samples: FloatArray,
    sample_rate_hz: int,
    f0: F0Track,
    method: VocodeMethod,
    normals: NormalSource,
) -> FloatArray:
    """Resynthesise a segment as `vocode_segment` does, with its own moving envelope.

    The same pulses and, from a source in the same state, the same noise; `lowpass` is split
    at 400 Hz by the same filters and put together again.

    Parameters, returns and errors are those of `vocode_segment`.
    """
    _check_method(method)
    if method == "lowpass":
        return _split(samples, sample_rate_hz, with_rest=True)
    pitch = _pitch_of(f0, method)
    excitation = np.zeros(samples.shape[1], dtype=np.float32)
    response, centre = flat_table(sample_rate_hz)
    blocks = _numbered(_draws(normals, excitation.size))
    _excite(excitation, sample_rate_hz, pitch, response, centre, blocks)
    result = _per_channel(excitation, samples.shape[0])
    window, lag_window, preemphasis = _envelope_constants(sample_rate_hz)
    hop_samples = ENVELOPE_HOP_S * sample_rate_hz
    for channel, out in zip(samples, result, strict=True):
        resonate(as_input(channel), window, lag_window, hop_samples, preemphasis, out)
        _match_level(channel, sample_rate_hz, pitch, method, 0.0, out)
    return result


def _check_method(method: str) -> None:
    if method not in METHODS:
        raise ParameterError(f"method is {method!r}; accepted: {', '.join(METHODS)}")


def _pitch_of(f0: F0Track, method: VocodeMethod) -> F0Track:
    """Return the pitch that a method voices."""
    pitch_hz = f0.f0_hz.astype(np.float32)
    voiced = np.flatnonzero(pitch_hz > 0.0)
    if method == "envelope":
        pitch_hz = np.zeros_like(pitch_hz)
    elif method == "interpolated" and voiced.size:
        frames = np.arange(pitch_hz.size)
        pitch_hz = np.exp(np.interp(frames, voiced, np.log(pitch_hz[voiced]))).astype(np.float32)
    return F0Track(f0.times_s, pitch_hz, f0.strength, f0.hop_s)


def _excite(
    excitation: FloatArray,
    sample_rate_hz: int,
    pitch: F0Track,
    response: FloatArray,
    centre: int,
    noise: Iterable[tuple[int, FloatArray]],
) -> None:
    """Fill `excitation` with pulses and noise, each of unit power where it stands alone."""
    pitch_hz, first_s = as_input(pitch.f0_hz), _first_time(pitch)
    highest_hz = float(pitch_hz.max(initial=0.0))
    capacity = math.ceil(pitch_hz.size * (1.0 + pitch.hop_s * highest_hz))
    times_s, rates_hz = np.empty(capacity), np.empty(capacity)
    count = place_pulses(pitch_hz, first_s, pitch.hop_s, times_s, rates_hz)
    for start, block in noise:
        add_noise(
            as_input(block), pitch_hz, first_s, pitch.hop_s, VOICING_FADE_S,
            BREATH_GAIN, start, float(sample_rate_hz), excitation,
        )  # fmt: skip
    gains = np.sqrt(sample_rate_hz / rates_hz[:count])
    add_pulses(
        as_input(times_s[:count], np.float64), as_input(gains, np.float64),
        response, centre, float(sample_rate_hz), excitation,
    )  # fmt: skip


def _first_time(pitch: F0Track) -> float:
    return float(pitch.times_s[0]) if pitch.times_s.size else 0.0


def _per_channel(excitation: FloatArray, channels: int) -> FloatArray:
    # One channel needs no second copy of a long clip.
    return excitation[np.newaxis] if channels == 1 else np.tile(excitation, (channels, 1))


def _match_level(
    channel: FloatArray,
    sample_rate_hz: int,
    pitch: F0Track,
    method: VocodeMethod,
    nominal_rms: float,
    out: FloatArray,
) -> None:
    block_samples = LEVEL_BLOCK_S * sample_rate_hz
    blocks = math.ceil(channel.size / block_samples)
    is_open = np.ones(blocks, dtype=np.bool_)
    if method == "hum":
        centres_s = (np.arange(blocks) + 0.5) * LEVEL_BLOCK_S
        frames = np.floor((centres_s - _first_time(pitch)) / pitch.hop_s + 0.5).astype(np.int64)
        inside = (frames >= 0) & (frames < pitch.f0_hz.size)
        is_open[:] = False
        is_open[inside] = pitch.f0_hz[frames[inside]] > 0.0
    voiced = pitch.f0_hz[pitch.f0_hz > 0.0]
    window_s = LEVEL_WINDOW_S
    if voiced.size:
        window_s = max(window_s, LEVEL_PERIODS / float(np.percentile(voiced, 5.0)))
    half = max(1, round(0.5 * window_s / LEVEL_BLOCK_S) - 1)
    weights = 0.5 + 0.5 * np.cos(np.pi * np.arange(-half, half + 1) / (half + 1))
    impose_level(
        as_input(channel), as_input(is_open, np.bool_), as_input(weights, np.float64),
        block_samples, nominal_rms, LEVEL_PASSES, out,
    )  # fmt: skip


def _draws(normals: NormalSource, count: int) -> Iterator[FloatArray]:
    """Yield `count` standard normals in pieces; the sequence does not depend on the pieces."""
    for start in range(0, count, BLOCK_SAMPLES):
        yield normals(min(BLOCK_SAMPLES, count - start))


def _numbered(blocks: Iterable[FloatArray]) -> Iterator[tuple[int, FloatArray]]:
    start = 0
    for block in blocks:
        yield start, block
        start += block.size


def _split(samples: FloatArray, sample_rate_hz: int, *, with_rest: bool) -> FloatArray:
    """Return what is under 400 Hz, or the sum of that and of what is left, each filtered."""
    responses = [lowpass_response(sample_rate_hz)]
    if with_rest:
        responses.append(highpass_response(sample_rate_hz))
    result = np.zeros(samples.shape, dtype=np.float32)
    for channel, out in zip(samples, result, strict=True):
        for response, centre in responses:
            pieces = (
                channel[start : start + BLOCK_SAMPLES]
                for start in range(0, channel.size, BLOCK_SAMPLES)
            )
            for start, piece in filter_blocks(pieces, response, centre):
                out[start : start + piece.size] += piece
    return result


@functools.lru_cache(maxsize=8)
def _envelope_constants(sample_rate_hz: int) -> tuple[FloatArray, Floats, float]:
    """Return window, lag window and pre-emphasis of the envelope's analysis."""
    order = round(sample_rate_hz / 1000.0) + ENVELOPE_EXTRA_ORDER
    width = round(ENVELOPE_WINDOW_S * sample_rate_hz)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * (np.arange(width) + 0.5) / width)
    turns = 2.0 * np.pi * ENVELOPE_SMOOTHING_HZ / sample_rate_hz * np.arange(order + 1)
    lag_window = np.exp(-0.5 * turns**2)
    lag_window[0] += ENVELOPE_FLOOR
    preemphasis = math.exp(-2.0 * math.pi * PREEMPHASIS_HZ / sample_rate_hz)
    return as_input(window), as_input(lag_window, np.float64), preemphasis
