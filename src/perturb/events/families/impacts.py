"""Mechanical impacts: wood, metal, glass, skin and cloth that meet."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import decay, strike
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import BAR, MEMBRANE, PLATE, click, modes, struck, thud

__all__ = ["FAMILY"]

FAMILY = Family("impacts")


def _bounces(draw: Draw, first_s: float, keep: float, least_s: float) -> tuple[Samples, Samples]:
    """Return the starts and gains of bounces, each flight a share of the one before."""
    flights = [first_s]
    while flights[-1] > least_s:
        flights.append(flights[-1] * keep * draw.near(1.0, 0.03))
    starts = np.concatenate([[0.0], np.cumsum(flights)])
    return starts, keep ** (1.2 * np.arange(len(starts)))


@FAMILY.category(
    "three to five firm, dull raps in a row",
    (0.6, 2.0),
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
    (0.6, 1.8),
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
    "several hard, bright blows on solid metal, evenly spaced",
    (1.0, 3.2),
    "hammer hammering anvil blacksmith metal nail construction",
)
def anvil_hammer(draw: Draw) -> Samples:
    """A ringing block: few high modes, slightly different at each blow."""
    pitch_hz, count = draw.near(1250.0, 0.12), draw.whole(3, 5)
    block = draw.several(pitch_hz * np.array([1.0, 1.52, 2.33, 3.1, 4.4, 5.7]), 0.03)

    def blow(number: int) -> Samples:
        ring = modes(times(0.6), block, [0.7, 0.6, 0.45, 0.35, 0.25, 0.2], draw.many(6, 0.4, 1.0))
        return lay([(0, 1.0, ring), (0, 0.5, click(draw, 700, 7000, 0.012))])

    return repeat(
        draw.steps(count, draw.between(0.45, 0.62), 0.06), blow, draw.many(count, 0.7, 1.0)
    )


@FAMILY.category(
    "a sharp crash that bursts into many tinkling, falling shards",
    (0.7, 2.0),
    "glass break breaking shatter shattering smash window",
)
def glass_break(draw: Draw) -> Samples:
    """A crack, then shards that ring for an instant, fewer and fewer."""

    def shard(number: int) -> Samples:
        pitch_hz = draw.between(1800.0, 6500.0)
        ratios = np.array([1.0, draw.between(1.4, 1.9), draw.between(2.1, 2.8)])
        return modes(times(0.16), pitch_hz * ratios, [0.14, 0.1, 0.07], draw.many(3, 0.3, 1.0))

    starts = draw.generator.exponential(draw.between(0.16, 0.26), draw.whole(45, 70))
    starts = np.sort(starts[starts < 1.2])
    shards = repeat(starts, shard, 0.6 * decay(starts, 2.4) * draw.many(len(starts), 0.2, 1.0))
    crack = noise(draw, 9_600, band(900, 9_000, 1)) * strike(times(0.2), 0.001, 0.22)
    return room(draw, lay([(0, 0.7, crack), (0.01, 1.0, shards)]), 0.3, 0.15)


@FAMILY.category(
    "one or two thin, clear, high ringing touches",
    (0.7, 2.2),
    "glass clink glasses toast cheers wine crystal",
)
def glass_clink(draw: Draw) -> Samples:
    """A thin bowl's modes, long ringing."""
    pitch_hz = draw.near(1750.0, 0.15)
    bowls = [draw.several(pitch_hz * np.array([1.0, 2.32, 4.25, 6.6]), 0.05) for _ in range(2)]

    def touch(number: int) -> Samples:
        return lay(
            [
                (0, gain, modes(times(1.2), bowl, [1.3, 0.9, 0.5, 0.3], draw.many(4, 0.4, 1.0)))
                for gain, bowl in zip((1.0, 0.7), bowls, strict=True)
            ]
        )

    return repeat(np.arange(draw.whole(1, 2)) * draw.between(0.3, 0.6), touch)


@FAMILY.category(
    "a small bright ring that bounces faster and faster until it whirs to rest",
    (1.0, 2.8),
    "coin coins drop dropping spin money",
)
def coin_drop(draw: Draw) -> Samples:
    """A disc on a table: bounces, then the quickening wobble."""
    disc = draw.several(draw.near(2700.0, 0.08) * np.array([1.0, 1.7, 2.35, 3.1]), 0.02)

    def touch(number: int) -> Samples:
        ring = modes(times(0.3), disc, [0.3, 0.22, 0.16, 0.1], draw.many(4, 0.4, 1.0))
        return lay([(0, 1.0, ring), (0, 0.2, click(draw, 500, 3000, 0.006))])

    starts, gains = _bounces(draw, draw.between(0.26, 0.34), 0.72, 0.03)
    whir = np.cumsum(np.geomspace(0.03, 0.012, draw.whole(14, 24)))
    starts = np.concatenate([starts, starts[-1] + whir])
    gains = np.concatenate([gains + 0.12, np.linspace(0.3, 0.08, len(whir))])
    return repeat(starts, touch, gains)


