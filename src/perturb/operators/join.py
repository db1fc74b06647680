"""`join`: the clip among others in a row, with digital silence between them.

The clip's own samples are not touched: they stand, bit for bit, at the place that the time map
records. The others come at the clip's rate and channels and, unless told otherwise, at its level;
an edge of theirs that would click against the silence is faded over 5 ms. The order and the gaps
are given; drawing them for a benchmark is the split's task.
"""

from __future__ import annotations

import itertools
import math
from typing import Annotated

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.level import sample_peak
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    PROPERTIES,
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.conform import conform
from perturb.synthesis.join import Part, is_abrupt, place_parts, shape_part, shared_levels
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["Join"]

_LEVEL_TOLERANCE_DB = 0.1
_MAX_PEAK_DBFS = 54.0
_EDGE_S = 0.005

_Gap = Annotated[float, bounds(0.0, 60.0, "s", "silence between two clips")]


class Join(Operator, frozen=True, kw_only=True):
    """Set the clip among others in a row, with silence between them.

    Parameters
    ----------
    before, after : list of str
        What is heard before the clip and after it, in order: `file:PATH`, or other references.
    gaps_s : list of float
        Digital silence between each clip and the next, in seconds, 0 to 60: one fewer than there
        are clips.
    match_level : bool
        Whether the others are brought to the clip's level: active speech level (P.56) where both
        have one, else RMS. Without it they sound as they were recorded.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    gaps_s: tuple[_Gap, ...]
    match_level: bool = True

    sham_kind = "own"
    sham_description = "the clip at the same place of the same row, the others silent"
    proof_description = (
        "length exact; at its place the clip's samples, equal; gaps exactly zero; each other clip "
        "equal to its source, scaled and faded; its level = the clip's ± 0.1 dB. Sham: all but the "
        "clip exactly zero"
    )
    source = "SEABED, dialect identification: utterances joined in random order with silence gaps"

    def check(self) -> None:
        """Somebody else is heard, references name their scheme, and the gaps fit."""
        others = self.references()
        if not others:
            raise ParameterError(
                "join: before and after are empty; accepted: one reference or more"
            )
        for name in others:
            if ":" not in name:
                raise ParameterError(f"join: {name!r} is no reference; accepted: file:PATH")
        if len(self.gaps_s) != len(others):
            raise ParameterError(
                f"join: gaps_s holds {len(self.gaps_s)} gaps; accepted: {len(others)}, one between "
                f"each of {len(others) + 1} clips and the next"
            )

    @property
    def needs_whole_clip(self) -> bool:
        """The clip is heard whole."""
        return True

    def references(self) -> tuple[str, ...]:
        """The other clips, in the order in which they are heard."""
        return (*self.before, *self.after)

    def ledger(self) -> Ledger:
        """Everything of the clip is there; what is around it is not promised."""
        return Ledger(keeps=tuple(name for name in PROPERTIES if name != "background"))

    @classmethod
    def examples(cls) -> tuple[Join, ...]:
        """In the middle, and last of two without a gap."""
        return (
            cls(before=("file:one.wav",), after=("file:two.wav",), gaps_s=(0.4, 0.3)),
            cls(before=("file:one.wav",), gaps_s=(0.0,), match_level=False),
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The others sound, are not the clip itself, and there is a level to match."""
        for name in self.references():
            other = ctx.resolve(name)
            if not np.any(other.samples):
                raise ParameterError(f"join: {name!r} is digital silence; accepted: a sound")
            if other.audio_sha256 == signal.audio_sha256:
                raise InapplicableError(f"{name!r} is the clip itself; name another recording")
        if self.match_level and not np.any(signal.samples):
            raise InapplicableError("the clip is digital silence: it has no level to match")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Put the row together."""
        return self._join(signal, ctx, is_sham=False)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Put the row together with the others silent."""
        return self._join(signal, ctx, is_sham=True)

    def _join(self, signal: Signal, ctx: EditContext, *, is_sham: bool) -> Edited:
        rate = signal.sample_rate_hz
        parts = self._parts(ctx.analysis, ctx)
        places = self._places(parts, signal)
        row = np.zeros((signal.channel_count, places[-1][1]), dtype=np.float32)
        own_place = places[len(self.before)]
        if not is_sham:
            for part, (start, stop) in zip(parts, self._others(places), strict=True):
                row[:, start:stop] = part.samples
        row[:, slice(*own_place)] = signal.samples
        edge = max(1, min(seconds_to_sample(_EDGE_S, rate), signal.sample_count))
        notes = {
            "position": len(self.before) + 1,
            "clips": len(places),
            "places_s": [[start / rate, stop / rate] for start, stop in places],
            "gains_db": [part.gain_db for part in parts],
            "fades_s": [[part.faded_in / rate, part.faded_out / rate] for part in parts],
            # The clip is never faded: whoever compares the edges is told where they are not alike.
            "own_edges_are_abrupt": [
                is_abrupt(signal.samples[:, :edge]),
                is_abrupt(signal.samples[:, -edge:]),
            ],
        }
        return Edited(Signal.adopt(row, rate), _time_map(signal, own_place, row.shape[1]), notes)

    def _parts(self, own: Analysis, ctx: EditContext | ProofContext) -> list[Part]:
        """Return the other clips as they are heard, in order."""
        rate = own.signal.sample_rate_hz
        parts = []
        for name in self.references():
            samples = conform(ctx.resolve(name), rate, own.signal.channel_count)
            if not np.any(samples):
                raise ParameterError(f"join: {name!r} is shorter than a sample of the clip")
            part = shape_part(samples, rate, own if self.match_level else None)
            if part is None:
                raise InapplicableError(f"{name!r} or the clip has no level to match")
            peak_dbfs = 20.0 * math.log10(max(sample_peak(part.samples), 1e-12))
            if peak_dbfs > _MAX_PEAK_DBFS:
                raise InapplicableError(
                    f"{name!r} is mostly silent: at the clip's level it would peak at "
                    f"{peak_dbfs:+.0f} dBFS; accepted: up to {_MAX_PEAK_DBFS:+g}"
                )
            parts.append(part)
        return parts

    def _places(self, parts: list[Part], signal: Signal) -> list[tuple[int, int]]:
        """Return where every clip lies, the own one among them."""
        lengths = [part.samples.shape[1] for part in parts]
        lengths.insert(len(self.before), signal.sample_count)
        return place_parts(lengths, self.gaps_s, signal.sample_rate_hz)

    def _others(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        own = len(self.before)
        return places[:own] + places[own + 1 :]

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare every clip with its source, the gaps with zero, and the levels."""
        parts = self._parts(ctx.before, ctx)
        places = self._places(parts, before)
        found = [_length(places, after)]
        if after.sample_count != places[-1][1]:
            return found
        rate = before.sample_rate_hz
        found += [self._own(before, after, places, ctx), _largest("gaps", after, _gaps(places))]
        for index, (part, place) in enumerate(zip(parts, self._others(places), strict=True)):
            heard = after.samples[:, slice(*place)]
            expected = ctx.as_written(Signal.adopt(part.samples, rate)).samples
            difference = float(np.max(np.abs(expected - heard)))
            found.append(
                Measured.within("difference_from_source", 0.0, difference, 0.0, span=index)
            )
            if self.match_level:
                found.append(_level(ctx.before, heard, rate, index))
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Compare the clip with itself, and everything else with zero."""
        places = self._places(self._parts(ctx.before, ctx), before)
        found = [_length(places, after)]
        if after.sample_count != places[-1][1]:
            return found
        start, stop = places[len(self.before)]
        rest = [(0, start), (stop, after.sample_count)]
        return [*found, self._own(before, after, places, ctx), _largest("rest", after, rest)]

    def _own(
        self, before: Signal, after: Signal, places: list[tuple[int, int]], ctx: ProofContext
    ) -> Measured:
        heard = after.samples[:, slice(*places[len(self.before)])]
        difference = float(np.max(np.abs(ctx.as_written(before).samples - heard)))
        return Measured.within("difference_from_clip", 0.0, difference, 0.0)


def _time_map(signal: Signal, place: tuple[int, int], length: int) -> TimeMap:
    """Return the map of a clip that is heard at its place, and of nothing around it."""
    rate = signal.sample_rate_hz
    edges = (0.0, place[0] / rate, place[1] / rate, length / rate)
    pieces = [Piece(edges[1], edges[2], 0.0, signal.duration_s)]
    if edges[1] > 0.0:
        pieces.insert(0, Piece(0.0, edges[1]))
    if place[1] < length:
        pieces.append(Piece(edges[2], edges[3]))
    return TimeMap(source_duration_s=signal.duration_s, pieces=tuple(pieces))


def _length(places: list[tuple[int, int]], after: Signal) -> Measured:
    return Measured.within("length", places[-1][1], after.sample_count, 0.0, unit="samples")


def _gaps(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [(left[1], right[0]) for left, right in itertools.pairwise(places)]


def _largest(name: str, after: Signal, stretches: list[tuple[int, int]]) -> Measured:
    """Measure the largest sample of stretches that are to be exactly zero."""
    peaks = [sample_peak(after.samples[:, start:stop]) for start, stop in stretches]
    return Measured.within(f"peak_in_{name}", 0.0, max(peaks), 0.0)


def _level(own: Analysis, heard: FloatArray, sample_rate_hz: int, index: int) -> Measured:
    levels = shared_levels(own, Analysis(Signal.adopt(np.array(heard), sample_rate_hz)))
    return Measured.within(
        "level" if levels is None else levels.measure,
        own.rms_dbfs.value or 0.0 if levels is None else levels.own,
        None if levels is None else levels.other,
        _LEVEL_TOLERANCE_DB,
        unit="dBFS",
        span=index,
        reason="digital silence has no level" if levels is None else None,
    )
