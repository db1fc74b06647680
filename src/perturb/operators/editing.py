"""What an operator is handed and what it hands back: segments, contexts, the edited signal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from perturb.kernels.joins import join_ramp
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.time_map import TimeMap

if TYPE_CHECKING:
    from perturb.measure.analysis import Analysis

__all__ = ["EditContext", "Edited", "ProofContext", "Segment", "SegmentRenderer"]


@dataclass(frozen=True)
class Edited:
    """What an operator returns.

    Parameters
    ----------
    signal : Signal
        The result, not scaled: headroom belongs to rendering.
    time_map : TimeMap
        From the step's input to the result.
    notes : mapping
        Plain facts for the trace (JSON values).
    stems : mapping of str to Signal
        The parts that add up to the result, where it is a sum (`event`: host and event).
    """

    signal: Signal
    time_map: TimeMap
    notes: Mapping[str, Any] = field(default_factory=dict)
    stems: Mapping[str, Signal] = field(default_factory=dict)


@dataclass(frozen=True)
class Segment:
    """One span of the step's input, as the splicer hands it to an operator.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Read-only.
    sample_rate_hz : int
        Sampling rate in Hz.
    start, stop : int
        Where it was cut, in samples of the step's input.
    rising, falling : int
        Lengths of the joins at its edges, in samples; 0 at an edge that is the clip's own.
    index : int
        Number of the span within the step.
    """

    samples: FloatArray
    sample_rate_hz: int
    start: int
    stop: int
    rising: int
    falling: int
    index: int

    @functools.cached_property
    def ramp(self) -> FloatArray:
        """The join: 0 to 1 over 10 ms raised cosine at each joined edge, 1 in the core.

        float32 of shape (samples,), made when it is asked for.
        """
        return join_ramp(self.stop - self.start, self.rising, self.falling)

    @classmethod
    def whole(cls, signal: Signal) -> Segment:
        """Return the whole of a signal as one segment, without joins."""
        return cls(
            samples=signal.samples,
            sample_rate_hz=signal.sample_rate_hz,
            start=0,
            stop=signal.sample_count,
            rising=0,
            falling=0,
            index=0,
        )

    @property
    def start_s(self) -> float:
        """Start in seconds of the step's input."""
        return self.start / self.sample_rate_hz

    @property
    def stop_s(self) -> float:
        """End in seconds of the step's input."""
        return self.stop / self.sample_rate_hz


SegmentRenderer = Callable[[Segment], FloatArray]


class EditContext(Protocol):
    """What rendering offers to an operator while it edits."""

    @property
    def analysis(self) -> Analysis:
        """The instruments, on the step's whole input; lazy, shared across conditions."""

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random stream of one purpose of this step."""

    def resolve(self, reference: str) -> Signal:
        """Return audio from outside the clip, recorded by its hash."""

    def splice(
        self,
        signal: Signal,
        spans: Iterable[Span],
        render: SegmentRenderer,
        *,
        join: Literal["crossfade", "none"] = "crossfade",
    ) -> Edited:
        """Render each span alone and put it back in place; outside is bit-identical.

        With ``join="none"`` the renderer shapes its own edges by `Segment.ramp`.
        """


class ProofContext(Protocol):
    """What a proof may use: instruments on both sides, the recorded map, outside audio."""

    @property
    def before(self) -> Analysis:
        """The instruments on the step's input."""

    @property
    def after(self) -> Analysis:
        """The instruments on the step's result, the recorded gain undone."""

    @property
    def time_map(self) -> TimeMap:
        """The step's recorded map."""

    def as_written(self, signal: Signal) -> Signal:
        """Return `signal` as this variant's file would hold it, the recorded gain undone.

        What an edit leaves alone must equal this exactly: rounding and clipping belong to
        writing, not to the edit.
        """

    def resolve(self, reference: str) -> Signal:
        """Return the audio from outside the clip that the step used."""