@FAMILY.category(
    "soft springy thumps that come quicker and quicker and fade",
    (1.2, 3.2),
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

    starts, gains = _bounces(draw, draw.between(0.48, 0.6), 0.78, 0.11)
    return room(draw, repeat(starts, thump, gains), 0.4, 0.2)


@FAMILY.category(
    "a dry, splintering crack",
    (0.25, 0.9),
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
    "a loud, clanging, jangling fall of a hollow tube",
    (1.2, 2.8),
    "metal pipe clang clank drop tube bar steel",
)
def pipe_clang(draw: Draw) -> Samples:
    """A free bar's modes, dropped: a few uneven bounces."""
    pitch_hz = draw.near(430.0, 0.15)

    def blow(number: int) -> Samples:
        ring = struck(draw, 1.0, pitch_hz, BAR, 1.3, damping=0.35, detune=0.004, hardness=0.9)
        second = struck(
            draw, 1.0, 1.87 * pitch_hz, BAR, 1.0, damping=0.35, detune=0.004, hardness=0.8
        )
        return lay([(0, 1.0, ring), (0, 0.5, second), (0, 0.4, click(draw, 800, 6000, 0.015))])

    starts, gains = _bounces(draw, draw.between(0.24, 0.36), 0.7, 0.09)
    return repeat(starts, blow, gains)


@FAMILY.category(
    "one vast metallic wash that blooms after the stroke and fades slowly",
    (2.4, 4.2),
    "gong tam cymbal crash bell",
)
def gong(draw: Draw) -> Samples:
    """Energy moves from low modes into a shimmer of high ones."""
    low_hz, at_s = draw.near(118.0, 0.15), times(draw.between(2.6, 3.8))
    low = struck(draw, len(at_s) / 48_000, low_hz, PLATE, 4.0, damping=0.3, hardness=0.92)
    count = 60
    highs = draw.many(count, 4.0, 26.0) * low_hz
    shimmer = modes(at_s, highs, draw.many(count, 1.5, 3.0), draw.many(count, 0.03, 0.2))
    return low + shimmer * np.minimum(at_s / draw.between(0.2, 0.4), 1.0)


@FAMILY.category(
    "a few round, booming beats on a tight skin",
    (0.8, 2.6),
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
    "a loose, bright metallic rattling of many small links",
    (0.9, 2.2),
    "chain chains rattle rattling keys jingle jangle metal",
)
def chain_rattle(draw: Draw) -> Samples:
    """Links strike links at random, in swells."""
    length_s = draw.between(1.0, 1.8)

    def link(number: int) -> Samples:
        pitch_hz = draw.between(1500.0, 3800.0)
        return modes(
            times(0.07),
            pitch_hz * np.array([1.0, 1.6, 2.45]),
            [0.06, 0.045, 0.03],
            draw.many(3, 0.4, 1),
        )

    starts = draw.poisson(draw.near(75.0, 0.15), length_s)
    swell = 0.35 + 0.65 * np.sin(np.pi * starts / length_s * draw.between(2.0, 3.0)) ** 2
    return repeat(starts, link, swell * draw.many(len(starts), 0.2, 1.0))


@FAMILY.category(
    "four to six steps, each a firm tap and a soft scuff",
    (1.8, 3.6),
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
    "a clatter of hard, hollow ceramic knocks, thrown together",
    (0.8, 2.0),
    "dishes dish plates cutlery crockery cup saucer kitchen clatter",
)
def dish_clatter(draw: Draw) -> Samples:
    """Plates on plates: pitched, short, at random."""
    plates = [
        draw.several(draw.between(750, 1500) * np.array([1.0, 1.9, 3.05, 4.3]), 0.04)
        for _ in range(4)
    ]

    def knock(number: int) -> Samples:
        return modes(
            times(0.18), draw.pick(plates), [0.17, 0.12, 0.08, 0.06], draw.many(4, 0.3, 1.0)
        )

    starts = draw.poisson(draw.near(15.0, 0.15), draw.between(0.8, 1.5))
    return room(draw, repeat(starts, knock, draw.many(len(starts), 0.2, 1.0)), 0.3, 0.2)


@FAMILY.category(
    "one violent, short blast of noise that echoes away",
    (0.8, 2.2),
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
    "two to three muffled, heavy thumps of something soft",
    (0.5, 1.8),
    "thud thump book sack bag fall drop heavy boots",
)
def soft_thud(draw: Draw) -> Samples:
    """Weight without ring."""
    pitch_hz, count = draw.near(58.0, 0.15), draw.whole(2, 3)
    starts = draw.steps(count, draw.between(0.4, 0.55), 0.1)
    return repeat(starts, lambda _: thud(draw, pitch_hz, 0.28, 0.3), draw.many(count, 0.6, 1.0))


@FAMILY.category(
    "a tumble of short, hollow wooden clacks",
    (0.8, 2.0),
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
