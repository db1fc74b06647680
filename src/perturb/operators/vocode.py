"""`vocode`: the prosody of a voice without its words.

Pitch, loudness and timing are measured, and a sound with one fixed, neutral mouth is made to follow
them: a band-limited pulse train at F0, noise where the voice has none, the original's level
contour. What the mouth said is gone; how it was said remains. Shams keep the excitation and put the
clip's own moving spectral envelope back: the words return, the processing stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.f0_track import F0Track
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import pair_spans
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Property,
    Segment,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.noise import NormalSource
from perturb.synthesis.vocode import METHODS, VocodeMethod, vocode_segment, vocode_sham_segment

__all__ = ["Vocode"]

_PITCH = {
    "f0_tracking_error": 5.0,
    "f0_median_error": 10.0,
    "f0_fine_error": 35.0,
    "f0_gross_error": 1.0,
    "f0_correlation": 0.97,
}
_LEVEL = {"level_correlation": 0.98, "level_difference_sd": 1.3}
_WORDLESS = {"cepstral_variance": 10.0}

_PROBE_LIMITS: Mapping[str, Mapping[str, float]] = {
    "pulse": {**_PITCH, "voicing_error": 10.0, **_LEVEL, **_WORDLESS},
    "hum": {**_PITCH, "voicing_error": 10.0, **_WORDLESS},
    "interpolated": {**_PITCH, **_LEVEL, **_WORDLESS},
    "lowpass": {"f0_tracking_error": 5.0, "f0_median_error": 10.0, "f0_gross_error": 1.0},
    "envelope": {"voiced_frames": 10.0, **_LEVEL, **_WORDLESS},
}
_SHAM_PITCH = {"f0_tracking_error": 5.0, "f0_median_error": 12.0, "f0_gross_error": 1.0}
_SHAM_LIMITS: Mapping[str, Mapping[str, float]] = {
    "pulse": {**_SHAM_PITCH, "voicing_error": 8.0, "level_correlation": 0.985},
    "hum": {**_SHAM_PITCH, "voicing_error": 8.0},
    "interpolated": {**_SHAM_PITCH, "level_correlation": 0.985},
    "lowpass": {"level_correlation": 0.999, "level_difference_sd": 0.2},
    "envelope": {"voiced_frames": 10.0, "level_correlation": 0.98},
}

_Synthesis = Callable[[FloatArray, int, F0Track, VocodeMethod, NormalSource], FloatArray]


class Vocode(Operator, frozen=True, kw_only=True):
    """Keep the prosody of a voice and take its words away.

    Parameters
    ----------
    method : {'pulse', 'hum', 'interpolated', 'lowpass', 'envelope'}
        'pulse': pulses at F0 where voiced, noise elsewhere. 'hum': silent where unvoiced.
        'interpolated': F0 carried through. 'lowpass': the clip below 400 Hz, for comparison with
        older studies alone, since words leak. 'envelope': noise with the level contour; rhythm
        and loudness without pitch.
    """

    method: VocodeMethod = "pulse"

    sham_kind = "own"
    sham_description = (
        "the same excitation through the clip's own moving spectral envelope: the words return "
        "(hum: about 0.6 of them, its unvoiced parts stay silent; lowpass: split at 400 Hz and "
        "summed again)"
    )
    proof_description = (
        "length exact; F0 by a second algorithm: median error ≤ 10 cents, fine ≤ 35 cents, gross "
        "≤ 1 %, voicing error ≤ 10 %, r ≥ .97; level r ≥ .98, SD ≤ 1.3 dB; variance of mel-cepstra "
        "≤ 10 % of the original's; outside bit-equal"
    )
    source = "SEABED, prosody-only (vocoded) conditions"

    def ledger(self) -> Ledger:
        """Prosody stays, words and voice go; `lowpass` keeps more than it should."""
        melody: tuple[Property, ...] = ("lexical_tone", "intonation")
        speech: tuple[Property, ...] = (
            "words",
            "segments",
            "voice_quality",
            "speaker",
            "background",
        )
        if self.method == "envelope":
            return Ledger(keeps=("intensity", "timing"), destroys=(*speech, *melody))
        if self.method == "lowpass":
            return Ledger(keeps=(*melody, "timing"), destroys=("segments",))
        return Ledger(keeps=(*melody, "intensity", "timing"), destroys=speech)

    @classmethod
    def examples(cls) -> tuple[Vocode, ...]:
        """Each method."""
        return tuple(cls(method=method) for method in METHODS)

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by method."""
        return {
            "method=pulse, hum, interpolated": cls().ledger(),
            "method=lowpass": cls(method="lowpass").ledger(),
            "method=envelope": cls(method="envelope").ledger(),
        }

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Every span has to hold speech: .3 s active, a tenth of it voiced."""
        for span in spans:
            reason = ctx.analysis.speech_gate(span.start_s, span.end_s)
            if reason is not None:
                raise InapplicableError(reason)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Resynthesise each span with the neutral mouth."""
        return self._resynthesise(vocode_segment, signal, spans, ctx)

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Resynthesise each span with its own moving mouth."""
        return self._resynthesise(vocode_sham_segment, signal, spans, ctx)

    def _resynthesise(
        self, synthesis: _Synthesis, signal: Signal, spans: tuple[Span, ...], ctx: EditContext
    ) -> Edited:
        def render(segment: Segment) -> FloatArray:
            track = ctx.analysis.f0.slice(segment.start_s, segment.stop_s)
            generator = ctx.generator(f"noise/{segment.index}")

            def normals(count: int) -> FloatArray:
                return generator.standard_normal(count, dtype=np.float32)

            return synthesis(segment.samples, segment.sample_rate_hz, track, self.method, normals)

        return ctx.splice(signal, spans, render)

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the prosody kept and the envelope gone, span by span."""
        return self._prove(_PROBE_LIMITS, before, after, spans, ctx)

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Prove the prosody kept; that the words return is for recognisers to say."""
        return self._prove(_SHAM_LIMITS, before, after, spans, ctx)

    def _prove(
        self,
        limits: Mapping[str, Mapping[str, float]],
        before: Signal,
        after: Signal,
        spans: tuple[Span, ...],
        ctx: ProofContext,
    ) -> list[Measured]:
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
        ]
        for pair in pair_spans(before, after, spans, ctx):
            found.extend(pair.prove(limits[self.method]))
        return found
