"""Alarms: electronic sounders and sirens."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import fade, glide, line, on_off, strike
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, peaks
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.tones import harmonics, saw, sine, square

__all__ = ["FAMILY"]

FAMILY = Family("alarms")


def _beep(draw: Draw, pitch_hz: float, length_s: float, overtones: list[float]) -> Samples:
    at_s = times(length_s)
    return harmonics(np.full(len(at_s), pitch_hz), overtones) * fade(at_s, 0.004, 0.008)


@FAMILY.category(
    "three long, piercing high beeps, evenly spaced",
    (1.7, 2.7),
    "smoke fire alarm detector beep beeping",
)
def smoke_alarm(draw: Draw) -> Samples:
    """The temporal-three pattern of a piezo sounder near 3 kHz (ISO 8201)."""
    pitch_hz, length_s = draw.near(3050.0, 0.05), draw.between(0.42, 0.52)
    return repeat(
        np.arange(3) * (length_s + draw.between(0.3, 0.45)),
        lambda number: _beep(draw, pitch_hz, length_s, [1.0, 0.05, 0.25]),
    )


@FAMILY.category(
    "a loud tone sweeping slowly up and down again",
    (2.7, 4.8),
    "siren police ambulance fire emergency wail wailing alarm engine",
)
def siren_wail(draw: Draw) -> Samples:
    """One slow sweep up and down of an electronic siren through a horn."""
    length_s = draw.between(2.6, 4.0)
    low_hz, high_hz = draw.near(560.0, 0.12), draw.near(1350.0, 0.1)
    at_s = times(length_s)
    top = draw.between(0.35, 0.5) * length_s
    f0 = glide(at_s, (0, low_hz), (top, high_hz), (length_s, low_hz))
    sound = filtered(saw(f0, 14), peaks((900.0, 900, 1.0), (2200.0, 1200, 0.7), floor=0.1))
    return room(draw, sound * fade(at_s, 0.15, 0.25), 0.5, 0.15)


@FAMILY.category(
    "a loud tone sweeping up and down several times a second",
    (1.7, 3.2),
    "siren police ambulance fire emergency yelp alarm car",
)
def siren_yelp(draw: Draw) -> Samples:
    """Fast sweeps, three to four a second."""
    length_s, rate_hz = draw.between(1.3, 2.5), draw.near(3.4, 0.12)
    at_s = times(length_s)
    low_hz, high_hz = draw.near(620.0, 0.1), draw.near(1500.0, 0.1)
    swing = 0.5 - 0.5 * np.cos(2.0 * np.pi * rate_hz * at_s)
    f0 = low_hz * (high_hz / low_hz) ** swing
    sound = filtered(saw(f0, 14), peaks((900.0, 900, 1.0), (2200.0, 1200, 0.7), floor=0.1))
    return room(draw, sound * fade(at_s, 0.05, 0.1), 0.5, 0.15)


@FAMILY.category(
    "two steady horn-like tones taking turns, one high, one low",
    (1.8, 3.6),
    "siren police ambulance fire emergency horn alarm",
)
def hi_lo_siren(draw: Draw) -> Samples:
    """A fourth apart, half a second each."""
    low_hz, length_s = draw.near(440.0, 0.08), draw.between(0.42, 0.6)
    high_hz = low_hz * draw.near(1.335, 0.02)

    def note(number: int) -> Samples:
        at_s = times(length_s)
        f0 = np.full(len(at_s), high_hz if number % 2 == 0 else low_hz)
        return filtered(saw(f0, 18), peaks((1100.0, 900, 1.0), floor=0.3)) * fade(at_s, 0.02, 0.03)

    return room(draw, repeat(np.arange(draw.whole(4, 5)) * length_s, note), 0.4, 0.15)


@FAMILY.category(
    "a very deep tone winding slowly up to a long howl and down",
    (3.7, 5.5),
    "siren air raid civil defence tornado warning alarm",
)
def raid_siren(draw: Draw) -> Samples:
    """A motor-driven chopper: pitch follows its speed."""
    length_s, top_hz = draw.between(3.0, 4.2), draw.near(430.0, 0.1)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, 0.25 * top_hz),
        (0.5 * length_s, top_hz),
        (0.7 * length_s, top_hz),
        (length_s, 0.5 * top_hz),
    )
    sound = square(f0, 20) + 0.6 * square(1.2 * f0, 20)
    sound = filtered(sound, band(180.0, 1_900.0, 1))
    loud = line(at_s, (0, 0.15), (0.4 * length_s, 1.0), (length_s, 0.5))
    return room(draw, sound * loud * fade(at_s, 0.2, 0.4), 1.2, 0.3)


@FAMILY.category(
    "groups of four quick, bright electronic beeps",
    (1.2, 2.8),
    "alarm clock beep beeping watch timer",
)
def alarm_clock(draw: Draw) -> Samples:
    """Four beeps, a rest, again."""
    pitch_hz, beep_s = draw.near(2050.0, 0.06), draw.between(0.055, 0.075)
    starts = [
        group * draw.between(0.95, 1.0) + beep * 2.0 * beep_s
        for group in range(draw.whole(2, 3))
        for beep in range(4)
    ]
    return repeat(starts, lambda number: _beep(draw, pitch_hz, beep_s, [1.0, 0.0, 0.3, 0.0, 0.1]))


@FAMILY.category(
    "a row of even, medium-high beeps, on and off for equal times",
    (2.0, 4.2),
    "truck lorry reversing backing reverse beep beeping vehicle forklift alarm",
)
def reversing_beep(draw: Draw) -> Samples:
    """A broad, square-ish beep outdoors."""
    pitch_hz, beep_s = draw.near(1180.0, 0.08), draw.between(0.38, 0.5)
    sound = repeat(
        np.arange(draw.whole(3, 4)) * 2.0 * beep_s,
        lambda number: _beep(draw, pitch_hz, beep_s, [1.0, 0.15, 0.33, 0.0, 0.1]),
    )
    return room(draw, sound, 0.5, 0.2)


@FAMILY.category(
    "a harsh, low, unbroken electric rasp",
    (0.5, 1.6),
    "buzzer buzz game wrong alarm entry",
)
def buzzer(draw: Draw) -> Samples:
    """Mains-driven: a square wave with a metal plate's colour."""
    at_s = times(draw.between(0.6, 1.4))
    f0 = np.full(len(at_s), draw.near(122.0, 0.12))
    sound = filtered(
        square(f0, 60), peaks((draw.near(850, 0.1), 500, 1.0), (2500.0, 900, 0.8), floor=0.2)
    )
    return sound * fade(at_s, 0.01, 0.02)


