"""`silence`: a span's sound removed, its place kept; or the whole clip replaced by a fixed length.

Raised-cosine edges inside the span, then exact zeros (`zero`), the clip's own room tone (`room`:
noise with the spectrum and level of the quietest tenth of its frames, not looped), or white noise
of the span's RMS level (`noise`). A fixed length is the control of the zero-audio-contribution
study, 30 s of digital silence.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from perturb.errors import InapplicableError
from perturb.kernels.joins import core_of
from perturb.measure.level import mean_power, rms_dbfs
from perturb.measure.spectrum import RoomTone, third_octave_levels
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
    Segment,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.noise import NormalSource, room_noise
from perturb.time_map import TimeMap

__all__ = ["Silence"]

_ROOM_FLOOR_DBFS = -80.0
_BAND_TOLERANCE_DB = 3.0
_LEVEL_TOLERANCE_DB = 0.2

_DESTROYED: tuple[Property, ...] = (
    "words",
    "segments",
    "lexical_tone",
    "intonation",
    "intensity",
    "timing",
    "voice_quality",
    "speaker",
)


class Silence(Operator, frozen=True, kw_only=True):
    """Replace the sound of a span by silence, room tone or noise.

    Parameters
    ----------
    fill : {'zero', 'room', 'noise'}
        What stands in its place. Room tone quieter than -80 dBFS is written as zeros.
    duration_s : float, optional
        Length of the result in seconds, for the whole clip only; None keeps the clip's own.
    """

    fill: Literal["zero", "room", "noise"] = "zero"
    duration_s: (
        Annotated[float, bounds(0.1, 3600.0, "s", "length of the result (whole clip only)")] | None
    ) = None

    proof_description = (
        "length exact; core exactly zero, or its third-octave levels within 3 dB of the room's, or "
        "its RMS level within 0.2 dB of the original's; outside bit-equal"
    )
    source = "SEABED, counterfactual controls; zero-audio-contribution study (30 s of silence)"

    @property
    def needs_whole_clip(self) -> bool:
        """A fixed length replaces the whole clip."""
        return self.duration_s is not None

    def result_duration_s(self, duration_s: float, spans: tuple[Span, ...] = ()) -> float:
        """As long as was asked for."""
        return duration_s if self.duration_s is None else self.duration_s

    def ledger(self) -> Ledger:
        """Everything goes; room tone keeps the background."""
        if self.fill == "room":
            return Ledger(keeps=("background",), destroys=_DESTROYED)
        return Ledger(destroys=(*_DESTROYED, "background"))

    @classmethod
    def examples(cls) -> tuple[Silence, ...]:
        """Each fill, and a fixed length."""
        return (cls(), cls(fill="room"), cls(fill="noise"), cls(duration_s=30.0))

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by fill."""
        return {
            "fill=zero, noise": cls().ledger(),
            "fill=room": cls(fill="room").ledger(),
        }

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A span that is digital silence already cannot be silenced, nor its level matched."""
        if self.duration_s is not None and self.fill != "noise":
            return
        for span in spans:
            start, stop = span.to_samples(signal.sample_rate_hz)
            if not np.any(signal.samples[:, start:stop]):
                raise InapplicableError(f"span {span} is digital silence already")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Write the fill over each span, or a new clip of the fixed length."""
        if self.duration_s is None:
            return ctx.splice(signal, spans, lambda segment: self._fill_span(segment, ctx))
        length = self._length(signal)
        whole = Segment.whole(signal)
        samples = self._fill(whole, length, ctx)
        return Edited(
            Signal.adopt(samples, signal.sample_rate_hz),
            TimeMap.removal(signal.duration_s, length / signal.sample_rate_hz),
        )

    def _length(self, signal: Signal) -> int:
        return seconds_to_sample(float(self.duration_s or 0.0), signal.sample_rate_hz)

    def _fill_span(self, segment: Segment, ctx: EditContext) -> FloatArray:
        return self._fill(segment, segment.stop - segment.start, ctx)

    def _fill(self, segment: Segment, length: int, ctx: EditContext) -> FloatArray:
        channels = segment.samples.shape[0]
        generator = ctx.generator(f"noise/{segment.index}")

        def normals(count: int) -> FloatArray:
            return generator.standard_normal(count, dtype=np.float32)

        if self.fill == "noise":
            return _white_noise(segment, length, normals)
        if self.fill == "room" and _is_audible(ctx.analysis.room):
            return room_noise(ctx.analysis.room, length, normals)
        return np.zeros((channels, length), dtype=np.float32)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the length, and what each core holds."""
        rate = before.sample_rate_hz
        length = before.sample_count if self.duration_s is None else self._length(before)
        found = [Measured.within("length", length, after.sample_count, 0.0, unit="samples")]
        for index, span in enumerate(spans):
            start, stop = span.to_samples(rate)
            original = before.samples[:, start:stop]
            if self.duration_s is not None:
                core = after.samples
            else:
                low, high = core_of(start, stop, before.sample_count, rate)
                core = after.samples[:, low:high]
            found.append(self._measure_core(original, core, ctx, rate, index))
        return found

    def _measure_core(
        self, original: FloatArray, core: FloatArray, ctx: ProofContext, rate: int, index: int
    ) -> Measured:
        if self.fill == "noise":
            asked, achieved = rms_dbfs(original), rms_dbfs(core)
            return Measured.within(
                "noise_level",
                asked.value if asked.value is not None else 0.0,
                achieved.value,
                _LEVEL_TOLERANCE_DB,
                unit="dBFS",
                span=index,
                reason=asked.reason or achieved.reason,
            )
        if self.fill == "room" and _is_audible(ctx.before.room):
            worst, reason = _worst_band(ctx.before.room, core, rate)
            return Measured.at_most(
                "room_band_deviation",
                _BAND_TOLERANCE_DB,
                worst,
                unit="dB",
                span=index,
                reason=reason,
            )
        return Measured.within("core_peak", 0.0, float(np.max(np.abs(core))), 0.0, span=index)


def _is_audible(room: RoomTone) -> bool:
    level = room.level_dbfs.value
    return level is not None and level >= _ROOM_FLOOR_DBFS


def _white_noise(segment: Segment, length: int, normals: NormalSource) -> FloatArray:
    """Return one draw of white noise at each channel's own RMS level."""
    noise = normals(length)
    # Exact over what will be heard alone: the core, or the whole of a fixed length.
    is_core = segment.ramp == 1.0 if length == segment.ramp.shape[0] else slice(None)
    power = mean_power(noise[is_core])
    levels = [mean_power(channel) for channel in segment.samples]
    scale = np.sqrt(np.array(levels, dtype=np.float64) / power).astype(np.float32)
    return noise[np.newaxis, :] * scale[:, np.newaxis]


def _worst_band(
    room: RoomTone, core: FloatArray, sample_rate_hz: int
) -> tuple[float | None, str | None]:
    """Return the largest third-octave deviation from the room, over bands that say something."""
    levels = {band.centre_hz: band.level_dbfs.value for band in room.bands if band.is_reliable}
    deviations = []
    for band in third_octave_levels(core, sample_rate_hz, frame_s=room.frame_s):
        found, wanted = band.level_dbfs.value, levels.get(band.centre_hz)
        if band.is_reliable and found is not None and wanted is not None:
            deviations.append(abs(found - wanted))
    if not deviations:
        return None, "too short: no band with bandwidth × duration of 30 or more"
    return max(deviations), None
