"""`retime`: the timing of speech evened out, its words and melody kept.

Either every pause is made as long as every other, or syllables follow each other as evenly as they
can while the whole takes its time. What hesitation, haste and rhythm told is gone.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.analysis import Analysis
from perturb.operators.proof import Measured
from perturb.operators.protocol import EditContext, Edited, Ledger, Operator, ProofContext
from perturb.operators.retime_proof import prove_intervals, prove_pauses
from perturb.operators.tempo_edit import (
    Place,
    places_kept,
    prove_outside,
    prove_tempo,
    time_map_along,
)
from perturb.record import bounds
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.mix import mix_down
from perturb.synthesis.pauses import find_pauses, pause_tempo, set_pauses
from perturb.synthesis.speed import splice_in_place, stretch
from perturb.synthesis.syllables import (
    LEAST_INTERVALS,
    even_tempo,
    find_nuclei,
    log_interval_sd,
)
from perturb.synthesis.tempo import Tempo
from perturb.time_map import TimeMap

__all__ = ["Retime"]

_LEVEL_CORRELATION = 0.90


class Retime(Operator, frozen=True, kw_only=True):
    """Keep words and melody of speech and even out its timing.

    Parameters
    ----------
    what : {'pauses', 'tempo'}
        'pauses': every pause of 120 ms or more between words gets one length. 'tempo': syllables
        follow each other evenly, as far as a factor of 2 allows; the whole takes as long as before.
    pause_s : float
        That length; without meaning for 'tempo'.
    """

    what: Literal["pauses", "tempo"] = "pauses"
    pause_s: Annotated[float, bounds(0.05, 2.0, "s", "length of every pause")] = 0.2

    sham_kind = "own"
    sham_description = "spliced wherever the probe is, and nothing moved"
    proof_description = (
        "length that of the map; pauses: each within 10 ms of its length by another detector, all "
        "between bit-equal; tempo: ≥ 75 % of the syllables within 40 ms of where they were to "
        "go, and the spread of their intervals down by 30 % or more (or ≤ 0.15, where it was "
        "even), median F0 error along the map ≤ 40 cents, level r ≥ .90; outside bit-equal, "
        "shifted"
    )
    source = "Words without timing; de Jong and Wempe 2009 (syllable nuclei)"

    def ledger(self) -> Ledger:
        """Rhythm goes. Even pauses leave the syllables where they were: nothing all gone."""
        return Ledger(
            keeps=(
                "words",
                "segments",
                "lexical_tone",
                "intonation",
                "intensity",
                "voice_quality",
                "speaker",
                "background",
                "channel",
            ),
            destroys=("timing",) if self.what == "tempo" else (),
        )

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by what is evened."""
        return {f"what={what}": cls(what=what).ledger() for what in ("pauses", "tempo")}

    @classmethod
    def examples(cls) -> tuple[Retime, ...]:
        """Tempo, and pauses, short and long."""
        return (cls(what="tempo"), cls(), cls(pause_s=0.6))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech, with pauses or with syllables enough."""
        for span, (start, stop) in zip(spans, _edges(signal, spans), strict=True):
            reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
            if reason is not None:
                raise InapplicableError(reason)
            mono = mix_down(signal.samples[:, start:stop])
            if self.what == "pauses" and not find_pauses(mono, signal.sample_rate_hz):
                raise InapplicableError(
                    f"span {span} has no pause of 120 ms or more between its words"
                )
            f0 = ctx.analysis.f0.slice(span.start_s, span.end_s)
            nuclei_s = find_nuclei(mono, signal.sample_rate_hz, f0)
            if self.what == "tempo" and log_interval_sd(nuclei_s) is None:
                raise InapplicableError(
                    f"span {span} has {nuclei_s.size} syllables; {LEAST_INTERVALS + 1} in a row "
                    "are needed"
                )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Retime each span, and move what comes after it."""
        tempos = self._tempos(signal, spans, ctx.analysis)
        samples = self._play(signal, spans, tempos, is_sham=False)
        return Edited(samples, time_map_along(signal, _places(signal, spans, tempos), tempos))

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Splice each span as the probe would, and move nothing."""
        tempos = self._tempos(signal, spans, ctx.analysis)
        samples = self._play(signal, spans, tempos, is_sham=True)
        return Edited(samples, TimeMap.identity(signal.duration_s))

    def _length(self, sample_rate_hz: int) -> int:
        return max(seconds_to_sample(self.pause_s, sample_rate_hz), 1)

    def _tempos(self, signal: Signal, spans: tuple[Span, ...], analysis: Analysis) -> list[Tempo]:
        """Return the path of time through each span."""
        rate_hz = signal.sample_rate_hz
        tempos = []
        for span, mono in zip(spans, _monos(signal, spans), strict=True):
            if self.what == "tempo":
                nuclei_s = find_nuclei(mono, rate_hz, analysis.f0.slice(span.start_s, span.end_s))
                tempos.append(even_tempo(nuclei_s, mono.size, rate_hz))
            else:
                pauses = find_pauses(mono, rate_hz)
                tempos.append(pause_tempo(pauses, self._length(rate_hz), mono.size))
        return tempos

    def _play(
        self, signal: Signal, spans: tuple[Span, ...], tempos: list[Tempo], *, is_sham: bool
    ) -> Signal:
        rate_hz = signal.sample_rate_hz
        parts: list[FloatArray] = []
        at = 0
        for (start, stop), tempo in zip(_edges(signal, spans), tempos, strict=True):
            part = signal.samples[:, start:stop]
            mono = mix_down(part)
            if self.what == "pauses":
                pauses = find_pauses(mono, rate_hz)
                length = self._length(rate_hz)
                played = set_pauses(part, mono, rate_hz, pauses, length, is_sham=is_sham)
            else:
                play = splice_in_place if is_sham else stretch
                played = play(part, mono, rate_hz, tempo).samples
            parts += [signal.samples[:, at:start], played]
            at = stop
        return Signal.adopt(np.concatenate([*parts, signal.samples[:, at:]], axis=1), rate_hz)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the length, what lies outside, and pauses or intervals of each span."""
        tempos = self._tempos(before, spans, ctx.before)
        places = _places(before, spans, tempos)
        wanted = before.sample_count + places[-1].new_stop - places[-1].stop
        found = [
            Measured.within("length", wanted, after.sample_count, 0.0, unit="samples"),
            *prove_outside(before, after, places, ctx),
        ]
        if self.what == "pauses":
            return [
                *found,
                *prove_pauses(before, after, places, self._length(before.sample_rate_hz), ctx),
            ]
        found += prove_tempo(
            before,
            after,
            places,
            ctx,
            least_correlation=_LEVEL_CORRELATION,
            level_instrument="self-consistent",
        )
        return [*found, *prove_intervals(places, tempos, ctx)]

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove that nothing moved: length, pitch and level of each span."""
        places = places_kept(spans, before.sample_rate_hz)
        return [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples"),
            *prove_tempo(
                before,
                after,
                places,
                ctx,
                least_correlation=_LEVEL_CORRELATION,
                level_instrument="independent",
            ),
        ]


def _edges(signal: Signal, spans: tuple[Span, ...]) -> list[tuple[int, int]]:
    return [span.to_samples(signal.sample_rate_hz) for span in spans]


def _monos(signal: Signal, spans: tuple[Span, ...]) -> list[FloatArray]:
    return [mix_down(signal.samples[:, start:stop]) for start, stop in _edges(signal, spans)]


def _places(signal: Signal, spans: tuple[Span, ...], tempos: list[Tempo]) -> list[Place]:
    """Return where the spans lie, each as long as its path, what follows moved along."""
    places, shift = [], 0
    for (start, stop), tempo in zip(_edges(signal, spans), tempos, strict=True):
        new_start = start + shift
        shift = new_start + tempo.target_length - stop
        places.append(Place(start, stop, new_start, stop + shift))
    return places
