"""Tempo changed along a path of time by WSOLA; and the same splices where nothing changes.

Frames of 25 ms, half a window apart, each free to look for the best place within 8 ms of where the
path of time wants it. At the start and the end of the span, and at attacks (a rise of 9 dB over the
25 ms before), a frame has no choice: it is centred on the moment and heard exactly where the path
puts it. So the span begins and ends on the very samples that the recording went on with, and a
click is heard once, on time: in plain WSOLA it can be lost, doubled or tens of milliseconds late.

All channels take one path, found on their mix (channels in opposite phase are turned round first).
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.errors import ParameterError
from perturb.kernels._jit import as_input
from perturb.kernels.wsola import find_path, overlap_add
from perturb.signal import FloatArray
from perturb.synthesis.attacks import find_attacks
from perturb.synthesis.tempo import Tempo

__all__ = ["LEAST_S", "Spliced", "least_samples", "splice_in_place", "stretch"]

Floats = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LEAST_S = 0.05
"""Two windows: a shorter span, or one that shall become shorter, cannot be stretched."""

_HOP_S = 0.0125
_SEARCH_S = 0.008
_PULL = 0.1
"""Correlation that the whole of the search's reach costs."""

_COARSE_HZ = 4_000
_SHAM_SEARCH_S = 0.010
_SHAM_LEAP_S = 0.005

_BODY_S = 0.002
"""What follows an attack at once belongs to it, and is not heard a second time either."""


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


def least_samples(sample_rate_hz: int) -> int:
    """Return how many samples a span must have, before and after, to be stretched: 50 ms."""
    return int(LEAST_S * sample_rate_hz)


def stretch(samples: FloatArray, mono: FloatArray, sample_rate_hz: int, tempo: Tempo) -> Spliced:
    """Play a recording along a path of time, at its own pitch.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, n)
        The recording.
    mono : ndarray of float32, shape (n,)
        Its mix, by which splices are placed (`perturb.synthesis.mix`).
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

    Every splice is forced: of the places within 10 ms of the recording's own time, the most similar
    one is taken that lies as far from where the recording would go on as the probe's, 5 ms at most.
    So the two stretches that cross are about as much alike as the probe's; beyond twice the speed,
    where the probe's are far apart, more so.

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
    unchanged = Tempo.uniform(mono.size, mono.size)
    frames = _lay_frames(mono, sample_rate_hz, unchanged, _SHAM_SEARCH_S)
    middles: Floats = np.asarray(frames.centres[:-1] + 0.5 * np.diff(frames.centres), np.float64)
    cells = np.searchsorted(probe.centres, tempo.to_target(middles), side="right") - 1
    leaps = np.abs(np.diff(probe.shifts))[np.clip(cells, 0, probe.centres.size - 2)]
    frames.limits[2, 1:] = np.minimum(leaps, round(_SHAM_LEAP_S * sample_rate_hz))
    frames.limits[2, frames.fixed] = 0
    return _play(samples, _find(mono, sample_rate_hz, frames))


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


def _lay_frames(
    mono: FloatArray, sample_rate_hz: int, tempo: Tempo, search_s: float = _SEARCH_S
) -> _Frames:
    """Return frames for a path of time: fixed at its ends and at attacks, free between."""
    least = least_samples(sample_rate_hz)
    if min(tempo.source_length, tempo.target_length) < least:
        raise ParameterError(
            f"{tempo.source_length} samples cannot become {tempo.target_length}; accepted: "
            f"{least} samples ({LEAST_S:g} s) or more before and after"
        )
    hop = round(_HOP_S * sample_rate_hz)
    anchors = _anchors(*find_attacks(mono, sample_rate_hz), hop, tempo)
    centres, fixed = _centres(anchors, hop)
    wanted = tempo.to_source(centres) - centres
    reach = search_s * sample_rate_hz
    body = _BODY_S * sample_rate_hz
    low, high = np.floor(wanted - reach), np.ceil(wanted + reach)
    for (source, target), frame in zip(anchors[1:-1], fixed[1:-1], strict=True):
        _keep_off(source, source - target, frame, centres, reach, body, low, high)
    # No frame reads outside the span.
    before = np.concatenate([centres[:1], centres[:-1]])
    after = np.concatenate([centres[1:], centres[-1:]])
    low, high = (np.clip(edge, -before, mono.size - after) for edge in (low, high))
    limits = np.stack([low, high, np.zeros(centres.size)]).astype(np.int64)
    limits[:2, fixed] = anchors[:, 0] - anchors[:, 1]
    wanted[fixed] = limits[0, fixed]
    return _Frames(centres, limits, wanted, fixed)


def _anchors(attacks: IntArray, powers: Floats, hop: int, tempo: Tempo) -> IntArray:
    """Return moments of the source and of the target that belong together, shape (anchors, 2).

    Frames cannot be centred on two attacks that come to lie closer than a hop: the louder is kept.
    """
    end = (tempo.source_length, tempo.target_length)
    targets = np.floor(tempo.to_target(attacks) + 0.5).astype(np.int64)
    inner = (attacks >= 2 * hop) & (end[0] - attacks >= 2 * hop)
    kept = [0, end[1]]
    anchors = [(0, 0), end]
    for index in np.argsort(-powers, kind="stable"):
        target = int(targets[index])
        place = bisect(kept, target)
        is_between = 0 < place < len(kept)
        if not (inner[index] and is_between):
            continue
        if target - kept[place - 1] >= hop and kept[place] - target >= hop:
            kept.insert(place, target)
            anchors.insert(place, (int(attacks[index]), target))
    return np.array(anchors, dtype=np.int64)


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
    reach: float,
    body: float,
    low_inout: Floats,
    high_inout: Floats,
) -> None:
    """Hold all frames around one that is fixed on an attack away from that attack."""
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
