"""Ambient nature: water that runs, falls, drips and breaks on a shore."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import fade, line, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, both, moving_filter, noise, tilt
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import bubble, click

__all__ = ["FAMILY"]

FAMILY = Family("nature")


@FAMILY.category(
    "a steady bright patter of countless tiny ticks",
    (1.9, 3.4),
    "rain raining drizzle downpour shower water weather storm",
)
def rain(draw: Draw) -> Samples:
    """A bed of hiss and single drops on top of it."""
    length_s = draw.between(2.0, 3.2)
    at_s = times(length_s)
    bed = noise(draw, len(at_s), both(band(900, 9_000, 1), tilt(-2.0, 3_500)))
    starts = draw.poisson(draw.near(140.0, 0.25), length_s - 0.05)
    drops = repeat(
        starts, lambda _: click(draw, 1_500, 8_000, 0.006), draw.many(len(starts), 0.1, 1) ** 3
    )
    return lay([(0, 0.35, bed), (0, 1.5, drops)])[: len(at_s)] * fade(at_s, 0.3, 0.4)


@FAMILY.category(
    "a lively trickle: many small, bubbling, liquid notes",
    (1.8, 3.5),
    "stream brook creek river water trickle flowing",
)
def stream(draw: Draw) -> Samples:
    """Hundreds of bubbles over a soft rush."""
    length_s = draw.between(2.0, 3.2)
    at_s = times(length_s)
    starts = draw.poisson(draw.near(85.0, 0.15), length_s - 0.1)

    def one(number: int) -> Samples:
        return bubble(draw, 480.0 * 2.0 ** draw.between(0.0, 2.4), draw.between(0.025, 0.07), 0.25)

    bubbles = repeat(starts, one, draw.many(len(starts), 0.15, 1.0) ** 2)
    bed = noise(draw, len(at_s), band(400, 2_500, 1))
    return lay([(0, 1.0, bubbles), (0, 0.05, bed)])[: len(at_s)] * fade(at_s, 0.3, 0.4)


@FAMILY.category(
    "a broad wash of hiss that swells slowly, breaks and draws back",
    (3.0, 5.0),
    "ocean sea wave waves surf beach shore water",
)
def ocean_wave(draw: Draw) -> Samples:
    """The brightness follows the swell."""
    length_s = draw.between(3.2, 4.6)
    at_s = times(length_s)
    top = draw.between(0.35, 0.5) * length_s
    swell = line(at_s, (0, 0.03), (top, 1.0), (1.25 * top, 0.75), (length_s, 0.02))
    edge = 350.0 * 14.0**swell

    def gains_at(frames_s: Samples, bins_hz: Samples) -> Samples:
        places = np.clip((frames_s[:, 0] * 48_000).astype(int), 0, len(at_s) - 1)
        return np.asarray(
            1.0 / (1.0 + (bins_hz / edge[places, np.newaxis]) ** 2) * (bins_hz > 60.0)
        )

    sound = moving_filter(noise(draw, len(at_s), tilt(-3.0, 400.0)), gains_at)
    return sound * swell * (1.0 + 0.2 * wander(draw, at_s, 6.0))


@FAMILY.category(
    "single liquid plinks in an echoing space, unhurried",
    (1.6, 3.9),
    "water drip dripping drop drops tap faucet leak cave",
)
def water_drip(draw: Draw) -> Samples:
    """A tick and the bubble it traps."""
    pitch_hz, count = draw.near(1050.0, 0.15), draw.whole(3, 5)

    def drip(number: int) -> Samples:
        one = bubble(draw, draw.near(pitch_hz, 0.1), 0.11, 0.45)
        return lay(
            [(0, 0.15, click(draw, 2000, 6000, 0.004)), (draw.between(0.012, 0.03), 1.0, one)]
        )

    return room(draw, repeat(draw.steps(count, draw.between(0.5, 0.7), 0.08), drip), 0.9, 0.12)


@FAMILY.category(
    "an even, massive roar of falling masses, full at all pitches",
    (1.8, 3.5),
    "waterfall falls rapids river water roar weir",
)
def waterfall(draw: Draw) -> Samples:
    """Level noise, darker than rain, heavy at the bottom."""
    at_s = times(draw.between(2.0, 3.2))
    roar = noise(draw, len(at_s), both(band(90, 5_000, 1), tilt(-3.0, 300.0)))
    boom = noise(draw, len(at_s), band(50, 180, 1)) * (1.0 + 0.3 * wander(draw, at_s, 5.0))
    return (roar + draw.between(0.25, 0.4) * boom) * fade(at_s, 0.4, 0.5)


@FAMILY.category(
    "thick, slow, gulping bubbles, low and round",
    (1.2, 3.1),
    "mud bubbles bubbling swamp boiling water geyser hot spring",
)
def mud_bubbles(draw: Draw) -> Samples:
    """Large bubbles that rise in pitch as they burst."""
    starts = draw.steps(draw.whole(6, 10), draw.between(0.2, 0.3), 0.35)

    def blub(number: int) -> Samples:
        return bubble(draw, draw.between(150.0, 300.0), draw.between(0.12, 0.2), 1.1)

    return repeat(starts, blub, draw.many(len(starts), 0.5, 1.0))
