"""Proofs of another voice, where its pitch lies and where its resonances are; and its limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from perturb.errors import InapplicableError
from perturb.measure.envelope_shift import envelope_ratio
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import on_common_times
from perturb.operators.proof import Measured
from perturb.operators.prosody_proof import ProsodyPair
from perturb.span import Span
from perturb.synthesis.pitch_contours import HIGHEST_HZ, LOWEST_HZ

__all__ = ["check_room", "prove_formants", "prove_height"]

_MEDIAN_CENTS = 60.0
_MOST_HELD_PERCENT = 10.0
_HIGHEST_VOICE_HZ = 330.0
"""Of voices played faster `envelope_ratio` was off by 3 % in 5 of 28 above it, in 0 of 42 below."""


def check_room(span: Span, own_hz: float, wanted: F0Track) -> None:
    """Refuse voices too high to tell their resonances, and contours without room.

    Parameters
    ----------
    span : Span
        Whose contour it is.
    own_hz : float
        Median pitch of the voice over all spans.
    wanted : F0Track
        The contour that the span is to have.
    """
    if own_hz > _HIGHEST_VOICE_HZ:
        raise InapplicableError(
            f"the voice lies at {own_hz:.0f} Hz; accepted: up to {_HIGHEST_VOICE_HZ:g} Hz, above "
            "which its harmonics are too far apart to tell where its resonances are, or went"
        )
    held = _held_percent(wanted)
    if held > _MOST_HELD_PERCENT:
        raise InapplicableError(
            f"span {span} has no room: {held:.0f} % of the voiced frames would be held at 60 or "
            f"480 Hz, at most {_MOST_HELD_PERCENT:g} % accepted; a pitch nearer to its own needs "
            "less"
        )


def _held_percent(wanted: F0Track) -> float:
    """Return how much of a voice is held at 60 or 480 Hz, in %; 0 where none is."""
    held = np.isin(wanted.f0_hz[wanted.is_voiced], (LOWEST_HZ, HIGHEST_HZ))
    return 100.0 * float(np.mean(held)) if held.size else 0.0


def prove_height(pair: ProsodyPair, wanted: F0Track) -> Iterator[Measured]:
    """Yield the median pitch (± 60 cents), and how much of the voice is held at 60 or 480 Hz.

    `wanted` is the contour up to the joins, as the edit had it. The median is that of the frames in
    which the contour asked for and what is heard both have a pitch: the two algorithms hear the
    ends of voiced runs differently, and there a voice is not at its middle.
    """
    wanted_hz, found_hz = on_common_times(pair.f0_requested, pair.f0_after)
    is_common = (wanted_hz > 0.0) & (found_hz > 0.0)
    asked_hz = float(np.median(wanted_hz[is_common])) if is_common.any() else 0.0
    yield Measured.within(
        "f0_median",
        asked_hz,
        float(np.median(found_hz[is_common])) if is_common.any() else None,
        asked_hz * (2.0 ** (_MEDIAN_CENTS / 1_200.0) - 1.0),
        unit="Hz",
        instrument="independent",
        span=pair.index,
        reason=None if is_common.any() else "no voiced frame of the result has a pitch",
    )
    yield Measured.at_most(
        "held_frames",
        _MOST_HELD_PERCENT,
        _held_percent(wanted),
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
