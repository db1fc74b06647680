"""Proofs of prosody, shared by the operators that keep or change it.

What was requested is the contour that the tracker found in the clip and the synthesis followed, or
one made of it; what was achieved is judged on the result by a second F0 algorithm that had no part
in it. Where the two disagree on the clip itself (creak, noise), `f0_tracking_error` says so. Level
is compared by the RMS contour that drove the synthesis, the spectral envelope by mel-cepstra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from perturb.measure.analysis import Analysis
from perturb.measure.cepstrum import cepstral_variance_ratio
from perturb.measure.f0 import F0Track
from perturb.measure.f0_judge import judge_f0
from perturb.measure.melody import f0_fine_correlation, f0_span_cents, voicing_lost
from perturb.measure.prosody import compare_f0, compare_levels
from perturb.operators.proof import Bound, Instrument, Measured
from perturb.operators.protocol import ProofContext
from perturb.signal import FloatArray, Signal
from perturb.span import Span

__all__ = ["ProsodyPair", "pair_spans"]


_JOIN_REACH_S = 0.02


@dataclass(frozen=True)
class _Metric:
    unit: str
    bound: Bound
    instrument: Instrument


_METRICS: Mapping[str, _Metric] = {
    "f0_tracking_error": _Metric("%", "at_most", "independent"),
    "f0_median_error": _Metric("cents", "at_most", "independent"),
    "f0_fine_error": _Metric("cents", "at_most", "independent"),
    "f0_gross_error": _Metric("%", "at_most", "independent"),
    "voicing_error": _Metric("%", "at_most", "independent"),
    "f0_correlation": _Metric("", "at_least", "independent"),
    "f0_fine_correlation": _Metric("", "at_least", "independent"),
    "f0_span": _Metric("cents", "at_most", "independent"),
    "voiced_frames": _Metric("%", "at_most", "independent"),
    "voicing_lost": _Metric("%", "at_most", "independent"),
    "level_correlation": _Metric("", "at_least", "self-consistent"),
    "level_difference_sd": _Metric("dB", "at_most", "self-consistent"),
    "cepstral_variance": _Metric("%", "at_most", "independent"),
}


@dataclass(frozen=True)
class ProsodyPair:
    """One span before and after an edit, heard on the channel that was strongest before.

    Parameters
    ----------
    before, after : ndarray of float32, shape (samples,)
        The span's samples.
    f0_tracked : F0Track
        The tracker's contour of the clip, cut to the span.
    f0_requested : F0Track
        The contour that drove the synthesis: the tracked one, or one made of it.
    f0_before, f0_after : F0Track
        The second algorithm's contours of the clip and of the result.
    sample_rate_hz : int
        Sampling rate in Hz.
    index : int
        Number of the span.
    """

    before: FloatArray
    after: FloatArray
    f0_tracked: F0Track
    f0_requested: F0Track
    f0_before: F0Track
    f0_after: F0Track
    sample_rate_hz: int
    index: int

    def prove(self, limits: Mapping[str, float]) -> Iterator[Measured]:
        """Yield one proof for each limit.

        Parameters
        ----------
        limits : mapping of str to float
            Largest (or for correlations smallest) accepted value by metric: ``f0_median_error``
            and ``f0_fine_error`` in cents, ``f0_tracking_error``, ``f0_gross_error``,
            ``voicing_error``, ``voicing_lost``, ``voiced_frames`` and ``cepstral_variance`` in %,
            ``f0_span`` in cents, ``f0_correlation``, ``f0_fine_correlation`` (gross errors left
            out), ``level_correlation``, ``level_difference_sd`` in dB.
        """
        values = self._values(limits)
        for name, limit in limits.items():
            metric = _METRICS[name]
            achieved, reason = values[name]
            make = Measured.at_least if metric.bound == "at_least" else Measured.at_most
            yield make(
                name,
                limit,
                achieved,
                unit=metric.unit,
                instrument=metric.instrument,
                span=self.index,
                reason=reason,
            )

    def against_itself(self) -> ProsodyPair:
        """Return the pair with what the second algorithm finds in the clip as what was requested.

        For edits that are to keep the contour: it then compares itself with itself.
        """
        return replace(self, f0_requested=self.f0_before)

    def within_joins(self, span: Span, clip: Signal) -> ProsodyPair:
        """Return the pair with no pitch asked for within 20 ms of a joined edge.

        There the clip's own pitch is heard too, and a pitch instrument hears either.
        """
        wanted = self.f0_requested
        start_s = 0.0 if span.start_s == 0.0 else _JOIN_REACH_S
        stop_s = span.duration_s - (_JOIN_REACH_S if span.end_s < clip.duration_s else 0.0)
        is_inside = (wanted.times_s >= start_s) & (wanted.times_s <= stop_s)
        inside_hz = np.where(is_inside, wanted.f0_hz, np.float32(0.0))
        return replace(self, f0_requested=replace(wanted, f0_hz=inside_hz))

    def _values(self, limits: Mapping[str, float]) -> dict[str, tuple[float | None, str | None]]:
        pitch = compare_f0(self.f0_requested, self.f0_after)
        tracking = compare_f0(self.f0_before, self.f0_tracked)
        values = {
            "f0_tracking_error": (
                _percent(tracking.gross_error_ratio),
                tracking.reasons.get("gross_error_ratio"),
            ),
            "f0_median_error": (pitch.median_error_cents, pitch.reasons.get("median_error_cents")),
            "f0_fine_error": (pitch.fine_rmse_cents, pitch.reasons.get("fine_rmse_cents")),
            "f0_gross_error": (
                _percent(pitch.gross_error_ratio),
                pitch.reasons.get("gross_error_ratio"),
            ),
            "voicing_error": (
                _percent(pitch.voicing_error_ratio),
                pitch.reasons.get("voicing_error_ratio"),
            ),
            "f0_correlation": (pitch.log_f0_correlation, pitch.reasons.get("log_f0_correlation")),
            "voiced_frames": (100.0 * self.f0_after.voiced_share, None),
        }
        if "voicing_lost" in limits:
            reading = voicing_lost(self.f0_before, self.f0_requested, self.f0_after)
            values["voicing_lost"] = (_percent(reading.value), reading.reason)
        if "f0_span" in limits:
            reading = f0_span_cents(self.f0_requested, self.f0_after)
            values["f0_span"] = (reading.value, reading.reason)
        if "f0_fine_correlation" in limits:
            reading = f0_fine_correlation(self.f0_requested, self.f0_after)
            values["f0_fine_correlation"] = (reading.value, reading.reason)
        if {"level_correlation", "level_difference_sd"} & limits.keys():
            level = compare_levels(self.before, self.after, self.sample_rate_hz)
            values["level_correlation"] = (level.correlation, level.reasons.get("correlation"))
            values["level_difference_sd"] = (
                level.difference_sd_db,
                level.reasons.get("difference_sd_db"),
            )
        if "cepstral_variance" in limits:
            cepstra = cepstral_variance_ratio(self.before, self.after, self.sample_rate_hz)
            values["cepstral_variance"] = (_percent(cepstra.ratio), cepstra.reason)
        return values


def pair_spans(
    before: Signal,
    after: Signal,
    spans: tuple[Span, ...],
    ctx: ProofContext,
    request: Callable[[F0Track], F0Track] | None = None,
) -> Iterator[ProsodyPair]:
    """Yield each span of an edit that keeps time, before and after.

    `request` makes the contour that was asked for of the tracked one; None asks for that itself.
    """
    channel = ctx.before.strongest_channel
    track_after = _judge(ctx.after, channel)
    for index, span in enumerate(spans):
        start, stop = span.to_samples(before.sample_rate_hz)
        tracked = ctx.before.f0.slice(span.start_s, span.end_s)
        yield ProsodyPair(
            before=before.samples[channel, start:stop],
            after=after.samples[channel, start:stop],
            f0_tracked=tracked,
            f0_requested=tracked if request is None else request(tracked),
            f0_before=ctx.before.f0_judge.slice(span.start_s, span.end_s),
            f0_after=track_after.slice(span.start_s, span.end_s),
            sample_rate_hz=before.sample_rate_hz,
            index=index,
        )


def _judge(analysis: Analysis, channel: int) -> F0Track:
    """Judge the pitch of one channel, shared where it is the strongest."""
    if analysis.strongest_channel == channel:
        return analysis.f0_judge
    return judge_f0(analysis.signal.samples[channel], analysis.signal.sample_rate_hz)


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None else 100.0 * ratio
