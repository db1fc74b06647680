"""Proofs that a recording stands where an utterance was: that it is heard, and that no seam is.

The slot's level is matched and proven by the same meter. That the recording is in it is read from
its level contour and its pitch, which had no part in the edit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from perturb.measure.active_level import active_speech_level
from perturb.measure.analysis import Analysis
from perturb.measure.correlation import largest_correlation
from perturb.measure.f0_judge import judge_f0
from perturb.measure.f0_track import F0Track
from perturb.measure.level import strongest_channel
from perturb.measure.prosody import compare_f0
from perturb.measure.tempo import compare_tempo
from perturb.operators.proof import Measured
from perturb.operators.protocol import ProofContext
from perturb.signal import FloatArray, Signal
from perturb.span import Span, seconds_to_sample
from perturb.synthesis.donor import ROOM_FLOOR_DBFS
from perturb.synthesis.respoken import Placed, place
from perturb.synthesis.slot import Slot

__all__ = ["prove_respoken"]

_LEVEL_TOLERANCE_DB = 0.1
_MOST_CORRELATION = 0.5
_LEVEL_CORRELATION = 0.9
_F0_CENTS = 40.0
_RATE_TOLERANCE = 0.05
_JOIN_DB = 15.9
_FLOOR_DB = 3.0
_FRAME_S = 0.01


def prove_respoken(
    recording: Signal, before: Signal, after: Signal, span: Span, ctx: ProofContext
) -> list[Measured]:
    """Prove that a recording stands in the slot of the utterance of a span.

    Parameters
    ----------
    recording : Signal
        The utterance spoken anew.
    before, after, span, ctx
        As `Operator.measure` has them.
    """
    return list(_prove(recording, before, after, span, ctx))


def _prove(
    recording: Signal, before: Signal, after: Signal, span: Span, ctx: ProofContext
) -> Iterator[Measured]:
    rate_hz = before.sample_rate_hz
    start, stop = span.to_samples(rate_hz)
    yield Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
    old, new = (signal.samples[:, start:stop] for signal in (before, after))
    levels = [active_speech_level(Signal(samples, rate_hz)) for samples in (old, new)]
    yield Measured.within(
        "active_level",
        levels[0].level_dbfs or 0.0,
        levels[1].level_dbfs,
        _LEVEL_TOLERANCE_DB,
        unit="dBFS",
        span=0,
        reason=levels[1].reason,
    )
    placed = place(before, start, stop, recording, "the recording")
    yield from _prove_recording(placed, new, rate_hz)
    channel = strongest_channel(old)
    alike = largest_correlation(old[channel], new[channel]).correlation
    yield Measured.at_most(
        "largest_correlation",
        _MOST_CORRELATION,
        alike.value,
        instrument="independent",
        span=0,
        reason=alike.reason,
    )
    yield from _prove_joins(placed.slot, old, levels[0].level_dbfs or 0.0, rate_hz)
    yield from _prove_room(placed.slot, new, ctx.before, rate_hz)


def _prove_recording(placed: Placed, new: FloatArray, sample_rate_hz: int) -> Iterator[Measured]:
    """Yield rate, level and pitch of the recording as it is heard in the slot."""
    source, target = placed.speech, placed.slot.speech
    channel = strongest_channel(placed.recording)
    said, heard = placed.recording[channel], new[channel]
    lengths_s = source.length / sample_rate_hz, target.length / sample_rate_hz
    tempo = compare_tempo(
        said[source.start : source.stop],
        heard[target.start : target.stop],
        sample_rate_hz,
        [0.0, lengths_s[0]],
        [0.0, lengths_s[1]],
    )
    rate = lengths_s[0] / lengths_s[1]
    yield Measured.within(
        "rate", rate, tempo.rate, _RATE_TOLERANCE * rate, unit="x",
        instrument="independent", span=0, reason=tempo.rate_reason,
    )  # fmt: skip
    yield Measured.at_least(
        "level_correlation", _LEVEL_CORRELATION, tempo.level_correlation,
        instrument="independent", span=0, reason=tempo.level_reason,
    )  # fmt: skip
    wanted = judge_f0(said, sample_rate_hz).slice(*(edge / sample_rate_hz for edge in source))
    moments_s = target.start / sample_rate_hz + wanted.times_s / rate
    found = judge_f0(heard, sample_rate_hz).at(moments_s)
    pitch = compare_f0(wanted, F0Track(wanted.times_s, found, wanted.strength, wanted.hop_s))
    yield Measured.at_most(
        "f0_median_error", _F0_CENTS, pitch.median_error_cents, unit="cents",
        instrument="independent", span=0, reason=pitch.reasons.get("median_error_cents"),
    )  # fmt: skip


def _prove_joins(
    slot: Slot, old: FloatArray, level_dbfs: float, sample_rate_hz: int
) -> Iterator[Measured]:
    """Yield how far under the speech the louder join lies; at the span's edges where none is."""
    half = seconds_to_sample(_FRAME_S, sample_rate_hz) // 2
    places = (
        half if slot.joins[0] is None else slot.joins[0],
        old.shape[1] - half if slot.joins[1] is None else slot.joins[1],
    )
    powers = [float(np.square(old[:, at - half : at + half]).mean()) for at in places]
    yield Measured.at_most(
        "join_level",
        -_JOIN_DB,
        10.0 * math.log10(max(*powers, 1e-12)) - level_dbfs,
        unit="dB",
        span=0,
    )


def _prove_room(
    slot: Slot, new: FloatArray, clip: Analysis, sample_rate_hz: int
) -> Iterator[Measured]:
    """Yield the level of the quietest tenth of what was replaced; nothing in a silent room."""
    room_dbfs = clip.room.level_dbfs.value
    if room_dbfs is None or room_dbfs < ROOM_FLOOR_DBFS:
        return
    core = new[:, slot.weight == 1.0]
    frame = min(5 * seconds_to_sample(_FRAME_S, sample_rate_hz), core.shape[1])
    whole = core[:, : core.shape[1] // frame * frame].astype(np.float64)
    # About each frame's mean: an offset is no room tone.
    powers = np.sort(whole.reshape(core.shape[0], -1, frame).var(axis=2).mean(axis=0))
    quiet = float(powers[: max(1, powers.size // 10)].mean())
    yield Measured.at_least(
        "floor_level",
        room_dbfs - _FLOOR_DB,
        10.0 * math.log10(max(quiet, 1e-12)),
        unit="dBFS",
        instrument="independent",
        span=0,
    )
