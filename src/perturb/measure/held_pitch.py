"""How much of a stretch its pitch holds still: notes do, voices that speak never do for long."""

from __future__ import annotations

import numpy as np

from perturb.measure.f0_track import F0Track
from perturb.measure.reading import Reading

__all__ = ["held_pitch_share"]

_SPACING_S = 0.03
_HELD_CENTS = 6.0


def held_pitch_share(f0_track: F0Track, start_s: float, stop_s: float) -> Reading:
    """Return the share of moments, voiced 30 ms later too, whose pitch moves under 6 cents.

    In 550 stretches of real speech of a second or more, by four speakers, it is .043 at the median
    and .133 at most, in a room that rings for .8 s up to .22; for tunes of plucked or held notes,
    with drums or without, .70 and more, for a held chord .77. Plucked chords, among which the
    tracker leaps, have .15, and notes with vibrato move as speech does.

    Parameters
    ----------
    f0_track : F0Track
        Of the whole clip; an F0 of 0 is unvoiced.
    start_s, stop_s : float
        The stretch, half-open, in seconds.

    Returns
    -------
    Reading
        0 to 1; None where nothing is voiced for 30 ms.

    Examples
    --------
    >>> times_s, strength = np.arange(200) * 0.005, np.ones(200)
    >>> held = F0Track(times_s, np.full(200, 220.0), strength, 0.005)
    >>> gliding = F0Track(times_s, 110.0 * 2.0**times_s, strength, 0.005)
    >>> held_pitch_share(held, 0.0, 1.0).value, held_pitch_share(gliding, 0.0, 1.0).value
    (1.0, 0.0)
    """
    f0_hz = f0_track.f0_hz[slice(*np.searchsorted(f0_track.times_s, (start_s, stop_s)))]
    frames = round(_SPACING_S / f0_track.hop_s)
    first, then = f0_hz[:-frames], f0_hz[frames:]
    is_voiced = (first > 0.0) & (then > 0.0)
    if not is_voiced.any():
        return Reading(None, "nothing in the stretch is voiced for 30 ms")
    cents = 1200.0 * np.abs(np.log2(then[is_voiced] / first[is_voiced]))
    return Reading(float((cents < _HELD_CENTS).mean()))
