"""Operators that only tests know: they cut, reverse, squeeze, overlay, miss, and break rules."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec
import numpy as np

from perturb.errors import InapplicableError
from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.operators.proof import Measured
from perturb.operators.protocol import Edited, Operator
from perturb.record import Record, bounds
from perturb.signal import Signal
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = [
    "SPECIMENS",
    "Break",
    "Cut",
    "Cutting",
    "Loose",
    "Miss",
    "Overlay",
    "Reverse",
    "Squeeze",
    "Tangle",
]


class _Specimen(Operator, frozen=True, kw_only=True):
    proof_description = "nothing"
    source = "made up"

    def ledger(self):
        return Ledger(keeps=PROPERTIES)

    def measure(self, before, after, spans, ctx):
        return [Measured.within("finite", 1.0, float(np.isfinite(after.samples).all()), 0.0)]


class Squeeze(_Specimen, frozen=True, kw_only=True):
    """Play each span faster by `rate`, pitch and all."""

    rate: Annotated[float, bounds(0.1, 10.0, "x", "rate")] = 2.0

    def apply(self, signal, spans, ctx):
        rate_hz = signal.sample_rate_hz
        parts, pieces = [], []
        at, at_s = 0, 0.0
        for span in spans:
            start, stop = span.to_samples(rate_hz)
            parts.append(signal.samples[:, at:start])
            inner = signal.samples[:, start:stop]
            count = max(1, round((stop - start) / self.rate))
            # The sample at the middle of what it stands for.
            index = np.minimum(((np.arange(count) + 0.5) * self.rate).astype(int), stop - start - 1)
            parts.append(inner[:, index])
            at_s = _straight(pieces, at_s, at / rate_hz, start / rate_hz)
            pieces.append(Piece(at_s, at_s + count / rate_hz, start / rate_hz, stop / rate_hz))
            at_s += count / rate_hz
            at = stop
        parts.append(signal.samples[:, at:])
        _straight(pieces, at_s, at / rate_hz, signal.duration_s)
        return _joined(signal, parts, pieces)


class Cut(_Specimen, frozen=True, kw_only=True):
    """Take each span out of the clip."""

    def apply(self, signal, spans, ctx):
        rate_hz = signal.sample_rate_hz
        parts, pieces = [], []
        at, at_s = 0, 0.0
        for span in spans:
            start, stop = span.to_samples(rate_hz)
            parts.append(signal.samples[:, at:start])
            at_s = _straight(pieces, at_s, at / rate_hz, start / rate_hz)
            at = stop
        parts.append(signal.samples[:, at:])
        _straight(pieces, at_s, at / rate_hz, signal.duration_s)
        return _joined(signal, parts, pieces)


class Loose(_Specimen, frozen=True, kw_only=True):
    """Drop the first tenth of a second, with a map that is rounded as badly as it may be."""

    def apply(self, signal, spans, ctx):
        drop = signal.sample_rate_hz // 10
        duration_s = signal.duration_s - 0.1
        pieces = (
            Piece(0.0, 0.4 + 4e-10, 0.1, 0.5),
            Piece(0.4, duration_s + 1.4 / signal.sample_rate_hz, 0.5, signal.duration_s),
        )
        time_map = TimeMap(source_duration_s=signal.duration_s, pieces=pieces)
        return Edited(Signal.adopt(signal.samples[:, drop:], signal.sample_rate_hz), time_map)


class Reverse(_Specimen, frozen=True, kw_only=True):
    """Play each span backwards in its place."""

    sham_kind = "none"
    sham_description = "none: there is no half-way backwards"

    def apply(self, signal, spans, ctx):
        out = np.array(signal.samples)
        time_map = TimeMap.identity(signal.duration_s)
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            out[:, start:stop] = signal.samples[:, start:stop][:, ::-1]
            time_map = time_map.then(
                TimeMap.reversal(
                    signal.duration_s,
                    start / signal.sample_rate_hz,
                    stop / signal.sample_rate_hz,
                )
            )
        return Edited(Signal.adopt(out, signal.sample_rate_hz), time_map)


class Overlay(_Specimen, frozen=True, kw_only=True):
    """Lay the audio of `ref` over the clip, at each point or from the start of each span."""

    accepts_points = True

    ref: str
    factor: Annotated[float, bounds(0.0, 100.0, "x", "level")] = 1.0

    @classmethod
    def examples(cls):
        return (cls(ref="file:dog.wav"),)

    def apply(self, signal, spans, ctx):
        laid = ctx.resolve(self.ref).samples
        out = np.array(signal.samples)
        for span in spans:
            start, _ = span.to_samples(signal.sample_rate_hz)
            part = laid[:, : signal.sample_count - start]
            out[:, start : start + part.shape[1]] += np.float32(self.factor) * part
        return Edited(Signal.adopt(out, signal.sample_rate_hz), TimeMap.identity(signal.duration_s))

    def measure(self, before, after, spans, ctx):
        return [Measured.at_least("reference_samples", 1, ctx.resolve(self.ref).sample_count)]


class Miss(_Specimen, frozen=True, kw_only=True):
    """Halve each span and promise something else."""

    def apply(self, signal, spans, ctx):
        return ctx.splice(signal, spans, lambda segment: segment.samples * np.float32(0.5))

    def measure(self, before, after, spans, ctx):
        return [Measured.within("promise", 1.0, 0.5, 0.1)]


class Break(_Specimen, frozen=True, kw_only=True):
    """Break the contract in one of its ways."""

    how: Literal[
        "rate", "channels", "map", "long_map", "shape", "nan", "notes", "raise", "refuse", "die"
    ] = "raise"

    def apply(self, signal, spans, ctx):
        time_map = TimeMap.identity(signal.duration_s)
        samples = np.array(signal.samples)
        if self.how == "rate":
            return Edited(Signal.adopt(samples, signal.sample_rate_hz + 1), time_map)
        if self.how == "channels":
            doubled = np.concatenate([samples, samples])
            return Edited(Signal.adopt(doubled, signal.sample_rate_hz), time_map)
        if self.how == "map":
            return Edited(signal, TimeMap.identity(signal.duration_s + 1.0))
        if self.how == "long_map":
            return Edited(signal, TimeMap.removal(signal.duration_s, signal.duration_s / 2))
        if self.how == "shape":
            return ctx.splice(signal, spans, lambda segment: segment.samples[:, :-1])
        if self.how == "nan":
            return Edited(Signal.adopt(samples * np.float32(np.nan), 16_000), time_map)
        if self.how == "notes":
            return Edited(Signal.adopt(samples * 0.5, 16_000), time_map, {"level": float("nan")})
        if self.how == "refuse":
            raise InapplicableError("nothing here to act on")
        if self.how == "die":
            os._exit(9)
        raise ZeroDivisionError("a fault\nof two lines")


class Cutting(Record, frozen=True, kw_only=True):
    """A record within an operator."""

    depth: float = 1.0
    label: str = ""
    more: dict[str, float] = msgspec.field(default_factory=dict)


class Tangle(_Specimen, frozen=True, kw_only=True):
    """Do nothing, with fields of every kind."""

    accepts_points = True

    text: str = "plain"
    ref: str | None = None
    count: int = 1
    flag: bool = False
    level_db: Annotated[float, bounds(-1e9, 1e9, "dB", "level")] = 0.0
    numbers: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    params: dict[str, float] = msgspec.field(default_factory=dict)
    cutting: Cutting | None = None
    cuttings: tuple[Cutting, ...] = ()

    @property
    def is_neutral(self):
        return True

    def apply(self, signal, spans, ctx):
        return Edited(signal, TimeMap.identity(signal.duration_s))


SPECIMENS = (Squeeze, Cut, Loose, Reverse, Overlay, Miss, Break, Tangle)


def _straight(pieces, at_s, start_s, stop_s):
    """Append a piece that is left as it was, and return where the result has come to."""
    if stop_s - start_s > 1e-9:
        pieces.append(Piece(at_s, at_s + stop_s - start_s, start_s, stop_s))
        at_s += stop_s - start_s
    return at_s


def _joined(signal, parts, pieces):
    samples = np.concatenate(parts, axis=1)
    time_map = TimeMap(source_duration_s=signal.duration_s, pieces=tuple(pieces))
    return Edited(Signal.adopt(samples, signal.sample_rate_hz), time_map)
