"""Proofs of another voice: where its pitch lies and where its resonances are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from perturb.measure.envelope_shift import envelope_ratio
from perturb.measure.f0_track import F0Track
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import ProsodyPair
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.pitch_contours import HIGHEST_HZ, LOWEST_HZ

__all__ = ["prove_formants", "prove_height", "within_joins"]

_JOIN_REACH_S = 0.02
_MEDIAN_CENTS = 60.0
_MOST_HELD_PERCENT = 10.0


def within_joins(pair: ProsodyPair, span: Span, clip: Signal) -> ProsodyPair:
    """Return a pair of which no pitch is asked for within 20 ms of a joined edge.

    There the clip's own pitch is heard too, and a pitch instrument hears either.
    """
    wanted = pair.f0_requested
    start_s = 0.0 if span.start_s == 0.0 else _JOIN_REACH_S
    stop_s = span.duration_s - (_JOIN_REACH_S if span.end_s < clip.duration_s else 0.0)
    is_inside = (wanted.times_s >= start_s) & (wanted.times_s <= stop_s)
    inside_hz = np.where(is_inside, wanted.f0_hz, np.float32(0.0))
    inside = F0Track(wanted.times_s, inside_hz, wanted.strength, wanted.hop_s)
    return replace(pair, f0_requested=inside)


def prove_height(pair: ProsodyPair) -> Iterator[Measured]:
    """Yield the median pitch (± 60 cents), and how much of the voice is held at 60 or 480 Hz."""
    wanted = pair.f0_requested
    wanted_hz = float(wanted.median_hz or 0.0)
    found_hz = pair.f0_after.median_hz
    yield Measured.within(
        "f0_median",
        wanted_hz,
        found_hz,
        wanted_hz * (2.0 ** (_MEDIAN_CENTS / 1_200.0) - 1.0),
        unit="Hz",
        instrument="independent",
        span=pair.index,
        reason=None if found_hz else "no frame of the result is voiced",
    )
    held = np.isin(wanted.f0_hz[wanted.is_voiced], (LOWEST_HZ, HIGHEST_HZ))
    yield Measured.at_most(
        "held_frames",
        _MOST_HELD_PERCENT,
        100.0 * float(np.mean(held)),
        unit="%",
        span=pair.index,
    )


def prove_formants(pair: ProsodyPair, ratio: float, tolerance: float) -> Measured:
    """Return how far the spectral envelope moved, in factors.

    Parameters
    ----------
    pair : ProsodyPair
        The span before and after.
    ratio : float
        What was asked for.
    tolerance : float
        As a part of it.
    """
    found = envelope_ratio(pair.before, pair.after, pair.sample_rate_hz)
    return Measured.within(
        "formant_ratio",
        ratio,
        found.value,
        tolerance * ratio,
        unit="x",
        instrument="independent",
        span=pair.index,
        reason=found.reason,
    )
