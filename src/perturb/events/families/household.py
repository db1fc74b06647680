"""Household: kitchens, clocks, doors, paper and small appliances."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.families.nature import bubble
from perturb.events.sounds.curves import arch, decay, fade, glide, line, on_off, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, noise, peaks
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, modes, thud
from perturb.events.sounds.tones import harmonics, phase, pulses, square

__all__ = ["FAMILY"]

FAMILY = Family("household")


@FAMILY.category(
    "a small, dry, even tick-tock",
    (2.0, 4.2),
    "clock tick ticking tock watch pendulum",
)
def clock_tick(draw: Draw) -> Samples:
    """An escapement in a wooden case: two pitches by turns."""
    case = draw.several([1_450.0, 2_350.0, 3_300.0], 0.1)

    def tick(number: int) -> Samples:
        ratio = (1.0, 0.82)[number % 2]
        ring = modes(times(0.04), ratio * case, [0.035, 0.03, 0.02], [1.0, 0.8, 0.5])
        return lay([(0, 1.0, ring), (0.011, 0.5, ring), (0, 0.3, click(draw, 2_000, 7_000, 0.003))])

    return repeat(draw.steps(draw.whole(5, 8), draw.near(0.5, 0.1), 0.01), tick)


@FAMILY.category(
    "a loud, even, rushing whirr with a steady motor tone in it",
    (1.8, 3.4),
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
    (1.6, 3.4),
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
    "a light, uneven clicking of many small plastic strokes",
    (1.4, 3.2),
    "keyboard typing type keys computer typewriter",
)
def keyboard_typing(draw: Draw) -> Samples:
    """Down and up of each key, bursts of words."""

    def key(number: int) -> Samples:
        cap = draw.several([900.0, 2_100.0, 3_300.0], 0.15)
        down = lay(
            [
                (0, 1.0, modes(times(0.02), cap, [0.016, 0.012, 0.01], draw.many(3, 0.4, 1))),
                (0, 0.8, click(draw, 1_500, 6_000, 0.008)),
            ]
        )
        return lay([(0, 1.0, down), (draw.between(0.06, 0.09), 0.35, down)])

    gaps = draw.generator.gamma(3.0, draw.near(0.045, 0.1), draw.whole(12, 20))
    return repeat(np.cumsum(gaps), key, draw.many(len(gaps), 0.5, 1.0))


@FAMILY.category(
    "a quick, toothed, upward-sliding rasp",
    (0.35, 1.3),
    "zipper zip unzip jacket bag",
)
def zipper(draw: Draw) -> Samples:
    """Teeth pass ever faster."""
    length_s = draw.between(0.4, 0.9)
    at_s = times(length_s)
    rate = glide(at_s, (0, 75.0), (0.8 * length_s, draw.near(420.0, 0.15)), (length_s, 300.0))
    teeth = np.clip(pulses(rate, 12_000.0), 0.0, None)
    hiss = noise(draw, len(at_s), band(1_400, 7_000, 1)) * (
        0.15 + 2.0 * np.convolve(teeth, np.ones(48) / 48, "same")
    )
    return (
        hiss * line(at_s, (0, 0.4), (0.8 * length_s, 1.0), (length_s, 0.2)) * fade(at_s, 0.01, 0.03)
    )


@FAMILY.category(
    "a few crisp metallic snips, each a slide and a close",
    (0.8, 2.2),
    "scissors snip cutting cut shears hair",
)
def scissors_snip(draw: Draw) -> Samples:
    """Blade on blade, then the handles meet."""
    blade = draw.several([2_900.0, 4_300.0, 5_600.0], 0.06)

    def snip(number: int) -> Samples:
        at_s = times(0.13)
        slide = noise(draw, len(at_s), band(2_500, 8_000, 2)) * arch(at_s, 0.85, 2.0)
        close = modes(times(0.1), blade, [0.09, 0.07, 0.05], [1.0, 0.7, 0.5])
        return lay(
            [(0, 0.5, slide), (0.12, 1.0, close), (0.12, 0.6, click(draw, 700, 4_000, 0.006))]
        )

    return repeat(draw.steps(draw.whole(3, 5), draw.between(0.36, 0.46), 0.05), snip)


@FAMILY.category(
    "a metallic pop with a spurt of fizz after it",
    (0.6, 1.8),
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
    "a long crackly rip, in two pulls",
    (0.8, 2.0),
    "paper tear tearing rip ripping sheet cloth",
)
def paper_tear(draw: Draw) -> Samples:
    """Fibres part by the hundred, faster towards the end of a pull."""

    def pull(number: int) -> Samples:
        length_s = draw.between(0.35, 0.6)
        at_s = times(length_s)
        grain = noise(draw, len(at_s), band(60, 500, 1)) ** 2
        body = noise(draw, len(at_s), band(900, 9_000, 1))
        return (
            body
            * np.minimum(grain, 4.0)
            * line(at_s, (0, 0.25), (0.8 * length_s, 1), (length_s, 0.4))
            * fade(at_s, 0.02, 0.05)
        )

    return repeat([0.0, draw.between(0.65, 0.85)], pull)


@FAMILY.category(
    "a slow, groaning creak that stutters upward",
    (0.8, 2.2),
    "door creak creaking squeak hinge squeaky floorboard",
)
def door_creak(draw: Draw) -> Samples:
    """Stick and slip at a hinge: irregular pulses through a wooden panel."""
    length_s = draw.between(0.9, 1.8)
    at_s = times(length_s)
    rate = (
        draw.near(65.0, 0.15)
        * glide(at_s, (0, 0.6), (0.7 * length_s, 2.1), (length_s, 1.2))
        * (1.0 + 0.2 * wander(draw, at_s, 7.0))
    )
    panel = peaks(
        *(
            (centre, 0.09 * centre, gain)
            for centre, gain in zip(
                draw.several([620.0, 1_050.0, 1_650.0, 2_600.0], 0.1),
                (0.7, 1.0, 0.9, 0.6),
                strict=True,
            )
        ),
        floor=0.02,
    )
    return room(draw, filtered(pulses(rate, 9_000.0), panel) * arch(at_s, 0.6), 0.35, 0.2)


@FAMILY.category(
    "a sudden rush of water that swirls, gurgles and drains",
    (2.6, 4.4),
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
    (1.6, 3.4),
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
    "a steady spray of fine hiss, started and stopped abruptly, twice",
    (0.8, 2.4),
    "spray can aerosol deodorant hairspray paint hiss",
)
def spray_can(draw: Draw) -> Samples:
    """Narrow, high, level hiss."""

    def puff(number: int) -> Samples:
        at_s = times(draw.between(0.35, 0.6))
        hiss = noise(
            draw, len(at_s), peaks((3_300.0, 1_500, 1.0), (6_500.0, 2_500, 0.8), floor=0.03)
        )
        return hiss * fade(at_s, 0.008, 0.015)

    return repeat([0.0, draw.between(0.8, 1.0)], puff)


@FAMILY.category(
    "a steady mains hum that ends in three soft beeps",
    (2.2, 4.2),
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
    "a tumbling, sloshing drum that turns over about once a second",
    (2.6, 4.6),
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


@FAMILY.category(
    "a tiny mechanical snap and whirr",
    (0.3, 0.9),
    "camera shutter photo click photograph picture",
)
def camera_shutter(draw: Draw) -> Samples:
    """Mirror up, curtain, mirror down, and a short winding."""
    body = draw.several([1_250.0, 2_200.0, 3_600.0], 0.1)

    def snap(number: int) -> Samples:
        ring = modes(times(0.03), body, [0.022, 0.018, 0.012], draw.many(3, 0.5, 1.0))
        return lay([(0, 1.0, ring), (0, 0.8, click(draw, 1_200, 7_000, 0.008))])

    snaps = repeat([0.0, 0.02, draw.between(0.075, 0.11)], snap, [0.7, 0.5, 1.0])
    at_s = times(draw.between(0.22, 0.3))
    wind = harmonics(
        draw.near(780.0, 0.1) * line(at_s, (0, 0.8), (at_s[-1], 1.1)), [1, 0.6, 0.5, 0.4, 0.3]
    )
    return lay(
        [
            (0, 1.0, snaps),
            (0.14, 0.14, wind * fade(at_s, 0.02, 0.03) * (1.0 + 0.5 * decay(at_s, 1.0))),
        ]
    )
