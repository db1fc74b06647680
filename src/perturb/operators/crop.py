"""`crop`: a fragment of the clip, everything around it gone.

What is kept is the span given (several are joined in their order), or a duration from the clip's
start, middle or end. Where the clip was cut the fragment fades over 10 ms; otherwise its samples
are the clip's.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of, join_lengths, join_ramp
from perturb.operators.proof import Measured
from perturb.operators.protocol import EditContext, Edited, Ledger, Operator, ProofContext
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["Crop"]


class Crop(Operator, frozen=True, kw_only=True):
    """Keep one fragment of the clip: the span given, or `duration_s` of the whole.

    Parameters
    ----------
    duration_s : float, optional
        Length of the fragment in seconds, for the whole clip only; None keeps the spans given.
    part : {'start', 'middle', 'end'}
        Where a fragment of `duration_s` is taken from.
    """

    duration_s: (
        Annotated[float, bounds(0.02, 3600.0, "s", "length to keep (whole clip only)")] | None
    ) = None
    part: Literal["start", "middle", "end"] = "middle"

    proof_description = "length exact; between its fades the fragment equals the clip's samples"
    source = "AudioSpan: a model that hears a leading prefix alone (part=start)"

    @property
    def needs_whole_clip(self) -> bool:
        """A duration is taken from the whole clip."""
        return self.duration_s is not None

    def result_duration_s(self, duration_s: float, spans: tuple[Span, ...] = ()) -> float:
        """What is kept."""
        if self.duration_s is not None:
            return min(self.duration_s, duration_s)
        return sum(span.duration_s for span in spans) if spans else duration_s

    def ledger(self) -> Ledger:
        """What is heard is unchanged; words and order are those of the fragment alone."""
        return Ledger(
            keeps=("segments", "lexical_tone", "voice_quality", "speaker", "background", "channel"),
            destroys=("words", "timing"),
        )

    @classmethod
    def examples(cls) -> tuple[Crop, ...]:
        """The span given, and a duration from the middle and from the start."""
        return (cls(), cls(duration_s=0.8), cls(duration_s=0.5, part="start"))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The fragment must leave something out."""
        kept = sum(stop - start for start, stop in self._kept(signal, spans))
        if kept == signal.sample_count:
            raise InapplicableError(
                f"the whole clip of {signal.duration_s:.6g} s would be kept: give the span to "
                "keep, or a shorter duration_s"
            )

    def _kept(self, signal: Signal, spans: tuple[Span, ...]) -> list[tuple[int, int]]:
        rate = signal.sample_rate_hz
        if self.duration_s is None:
            return [span.to_samples(rate) for span in spans]
        length = min(seconds_to_sample(self.duration_s, rate), signal.sample_count)
        rest = signal.sample_count - length
        start = {"start": 0, "middle": rest // 2, "end": rest}[self.part]
        return [(start, start + length)]

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Cut the fragment out."""
        rate = signal.sample_rate_hz
        parts: list[FloatArray] = []
        pieces: list[Piece] = []
        at = 0
        for start, stop in self._kept(signal, spans):
            length = stop - start
            rising, falling = join_lengths(start, stop, signal.sample_count, rate)
            parts.append(signal.samples[:, start:stop] * join_ramp(length, rising, falling))
            pieces.append(Piece(at / rate, (at + length) / rate, start / rate, stop / rate))
            at += length
        return Edited(
            Signal.adopt(np.concatenate(parts, axis=1), rate),
            TimeMap(source_duration_s=signal.duration_s, pieces=tuple(pieces)),
        )

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure the length, and compare each core with the clip."""
        kept = self._kept(before, spans)
        length = sum(stop - start for start, stop in kept)
        found = [Measured.within("length", length, after.sample_count, 0.0, unit="samples")]
        if after.sample_count != length:
            return found
        expected = ctx.as_written(before).samples
        at = 0
        for index, (start, stop) in enumerate(kept):
            low, high = core_of(start, stop, before.sample_count, before.sample_rate_hz)
            core = after.samples[:, at + low - start : at + high - start]
            difference = float(np.max(np.abs(expected[:, low:high] - core)))
            found.append(Measured.within("difference_from_clip", 0.0, difference, 0.0, span=index))
            at += stop - start
        return found
