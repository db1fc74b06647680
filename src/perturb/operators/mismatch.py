"""`mismatch`: another recording in the clip's place, of the same length and level.

Everything that the clip said is gone; what is left is that there is audio, as long and as loud as
before. The donor is given by name; choosing donors for a benchmark is the split's task.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.correlation import largest_correlation
from perturb.measure.level import frame_powers, rms_dbfs, sample_peak
from perturb.measure.reading import Reading
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    PROPERTIES,
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.conform import conform
from perturb.synthesis.donor import fit_donor
from perturb.time_map import TimeMap

__all__ = ["MIN_DONOR_S", "Mismatch"]

MIN_DONOR_S = 0.1
"""A shorter clip cannot stand in for another."""

_LEVEL_TOLERANCE_DB = 0.1
_MAX_CORRELATION = 0.5
_STRETCH_S = 1.0
_STRIDE = 4
_MAX_PEAK_DBFS = 54.0


class _AreSpeech(NamedTuple):
    host: bool
    donor: bool


class _Levels(NamedTuple):
    """The levels of host and donor by the first measure that both have."""

    measure: Literal["active_level", "loudness", "rms"]
    unit: str
    host: float
    donor: float


class Mismatch(Operator, frozen=True, kw_only=True):
    """Replace the clip by another recording of the same length and level.

    Parameters
    ----------
    ref : str
        The donor: `file:PATH`, or another reference.
    material : {'auto', 'speech', 'other'}
        What host and donor are. Speech is matched by its active level (P.56), and a short donor is
        followed by its own room tone; other sounds are matched in loudness (BS.1770), and a short
        donor is repeated. 'auto' asks the speech gate about both (their loudest second, then the
        whole): if either is not speech, levels are matched as for other sounds; the donor decides
        whether it is repeated.
    """

    ref: str
    material: Literal["auto", "speech", "other"] = "auto"

    sham_kind = "none"
    sham_description = "none for a given donor; in a split, the same-answer donors"
    proof_description = (
        "length exact; level = the clip's ± 0.1 dB, by the measure that was matched; other audio "
        "than the clip's; no lag at which they correlate by more than 0.5"
    )
    source = "SEABED, counterfactual controls: mismatched audio"

    def check(self) -> None:
        """A reference names its scheme."""
        if ":" not in self.ref:
            raise ParameterError(
                f"mismatch: ref is {self.ref!r}; accepted: file:PATH (or file=PATH)"
            )

    @property
    def needs_whole_clip(self) -> bool:
        """The donor replaces all of it."""
        return True

    def references(self) -> tuple[str, ...]:
        """The donor."""
        return (self.ref,)

    def ledger(self) -> Ledger:
        """Nothing of the clip is left but its level."""
        return Ledger(destroys=tuple(name for name in PROPERTIES if name != "channel"))

    @classmethod
    def examples(cls) -> tuple[Mismatch, ...]:
        """As speech, and as any other sound."""
        return (cls(ref="file:other.wav", material="speech"), cls(ref="file:other.wav"))

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The clip needs a level to match, and the donor must be another sound."""
        donor = ctx.resolve(self.ref)
        if not np.any(donor.samples):
            raise ParameterError(
                f"mismatch: donor {self.ref!r} is digital silence; accepted: a sound (silence is "
                "an operator of its own)"
            )
        if donor.duration_s < MIN_DONOR_S:
            raise ParameterError(
                f"mismatch: donor {self.ref!r} lasts {donor.duration_s:.3g} s; accepted: at least "
                f"{MIN_DONOR_S:g} s"
            )
        if not np.any(signal.samples):
            raise InapplicableError("the clip is digital silence: it has no level to match")
        if donor.audio_sha256 == signal.audio_sha256:
            raise InapplicableError(
                f"donor {self.ref!r} is the clip itself; name another recording"
            )

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Fit the donor to the clip's length and level."""
        resolved = ctx.resolve(self.ref)
        rate = signal.sample_rate_hz
        donor = conform(resolved, rate, signal.channel_count)
        generator = ctx.generator("room")

        def normals(count: int) -> FloatArray:
            return generator.standard_normal(count, dtype=np.float32)

        is_speech = self._are_speech(ctx.analysis, resolved)
        fitted = fit_donor(donor, rate, signal.sample_count, normals, may_loop=not is_speech.donor)
        host_rms, rms = ctx.analysis.rms_dbfs.value, rms_dbfs(fitted.samples).value
        if host_rms is None or rms is None:
            raise InapplicableError(
                f"donor {self.ref!r} is silent in every stretch as short as the clip"
            )
        # Near the clip's level first, so that the gates of the meters fall alike.
        peak_dbfs = 20.0 * math.log10(sample_peak(fitted.samples)) + host_rms - rms
        self._check_peak(peak_dbfs)
        samples = fitted.samples
        samples *= _factor(host_rms - rms)
        near = Analysis(Signal.adopt(samples.view(), rate))
        levels = _matched_levels(ctx.analysis, near, is_speech, _driving_loudness)
        gain_db = levels.host - levels.donor
        self._check_peak(peak_dbfs + gain_db)
        notes: dict[str, Any] = {
            "fit": fitted.fit,
            "donor_start_s": fitted.start / rate,
            "donor_stop_s": fitted.stop / rate,
            "donor_rate_hz": resolved.sample_rate_hz,
            "donor_channels": resolved.channel_count,
            "matched": levels.measure,
            "gain_db": host_rms - rms + gain_db,
            "is_speech": is_speech._asdict(),
        }
        samples *= _factor(gain_db)  # in place: what was measured of `near` has served
        return Edited(
            Signal.adopt(samples, rate),
            TimeMap.removal(signal.duration_s, signal.duration_s),
            notes,
        )

    def _check_peak(self, peak_dbfs: float) -> None:
        if peak_dbfs > _MAX_PEAK_DBFS:
            raise InapplicableError(
                f"donor {self.ref!r} is mostly silent: at the clip's level it would peak at "
                f"{peak_dbfs:+.0f} dBFS; accepted: up to {_MAX_PEAK_DBFS:+g}"
            )

    def _are_speech(self, host: Analysis, donor: Signal) -> _AreSpeech:
        if self.material != "auto":
            return _AreSpeech(self.material == "speech", self.material == "speech")
        return _AreSpeech(_is_speech(host), _is_speech(Analysis(donor)))

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure length, level, and how alike clip and result are."""
        is_speech = self._are_speech(ctx.before, ctx.resolve(self.ref))
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples"),
            Measured.within(
                "same_audio", 0.0, float(before.audio_sha256 == after.audio_sha256), 0.0
            ),
        ]
        alike = largest_correlation(ctx.before.mono, ctx.after.mono).correlation
        found.append(
            Measured.at_most(
                "largest_correlation", _MAX_CORRELATION, alike.value, reason=alike.reason
            )
        )
        rms = ctx.after.rms_dbfs
        levels = _matched_levels(ctx.before, ctx.after, is_speech, _judging_loudness)
        found.append(
            Measured.within(
                levels.measure,
                levels.host,
                levels.donor if rms.is_defined else None,
                _LEVEL_TOLERANCE_DB,
                unit=levels.unit,
                reason=rms.reason,
            )
        )
        return found


def _is_speech(analysis: Analysis) -> bool:
    """Whether a clip's loudest stretch, or else the whole of it, passes the speech gate.

    The stretch spares most speech the tracker's run over all of it; every fourth sample tells
    which is the loudest.
    """
    signal = analysis.signal
    stretch = _STRIDE * (seconds_to_sample(_STRETCH_S, signal.sample_rate_hz) // _STRIDE)
    if signal.sample_count > 2 * stretch:
        powers = frame_powers(signal.samples[:, ::_STRIDE], stretch // _STRIDE)
        start = int(np.argmax(powers[:-1])) * stretch
        loudest = Analysis(signal.slice(start, start + stretch))
        if loudest.speech_gate(0.0, loudest.signal.duration_s) is None:
            return True
    return analysis.speech_gate(0.0, signal.duration_s) is None


def _driving_loudness(analysis: Analysis) -> Reading:
    return analysis.quick_loudness_lufs


def _judging_loudness(analysis: Analysis) -> Reading:
    return analysis.loudness_lufs


def _matched_levels(
    host: Analysis,
    donor: Analysis,
    is_speech: _AreSpeech,
    loudness: Callable[[Analysis], Reading],
) -> _Levels:
    """Return both levels by the measure for their kind, or by RMS where one has no such level.

    Loudness has two meters, so that none judges what it drove.
    """
    if all(is_speech):
        levels = host.active_level.level_dbfs, donor.active_level.level_dbfs
        if levels[0] is not None and levels[1] is not None:
            return _Levels("active_level", "dBFS", levels[0], levels[1])
    else:
        levels = loudness(host).value, loudness(donor).value
        if levels[0] is not None and levels[1] is not None:
            return _Levels("loudness", "LUFS", levels[0], levels[1])
    return _Levels("rms", "dBFS", host.rms_dbfs.value or 0.0, donor.rms_dbfs.value or 0.0)


def _factor(gain_db: float) -> np.float32:
    return np.float32(10.0 ** (gain_db / 20.0))
