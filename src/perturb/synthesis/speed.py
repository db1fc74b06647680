"""Tempo changed along a path of time by WSOLA; and the same splices where nothing changes.

Frames of 25 ms, half a window apart, each free to look for the best place within 8 ms of where the
path of time wants it. At the start and the end of the span, and at attacks (a rise of 9 dB over the
25 ms before), a frame has no choice: it is centred on the moment and heard exactly where the path
puts it. So the span begins and ends on the very samples that the recording went on with, and a
click is heard once, on time: in plain WSOLA it can be lost, doubled or tens of milliseconds late.

All channels take one path, found on their mix (channels in opposite phase are turned round first).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.wsola import find_path, overlap_add
from perturb.measure.level import strongest_channel
from perturb.signal import FloatArray
from perturb.synthesis.attacks import find_attacks
from perturb.synthesis.tempo import Tempo

__all__ = ["LEAST_S", "Spliced", "mix_down", "splice_in_place", "stretch"]

Floats = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LEAST_S = 0.05
"""Two windows: a shorter span, or one that shall become shorter, cannot be stretched."""

_HOP_S = 0.0125
_SEARCH_S = 0.008
_PULL = 0.1
"""Correlation that the whole of the search's reach costs."""

_COARSE_HZ = 4_000
_LEAST_SPLICE_S = 0.002
"""A forced splice is so far from where the recording would go on."""

_BODY_S = 0.002
"""What follows an attack at once belongs to it, and is not heard a second time either."""

_MIX_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Spliced:
    """Sound along a path, and the path.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, target length)
        The sound.
    splices : int
        Places at which the recording does not go on as it was.
    likeness : float or None
        Mean correlation of the two stretches that cross at a splice; None without splices.
    """

    samples: FloatArray
    splices: int
    likeness: float | None


@dataclass(frozen=True, eq=False)
class _Frames:
    """Where frames stand and where they may read (see `perturb.kernels.wsola.find_path`)."""

    centres: IntArray
    limits: IntArray
    wanted: Floats
    fixed: IntArray


@dataclass(frozen=True, eq=False)
class _Path:
    centres: IntArray
    shifts: IntArray
    likeness: Floats

    @property
    def is_splice(self) -> npt.NDArray[np.bool_]:
        """Whether the sound is spliced between the centres of frames k and k + 1."""
        return np.asarray(np.diff(self.shifts) != 0)


def stretch(samples: FloatArray, mono: FloatArray, sample_rate_hz: int, tempo: Tempo) -> Spliced:
    """Play a recording along a path of time, at its own pitch.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording.
    mono : ndarray of float32, shape (n,)
        Its mix, by which splices are placed (`mix_down`).
    sample_rate_hz : int
        Sampling rate in Hz.
    tempo : Tempo
        From n samples to the wanted number; both at least 50 ms.

    Returns
    -------
    Spliced
        Exactly as long as the path. Its first and last samples are neighbours of the recording's
        own before and after it.

    Raises
    ------
    ParameterError
        Source or target shorter than 50 ms.
    """
    path = _find(mono, sample_rate_hz, _lay_frames(mono, sample_rate_hz, tempo))
    return _play(samples, path)


def splice_in_place(
    samples: FloatArray, mono: FloatArray, sample_rate_hz: int, tempo: Tempo
) -> Spliced:
    """Splice a recording wherever `stretch` would along `tempo`, and change no tempo: the sham.

    Every splice is forced: of the places within 8 ms of the recording's own time, the most similar
    one is taken that lies at least 2 ms from where the recording would go on.

    Parameters
    ----------
    samples, mono, sample_rate_hz, tempo
        As for `stretch`.

    Returns
    -------
    Spliced
        As long as `samples`.
    """
    probe = _find(mono, sample_rate_hz, _lay_frames(mono, sample_rate_hz, tempo))
    frames = _lay_frames(mono, sample_rate_hz, Tempo.uniform(mono.size, mono.size))
    middles: Floats = np.asarray(frames.centres[:-1] + 0.5 * np.diff(frames.centres), np.float64)
    cells = np.searchsorted(probe.centres, tempo.to_target(middles), side="right") - 1
    forced = probe.is_splice[np.clip(cells, 0, probe.centres.size - 2)]
    frames.limits[2, 1:] = np.where(forced, math.ceil(_LEAST_SPLICE_S * sample_rate_hz), 0)
    frames.limits[2, frames.fixed] = 0
    return _play(samples, _find(mono, sample_rate_hz, frames))


def mix_down(samples: FloatArray) -> FloatArray:
    """Return the mean of the channels, each turned round where it opposes the strongest.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording.

    Returns
    -------
    ndarray of float32, shape (n,)
        The channel itself where there is one.
    """
    channels, count = samples.shape
    if channels == 1:
        only: FloatArray = samples[0]
        return only
    reference = samples[strongest_channel(samples)]
    mix: FloatArray = np.zeros(count, dtype=np.float32)
    for channel in samples:
        products = (
            float(np.multiply(channel[at : at + _MIX_BLOCK], reference[at : at + _MIX_BLOCK]).sum())
            for at in range(0, count, _MIX_BLOCK)
        )
        if math.fsum(products) < 0.0:
            mix -= channel
        else:
            mix += channel
    mix *= np.float32(1.0 / channels)
    return mix


