"""Human non-speech: what bodies do without a voice: hands, breath, heart, jaws."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, fade, glide, line, on_off, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, thud
from perturb.events.sounds.tones import harmonics
from perturb.events.sounds.voices import breath, voice

__all__ = ["FAMILY"]

FAMILY = Family("human")


@FAMILY.category(
    "countless short, sharp slaps at once, dense and bright",
    (2.1, 3.8),
    "applause clap clapping claps hands crowd audience cheering",
)
def applause(draw: Draw) -> Samples:
    """Some dozens of hands, each at its own rate and pitch."""
    length_s, starts, gains, colours = draw.between(2.0, 3.2), [], [], []
    for _ in range(draw.whole(14, 22)):
        beats = draw.between(0.0, 0.25) + draw.steps(
            int(length_s * 4.2), draw.between(0.2, 0.28), 0.1
        )
        beats = beats[beats < length_s - 0.1]
        starts += list(beats)
        gains += [draw.between(0.2, 1.0)] * len(beats)
        colours += [draw.between(750.0, 1_700.0)] * len(beats)
    claps = repeat(starts, lambda n: click(draw, colours[n], 2.2 * colours[n], 0.022), gains)
    sound = room(draw, claps, 0.5, 0.3)
    return sound * fade(np.arange(len(sound)) / 48_000, 0.3, 0.6)


@FAMILY.category(
    "slow, rattling, rasping breaths, drawn in and let out",
    (1.8, 2.7),
    "snore snoring sleeping sleep",
)
def snore(draw: Draw) -> Samples:
    """A slack palate flutters as air is drawn in; a soft breath out."""
    size = draw.near(1.0, 0.15)
    drawn_s, out_s = draw.between(1.0, 1.4), draw.between(0.7, 0.9)
    at_s = times(drawn_s)
    f0 = (
        draw.near(38.0, 0.2)
        * (1.0 + 0.12 * wander(draw, at_s, 5.0))
        * line(at_s, (0, 0.9), (drawn_s, 1.25))
    )
    throat = [(330.0 / size, 130, 1.0), (950.0 / size, 260, 0.6), (2_000.0 / size, 500, 0.3)]
    rasp = voice(draw, f0, throat, breathiness=0.5, roughness=0.1, tilt_db=-2.0) * arch(at_s, 0.6)
    out = times(out_s)
    puffed = breath(draw, len(out), [(500.0, 400, 1.0), (1_500.0, 800, 0.4)]) * arch(out, 0.3)
    return lay([(0, 1.0, rasp), (drawn_s + 0.2, 0.22, puffed)])


@FAMILY.category(
    "hurried, airy breaths in and out",
    (1.4, 3.5),
    "breathing breath breathe panting pant gasp exhale inhale",
)
def heavy_breathing(draw: Draw) -> Samples:
    """In through a narrow mouth, out through a wide one."""
    pace_s = draw.between(0.42, 0.56)

    def half(number: int) -> Samples:
        at_s = times(0.85 * pace_s)
        throat = (
            [(1_700.0, 500, 1.0), (3_100.0, 900, 0.8)]
            if number % 2 == 0
            else [(750.0, 500, 1.0), (1_500.0, 600, 0.7)]
        )
        return breath(draw, len(at_s), throat) * arch(at_s, (0.6, 0.35)[number % 2], 1.3)

    count = 2 * draw.whole(2, 3)
    return repeat(draw.steps(count, pace_s, 0.04), half, [0.8, 1.0] * (count // 2))


@FAMILY.category(
    "a few sharp, dry, isolated snaps, evenly paced",
    (1.1, 2.9),
    "finger fingers snap snapping click",
)
def finger_snap(draw: Draw) -> Samples:
    """A short hollow pop of the palm near 2 kHz."""
    colour_hz, count = draw.near(1_900.0, 0.12), draw.whole(3, 5)

    def snap(number: int) -> Samples:
        return click(draw, 0.8 * colour_hz, 1.3 * colour_hz, 0.03)

    return room(draw, repeat(draw.steps(count, draw.between(0.42, 0.58), 0.03), snap), 0.3, 0.12)


@FAMILY.category(
    "a clear, pure phrase of a few gliding notes, mid-high",
    (1.0, 2.4),
    "whistle whistling tune",
)
def whistled_tune(draw: Draw) -> Samples:
    """Lips: pure tones that glide into one another, a breath of air."""
    pitch_hz, count, pace_s = draw.near(1_250.0, 0.1), draw.whole(4, 6), draw.between(0.24, 0.36)
    scale = [2.0 ** (step / 12.0) for step in (0, 2, 4, 5, 7, 9)]
    notes = [draw.pick(scale) * pitch_hz for _ in range(count)]
    at_s = times(count * pace_s)
    points = [
        point
        for n, note in enumerate(notes)
        for point in ((n * pace_s, note), ((n + 0.75) * pace_s, note))
    ]
    f0 = glide(at_s, *points) * (1.0 + 0.006 * np.sin(2 * np.pi * 5.5 * at_s))
    gate = 0.35 + 0.65 * np.clip(on_off(at_s, 1 / pace_s, 0.9, 0.04), 0, 1)
    air = 0.06 * noise(draw, len(at_s), band(1_000, 4_000, 1))
    return room(draw, (harmonics(f0, [1.0, 0.04]) + air) * gate * fade(at_s, 0.04, 0.1), 0.3, 0.12)


@FAMILY.category(
    "slow pairs of soft, deep, muffled beats",
    (1.7, 3.7),
    "heart heartbeat pulse beat",
)
def heartbeat(draw: Draw) -> Samples:
    """Lub-dub, heard through a chest."""
    pace_s, pitch_hz = draw.between(0.75, 1.0), draw.near(68.0, 0.1)

    def pair(number: int) -> Samples:
        first, second = thud(draw, pitch_hz, 0.16, 0.3), thud(draw, 1.35 * pitch_hz, 0.12, 0.2)
        return lay([(0, 1.0, first), (draw.near(0.28, 0.06), 0.65, second)])

    return repeat(draw.steps(draw.whole(3, 4), pace_s, 0.02), pair)


@FAMILY.category(
    "loud, brittle crackles in slow, regular clusters",
    (0.8, 2.7),
    "chewing eating crunch crunching chips bite apple food mouth",
)
def crunching(draw: Draw) -> Samples:
    """Bursts of brittle cracks at the pace of a jaw."""

    def bite(number: int) -> Samples:
        starts = np.sort(draw.generator.gamma(1.6, 0.035, draw.whole(14, 24)))

        def crack(which: int) -> Samples:
            low = draw.between(500.0, 1_600.0)
            return click(draw, low, 3.5 * low, draw.between(0.004, 0.012))

        return repeat(starts, crack, draw.many(len(starts), 0.1, 1.0))

    count = draw.whole(3, 5)
    return repeat(
        draw.steps(count, draw.between(0.42, 0.55), 0.08), bite, draw.many(count, 0.6, 1.0)
    )
