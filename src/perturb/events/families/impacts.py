"""Mechanical impacts: wood, skin, rubber and feet, which sound dull and short."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import decay, strike
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import bounces, lay, repeat, room
from perturb.events.sounds.strikes import BAR, MEMBRANE, PLATE, click, modes, struck, thud

__all__ = ["FAMILY"]

FAMILY = Family("impacts")


@FAMILY.category(
    "three to five firm, dull raps in a row",
    (0.7, 1.8),
    "door knock knocking rap tap",
)
def door_knock(draw: Draw) -> Samples:
    """Knuckles on a wooden panel."""
    panel = draw.several([135.0, 240.0, 390.0, 620.0], 0.12)

    def rap(number: int) -> Samples:
        body = modes(times(0.2), panel, [0.16, 0.12, 0.08, 0.05], draw.many(4, 0.6, 1.0))
        return lay([(0, 1.0, body), (0, 0.25, click(draw, 400, 2500, 0.012))])

    count = draw.whole(3, 5)
    sound = repeat(draw.steps(count, draw.between(0.19, 0.3), 0.08), rap, draw.many(count, 0.7, 1))
    return room(draw, sound, 0.3, 0.3)


@FAMILY.category(
    "one heavy, booming blow with a short rattle after it",
    (0.8, 1.4),
    "door slam slamming bang shut",
)
def door_slam(draw: Draw) -> Samples:
    """A heavy panel hits its frame; latch and panes follow."""
    blow = thud(draw, draw.near(72.0, 0.15), draw.between(0.35, 0.5))
    boards = struck(draw, 0.4, draw.near(150.0, 0.15), PLATE, 0.3, hardness=0.85)
    latch = repeat(
        draw.between(0.04, 0.07) + draw.poisson(40.0, 0.15), lambda _: click(draw, 900, 4500, 0.02)
    )
    sound = lay(
        [(0, 1.0, blow), (0, 0.5, boards), (0, 0.8, click(draw, 150, 2500, 0.06)), (0, 0.2, latch)]
    )
    return room(draw, sound, 0.8, 0.5)


@FAMILY.category(
    "soft springy thumps that come quicker and quicker and fade",
    (2.0, 3.2),
    "ball basketball bounce bouncing dribble sport",
)
def ball_bounce(draw: Draw) -> Samples:
    """An inflated ball on a hard floor: a thump and the ring of the air in it."""
    low_hz, air_hz = draw.near(95.0, 0.15), draw.near(430.0, 0.1)

    def thump(number: int) -> Samples:
        air = modes(times(0.12), [air_hz, 1.43 * air_hz], [0.11, 0.08], [0.5, 0.3])
        return lay(
            [
                (0, 1.0, thud(draw, low_hz, 0.12, 1.0)),
                (0, 1.0, air),
                (0, 0.3, click(draw, 300, 1800, 0.01)),
            ]
        )

    starts, gains = bounces(draw, draw.between(0.48, 0.6), 0.78, 0.11)
    return room(draw, repeat(starts, thump, gains), 0.4, 0.2)


@FAMILY.category(
    "a dry, splintering crack",
    (0.3, 0.6),
    "wood snap snapping branch twig stick crack breaking",
)
def wood_snap(draw: Draw) -> Samples:
    """Fibres give way one after another, then all at once."""

    def splinter(number: int) -> Samples:
        body = draw.several([750.0, 1300.0, 2400.0, 3700.0], 0.25)
        ring = modes(times(0.05), body, [0.04, 0.03, 0.02, 0.015], draw.many(4, 0.3, 1.0))
        return lay([(0, 1.0, ring), (0, 0.7, click(draw, 1000, 8000, 0.006))])

    early = np.sort(draw.many(draw.whole(4, 8), 0.0, 0.16))
    gains = np.concatenate([draw.many(len(early), 0.1, 0.45), [1.0, 0.7]])
    starts = np.concatenate([early, [0.18, 0.18 + draw.between(0.008, 0.02)]])
    return room(draw, repeat(starts, splinter, gains), 0.25, 0.15)


@FAMILY.category(
    "a few round, booming beats of one pitch",
    (1.2, 2.7),
    "drum drums tom percussion beat music",
)
def drum_beats(draw: Draw) -> Samples:
    """A membrane whose pitch falls as it calms."""
    pitch_hz, count = draw.near(118.0, 0.2), draw.whole(3, 5)

    def beat(number: int) -> Samples:
        skin = struck(draw, 0.45, pitch_hz, MEMBRANE, 0.45, damping=0.8, hardness=0.75)
        return lay(
            [
                (0, 1.0, skin),
                (0, 1.2, thud(draw, pitch_hz, 0.35, 0.4)),
                (0, 0.2, click(draw, 800, 4000, 0.008)),
            ]
        )

    return room(draw, repeat(draw.steps(count, draw.between(0.3, 0.45), 0.04), beat), 0.4, 0.2)


@FAMILY.category(
    "four to six evenly paced beats, each a firm tap and a soft scuff",
    (1.7, 3.8),
    "footsteps footstep steps walking walk shoes stairs run running",
)
def footsteps(draw: Draw) -> Samples:
    """Heel, then sole, about two a second."""
    heel_hz, count = draw.near(190.0, 0.2), draw.whole(4, 6)

    def step(number: int) -> Samples:
        heel = modes(
            times(0.08), [heel_hz, 2.4 * heel_hz, 5.1 * heel_hz], [0.07, 0.05, 0.03], [1, 0.5, 0.3]
        )
        scuff = noise(draw, 4_800, band(700, 4_500)) * strike(times(0.1), 0.02, 0.12)
        return lay([(0, 1.0, heel), (0, 0.25, click(draw, 900, 4000, 0.006)), (0.06, 0.09, scuff)])

    starts = draw.steps(count, draw.between(0.48, 0.6), 0.03)
    return room(draw, repeat(starts, step, draw.many(count, 0.7, 1.0)), 0.35, 0.25)


@FAMILY.category(
    "one violent, short blast of noise that echoes away",
    (1.5, 2.3),
    "gunshot gun shot rifle pistol firework fireworks bang explosion shooting",
)
def gun_shot(draw: Draw) -> Samples:
    """A shock wave, a broad blast, and the hills."""
    at_s = times(0.3)
    blast = noise(draw, len(at_s), band(120, 6_000, 1)) * strike(
        at_s, 0.0003, draw.between(0.12, 0.2)
    )
    echoes = [
        (delay, 0.35 * decay(np.array(delay), 1.4), np.convolve(blast, np.ones(24) / 24, "same"))
        for delay in draw.many(6, 0.15, 0.8)
    ]
    sound = lay([(0.0, 1.0, blast), *((s, float(g), e) for s, g, e in echoes)])
    return room(draw, sound, 1.4, 0.4, band(100, 1_800, 1))


@FAMILY.category(
    "two to three muffled, heavy thumps without any ring",
    (0.6, 1.6),
    "thud thump book sack bag fall drop heavy boots",
)
def soft_thud(draw: Draw) -> Samples:
    """Weight without ring."""
    pitch_hz, count = draw.near(58.0, 0.15), draw.whole(2, 3)
    starts = draw.steps(count, draw.between(0.4, 0.55), 0.1)
    return repeat(starts, lambda _: thud(draw, pitch_hz, 0.28, 0.3), draw.many(count, 0.6, 1.0))


@FAMILY.category(
    "a tumble of short, hollow wooden clacks",
    (0.5, 1.6),
    "wood wooden blocks sticks clack tumble bowling skittles planks",
)
def wood_blocks(draw: Draw) -> Samples:
    """Dry bars that knock together while they fall, fewer and fewer."""
    bars = [draw.between(650.0, 1500.0) for _ in range(5)]

    def clack(number: int) -> Samples:
        low = draw.pick(bars)
        ring = modes(times(0.09), low * np.array(BAR[:3]), [0.08, 0.04, 0.02], [1.0, 0.4, 0.2])
        return lay([(0, 1.0, ring), (0, 0.15, click(draw, 600, 3000, 0.005))])

    starts = draw.generator.exponential(0.32, draw.whole(14, 22))
    starts = np.sort(starts[starts < 1.4])
    return repeat(starts, clack, draw.many(len(starts), 0.3, 1.0) * decay(starts, 5.0))
