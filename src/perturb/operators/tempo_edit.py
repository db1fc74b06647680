"""What every edit of tempo shares: where spans come to lie, the path of time, and its proof.

The rate and the level are read from level contours along the recorded path, pitch by the F0
algorithm that drives no synthesis, frame by frame along the path too: a median over the frames that
happen to be voiced would move with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perturb.measure.analysis import Analysis
from perturb.measure.f0_judge import judge_f0
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import compare_f0
from perturb.measure.tempo import compare_tempo
from perturb.operators.proof import Instrument, Measured
from perturb.operators.protocol import ProofContext
from perturb.operators.unchanged import largest_difference
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.tempo import Tempo
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = [
    "Place",
    "places_at_rate",
    "places_kept",
    "prove_outside",
    "prove_tempo",
    "time_map_along",
]

_RATE_TOLERANCE = 0.05
_F0_TOLERANCE_CENTS = 40.0
_JUDGED_AROUND_S = 10.0


@dataclass(frozen=True)
class Place:
    """One span, in samples: where it was and where it is."""

    start: int
    stop: int
    new_start: int
    new_stop: int

    @property
    def source_length(self) -> int:
        """Samples before."""
        return self.stop - self.start

    @property
    def target_length(self) -> int:
        """Samples after."""
        return self.new_stop - self.new_start


def places_at_rate(spans: Iterable[Span], sample_rate_hz: int, rate: float) -> list[Place]:
    """Return where spans, in order and apart, come to lie when each runs `rate` times as fast.

    What follows a span is shifted by whole samples, each time rounded from the exact map: errors
    do not add up, and no sample is off by more than half a sampling interval.
    """
    places = []
    moved, shift = 0.0, 0
    for span in spans:
        start, stop = span.to_samples(sample_rate_hz)
        new_start = start + shift
        moved += (stop - start) * (1.0 - 1.0 / rate)
        shift = -math.floor(moved + 0.5)
        places.append(Place(start, stop, new_start, stop + shift))
    return places


def places_kept(spans: Iterable[Span], sample_rate_hz: int) -> list[Place]:
    """Return the spans where they are."""
    edges = (span.to_samples(sample_rate_hz) for span in spans)
    return [Place(start, stop, start, stop) for start, stop in edges]


def time_map_along(signal: Signal, places: Sequence[Place], tempos: Sequence[Tempo]) -> TimeMap:
    """Return the path of a whole clip, from the samples that were really written.

    Parameters
    ----------
    signal : Signal
        The step's input.
    places : sequence of Place
        Its spans, in order.
    tempos : sequence of Tempo
        The path through each.
    """
    rate_hz = signal.sample_rate_hz
    source, target = [np.zeros(1)], [np.zeros(1)]
    for place, tempo in zip(places, tempos, strict=True):
        source.append(place.start + tempo.source)
        target.append(place.new_start + tempo.target)
    end = signal.sample_count
    source.append(np.array([float(end)]))
    target.append(np.array([float(end + places[-1].new_stop - places[-1].stop)]))
    source_s = (np.concatenate(source) / rate_hz).tolist()
    target_s = (np.concatenate(target) / rate_hz).tolist()
    pieces = tuple(
        Piece(target_s[k], target_s[k + 1], source_s[k], source_s[k + 1])
        for k in range(len(source_s) - 1)
        if source_s[k + 1] > source_s[k]
    )
    return TimeMap(source_duration_s=signal.duration_s, pieces=pieces)


def prove_outside(
    before: Signal, after: Signal, places: Sequence[Place], ctx: ProofContext
) -> Iterator[Measured]:
    """Yield the largest difference outside the spans, shifted; nothing where nothing lies there."""
    stretches = []
    at = new_at = 0
    for place in places:
        stretches.append((at, place.start, new_at))
        at, new_at = place.stop, place.new_stop
    stretches.append((at, before.sample_count, new_at))
    largest = largest_difference(before, after, stretches, ctx.as_written)
    if largest is not None:
        yield Measured.within("shifted_difference", 0.0, largest, 0.0)


def prove_tempo(
    before: Signal,
    after: Signal,
    places: Sequence[Place],
    ctx: ProofContext,
    *,
    least_correlation: float,
    level_instrument: Instrument,
) -> Iterator[Measured]:
    """Yield rate (± 5 %), median F0 error (≤ 40 cents) and level correlation of each span.

    Parameters
    ----------
    before, after : Signal
        Input and result of the step.
    places : sequence of Place
        Where its spans were and are.
    ctx : ProofContext
        Its time map is the path.
    least_correlation : float
        Bound of the level correlation.
    level_instrument : {'independent', 'self-consistent'}
        Whether the level had no part in the edit.
    """
    rate_hz, channel = before.sample_rate_hz, ctx.before.strongest_channel
    for index, place in enumerate(places):
        source_s, target_s = _recorded_path(ctx.time_map, place, rate_hz)
        tempo = compare_tempo(
            before.samples[channel, place.start : place.stop],
            after.samples[channel, place.new_start : place.new_stop],
            rate_hz,
            source_s,
            target_s,
        )
        asked = place.source_length / place.target_length
        yield Measured.within(
            "rate",
            asked,
            tempo.rate,
            _RATE_TOLERANCE * asked,
            unit="x",
            instrument=level_instrument,
            span=index,
            reason=tempo.rate_reason,
        )
        spoken = _judge(ctx.before, channel, place.start, place.stop)
        wanted = spoken.slice(place.start / rate_hz, place.stop / rate_hz)
        moments_s = place.new_start / rate_hz + np.interp(wanted.times_s, source_s, target_s)
        heard = _judge(ctx.after, channel, place.new_start, place.new_stop).at(moments_s)
        found = F0Track(wanted.times_s, heard, wanted.strength, wanted.hop_s)
        pitch = compare_f0(wanted, found)
        yield Measured.at_most(
            "f0_median_error",
            _F0_TOLERANCE_CENTS,
            pitch.median_error_cents,
            unit="cents",
            instrument="independent",
            span=index,
            reason=pitch.reasons.get("median_error_cents"),
        )
        yield Measured.at_least(
            "level_correlation",
            least_correlation,
            tempo.level_correlation,
            instrument=level_instrument,
            span=index,
            reason=tempo.level_reason,
        )


def _recorded_path(
    time_map: TimeMap, place: Place, sample_rate_hz: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the recorded path through a span, in seconds from its start before and after."""
    start_s, stop_s = place.start / sample_rate_hz, place.stop / sample_rate_hz
    new_start_s = place.new_start / sample_rate_hz
    half_sample_s = 0.5 / sample_rate_hz
    source_s, target_s = [0.0], [0.0]
    for piece in time_map.pieces:
        end_s = piece.source_stop_s
        if end_s is not None and start_s + half_sample_s < end_s < stop_s - half_sample_s:
            source_s.append(end_s - start_s)
            target_s.append(piece.target_stop_s - new_start_s)
    source_s.append(place.source_length / sample_rate_hz)
    target_s.append(place.target_length / sample_rate_hz)
    return np.array(source_s), np.array(target_s)


def _judge(analysis: Analysis, channel: int, start: int, stop: int) -> F0Track:
    """Judge the pitch around a span of the channel that was strongest before.

    Ten seconds to either side are all that tells a span's pitch: an hour is not judged for it.
    Clips that are no longer than that are judged once, whole.
    """
    rate_hz, count = analysis.signal.sample_rate_hz, analysis.signal.sample_count
    margin = round(_JUDGED_AROUND_S * rate_hz)
    low, high = max(0, start - margin), min(count, stop + margin)
    if (low, high) == (0, count) and analysis.strongest_channel == channel:
        return analysis.f0_judge
    track = judge_f0(analysis.signal.samples[channel, low:high], rate_hz)
    return F0Track(track.times_s + low / rate_hz, track.f0_hz, track.strength, track.hop_s)