@FAMILY.category(
    "a horn that grinds upward in a growl, then drops",
    (0.8, 1.8),
    "klaxon horn ahooga awooga submarine dive vehicle alarm",
)
def klaxon(draw: Draw) -> Samples:
    """A toothed wheel on a diaphragm, spun up and let go."""
    length_s, low_hz = draw.between(0.9, 1.6), draw.near(190.0, 0.12)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, low_hz),
        (0.22 * length_s, 1.1 * low_hz),
        (0.4 * length_s, 2.3 * low_hz),
        (0.75 * length_s, 2.4 * low_hz),
        (length_s, 0.9 * low_hz),
    )
    sound = filtered(saw(f0, 40), peaks((1300.0, 700, 1.0), (2700.0, 900, 0.7), floor=0.15))
    return sound * fade(at_s, 0.03, 0.15)


@FAMILY.category(
    "three quick electronic notes stepping upward, bell-like",
    (0.7, 1.1),
    "chime notification message announcement jingle phone",
)
def rising_chime(draw: Draw) -> Samples:
    """A major triad upward."""
    pitch_hz, pace_s = draw.near(720.0, 0.1), draw.between(0.13, 0.19)

    def note(number: int) -> Samples:
        at_s = times(0.55)
        f0 = np.full(len(at_s), pitch_hz * (1.0, 1.26, 1.5)[number])
        return harmonics(f0, [1.0, 0.3, 0.1]) * strike(at_s, 0.004, 0.6)

    return repeat(np.arange(3) * pace_s, note)


