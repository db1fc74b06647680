"""`event`: a sound from outside laid over the clip at a controlled signal-to-noise ratio.

``SNR = power of the event over its active support / power of the host in the event's window``, in
dB, positive where the event is louder (`over="host"` turns it round). Support and window are those
of `perturb.measure.snr`; both powers are averaged over channels, the event's is taken after
resampling and fades. The result is host + event, nothing else: outside the event not a bit
changes, and time stays in place.

Conventions differ by up to 30 dB, so the others are noted beside it: against the clip's active
speech level (P.56), in loudness (BS.1770, event against window), and within 0 to 8 kHz.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.level import rms_dbfs, sample_peak
from perturb.measure.offset import why_no_sound
from perturb.measure.reading import Reading
from perturb.measure.snr import onset_sample, other_ratios
from perturb.operators.proof import Measured
from perturb.operators.protocol import EditContext, Edited, Ledger, Operator, ProofContext
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.conform import conform
from perturb.synthesis.event import LaidEvent, Stems, lay_events
from perturb.time_map import TimeMap

__all__ = ["Event"]

_SNR_TOLERANCE_DB = 0.05
_ONSET_TOLERANCE_S = 0.001
_LSB = 2.0**-15
_SHAM_SNR_DB = -60.0
_SHAM_BOUND_DB = -50.0
_MAX_PAUSE_DB = 20.0
_MAX_PEAK_DBFS = 54.0
_BLOCK_SAMPLES = 1 << 20
_NOTHING = "nothing was added, or less than the file's last step"


class Event(Operator, frozen=True, kw_only=True):
    """Lay a sound over the clip at a controlled signal-to-noise ratio.

    Parameters
    ----------
    ref : str
        The sound: `file:PATH`, or another reference. It starts at the start of each span and ends
        by itself, at the span's stop, where the next span starts or where the clip ends; cut short
        it fades out.
    snr_db : float
        Signal-to-noise ratio in dB, -40 to 60.
    over : {'event', 'host'}
        What the ratio is of: the event over the host (positive: the event is louder), or the host
        over the event.
    fade_in_s, fade_out_s : float
        Raised-cosine fades inside the event, in seconds; each at most a quarter of it. A sound
        whose attack is its first sample wants `fade_in_s=0`.
    """

    ref: str
    snr_db: Annotated[float, bounds(-40.0, 60.0, "dB", "signal-to-noise ratio")]
    over: Literal["event", "host"] = "event"
    fade_in_s: Annotated[float, bounds(0.0, 10.0, "s", "fade at the event's start")] = 0.01
    fade_out_s: Annotated[float, bounds(0.0, 10.0, "s", "fade at the event's end")] = 0.01

    sham_kind = "own"
    sham_description = "the same event 60 dB under the host, same fades and places"
    accepts_points = True
    proof_description = (
        "SNR of what was added = snr_db ± 0.05 dB; onset ± 1 ms; host + event to one 16-bit step; "
        "outside bit-equal. Sham: what was added lies at least 50 dB under the host"
    )
    source = "AudioSpan, addition; SNR as in soundscape synthesis (event over background)"

    def check(self) -> None:
        """A reference names its scheme."""
        if ":" not in self.ref:
            raise ParameterError(f"event: ref is {self.ref!r}; accepted: file:PATH (or file=PATH)")

    def references(self) -> tuple[str, ...]:
        """The sound."""
        return (self.ref,)

    def ledger(self) -> Ledger:
        """The clip's own sound stays, under the event; the background is another."""
        return Ledger(
            keeps=("lexical_tone", "intonation", "timing", "voice_quality", "speaker", "channel"),
            destroys=("background",),
        )

    @classmethod
    def examples(cls) -> tuple[Event, ...]:
        """Louder than the host, softer, and the ratio turned round."""
        return (
            cls(ref="file:dog.wav", snr_db=8.0),
            cls(ref="file:dog.wav", snr_db=-6.0, fade_in_s=0.0),
            cls(ref="file:dog.wav", snr_db=8.0, over="host"),
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """A pause or digital silence is no host: a ratio to it would be inaudible or undefined."""
        active = ctx.analysis.active_level.level_dbfs
        level = active if active is not None else ctx.analysis.rms_dbfs.value
        for span, laid in zip(spans, self._lay(signal, spans, ctx), strict=True):
            low, high = (edge / signal.sample_rate_hz for edge in laid.window)
            window = f"the host around the event at {span} ({low:.3g} to {high:.3g} s)"
            if laid.host_power == 0.0 or level is None:
                raise InapplicableError(f"{window} is digital silence: the SNR is undefined")
            below_db = level - 10.0 * math.log10(laid.host_power)
            if below_db > _MAX_PAUSE_DB:
                raise InapplicableError(
                    f"{window} lies {below_db:.1f} dB under the clip's active level: a pause. "
                    f"Accepted: up to {_MAX_PAUSE_DB:g} dB; place the event where the clip sounds"
                )
            if not np.any(laid.samples):
                raise InapplicableError(
                    f"event {self.ref!r} is silent in the room it has at {span}, "
                    f"{laid.samples.shape[1] / signal.sample_rate_hz:.3g} s; leave it more"
                )
            peak = sample_peak(laid.samples) * float(laid.scale_for(self._ratio_db(is_sham=False)))
            peak_dbfs = 20.0 * math.log10(peak)
            if peak_dbfs > _MAX_PEAK_DBFS:
                raise InapplicableError(
                    f"event {self.ref!r} at {span} would peak at {peak_dbfs:+.0f} dBFS; accepted: "
                    f"up to {_MAX_PEAK_DBFS:+g}. Lower the SNR, or give a louder sound"
                )

    def _ratio_db(self, *, is_sham: bool) -> float:
        """Return the ratio as event over host."""
        if is_sham:
            return _SHAM_SNR_DB
        return self.snr_db if self.over == "event" else -self.snr_db

    def _lay(
        self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext | ProofContext
    ) -> Iterator[LaidEvent]:
        """Yield the event at each span's start, as long as it lasts or there is room."""
        sound = ctx.resolve(self.ref)
        event = conform(sound, signal.sample_rate_hz, signal.channel_count)
        unheard = None if np.any(event) else "digital silence at the clip's rate and channels"
        why = why_no_sound(sound.samples, sound.sample_rate_hz) or unheard
        if why is not None:
            raise ParameterError(f"event: ref {self.ref!r} is {why}; accepted: a sound")
        places = _places(spans, signal)
        return lay_events(event, signal, places, self.fade_in_s, self.fade_out_s)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Add the event at each span."""
        return self._mix(signal, spans, ctx, is_sham=False)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Add the event 60 dB under the host."""
        return self._mix(signal, spans, ctx, is_sham=True)

    def _mix(
        self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext, *, is_sham: bool
    ) -> Edited:
        mixture = np.array(signal.samples)
        events: list[tuple[int, FloatArray]] = []
        notes: list[dict[str, Any]] = []
        for laid in self._lay(signal, spans, ctx):
            scale = laid.scale_for(self._ratio_db(is_sham=is_sham))
            # Scaled where it lies: an event may be as long as the clip.
            np.multiply(laid.samples, scale, out=laid.samples)
            event = Signal.adopt(laid.samples, signal.sample_rate_hz)
            mixture[:, laid.place] += event.samples
            events.append((laid.start, event.samples))
            notes.append(self._describe(laid, event, float(scale), ctx.analysis))
        return Edited(
            Signal.adopt(mixture, signal.sample_rate_hz),
            TimeMap.identity(signal.duration_s),
            {"events": notes},
            Stems(signal, events),
        )

    def _describe(
        self, laid: LaidEvent, event: Signal, scale: float, host: Analysis
    ) -> dict[str, Any]:
        """Return where an event lies, and its ratio by other conventions in the sense of `over`."""
        rate = event.sample_rate_hz
        level_dbfs = 10.0 * math.log10(laid.support.power(event.samples))
        ratios = other_ratios(event, level_dbfs, host, laid.window)
        sign = 1.0 if self.over == "event" else -1.0
        return {
            "start_s": laid.start / rate,
            "stop_s": laid.stop / rate,
            "onset_s": (laid.start + (onset_sample(laid.samples) or 0)) / rate,
            "window_s": [edge / rate for edge in laid.window],
            "trimmed_s": laid.trimmed_samples / rate,
            "gain_db": 20.0 * math.log10(scale),
            **{name: None if r.value is None else sign * r.value for name, r in ratios.items()},
            "undefined": {name: r.reason for name, r in ratios.items() if r.reason is not None},
        }

    def extent(
        self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext | ProofContext
    ) -> tuple[Span, ...]:
        """Each event from its start to its end."""
        rate = signal.sample_rate_hz
        return tuple(
            Span(laid.start / rate, laid.stop / rate) for laid in self._lay(signal, spans, ctx)
        )

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure what was added: its power against the host's, where it begins, what it is."""
        rate = before.sample_rate_hz
        sign = 1.0 if self.over == "event" else -1.0
        found = []
        for index, laid in enumerate(self._lay(before, spans, ctx)):
            added = after.samples[:, laid.place] - before.samples[:, laid.place]
            ratio = Reading.of_power(laid.support.power(added) / laid.host_power, _NOTHING)
            onset, expected = onset_sample(added), onset_sample(laid.samples) or 0
            found += [
                Measured.within(
                    "snr",
                    self.snr_db,
                    None if ratio.value is None else sign * ratio.value,
                    _SNR_TOLERANCE_DB,
                    unit="dB",
                    span=index,
                    reason=ratio.reason,
                ),
                Measured.within(
                    "onset",
                    (laid.start + expected) / rate,
                    None if onset is None else (laid.start + onset) / rate,
                    _ONSET_TOLERANCE_S,
                    unit="s",
                    span=index,
                    reason=_NOTHING if onset is None else None,
                ),
                self._residual(before, after, laid, ctx, index, is_sham=False),
            ]
        return found

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure how far what was added lies under the host."""
        found = []
        for index, laid in enumerate(self._lay(before, spans, ctx)):
            host = Signal.adopt(before.samples[:, laid.place], before.sample_rate_hz)
            added = after.samples[:, laid.place] - ctx.as_written(host).samples
            level = rms_dbfs(added / np.float32(math.sqrt(laid.host_power)))
            found += [
                Measured.at_most(
                    "added_level",
                    _SHAM_BOUND_DB,
                    level.value,
                    unit="dB",
                    span=index,
                    reason=None if level.is_defined else _NOTHING,
                ),
                self._residual(before, after, laid, ctx, index, is_sham=True),
            ]
        return found

    def _residual(
        self,
        before: Signal,
        after: Signal,
        laid: LaidEvent,
        ctx: ProofContext,
        index: int,
        *,
        is_sham: bool,
    ) -> Measured:
        """Measure what is in the result that is neither host nor event, in steps of 16 bits."""
        scale = laid.scale_for(self._ratio_db(is_sham=is_sham))
        largest = 0.0
        for at in range(0, laid.samples.shape[1], _BLOCK_SAMPLES):
            event = laid.samples[:, at : at + _BLOCK_SAMPLES] * scale
            place = slice(laid.start + at, laid.start + at + event.shape[1])
            mixture = Signal.adopt(before.samples[:, place] + event, before.sample_rate_hz)
            rest = np.abs(after.samples[:, place] - ctx.as_written(mixture).samples)
            largest = max(largest, float(rest.max()))
        return Measured.at_most("residual", 1.0, largest / _LSB, unit="LSB", span=index)


def _places(spans: Iterable[Span], signal: Signal) -> list[tuple[int, int]]:
    """Return where each event starts and by where it must have ended, in samples."""
    edges = [span.to_samples(signal.sample_rate_hz) for span in spans]
    next_starts = [start for start, _ in edges[1:]] + [signal.sample_count]
    places = []
    for (start, stop), next_start in zip(edges, next_starts, strict=True):
        limit = min(next_start, stop if stop > start else signal.sample_count)
        if limit <= start:
            raise ParameterError(f"event: two events start at {start / signal.sample_rate_hz:g} s")
        places.append((start, limit))
    return places
