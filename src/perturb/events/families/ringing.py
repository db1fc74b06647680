"""Mechanical impacts: metal, glass and ceramics, which ring."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import decay, strike
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import bounces, lay, repeat, room
from perturb.events.sounds.strikes import BAR, PLATE, click, modes, struck

__all__ = ["FAMILY"]

FAMILY = Family("impacts")


@FAMILY.category(
    "several hard, bright blows on solid metal, evenly spaced",
    (1.3, 3.1),
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
    (0.8, 1.8),
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
    (1.0, 2.0),
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
    (1.3, 2.2),
    "coin coins drop dropping spin money",
)
def coin_drop(draw: Draw) -> Samples:
    """A disc on a table: bounces, then the quickening wobble."""
    disc = draw.several(draw.near(2700.0, 0.08) * np.array([1.0, 1.7, 2.35, 3.1]), 0.02)

    def touch(number: int) -> Samples:
        ring = modes(times(0.3), disc, [0.3, 0.22, 0.16, 0.1], draw.many(4, 0.4, 1.0))
        return lay([(0, 1.0, ring), (0, 0.2, click(draw, 500, 3000, 0.006))])

    starts, gains = bounces(draw, draw.between(0.26, 0.34), 0.72, 0.03)
    whir = np.cumsum(np.geomspace(0.03, 0.012, draw.whole(14, 24)))
    starts = np.concatenate([starts, starts[-1] + whir])
    gains = np.concatenate([gains + 0.12, np.linspace(0.3, 0.08, len(whir))])
    return repeat(starts, touch, gains)


@FAMILY.category(
    "loud, clanging, hollow metallic blows that follow faster and faster",
    (1.4, 2.3),
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

    starts, gains = bounces(draw, draw.between(0.24, 0.36), 0.7, 0.09)
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
    "a loose, bright metallic rattling of many small pieces",
    (0.9, 2.1),
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
    "a clatter of hard, hollow ceramic knocks, thrown together",
    (1.0, 2.1),
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
