"""Household: clocks, doors, paper, desks."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, decay, fade, glide, line, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, noise, peaks
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, modes
from perturb.events.sounds.tones import harmonics, pulses

__all__ = ["FAMILY"]

FAMILY = Family("household")


@FAMILY.category(
    "a small, dry, even tick-tock",
    (1.8, 4.2),
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
    "a light, uneven clicking of many small dry strokes",
    (1.4, 3.4),
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
    (0.3, 1.1),
    "zipper zip unzip jacket bag",
)
def zipper(draw: Draw) -> Samples:
    """Teeth pass ever faster."""
    length_s = draw.between(0.4, 0.9)
    at_s = times(length_s)
    rate = glide(at_s, (0, 75.0), (0.8 * length_s, draw.near(420.0, 0.15)), (length_s, 300.0))
    teeth = np.clip(pulses(rate), 0.0, None)
    hiss = noise(draw, len(at_s), band(1_400, 7_000, 1)) * (
        0.08 + 9.0 * np.convolve(teeth, np.ones(48) / 48, "same")
    )
    return (
        hiss * line(at_s, (0, 0.4), (0.8 * length_s, 1.0), (length_s, 0.2)) * fade(at_s, 0.01, 0.03)
    )


@FAMILY.category(
    "a few crisp metallic snips, each a slide and a close",
    (0.8, 2.3),
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
    "a long crackly rip, in two pulls",
    (0.9, 1.6),
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
    (1.0, 2.3),
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
    return room(draw, filtered(pulses(rate), panel) * arch(at_s, 0.6), 0.35, 0.2)


@FAMILY.category(
    "a steady, fine hiss, started and stopped abruptly, twice",
    (1.0, 1.8),
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
    "a tiny mechanical snap and whirr",
    (0.3, 0.6),
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