def _play(samples: FloatArray, path: _Path) -> Spliced:
    out = np.empty((samples.shape[0], int(path.centres[-1])), dtype=np.float32)
    overlap_add(as_input(samples), path.centres, path.shifts, path.likeness, out)
    likeness = path.likeness[1:][path.is_splice]
    return Spliced(out, likeness.size, float(likeness.mean()) if likeness.size else None)


def _find(mono: FloatArray, sample_rate_hz: int, frames: _Frames) -> _Path:
    factor = max(1, sample_rate_hz // _COARSE_HZ)
    shifts = np.empty(frames.centres.size, dtype=np.int64)
    likeness = np.empty(frames.centres.size, dtype=np.float64)
    find_path(
        as_input(mono),
        as_input(_block_means(mono, factor)),
        frames.centres,
        frames.limits,
        frames.wanted,
        _PULL / (_SEARCH_S * sample_rate_hz),
        shifts,
        likeness,
    )
    return _Path(frames.centres, shifts, likeness)


def _block_means(mono: FloatArray, factor: int) -> FloatArray:
    whole = mono.size // factor
    means = np.empty(-(-mono.size // factor), dtype=np.float32)
    np.mean(mono[: whole * factor].reshape(whole, factor), axis=1, out=means[:whole])
    if whole < means.size:
        means[whole] = mono[whole * factor :].mean()
    return means


def _lay_frames(mono: FloatArray, sample_rate_hz: int, tempo: Tempo) -> _Frames:
    """Return frames for a path of time: fixed at its ends and at attacks, free between."""
    least = LEAST_S * sample_rate_hz
    if min(tempo.source_length, tempo.target_length) < least:
        raise ParameterError(
            f"{tempo.source_length} samples cannot become {tempo.target_length}; accepted: "
            f"{least:.0f} samples ({LEAST_S:g} s) or more before and after"
        )
    hop = round(_HOP_S * sample_rate_hz)
    anchors = _anchors(find_attacks(mono, sample_rate_hz), hop, tempo)
    centres, fixed = _centres(anchors, hop)
    wanted = tempo.to_source(centres) - centres
    reach = _SEARCH_S * sample_rate_hz
    low, high = np.floor(wanted - reach), np.ceil(wanted + reach)
    for (source, target), frame in zip(anchors[1:-1], fixed[1:-1], strict=True):
        _keep_off(source, source - target, frame, centres, sample_rate_hz, low, high)
    # No frame reads outside the span.
    before = np.concatenate([centres[:1], centres[:-1]])
    after = np.concatenate([centres[1:], centres[-1:]])
    low, high = (np.clip(edge, -before, mono.size - after) for edge in (low, high))
    limits = np.stack([low, high, np.zeros(centres.size)]).astype(np.int64)
    limits[:2, fixed] = anchors[:, 0] - anchors[:, 1]
    wanted[fixed] = limits[0, fixed]
    return _Frames(centres, limits, wanted, fixed)


def _anchors(attacks: IntArray, hop: int, tempo: Tempo) -> IntArray:
    """Return moments of the source and of the target that belong together, shape (anchors, 2)."""
    anchors = [(0, 0)]
    end = (tempo.source_length, tempo.target_length)
    targets = np.floor(tempo.to_target(attacks) + 0.5).astype(np.int64)
    for source, target in zip(attacks.tolist(), targets.tolist(), strict=True):
        is_apart = target - anchors[-1][1] >= hop and end[1] - target >= hop
        if is_apart and source >= 2 * hop and end[0] - source >= 2 * hop:
            anchors.append((source, target))
    return np.array([*anchors, end], dtype=np.int64)


def _centres(anchors: IntArray, hop: int) -> tuple[IntArray, IntArray]:
    """Return the centres of frames about a hop apart, and which of them are the anchors."""
    starts, stops = anchors[:-1, 1], anchors[1:, 1]
    counts = np.maximum(1, np.round((stops - starts) / hop).astype(np.int64))
    fixed = np.concatenate([[0], np.cumsum(counts)])
    place = np.arange(fixed[-1]) - np.repeat(fixed[:-1], counts)
    step = np.repeat((stops - starts) / counts, counts)
    centres = np.repeat(starts, counts) + np.floor(place * step + 0.5).astype(np.int64)
    return np.append(centres, anchors[-1, 1]), fixed


def _keep_off(
    attack: int,
    shift: int,
    frame: int,
    centres: IntArray,
    sample_rate_hz: int,
    low_inout: Floats,
    high_inout: Floats,
) -> None:
    """Hold all frames around one that is fixed on an attack away from that attack."""
    reach, body = _SEARCH_S * sample_rate_hz, _BODY_S * sample_rate_hz
    for other in range(frame - 1, 0, -1):
        # The frame next to it ends where the attack is heard, and may go on into it.
        most = shift if other == frame - 1 else attack - body - centres[other + 1]
        if high_inout[other] <= most:
            break
        high_inout[other] = most
        low_inout[other] = min(low_inout[other], most - reach)
    for other in range(frame + 1, centres.size - 1):
        least = shift if other == frame + 1 else attack + body - centres[other - 1]
        if low_inout[other] >= least:
            break
        low_inout[other] = least
        high_inout[other] = max(high_inout[other], least + reach)
