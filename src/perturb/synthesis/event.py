"""A sound laid over a host: cut to the room there is, faded, scaled to a ratio of powers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from perturb.kernels.joins import JOIN_S, join_ramp
from perturb.measure.level import mean_power
from perturb.measure.snr import ActiveSupport, event_window
from perturb.signal import FloatArray, Signal
from perturb.span import seconds_to_sample

__all__ = ["LaidEvent", "Stems", "fit_event", "lay_events"]

_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class LaidEvent:
    """One event in its place, faded and not yet scaled.

    Parameters
    ----------
    start : int
        Where it starts, in samples of the host.
    samples : ndarray of float32, shape (channels, samples)
        At the host's rate and channel count.
    window : tuple of int
        The stretch of the host that it is measured against, in samples.
    support : ActiveSupport
        Its frames that count.
    host_power : float
        Mean power of the host in the window.
    trimmed_samples : int
        How much of the sound found no room.
    """

    start: int
    samples: FloatArray
    window: tuple[int, int]
    support: ActiveSupport
    host_power: float
    trimmed_samples: int

    @property
    def stop(self) -> int:
        """Where it ends (excluded)."""
        return self.start + int(self.samples.shape[1])

    @property
    def place(self) -> slice:
        """Its stretch of the host."""
        return slice(self.start, self.stop)

    def scale_for(self, ratio_db: float) -> np.float32:
        """Return the factor that brings it to `ratio_db` over the host; neither may be silent."""
        wanted = self.host_power * 10.0 ** (ratio_db / 10.0)
        factor = math.sqrt(wanted / self.support.power(self.samples))
        # Beyond single precision for an event of almost nothing: infinite, and no cause to warn.
        return np.float32(factor if factor <= _LARGEST else math.inf)


class Stems(Mapping[str, Signal]):
    """Host and events of a mixture, which add up to it sample by sample; made when asked for.

    Parameters
    ----------
    host : Signal
        What the events are laid over.
    events : sequence of (int, ndarray of float32)
        Where each starts, and its samples as laid.
    """

    def __init__(self, host: Signal, events: Sequence[tuple[int, FloatArray]]) -> None:
        self._host = host
        self._events = events

    def __getitem__(self, name: str) -> Signal:
        if name == "host":
            return self._host
        if name != "event":
            raise KeyError(name)
        alone = np.zeros(self._host.samples.shape, dtype=np.float32)
        for start, samples in self._events:
            alone[:, start : start + samples.shape[1]] = samples
        return Signal.adopt(alone, self._host.sample_rate_hz)

    def __iter__(self) -> Iterator[str]:
        return iter(("host", "event"))

    def __len__(self) -> int:
        return 2


def lay_events(
    event: FloatArray,
    host: Signal,
    places: Iterable[tuple[int, int]],
    fade_in_s: float,
    fade_out_s: float,
) -> Iterator[LaidEvent]:
    """Yield one sound at each of several places.

    Parameters
    ----------
    event : ndarray of float32, shape (channels, samples)
        At the host's rate and channel count.
    host : Signal
        What it is laid over.
    places : iterable of (int, int)
        Where it starts, and where it must have ended, in samples of the host.
    fade_in_s, fade_out_s : float
        As for `fit_event`.
    """
    rate = host.sample_rate_hz
    for start, limit in places:
        samples = fit_event(event, limit - start, rate, fade_in_s, fade_out_s)
        window = event_window(start, start + samples.shape[1], host.sample_count, rate)
        yield LaidEvent(
            start=start,
            samples=samples,
            window=window,
            support=ActiveSupport.of(samples, rate),
            host_power=mean_power(host.samples[:, slice(*window)]),
            trimmed_samples=event.shape[1] - samples.shape[1],
        )


def fit_event(
    event: FloatArray, room: int, sample_rate_hz: int, fade_in_s: float, fade_out_s: float
) -> FloatArray:
    """Return a sound cut to the room there is, with its fades.

    Parameters
    ----------
    event : ndarray of float32, shape (channels, samples)
        At the host's rate.
    room : int
        Samples left for it, at least 1. A longer sound is cut there.
    sample_rate_hz : int
        Sampling rate in Hz.
    fade_in_s, fade_out_s : float
        Raised cosines inside the sound, each at most a quarter of it. A sound that is cut fades
        out over at least 10 ms.

    Returns
    -------
    ndarray of float32, shape (channels, at most `room`)
        A copy.
    """
    is_cut = event.shape[1] > room
    fitted = np.array(event[:, :room], order="C")
    length = fitted.shape[1]
    fade_out_s = max(fade_out_s, JOIN_S) if is_cut else fade_out_s
    rising = min(seconds_to_sample(fade_in_s, sample_rate_hz), length // 4)
    falling = min(seconds_to_sample(fade_out_s, sample_rate_hz), length // 4)
    edges = join_ramp(rising + falling, rising, falling)
    fitted[:, :rising] *= edges[:rising]
    fitted[:, length - falling :] *= edges[rising:]
    return fitted
