"""`F0Track`: fundamental frequency and voicing over time, whichever algorithm found them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.signal import FloatArray

__all__ = ["F0Track"]


@dataclass(frozen=True, eq=False)
class F0Track:
    """Fundamental frequency over time. Frame k is centred at ``k * hop_s``.

    Parameters
    ----------
    times_s : ndarray of float64, shape (frames,)
        Centre of each frame, in seconds from the start of the samples.
    f0_hz : ndarray of float32, shape (frames,)
        Fundamental frequency in Hz; 0 where the frame is unvoiced.
    strength : ndarray of float32, shape (frames,)
        How periodic the frame is, 0 to 1.
    hop_s : float
        Distance of frames in seconds.
    """

    times_s: npt.NDArray[np.float64]
    f0_hz: FloatArray
    strength: FloatArray
    hop_s: float

    def __post_init__(self) -> None:
        # Tracks are shared by all steps on a clip: none may write into them.
        for name in ("times_s", "f0_hz", "strength"):
            view = getattr(self, name).view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)

    @property
    def is_voiced(self) -> npt.NDArray[np.bool_]:
        """Which frames are voiced, shape (frames,)."""
        return self.f0_hz > 0.0

    @property
    def voiced_share(self) -> float:
        """Share of frames that are voiced, 0 to 1; 0 when there is no frame."""
        return float(np.mean(self.is_voiced)) if self.f0_hz.size else 0.0

    @property
    def median_hz(self) -> float | None:
        """Median F0 of the voiced frames in Hz; None when no frame is voiced."""
        voiced = self.f0_hz[self.is_voiced]
        return float(np.median(voiced)) if voiced.size else None

    def voiced_runs(self) -> list[tuple[int, int]]:
        """Return the first frame of each voiced run and the one past its last, in order."""
        padded = np.concatenate([[False], self.is_voiced, [False]])
        edges = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
        return list(zip(edges[::2], edges[1::2], strict=True))

    def slice(self, start_s: float, stop_s: float) -> F0Track:
        """Return the frames centred in ``[start_s, stop_s)``, times counted from `start_s`."""
        first, last = np.searchsorted(self.times_s, (start_s - 1e-9, stop_s - 1e-9))
        return F0Track(
            self.times_s[first:last] - start_s,
            self.f0_hz[first:last],
            self.strength[first:last],
            self.hop_s,
        )

    def at(self, times_s: npt.ArrayLike) -> FloatArray:
        """Sample F0 at any times: log-linear between voiced neighbours, else the nearer frame's.

        Parameters
        ----------
        times_s : array_like, shape (n,)
            Times in seconds. A hop or more outside the track, the answer is unvoiced.

        Returns
        -------
        ndarray of float32, shape (n,)
            F0 in Hz, 0 where unvoiced.
        """
        times = np.asarray(times_s, dtype=np.float64)
        frames = self.f0_hz.size
        if frames == 0:
            return np.zeros(times.shape, dtype=np.float32)
        place = (times - self.times_s[0]) / self.hop_s
        left = np.clip(np.floor(place).astype(np.int64), 0, max(frames - 2, 0))
        right = np.minimum(left + 1, frames - 1)
        weight = np.clip(place - left, 0.0, 1.0)
        low = self.f0_hz[left].astype(np.float64)
        high = self.f0_hz[right].astype(np.float64)
        both = (low > 0.0) & (high > 0.0)
        blend = np.exp(
            (1.0 - weight) * np.log(np.where(both, low, 1.0))
            + weight * np.log(np.where(both, high, 1.0))
        )
        result = np.where(both, blend, np.where(weight < 0.5, low, high))
        inside = (place > -1.0) & (place < frames)
        return np.where(inside, result, 0.0).astype(np.float32)
