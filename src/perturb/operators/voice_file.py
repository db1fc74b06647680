"""`voice_file`: an utterance in another voice, from a recording that the caller brings.

Signal processing gives another voice; a given speaker's takes a recording in which that speaker, or
a synthesiser in that voice, says the same words. It is laid into the utterance's slot: made to last
as long, at the level that was there, the clip's room under it, joined where the clip is quiet. Its
sham is the same utterance, spoken anew in its own voice: with the original the three make a
triplet. The trace marks both as synthetic.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.active_level import active_speech_level
from perturb.measure.analysis import Analysis
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
)
from perturb.operators.respoken_proof import prove_respoken
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.donor import ROOM_FLOOR_DBFS
from perturb.synthesis.noise import room_noise
from perturb.synthesis.respoken import fit, lay, place

__all__ = ["VoiceFile"]


class VoiceFile(Operator, frozen=True, kw_only=True):
    """Lay a re-spoken utterance into the slot of the one that was there.

    Parameters
    ----------
    ref : str
        The utterance spoken anew, in the other voice: `file:PATH`, or another reference. It holds
        nothing else that is spoken. Its words and its speaker are the caller's to vouch for.
    sham_ref : str, optional
        The same spoken anew in the utterance's own voice, by the same means; without it there is
        no sham.
    """

    ref: str
    sham_ref: str | None = None

    sham_kind = "own"
    sham_description = "the utterance spoken anew in its own voice (sham_ref); none without it"
    proof_description = (
        "length exact; active level (P.56) of the slot ± 0.1 dB; the recording found in the slot "
        "at its rate ± 5 %, with its level (r ≥ .90) and its pitch (median error ≤ 40 cents); no "
        "lag at which old and new correlate by more than 0.5; joins 15.9 dB and more under the "
        "speech; nowhere more than 3 dB under the room; outside bit-equal"
    )
    source = "HEAR, voice-swap pairs: one utterance re-spoken, transcript and timing kept"

    def check(self) -> None:
        """References name their scheme."""
        for name in ("ref", "sham_ref"):
            value = getattr(self, name)
            if value is not None and ":" not in value:
                raise ParameterError(
                    f"voice_file: {name} is {value!r}; accepted: file:PATH (or file=PATH)"
                )

    def sham_exists(self) -> bool:
        """Whether there is a recording in the own voice."""
        return self.sham_ref is not None

    def references(self) -> tuple[str, ...]:
        """The recordings, the other voice first."""
        return (self.ref,) if self.sham_ref is None else (self.ref, self.sham_ref)

    def ledger(self) -> Ledger:
        """The words stay; how the new speaker says them is not promised."""
        return Ledger(
            keeps=("words", "background", "channel"), destroys=("voice_quality", "speaker")
        )

    def sham_ledger(self) -> Ledger:
        """The words and the speaker, as the caller says."""
        return Ledger(keeps=("words", "speaker", "background", "channel"))

    @classmethod
    def examples(cls) -> tuple[VoiceFile, ...]:
        """With a sham, and without."""
        return (
            cls(ref="file:respoken.wav", sham_ref="file:own_voice.wav"),
            cls(ref="file:respoken.wav"),
        )

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The one span holds speech, and the recordings can be fitted into it."""
        if len(spans) != 1:
            raise ParameterError(
                f"voice_file: {len(spans)} spans; accepted: one, the utterance's (a step for each)"
            )
        reason = ctx.analysis.speech_gate(spans[0].start_s, spans[0].end_s)
        if reason is not None:
            raise InapplicableError(reason)
        recordings = {name: ctx.resolve(name) for name in self.references()}
        if len({recording.audio_sha256 for recording in recordings.values()}) < len(recordings):
            raise ParameterError(
                "voice_file: ref and sham_ref hold the same audio; accepted: two recordings, in "
                "the other voice and in the utterance's own"
            )
        for name, recording in recordings.items():
            if recording.sample_rate_hz < signal.sample_rate_hz:
                raise InapplicableError(
                    f"recording {name!r} has {recording.sample_rate_hz} Hz, the clip "
                    f"{signal.sample_rate_hz} Hz: what it lacks above "
                    f"{recording.sample_rate_hz / 2:g} Hz would give it away; bring one of "
                    f"{signal.sample_rate_hz} Hz or more"
                )
            why = Analysis(recording).speech_gate(0.0, recording.duration_s)
            if why is not None:
                raise InapplicableError(f"recording {name!r}: {why}")
            span = spans[0].to_samples(signal.sample_rate_hz)
            placed = place(signal, *span, recording, f"recording {name!r}")
            fit(placed.recording, placed.speech, signal.sample_rate_hz, placed.slot)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Lay the other voice into the slot."""
        return _respeak(self.ref, signal, spans, ctx)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Lay the own voice into the slot."""
        if self.sham_ref is None:
            raise InapplicableError("voice_file has no sham without sham_ref")
        return _respeak(self.sham_ref, signal, spans, ctx)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove that the recording is in the slot, at its level, joined in the quiet."""
        return prove_respoken(ctx.resolve(self.ref), before, after, spans[0], ctx)

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the same of the own voice."""
        return prove_respoken(ctx.resolve(str(self.sham_ref)), before, after, spans[0], ctx)


def _respeak(name: str, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
    rate_hz = signal.sample_rate_hz
    span = spans[0].to_samples(rate_hz)
    placed = place(signal, *span, ctx.resolve(name), f"recording {name!r}")
    fitted = fit(placed.recording, placed.speech, rate_hz, placed.slot)
    generator = ctx.generator("room")
    room_dbfs = ctx.analysis.room.level_dbfs.value
    has_room = room_dbfs is not None and room_dbfs >= ROOM_FLOOR_DBFS
    gains_db: list[float] = []

    def normals(count: int) -> FloatArray:
        return generator.standard_normal(count, dtype=np.float32)

    def render(segment: Segment) -> FloatArray:
        count = segment.stop - segment.start
        room: FloatArray = np.zeros_like(segment.samples)
        if has_room:
            room = room_noise(ctx.analysis.room, count, normals)
        laid, gain_db = lay(
            segment.samples,
            fitted.samples,
            room,
            placed.slot.weight,
            lambda samples: _active_dbfs(samples, rate_hz),
        )
        gains_db.append(gain_db)
        return laid

    edited = ctx.splice(signal, spans, render)
    start_s = spans[0].start_s
    notes: dict[str, Any] = {
        "is_synthetic": True,
        "recording": name,
        "recording_speech_s": [edge / rate_hz for edge in placed.speech],
        "utterance_s": [start_s + edge / rate_hz for edge in placed.slot.speech],
        "stretch": fitted.stretch,
        "gain_db": gains_db[0],
        "room_dbfs": room_dbfs if has_room else None,
        "joins_s": [None if at is None else start_s + at / rate_hz for at in placed.slot.joins],
    }
    return replace(edited, notes=notes)


def _active_dbfs(samples: FloatArray, sample_rate_hz: int) -> float:
    level = active_speech_level(Signal(samples, sample_rate_hz))
    if level.level_dbfs is None:
        raise InapplicableError(f"the utterance has no active level to match: {level.reason}")
    return level.level_dbfs
