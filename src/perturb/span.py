"""`Span`: a stretch of a clip, in seconds, and the one place where seconds become samples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.signal import Signal

__all__ = ["Span", "check_spans", "seconds_to_sample"]


def seconds_to_sample(time_s: float, sample_rate_hz: int) -> int:
    """Return the sample index nearest to `time_s`; halves round up.

    Parameters
    ----------
    time_s : float
        Time in seconds.
    sample_rate_hz : int
        Sampling rate in Hz.

    Returns
    -------
    int
        ``floor(time_s * sample_rate_hz + 0.5)``.

    Examples
    --------
    >>> seconds_to_sample(0.25, 16_000)
    4000
    """
    return math.floor(time_s * sample_rate_hz + 0.5)


class Span(Record, frozen=True, order=True, array_like=True, kw_only=False):
    """A half-open stretch of a clip, in seconds of the **original** clip's time.

    Parameters
    ----------
    start_s : float
        Start in seconds, at least 0.
    stop_s : float, optional
        End in seconds (excluded), after `start_s`. None names a point in time, for events alone.

    Raises
    ------
    ParameterError
        A bound that is negative, not finite, or not in order.

    Examples
    --------
    >>> Span(1.0, 2.5).duration_s
    1.5
    """

    start_s: Annotated[float, bounds(0.0, None, "s", "start")]
    stop_s: Annotated[float, bounds(0.0, None, "s", "end (excluded)")] | None = None

    def check(self) -> None:
        """Refuse an empty span and one that runs backwards."""
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise ParameterError(f"span {self} has no length; accepted: a stop after its start")

    @property
    def is_point(self) -> bool:
        """Whether the span names a point in time only."""
        return self.stop_s is None

    @property
    def end_s(self) -> float:
        """The stop, or the start of a point."""
        return self.start_s if self.stop_s is None else self.stop_s

    @property
    def duration_s(self) -> float:
        """Length in seconds; 0 for a point."""
        return self.end_s - self.start_s

    def to_samples(self, sample_rate_hz: int) -> tuple[int, int]:
        """Return start and stop as sample indices."""
        return (
            seconds_to_sample(self.start_s, sample_rate_hz),
            seconds_to_sample(self.end_s, sample_rate_hz),
        )

    def on_samples(self, sample_rate_hz: int) -> Span:
        """Return the span from its first sample to its last, as it is edited; a point as it is.

        What is tracked over time is then cut alike by all who cut it, whatever a span's decimals.
        """
        if self.stop_s is None:
            return self
        start, stop = self.to_samples(sample_rate_hz)
        return Span(start / sample_rate_hz, stop / sample_rate_hz)

    def __str__(self) -> str:
        stop = "" if self.stop_s is None else f"-{self.stop_s:g}"
        return f"@{self.start_s:g}{stop}"


def check_spans(spans: Iterable[Span], signal: Signal) -> tuple[Span, ...]:
    """Return the spans in order of time, or refuse those that cannot be cut out of `signal`.

    Raises
    ------
    ParameterError
        A span past the end of the clip, shorter than one sample, or overlapping another.
    """
    ordered = tuple(sorted(spans, key=lambda span: (span.start_s, span.end_s)))
    previous: Span | None = None
    for span in ordered:
        start, stop = span.to_samples(signal.sample_rate_hz)
        if stop > signal.sample_count or (span.is_point and start >= signal.sample_count):
            raise ParameterError(
                f"span {span} runs past the end of the clip; accepted: 0 to "
                f"{signal.duration_s:.6g} s"
            )
        if start == stop and not span.is_point:
            raise ParameterError(
                f"span {span} holds no sample at {signal.sample_rate_hz} Hz; make it longer"
            )
        if previous is not None and span.start_s < previous.end_s:
            raise ParameterError(
                f"spans {previous} and {span} overlap; accepted: spans of one step stand apart"
            )
        previous = span
    return ordered