@FAMILY.category(
    "two dull electronic tones, the second lower",
    (0.4, 1.0),
    "error fail failure computer notification phone",
)
def falling_tones(draw: Draw) -> Samples:
    """A falling fourth or so of square waves."""
    pitch_hz, length_s = draw.near(360.0, 0.12), draw.between(0.2, 0.3)

    def note(number: int) -> Samples:
        at_s = times(length_s * (1.0, 1.6)[number])
        f0 = np.full(len(at_s), pitch_hz * (1.0, draw.near(0.72, 0.04))[number])
        return filtered(square(f0, 9), band(80, 2500, 1)) * fade(at_s, 0.01, 0.06)

    return repeat([0.0, length_s + 0.03], note)


@FAMILY.category(
    "a pure tone that rings out and echoes into the distance",
    (1.2, 2.6),
    "sonar ping submarine",
)
def sonar_ping(draw: Draw) -> Samples:
    """A short tone in a long, dark reverberation that keeps its pitch."""
    pitch_hz = draw.near(1150.0, 0.15)
    at_s = times(draw.between(1.4, 2.4))
    sound = sine(np.full(len(at_s), pitch_hz)) * strike(at_s, 0.015, draw.between(0.7, 1.1))
    drifting = sine(np.full(len(at_s), pitch_hz * draw.between(0.994, 0.998)))
    return sound + 0.2 * drifting * strike(at_s, 0.1, 2.2)


@FAMILY.category(
    "an electronic trill, two high tones flickering, in two bursts",
    (1.4, 2.5),
    "phone telephone cellphone mobile ringtone ring ringing",
)
def phone_trill(draw: Draw) -> Samples:
    """Two tones taking turns some twenty times a second."""
    low_hz, rate_hz, burst_s = (
        draw.near(1350.0, 0.08),
        draw.near(11.0, 0.12),
        draw.between(0.6, 0.9),
    )

    def burst(number: int) -> Samples:
        at_s = times(burst_s)
        is_high = (at_s * 2.0 * rate_hz).astype(int) % 2 == 1
        f0 = np.where(is_high, 1.25 * low_hz, low_hz)
        return harmonics(f0, [1.0, 0.0, 0.2]) * fade(at_s, 0.01, 0.02)

    return repeat([0.0, burst_s + draw.between(0.3, 0.5)], burst)


@FAMILY.category(
    "a row of short, dull pulses of a low electronic tone, half a second apart",
    (1.7, 3.3),
    "busy tone telephone phone line engaged dial",
)
def busy_tone(draw: Draw) -> Samples:
    """480 and 620 Hz together, on and off."""
    at_s = times(draw.between(1.8, 3.0))
    shift = draw.near(1.0, 0.04)
    sound = sine(np.full(len(at_s), 480.0 * shift)) + sine(np.full(len(at_s), 620.0 * shift))
    return sound * on_off(at_s, draw.near(2.0, 0.06), 0.5, 0.006)


@FAMILY.category(
    "a fast, even stream of short high blips that speeds up",
    (1.5, 2.9),
    "countdown timer beep beeping bomb alarm",
)
def countdown_beeps(draw: Draw) -> Samples:
    """Beeps that come faster and faster."""
    pitch_hz = draw.near(2500.0, 0.05)
    gaps = np.geomspace(draw.near(0.38, 0.1), 0.07, draw.whole(9, 13))
    starts = np.concatenate([[0.0], np.cumsum(gaps)])
    return lay((start, 1.0, _beep(draw, pitch_hz, 0.04, [1.0, 0.0, 0.2])) for start in starts)
