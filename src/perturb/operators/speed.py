"""`speed`: a span played faster or slower, its pitch and words kept.

Time runs `rate` times as fast from a to b and is shifted after it: t < a stays, a ≤ t ≤ b becomes
a + (t - a) / rate, t > b becomes t - (b - a)(1 - 1 / rate). Samples outside the spans are the
original's, bit for bit; inside, the sound sets out from the recording and comes back to it.

What it costs. In trials of the method a strong recogniser still heard .97, .91 and .48 of the words
at 1.5, 2 and 3 ×, and .94 and .69 at 2 and 3 × through ``wsola_speech``; a listener loses words at
3 × too. Pocketsphinx on the project's clips, closed set: with frames of its own .93, .75 and .27,
since its phones cannot be shorter than 30 ms, with frames as much shorter as the clip is faster
1.0, 1.0 and .88. That the words are unchanged is therefore promised up to 2 ×, and not at 3 ×.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np

from perturb.errors import InapplicableError
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
)
from perturb.operators.tempo_edit import (
    Place,
    places_at_rate,
    places_kept,
    prove_outside,
    prove_tempo,
    time_map_along,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.mix import mix_down
from perturb.synthesis.speed import (
    LEAST_S,
    least_samples,
    splice_in_place,
    stretch,
)
from perturb.synthesis.tempo import Tempo, speech_tempo
from perturb.time_map import TimeMap

__all__ = ["Speed"]

_WORDS_UP_TO = 2.0
_LENGTH_TOLERANCE_SAMPLES = 1.0
_LEVEL_CORRELATION = 0.95
_LEVEL_CORRELATION_FAR = 0.90
"""Beyond a factor of 2 either way: locally, the mode for speech always is."""

_LEVEL_CORRELATION_TWICE = 0.85
"""A sham that has been through an engine of others twice."""


class Speed(Operator, frozen=True, kw_only=True):
    """Play a span `rate` times as fast, at its own pitch.

    Parameters
    ----------
    rate : float
        How much faster, 0.25 to 4; below 1 is slower, 1 changes nothing. Words are lost beyond 2:
        at 3, half of them on a strong recogniser, a third with ``wsola_speech``.
    engine : {'wsola', 'wsola_speech', 'spectral', 'rubberband'}
        How. ``wsola`` splices the recording where it is most like itself. ``wsola_speech`` does so
        unevenly: pauses and steady sounds give way first, words suffer least, and its time map says
        where everything went. ``spectral`` (Signalsmith Stretch, extra ``spectral``) and
        ``rubberband`` (Rubber Band R3, extra ``rubberband`` and the program) suit music and
        mixtures; their samples depend on their versions, which the trace carries.
    """

    rate: Annotated[float, bounds(0.25, 4.0, "x", "how much faster; below 1 is slower")]
    engine: Literal["wsola", "wsola_speech", "spectral", "rubberband"] = "wsola"

    sham_kind = "own"
    sham_description = (
        "the engine, and no other tempo: WSOLA with a splice forced wherever the probe has one, as "
        "far from where the recording would go on (5 ms at most); others' engines, there and back"
    )
    proof_description = (
        "length = that of the time map ± 1 sample; rate read from the level contours ± 5 %; median "
        "F0 error along the map ≤ 40 cents by a second algorithm; level r along the map ≥ 0.95 up "
        "to a factor of 2, ≥ 0.90 beyond and for wsola_speech; outside bit-equal, shifted"
    )
    source = "AudioSpan, modification: tempo × 1.5–3 either way; Verhelst and Roelands 1993 (WSOLA)"

    @property
    def is_neutral(self) -> bool:
        """A rate of 1."""
        return self.rate == 1.0

    def result_duration_s(self, duration_s: float, spans: tuple[Span, ...] = ()) -> float:
        """The spans by the rate, the rest as it was."""
        edited_s = sum(span.duration_s for span in spans) if spans else duration_s
        return duration_s - edited_s + edited_s / self.rate

    def ledger(self) -> Ledger:
        """Timing goes; words are promised up to twice the speed."""
        kept: tuple[Property, ...] = (
            "lexical_tone",
            "intonation",
            "intensity",
            "voice_quality",
            "speaker",
            "channel",
        )
        if self.rate <= _WORDS_UP_TO:
            kept = ("words", "segments", *kept)
        return Ledger(keeps=kept, destroys=("timing",))

    @classmethod
    def examples(cls) -> tuple[Speed, ...]:
        """Faster, slower, and the mode for speech."""
        return (cls(rate=1.5), cls(rate=0.5), cls(rate=3.0, engine="wsola_speech"))

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger up to twice the speed, and beyond."""
        return {
            f"rate up to {_WORDS_UP_TO:g}": cls(rate=_WORDS_UP_TO).ledger(),
            f"rate above {_WORDS_UP_TO:g}": cls(rate=4.0).ledger(),
        }

    def check_available(self) -> None:
        """The engine must be installed."""
        self._engine_version()

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Find the engine; refuse silence, and spans that two windows do not fit into."""
        self._engine_version()
        places = places_at_rate(spans, signal.sample_rate_hz, self.rate)
        for span, place in zip(spans, places, strict=True):
            shortest = min(place.source_length, place.target_length)
            if shortest < least_samples(signal.sample_rate_hz):
                raise InapplicableError(
                    f"span {span} is too short for a rate of {self.rate:g}: {place.source_length} "
                    f"samples would become {place.target_length}; at least {1000 * LEAST_S:g} ms "
                    "before and after are needed"
                )
            if not np.any(signal.samples[:, place.start : place.stop]):
                raise InapplicableError(f"span {span} is digital silence: no tempo is heard there")

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Play each span at the rate, and move what comes after it."""
        return self._edit(signal, spans, is_sham=False)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Splice each span as the probe would, and leave its tempo."""
        return self._edit(signal, spans, is_sham=True)

    def _edit(self, signal: Signal, spans: tuple[Span, ...], *, is_sham: bool) -> Edited:
        places = places_at_rate(spans, signal.sample_rate_hz, self.rate)
        parts: list[FloatArray] = []
        tempos: list[Tempo] = []
        notes: list[dict[str, Any]] = []
        at = 0
        for place in places:
            played, tempo, note = self._play(signal, place, is_sham=is_sham)
            parts += [signal.samples[:, at : place.start], played]
            tempos.append(tempo)
            notes.append(note)
            at = place.stop
        parts = [part for part in (*parts, signal.samples[:, at:]) if part.shape[1]]
        samples = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return Edited(
            Signal.adopt(samples, signal.sample_rate_hz),
            TimeMap.identity(signal.duration_s)
            if is_sham
            else time_map_along(signal, places, tempos),
            {"engine": self._engine_version(), "spans": notes},
        )

    def _engine_version(self) -> str:
        """Return the engine and its version; refuse one that is not there."""
        if self.engine == "wsola" or self.engine == "wsola_speech":
            return self.engine
        from perturb.synthesis.speed_engines import check_engine

        return check_engine(self.engine)

    def _play(
        self, signal: Signal, place: Place, *, is_sham: bool
    ) -> tuple[FloatArray, Tempo, dict[str, Any]]:
        """Return the sound of one span, its path of time, and a note for the trace."""
        rate_hz = signal.sample_rate_hz
        source, target = place.source_length, place.target_length
        tempo = Tempo.uniform(source, target)
        if self.engine == "spectral" or self.engine == "rubberband":
            from perturb.synthesis.speed_engines import stretch_with

            edges = (place.start, place.stop, target)
            played, surplus = stretch_with(
                self.engine, signal.samples, rate_hz, *edges, is_sham=is_sham
            )
            return played, tempo, {"trimmed_samples": surplus}
        span = signal.samples[:, place.start : place.stop]
        mono = mix_down(span)
        if self.engine == "wsola_speech":
            tempo = speech_tempo(mono, rate_hz, target)
        play: Callable[..., Any] = splice_in_place if is_sham else stretch
        found = play(span, mono, rate_hz, tempo)
        note = {"splices": found.splices, "splice_likeness": found.likeness}
        return found.samples, tempo, note

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the length, what lies outside, and rate, pitch and level of each span."""
        places = places_at_rate(spans, before.sample_rate_hz, self.rate)
        wanted = before.sample_count + places[-1].new_stop - places[-1].stop
        length = Measured.within(
            "length", wanted, after.sample_count, _LENGTH_TOLERANCE_SAMPLES, unit="samples"
        )
        is_near = 0.5 <= self.rate <= 2.0 and self.engine != "wsola_speech"
        least = _LEVEL_CORRELATION if is_near else _LEVEL_CORRELATION_FAR
        return [
            length,
            *prove_outside(before, after, places, ctx),
            *self._prove(before, after, places, ctx, least),
        ]

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove that nothing moved: length exact; rate, pitch and level of each span."""
        places = places_kept(spans, before.sample_rate_hz)
        length = Measured.within(
            "length", before.sample_count, after.sample_count, 0.0, unit="samples"
        )
        is_foreign = self.engine in ("spectral", "rubberband")
        least = _LEVEL_CORRELATION_TWICE if is_foreign else _LEVEL_CORRELATION
        return [length, *self._prove(before, after, places, ctx, least)]

    def _prove(
        self,
        before: Signal,
        after: Signal,
        places: list[Place],
        ctx: ProofContext,
        least_correlation: float,
    ) -> list[Measured]:
        # The mode for speech shares out time by the level, which then cannot judge it alone.
        uses_level = self.engine == "wsola_speech"
        return list(
            prove_tempo(
                before,
                after,
                places,
                ctx,
                least_correlation=least_correlation,
                level_instrument="self-consistent" if uses_level else "independent",
            )
        )
