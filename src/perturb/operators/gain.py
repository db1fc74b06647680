"""`gain`: a span made louder or softer, everything else left alone.

The gain is ramped in dB by the span's join (10 ms raised cosine, inside the span), so that the
core changes by exactly ``10 ** (gain_db / 20)``. With `target_lufs` the gain follows from the
span's own loudness (ITU-R BS.1770-4; RMS where the span is under the 400 ms block).
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.kernels.joins import core_of
from perturb.measure.level import mean_power, rms_dbfs
from perturb.measure.loudness import MIN_LOUDNESS_S, loudness_lufs
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span

__all__ = ["Gain"]

_LEVEL_TOLERANCE_DB = 0.05
_LOUDNESS_TOLERANCE_LU = 0.2
_ABSOLUTE_GATE_LUFS = -70.0


class Gain(Operator, frozen=True, kw_only=True):
    """Change the level of a span by `gain_db`, or bring it to `target_lufs`.

    Parameters
    ----------
    gain_db : float, optional
        Gain in dB, -60 to 60.
    target_lufs : float, optional
        Loudness to reach in LUFS, -60 to 0. Exactly one of the two is given.
    """

    gain_db: Annotated[float, bounds(-60.0, 60.0, "dB", "gain of the span")] | None = None
    target_lufs: Annotated[float, bounds(-60.0, 0.0, "LUFS", "loudness to reach")] | None = None

    proof_description = (
        "level change of each span's core minus that outside = gain_db ± 0.05 dB (or loudness = "
        "target_lufs ± 0.2 LU); outside bit-equal"
    )
    source = "AudioSpan, modification: loudness ± 8–12 dB; ITU-R BS.1770-4"

    def check(self) -> None:
        """Exactly one of the two ways to name the level."""
        if (self.gain_db is None) == (self.target_lufs is None):
            raise ParameterError(
                "gain: give gain_db (-60 to 60 dB) or target_lufs (-60 to 0 LUFS), exactly one; "
                f"got gain_db={self.gain_db}, target_lufs={self.target_lufs}"
            )

    @property
    def is_neutral(self) -> bool:
        """A gain of 0 dB."""
        return self.gain_db == 0.0

    def ledger(self) -> Ledger:
        """Only the intensity changes."""
        return Ledger(
            keeps=(
                "words",
                "segments",
                "lexical_tone",
                "intonation",
                "timing",
                "voice_quality",
                "speaker",
                "channel",
            ),
            destroys=("intensity",),
        )

    @classmethod
    def examples(cls) -> tuple[Gain, ...]:
        """Louder, softer, and to a target."""
        return (cls(gain_db=10.0), cls(gain_db=-8.0), cls(target_lufs=-30.0))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A silent span has no level to change, one under the loudness gate none to bring up."""
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            part = signal.samples[:, start:stop]
            if not np.any(part):
                raise InapplicableError(f"span {span} is digital silence: no gain is heard there")
            if self.target_lufs is not None:
                level, reason = _loudness(part, signal.sample_rate_hz)
                if level is None:
                    raise InapplicableError(f"span {span} has no loudness to change: {reason}")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Scale each span."""
        gains_db: list[float] = []

        def render(segment: Segment) -> FloatArray:
            gain_db = self._gain_for(segment)
            gains_db.append(gain_db)
            factor = np.float32(10.0 ** (gain_db / 20.0))
            scaled = segment.samples * factor
            # Only the edges need the ramp: linear in dB, so that no step is heard.
            edge = np.flatnonzero(segment.ramp < 1.0)
            scaled[:, edge] = segment.samples[:, edge] * factor ** segment.ramp[edge]
            return scaled

        edited = ctx.splice(signal, spans, render, join="none")
        if self.target_lufs is None:
            return edited
        return Edited(edited.signal, edited.time_map, {"gains_db": gains_db})

    def _gain_for(self, segment: Segment) -> float:
        if self.gain_db is not None:
            return self.gain_db
        level, _ = _loudness(segment.samples, segment.sample_rate_hz)
        return float(self.target_lufs or 0.0) - float(level or 0.0)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure each span's core against its own past, and against what lies outside."""
        rate = before.sample_rate_hz
        bounds_of = [span.to_samples(rate) for span in spans]
        found = []
        drift_db = _drift_db(before, after, bounds_of)
        for index, (start, stop) in enumerate(bounds_of):
            if self.gain_db is not None:
                low, high = core_of(start, stop, before.sample_count, rate)
                change = _change_db(before.samples[:, low:high], after.samples[:, low:high])
                found.append(
                    Measured.within(
                        "level_change",
                        self.gain_db,
                        None if change is None else change - drift_db,
                        _LEVEL_TOLERANCE_DB,
                        unit="dB",
                        span=index,
                        reason=None if change is not None else "the core of the span is silent",
                    )
                )
            else:
                level, reason = _loudness(after.samples[:, start:stop], rate)
                found.append(
                    Measured.within(
                        "loudness",
                        float(self.target_lufs or 0.0),
                        level,
                        _LOUDNESS_TOLERANCE_LU,
                        unit="LUFS",
                        span=index,
                        reason=reason,
                    )
                )
        return found


def _loudness(samples: FloatArray, sample_rate_hz: int) -> tuple[float | None, str | None]:
    """Return the loudness of a span in LUFS, or None with the reason.

    A span under the 400 ms block of BS.1770 falls back on its power, unweighted, and says so.
    """
    if samples.shape[1] >= MIN_LOUDNESS_S * sample_rate_hz:
        reading = loudness_lufs(Signal(samples, sample_rate_hz))
        return reading.value, reading.reason
    level = rms_dbfs(samples)
    if level.value is None:
        return None, level.reason
    # The offset of BS.1770, which adds the channels' powers where RMS averages them.
    loudness = level.value + 10.0 * math.log10(samples.shape[0]) - 0.691
    if loudness < _ABSOLUTE_GATE_LUFS:
        return None, f"under the absolute gate of {_ABSOLUTE_GATE_LUFS:g} LUFS"
    return loudness, "shorter than 400 ms: RMS level instead of BS.1770"


def _drift_db(before: Signal, after: Signal, places: list[tuple[int, int]]) -> float:
    """Return the change of level outside all places, 0 where nothing lies there or it is silent."""
    edges = [0, *(edge for place in places for edge in place), before.sample_count]
    gaps = [slice(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    powers = [
        math.fsum(mean_power(signal.samples[:, gap]) * (gap.stop - gap.start) for gap in gaps)
        for signal in (before, after)
    ]
    return 10.0 * math.log10(powers[1] / powers[0]) if all(powers) else 0.0


def _change_db(before: FloatArray, after: FloatArray) -> float | None:
    """Return the change of RMS level in dB, None where either is digital silence."""
    old, new = rms_dbfs(before), rms_dbfs(after)
    if old.value is None or new.value is None:
        return None
    return new.value - old.value
