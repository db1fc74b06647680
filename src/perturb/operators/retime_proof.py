"""Proofs of `retime`: pauses by a second detector, syllables by the spread of their intervals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from perturb.measure.f0_track import F0Track
from perturb.measure.quiet_run import QuietMeter
from perturb.operators.proof import Measured
from perturb.operators.protocol import ProofContext
from perturb.operators.tempo_edit import Place
from perturb.operators.unchanged import largest_difference
from perturb.signal import Signal
from perturb.synthesis.mix import mix_down
from perturb.synthesis.pauses import Pause, find_pauses
from perturb.synthesis.syllables import find_nuclei, log_interval_sd
from perturb.synthesis.tempo import Tempo

Floats = npt.NDArray[np.float64]

__all__ = ["nearest_nuclei", "prove_intervals", "prove_pauses"]

_PAUSE_TOLERANCE_S = 0.010
_NEAR_S = 0.040
_LEAST_PLACED_PERCENT = 75.0
_MOST_SD_LEFT = 0.7
_EVEN_SD = 0.15
"""Of the logarithm: what this even was so before."""


def prove_pauses(
    before: Signal, after: Signal, places: list[Place], length: int, ctx: ProofContext
) -> Iterator[Measured]:
    """Yield how far a pause is off its length at the worst, and what became of the rest.

    Parameters
    ----------
    before, after : Signal
        Input and result of the step.
    places : sequence of Place
        Where its spans were and are.
    length : int
        Samples that every pause is to have.
    ctx : ProofContext
        As `Operator.measure` has it.
    """
    rate_hz, channel = before.sample_rate_hz, ctx.before.strongest_channel
    meter = QuietMeter(before.samples[channel], rate_hz)
    meter_after = QuietMeter(after.samples[channel], rate_hz, meter.loud)
    for index, place in enumerate(places):
        pauses = find_pauses(mix_down(before.samples[:, place.start : place.stop]), rate_hz)
        worst_s, reason = 0.0, None
        spoken: list[tuple[int, int, int]] = []
        shift = place.new_start - place.start
        at = place.start
        for start, stop in _moved(pauses, place.start):
            spoken.append((at, start, at + shift))
            own = meter.run_s(0.5 * (start + stop) / rate_hz)
            new = meter_after.run_s((start + shift + 0.5 * length) / rate_hz)
            change_s = new.minus(own)
            if change_s.value is None:
                reason = change_s.reason
            else:
                asked_s = (length - (stop - start)) / rate_hz
                worst_s = max(worst_s, abs(change_s.value - asked_s))
            shift += length - (stop - start)
            at = stop
        spoken.append((at, place.stop, at + shift))
        largest = largest_difference(before, after, spoken, ctx.as_written) or 0.0
        yield Measured.within("speech_difference", 0.0, largest, 0.0, span=index)
        yield Measured.at_most(
            "pause_length_error",
            1e3 * _PAUSE_TOLERANCE_S,
            None if reason else 1e3 * worst_s,
            unit="ms",
            instrument="independent",
            span=index,
            reason=reason,
        )


def prove_intervals(
    places: list[Place], tempos: list[Tempo], ctx: ProofContext
) -> Iterator[Measured]:
    """Yield how many syllables are where they were to go, and the spread of intervals left.

    Nuclei are sought in the result as they were in the clip, and each goes with the one that was to
    come nearest: a drawn-out vowel that dips by 2 dB, or one that no longer does, would make two
    intervals of one or one of two. The spread before is that of the same intervals. Which peaks of
    the level are voiced, the clip's own pitch says for the result as well. Of the syllables of a
    whole recording 87 % at least lay within 40 ms of where the path puts them, in 116 recordings;
    unmoved, 71 % at most.
    """
    rate_hz = ctx.before.signal.sample_rate_hz
    for index, (place, tempo) in enumerate(zip(places, tempos, strict=True)):
        f0 = ctx.before.f0.slice(place.start / rate_hz, place.stop / rate_hz)
        frames = 1 + int(place.target_length / (f0.hop_s * rate_hz))
        times_s = np.arange(frames, dtype=np.float64) * f0.hop_s
        heard_hz = f0.at(tempo.to_source(times_s * rate_hz) / rate_hz)
        moved = F0Track(times_s, heard_hz, np.ones_like(heard_hz), f0.hop_s)
        spoken_s = _nuclei(ctx.before.signal, place.start, place.stop, f0)
        asked_s = tempo.to_target(spoken_s * rate_hz) / rate_hz
        heard_s = nearest_nuclei(
            asked_s, _nuclei(ctx.after.signal, place.new_start, place.new_stop, moved)
        )
        is_placed = np.abs(heard_s - asked_s) <= _NEAR_S
        yield Measured.at_least(
            "syllables_in_place",
            _LEAST_PLACED_PERCENT,
            100.0 * float(np.mean(is_placed)) if is_placed.size else None,
            unit="%",
            span=index,
            reason=None if is_placed.size else "no syllable is found before the edit",
        )
        own = log_interval_sd(spoken_s, np.where(np.isnan(heard_s), np.nan, spoken_s))
        new = log_interval_sd(spoken_s, heard_s)
        yield Measured.at_most(
            "interval_sd",
            max(_MOST_SD_LEFT * (own or 0.0), _EVEN_SD),
            new,
            span=index,
            reason=None if new is not None else "too few syllables in a row",
        )


def _nuclei(signal: Signal, start: int, stop: int, f0: F0Track) -> Floats:
    mono = mix_down(signal.samples[:, start:stop])
    return find_nuclei(mono, signal.sample_rate_hz, f0)


def nearest_nuclei(asked_s: Floats, found_s: Floats) -> Floats:
    """Return the nucleus found for each that was asked for, NaN where it is another's.

    Parameters
    ----------
    asked_s, found_s : ndarray of float64
        Moments in seconds, rising.
    """
    heard_s = np.full(asked_s.size, np.nan)
    if found_s.size:
        distances = np.abs(asked_s[:, np.newaxis] - found_s)
        nearest, asked_for = distances.argmin(axis=1), distances.argmin(axis=0)
        is_mutual = asked_for[nearest] == np.arange(asked_s.size)
        heard_s[is_mutual] = found_s[nearest[is_mutual]]
    return heard_s


def _moved(pauses: list[Pause], by: int) -> list[Pause]:
    return [(start + by, stop + by) for start, stop in pauses]
