"""Ambient nature: wind, fire, storms, stones, ice."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, decay, fade, glide, line, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, both, moving_filter, noise, tilt
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, modes
from perturb.events.sounds.tones import sine

__all__ = ["FAMILY"]

FAMILY = Family("nature")


@FAMILY.category(
    "a deep crack that rolls on as a long, low rumble",
    (3.1, 5.3),
    "thunder thunderstorm lightning storm weather",
)
def thunder(draw: Draw) -> Samples:
    """Claps that lose their top as they come from farther off."""
    length_s = draw.between(2.6, 4.0)
    at_s = times(length_s)
    rumble = noise(draw, len(at_s), both(band(28, 160, 1), tilt(-6, 160)))
    rumble *= np.exp(1.4 * wander(draw, at_s, 2.2)) * line(
        at_s, (0, 0.3), (0.35, 1.0), (length_s, 0.05)
    )
    return room(
        draw, lay([(0, 1.0, rumble), (0.05, 0.8, _claps(draw))]), 1.2, 0.3, band(40, 600, 1)
    )


def _claps(draw: Draw) -> Samples:
    def clap(number: int) -> Samples:
        sound = noise(draw, 24_000, band(60, draw.between(500.0, 1_300.0), 1))
        return sound * strike(times(0.5), 0.005, 0.6)

    starts = np.sort(draw.many(draw.whole(3, 6), 0.0, 0.8))
    return repeat(starts, clap, draw.many(len(starts), 0.3, 0.9))


@FAMILY.category(
    "a hollow, moaning rush of air that swells and sinks and changes pitch",
    (2.0, 4.1),
    "wind windy gust gale breeze storm weather howling",
)
def wind_gust(draw: Draw) -> Samples:
    """Noise through a few wandering resonances."""
    length_s = draw.between(2.2, 3.8)
    at_s = times(length_s)
    gust = 0.5 + 0.5 * wander(draw, at_s, 0.9)
    centre = draw.near(420.0, 0.15) * 2.0 ** (0.8 * (gust - 0.5))

    def gains_at(frames_s: Samples, bins_hz: Samples) -> Samples:
        places = np.clip((frames_s[:, 0] * 48_000).astype(int), 0, len(at_s) - 1)
        centres = centre[places, np.newaxis]
        total = 0.08 / (1.0 + (bins_hz / 300.0) ** 2)
        for ratio, gain in ((1.0, 1.0), (1.7, 0.4)):
            total = total + gain / (
                1.0 + ((bins_hz - ratio * centres) / (0.12 * ratio * centres)) ** 2
            )
        return np.asarray(total)

    sound = moving_filter(draw.normals(len(at_s)), gains_at)
    return sound * (0.25 + 0.75 * gust**1.5) * fade(at_s, 0.4, 0.5)


@FAMILY.category(
    "irregular dry snaps and crackles over a faint, low roar",
    (1.8, 3.5),
    "fire crackle crackling campfire fireplace burning flames",
)
def fire_crackle(draw: Draw) -> Samples:
    """Snaps of all sizes in clusters; a breathing bed."""
    length_s = draw.between(2.0, 3.2)
    at_s = times(length_s)
    centres = draw.poisson(5.0, length_s - 0.3)
    starts = np.sort(
        np.concatenate([c + draw.generator.exponential(0.05, draw.whole(1, 6)) for c in centres])
    )
    starts = starts[starts < length_s - 0.1]

    def snap(number: int) -> Samples:
        low = draw.between(700.0, 2_500.0)
        return click(draw, low, 2.5 * low, draw.between(0.008, 0.02))

    snaps = repeat(starts, snap, draw.many(len(starts), 0.1, 1.0))
    bed = noise(draw, len(at_s), band(60, 350)) * (1.0 + 0.5 * wander(draw, at_s, 4.0))
    return lay([(0, 1.0, snaps), (0, 0.035, bed)])[: len(at_s)] * fade(at_s, 0.2, 0.3)


@FAMILY.category(
    "a dense hard pelting, like gravel on a sheet of tin",
    (1.5, 3.0),
    "hail hailstorm sleet tin roof weather storm",
)
def hail(draw: Draw) -> Samples:
    """Hard grains on a sheet that rings a little."""
    length_s = draw.between(1.8, 2.8)
    sheet = draw.several([310.0, 470.0, 720.0, 1_050.0, 1_500.0, 2_100.0], 0.12)

    def grain(number: int) -> Samples:
        ring = modes(
            times(0.09), sheet, [0.08, 0.07, 0.06, 0.05, 0.04, 0.03], draw.many(6, 0.0, 1.0)
        )
        return lay([(0, 1.0, ring), (0, 0.3, click(draw, 1200, 5000, 0.004))])

    starts = draw.poisson(draw.near(42.0, 0.15), length_s - 0.1)
    gains = draw.many(len(starts), 0.2, 1.0) ** 1.5
    return repeat(starts, grain, gains)


@FAMILY.category(
    "light, papery, whispering rustles that come in waves",
    (1.6, 3.3),
    "leaves leaf rustle rustling foliage trees forest bush",
)
def leaves_rustle(draw: Draw) -> Samples:
    """Thousands of tiny touches, thick and thin."""
    length_s = draw.between(1.8, 3.0)
    at_s = times(length_s)
    waves = np.clip(0.45 + 0.8 * wander(draw, at_s, 2.4), 0.05, None) ** 1.5
    grain = np.minimum(noise(draw, len(at_s), band(15, 90, 1)) ** 2, 3.0)
    hiss = noise(draw, len(at_s), band(2_200, 6_500, 2))
    return hiss * waves * grain * fade(at_s, 0.15, 0.25)


@FAMILY.category(
    "strange, zinging, downward chirps that echo over a plain",
    (1.0, 3.3),
    "ice lake cracking frozen glacier",
)
def lake_ice(draw: Draw) -> Samples:
    """Dispersion in a sheet: high pitches arrive first."""

    def crack(number: int) -> Samples:
        length_s = draw.between(0.22, 0.35)
        at_s = times(length_s)
        f0 = 240.0 + draw.near(3_400.0, 0.1) * np.exp(-at_s / (0.16 * length_s))
        return sine(f0) * strike(at_s, 0.001, 1.6 * length_s) * fade(at_s, 0.001, 0.03)

    starts = draw.steps(draw.whole(2, 4), draw.between(0.4, 0.6), 0.3)
    return room(draw, repeat(starts, crack, draw.many(len(starts), 0.5, 1.0)), 1.0, 0.2)


@FAMILY.category(
    "a growing, grinding rumble full of hard knocks",
    (2.0, 3.8),
    "rocks rock rockfall landslide avalanche stones boulder gravel",
)
def rock_fall(draw: Draw) -> Samples:
    """Stones of many sizes, thicker towards the middle, over a rumble."""
    length_s = draw.between(2.2, 3.4)
    at_s = times(length_s)
    starts = draw.poisson(34.0, length_s - 0.3)

    def stone(number: int) -> Samples:
        low = 160.0 * 2.0 ** draw.between(0.0, 2.6)
        ring = modes(
            times(0.1), low * np.array([1.0, 1.57, 2.3]), [0.07, 0.05, 0.03], draw.many(3, 0.3, 1)
        )
        return lay([(0, 1.0, ring), (0, 0.5, click(draw, 2 * low, 8 * low, 0.008))])

    share = np.sin(np.pi * starts / length_s)
    stones = repeat(starts, stone, (0.1 + 0.9 * share) * draw.many(len(starts), 0.2, 1.0))
    rumble = noise(draw, len(at_s), band(40, 220, 1)) * arch(at_s, 0.5)
    return lay([(0, 1.0, stones), (0, 0.22, rumble)])


@FAMILY.category(
    "a brief whoosh that sweeps past, rising and dropping",
    (0.4, 1.3),
    "whoosh swoosh swish wing wings flap pass",
)
def wing_whoosh(draw: Draw) -> Samples:
    """Air past a wing: a band of noise that sweeps down."""
    length_s = draw.between(0.55, 1.1)
    at_s = times(length_s)
    centre = glide(at_s, (0, 500.0), (0.4 * length_s, draw.near(1_900.0, 0.15)), (length_s, 350.0))

    def gains_at(frames_s: Samples, bins_hz: Samples) -> Samples:
        places = np.clip((frames_s[:, 0] * 48_000).astype(int), 0, len(at_s) - 1)
        centres = centre[places, np.newaxis]
        return np.asarray(1.0 / (1.0 + ((bins_hz - centres) / (0.35 * centres)) ** 2))

    return (
        moving_filter(draw.normals(len(at_s)), gains_at) * arch(at_s, 0.42, 2.5) * decay(at_s, 20.0)
    )
