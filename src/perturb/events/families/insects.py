"""Animal calls: frogs, insects and other small creatures. Pulses of wings, shells and throats."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, decay, fade, glide, line, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, noise, peaks
from perturb.events.sounds.scenes import repeat
from perturb.events.sounds.strikes import modes
from perturb.events.sounds.tones import harmonics

__all__ = ["FAMILY"]

FAMILY = Family("animal_calls")


@FAMILY.category(
    "short trills of a high, thin, pulsing tone, evenly spaced",
    (0.9, 2.7),
    "cricket crickets insect grasshopper cicada chirp",
)
def cricket_chirp(draw: Draw) -> Samples:
    """Three or four pulses of one wing stroke each, then a pause."""
    pitch_hz, pulse_hz = draw.near(2900.0, 0.08), draw.near(30.0, 0.12)
    pulses_per_chirp, pace_s = draw.whole(3, 4), draw.between(0.3, 0.42)

    def chirp(number: int) -> Samples:
        def pulse(which: int) -> Samples:
            at_s = times(0.7 / pulse_hz)
            f0 = np.full(len(at_s), pitch_hz) * line(at_s, (0, 1.02), (at_s[-1], 0.98))
            return harmonics(f0, [1.0, 0.06]) * arch(at_s, 0.6)

        return repeat(
            np.arange(pulses_per_chirp) / pulse_hz, pulse, np.linspace(0.6, 1.0, pulses_per_chirp)
        )

    return repeat(draw.steps(draw.whole(4, 7), pace_s, 0.04), chirp)


@FAMILY.category(
    "a few low, ratchet-like, creaking croaks that rise at the end",
    (0.8, 2.9),
    "frog toad croak croaking ribbit amphibian",
)
def frog_croak(draw: Draw) -> Samples:
    """Pulses of a ringing throat, quickening."""
    count, ring_hz = draw.whole(2, 4), draw.near(820.0, 0.15)

    def croak(number: int) -> Samples:
        length_s = draw.between(0.3, 0.42)
        gaps = np.linspace(1 / 34.0, 1 / 62.0, 22) * draw.near(1.0, 0.06)
        starts = np.cumsum(gaps)
        starts = starts[starts < length_s]

        def pulse(which: int) -> Samples:
            rise = 1.0 + 0.5 * which / len(starts)
            freqs = [ring_hz * rise, 2.1 * ring_hz * rise, 3.2 * ring_hz]
            return modes(times(0.035), freqs, [0.03, 0.02, 0.015], [1.0, 0.6, 0.3])

        return repeat(starts, pulse, np.linspace(0.4, 1.0, len(starts)))

    return repeat(draw.steps(count, draw.between(0.6, 0.75), 0.08), croak)


@FAMILY.category(
    "a steady droning hum that swells past and wanders in pitch",
    (1.5, 3.2),
    "bee bees wasp fly insect buzz buzzing mosquito hornet",
)
def bee_buzz(draw: Draw) -> Samples:
    """Wing beats with many harmonics, coming near and going."""
    length_s, pitch_hz = draw.between(1.6, 3.0), draw.near(215.0, 0.15)
    at_s = times(length_s)
    f0 = pitch_hz * (1.0 + 0.07 * wander(draw, at_s, 3.0) + 0.02 * wander(draw, at_s, 14.0))
    sound = harmonics(f0, [1.0, 0.9, 0.7, 0.6, 0.4, 0.35, 0.25, 0.2, 0.15, 0.1, 0.08, 0.06])
    sound = filtered(sound, peaks((450.0, 500.0, 1.0), (1300.0, 700.0, 0.5), floor=0.15))
    return sound * arch(at_s, draw.between(0.4, 0.6), 1.5) * (1.0 + 0.25 * wander(draw, at_s, 8.0))


@FAMILY.category(
    "a dry, buzzing, hissing rattle that stays level and then stops",
    (1.0, 2.4),
    "snake rattlesnake rattle hiss",
)
def rattlesnake(draw: Draw) -> Samples:
    """Shell on shell, some sixty times a second, nothing below 2 kHz."""
    length_s, rate_hz = draw.between(1.1, 2.2), draw.near(58.0, 0.12)
    at_s = times(length_s)
    place = at_s * rate_hz * (1.0 + 0.01 * np.cumsum(wander(draw, at_s, 5.0)) / len(at_s))
    gate = decay(place % 1.0, 1.6)
    hiss = noise(draw, len(at_s), band(2200.0, draw.near(5200.0, 0.12), 3))
    return hiss * gate * fade(at_s, 0.08, 0.15) * (1.0 + 0.2 * wander(draw, at_s, 4.0))


@FAMILY.category(
    "bursts of rapid tiny squeaks, very high",
    (0.3, 1.3),
    "mouse mice rat squeak squeaking rodent hamster",
)
def mouse_squeak(draw: Draw) -> Samples:
    """Short high squeaks with an upward hook."""
    pitch_hz, count = draw.near(3100.0, 0.06), draw.whole(5, 9)

    def squeak(number: int) -> Samples:
        at_s = times(draw.between(0.035, 0.06))
        f0 = pitch_hz * glide(at_s, (0, 0.8), (at_s[-1], draw.near(1.12, 0.05)))
        return (
            harmonics(f0, [1.0, 0.4, 0.15]) * strike(at_s, 0.008, 0.25) * fade(at_s, 0.004, 0.015)
        )

    return repeat(
        draw.steps(count, draw.between(0.09, 0.13), 0.25), squeak, draw.many(count, 0.6, 1)
    )
