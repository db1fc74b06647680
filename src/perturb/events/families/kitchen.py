"""Household: kitchen, bathroom and laundry. Water, steam and small motors."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import fade, glide, line, on_off, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise, peaks
from perturb.events.sounds.scenes import lay, repeat
from perturb.events.sounds.strikes import bubble, click, modes, thud
from perturb.events.sounds.tones import harmonics, phase, square

__all__ = ["FAMILY"]

FAMILY = Family("household")


@FAMILY.category(
    "a loud, even, rushing whirr with a steady motor tone in it",
    (1.8, 3.5),
    "vacuum cleaner hoover hoovering appliance",
)
def vacuum_cleaner(draw: Draw) -> Samples:
    """Suction noise and a universal motor, spun up at the start."""
    length_s = draw.between(2.0, 3.2)
    at_s = times(length_s)
    f0 = draw.near(255.0, 0.08) * glide(at_s, (0, 0.55), (0.5, 1.0), (length_s, 1.0))
    motor = harmonics(f0, [1.0, 0.7, 0.5, 0.45, 0.3, 0.25, 0.2, 0.15])
    rush = noise(draw, len(at_s), peaks((700, 900, 1.0), (2_300, 2_000, 0.5), floor=0.1))
    return (0.55 * motor + 0.8 * rush) * fade(at_s, 0.25, 0.3)


@FAMILY.category(
    "a thin whistle that rises out of hissing and settles, very high",
    (1.8, 3.8),
    "kettle boil boiling whistle whistling tea steam",
)
def kettle_whistle(draw: Draw) -> Samples:
    """Steam through two holes: the pitch climbs with the pressure."""
    length_s = draw.between(2.0, 3.4)
    at_s = times(length_s)
    pressure = line(at_s, (0, 0.0), (0.6 * length_s, 1.0), (length_s, 1.0))
    f0 = (
        draw.near(2_500.0, 0.06) * (0.5 + 0.5 * pressure) * (1.0 + 0.006 * wander(draw, at_s, 11.0))
    )
    hiss = noise(draw, len(at_s), band(1_500, 7_000, 1))
    return (harmonics(f0, [1.0, 0.15]) * pressure**1.5 + 0.22 * hiss) * fade(at_s, 0.3, 0.2)


@FAMILY.category(
    "a gurgling, splashing fill whose pitch climbs",
    (1.7, 3.3),
    "pour pouring water drink glass filling liquid",
)
def pouring_water(draw: Draw) -> Samples:
    """The column of air over the liquid shortens, bubbles all the while."""
    length_s = draw.between(1.8, 3.0)
    at_s = times(length_s)
    top = draw.near(1_000.0, 0.1)
    starts = draw.poisson(75.0, length_s - 0.15)

    def one(number: int) -> Samples:
        share = starts[number] / length_s
        return bubble(draw, draw.near(0.4 * top * 3.2**share, 0.3), draw.between(0.03, 0.06), 0.2)

    bubbles = repeat(starts, one, draw.many(len(starts), 0.3, 1.0))
    splash = noise(draw, len(at_s), band(1_000, 5_000, 1))
    return lay([(0, 1.0, bubbles), (0, 0.14, splash)])[: len(at_s)] * fade(at_s, 0.1, 0.2)


@FAMILY.category(
    "a metallic pop with a spurt of fizz after it",
    (0.6, 1.3),
    "can soda beer drink open opening fizz",
)
def can_opening(draw: Draw) -> Samples:
    """A tab breaks the seal; gas escapes."""
    lid = draw.several([980.0, 1_850.0, 3_200.0], 0.1)
    pop = lay(
        [
            (0, 1.0, modes(times(0.12), lid, [0.1, 0.07, 0.05], [1.0, 0.8, 0.5])),
            (0, 0.8, click(draw, 600, 5_000, 0.012)),
        ]
    )
    at_s = times(draw.between(0.5, 0.9))
    spurt = (
        noise(draw, len(at_s), band(2_200, 9_000, 1))
        * strike(at_s, 0.012, 1.1)
        * fade(at_s, 0.01, 0.1)
    )
    starts = draw.poisson(70.0, len(at_s) / 48_000)
    fizz = repeat(
        starts, lambda _: click(draw, 3_000, 9_000, 0.003), draw.many(len(starts), 0.1, 0.6)
    )
    return lay(
        [
            (0, 0.5, click(draw, 1_500, 4_000, 0.005)),
            (0.14, 1.0, pop),
            (0.15, 0.35, spurt),
            (0.2, 0.5, fizz),
        ]
    )


@FAMILY.category(
    "a sudden rush of liquid noise that swirls, gurgles and drains",
    (2.4, 3.9),
    "toilet flush flushing bathroom water drain",
)
def toilet_flush(draw: Draw) -> Samples:
    """A rush that darkens, then gulps."""
    length_s = draw.between(2.6, 3.6)
    at_s = times(length_s)
    rush = noise(draw, len(at_s), band(250, 3_500, 1)) * line(
        at_s, (0, 0.1), (0.35, 1.0), (0.5 * length_s, 0.8), (length_s, 0.03)
    )
    swirl = 1.0 + 0.35 * wander(draw, at_s, 7.0)
    starts = 0.45 * length_s + np.sort(draw.many(draw.whole(9, 14), 0.0, 0.5 * length_s))
    gulps = repeat(
        starts,
        lambda _: bubble(draw, draw.between(170, 420), 0.12, 0.8),
        draw.many(len(starts), 0.5, 1.5),
    )
    return lay([(0, 1.0, rush * swirl), (0, 0.9, gulps), (0, 1.5, thud(draw, 120.0, 0.06))])


@FAMILY.category(
    "a whirring motor that labours and grinds in surges",
    (1.6, 3.1),
    "blender mixer food processor smoothie kitchen grinder coffee appliance",
)
def blender(draw: Draw) -> Samples:
    """A motor that is slowed by what it chops."""
    length_s = draw.between(1.8, 2.8)
    at_s = times(length_s)
    load = np.clip(wander(draw, at_s, 5.0), 0.0, 1.0)
    f0 = (
        draw.near(415.0, 0.07)
        * (1.0 - 0.22 * load)
        * glide(at_s, (0, 0.4), (0.25, 1.0), (length_s - 0.2, 1.0), (length_s, 0.5))
    )
    motor = square(f0, 12) * (1.0 + 0.5 * np.sin(phase(0.25 * f0)))
    chop = (
        noise(draw, len(at_s), band(400, 3_500, 1))
        * (0.2 + 1.2 * load)
        * (1.0 + 0.5 * wander(draw, at_s, 30.0))
    )
    return (motor + 0.7 * chop) * fade(at_s, 0.06, 0.12)


@FAMILY.category(
    "a steady mains hum that ends in three soft beeps",
    (1.9, 3.0),
    "microwave oven beep hum appliance kitchen",
)
def microwave_done(draw: Draw) -> Samples:
    """A transformer and a fan, then the call."""
    at_s = times(draw.between(0.9, 1.4))
    hum = harmonics(np.full(len(at_s), draw.pick((100.0, 120.0))), [0.5, 1.0, 0.5, 0.5, 0.2, 0.3])
    hum = (hum + 0.5 * noise(draw, len(at_s), band(200, 1_500, 1))) * fade(at_s, 0.2, 0.03)
    beep_hz, gap_s = draw.near(1_900.0, 0.05), draw.between(0.42, 0.52)
    beep = harmonics(np.full(len(times(0.22)), beep_hz), [1.0, 0.1]) * fade(times(0.22), 0.01, 0.02)
    beeps = [(len(at_s) / 48_000 + 0.15 + number * gap_s, 0.9, beep) for number in range(3)]
    return lay([(0, 0.55, hum), *beeps])


@FAMILY.category(
    "sloshes and thuds over a low hum, about one a second",
    (2.5, 4.6),
    "washing machine laundry washer appliance dryer",
)
def washing_machine(draw: Draw) -> Samples:
    """Wet cloth falls, water slaps, the motor hums."""
    length_s, rate_hz = draw.between(2.8, 4.2), draw.near(1.15, 0.1)
    at_s = times(length_s)
    hum = harmonics(np.full(len(at_s), draw.near(148.0, 0.06)), [1.0, 0.4, 0.3, 0.2])
    turn = on_off(at_s, rate_hz, 0.6, 0.15)
    slosh = (
        noise(draw, len(at_s), band(300, 1_600, 1)) * turn * (1.0 + 0.4 * wander(draw, at_s, 9.0))
    )
    drops = repeat(
        np.arange(int(length_s * rate_hz)) / rate_hz + 0.1, lambda _: thud(draw, 65.0, 0.2, 0.3)
    )
    return lay(
        [
            (0, 0.35, hum * fade(at_s, 0.3, 0.3)),
            (0, 0.4, slosh * fade(at_s, 0.2, 0.3)),
            (0, 0.9, drops),
        ]
    )
