"""Animal calls: birds. Whistles, coos, harsh cries and a beak on wood."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, fade, glide
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, modes
from perturb.events.sounds.tones import harmonics, sine
from perturb.events.sounds.voices import voice

__all__ = ["FAMILY"]

FAMILY = Family("animal_calls")


@FAMILY.category(
    "four strained, piercing tones of voice, two short, one long and high, one falling away",
    (1.5, 2.3),
    "rooster cock crow crowing chicken hen poultry fowl farm cockerel",
)
def rooster_crow(draw: Draw) -> Samples:
    """Cock-a-doodle-doo: the third note is the highest and longest."""
    pitch_hz, pace = draw.near(760.0, 0.12), draw.near(1.0, 0.12)
    notes = [(0.16, 0.75, 0.85), (0.14, 0.95, 1.0), (0.42, 1.05, 1.25), (0.7, 1.15, 0.6)]
    parts, start_s = [], 0.0
    for length_s, first, last in notes:
        at_s = times(length_s * pace)
        f0 = glide(
            at_s,
            (0, first * pitch_hz),
            (0.4 * at_s[-1], 1.1 * max(first, last) * pitch_hz),
            (at_s[-1], last * pitch_hz),
        )
        throat = [(1100.0, 400, 0.8), (2300.0, 500, 1.0), (3300.0, 600, 0.6)]
        sound = voice(draw, f0, throat, breathiness=0.15, roughness=0.03, tilt_db=-1.0, floor=0.1)
        parts.append((start_s, draw.between(0.8, 1.0), sound * fade(at_s, 0.02, 0.06)))
        start_s += (length_s + 0.06) * pace
    return room(draw, lay(parts), 0.35, 0.25)


@FAMILY.category(
    "two to four harsh, rasping, croaky cries of even pitch",
    (0.9, 2.9),
    "crow raven caw cawing rook jackdaw corvid bird",
)
def crow_caw(draw: Draw) -> Samples:
    """A rasp of voice and noise at one pitch, mouth opening."""
    pitch_hz, count = draw.near(500.0, 0.12), draw.whole(2, 4)

    def caw(number: int) -> Samples:
        at_s = times(draw.between(0.26, 0.36))
        f0 = glide(
            at_s, (0, pitch_hz), (0.3 * at_s[-1], 1.1 * pitch_hz), (at_s[-1], 0.85 * pitch_hz)
        )
        throat = [(draw.near(1350, 0.06), 350, 1.0), (1900.0, 400, 0.7), (3000.0, 700, 0.3)]
        sound = voice(draw, f0, throat, breathiness=1.1, roughness=0.12, tilt_db=-1.0, floor=0.05)
        return sound * fade(at_s, 0.03, 0.1)

    return room(draw, repeat(draw.steps(count, draw.between(0.52, 0.68), 0.08), caw), 0.4, 0.2)


@FAMILY.category(
    "soft, round, hollow low tones: a short one, a pause, then a wavering long one",
    (1.7, 2.7),
    "owl hoot hooting bird",
)
def owl_hoot(draw: Draw) -> Samples:
    """Almost pure tones in the night."""
    pitch_hz = draw.near(380.0, 0.14)
    parts, start_s = [], 0.0
    for length_s, shake in ((draw.between(0.25, 0.35), 0.0), (draw.between(0.7, 1.0), 0.5)):
        at_s = times(length_s)
        f0 = glide(
            at_s, (0, 0.9 * pitch_hz), (0.3 * length_s, pitch_hz), (length_s, 0.93 * pitch_hz)
        )
        loud = arch(at_s, 0.4) * (1.0 - shake * (0.5 + 0.5 * np.sin(2 * np.pi * 8.0 * at_s)))
        sound = harmonics(f0, [1.0, 0.12, 0.03]) + 0.02 * noise(draw, len(at_s), band(300, 1200))
        parts.append((start_s, 1.0, sound * loud))
        start_s += length_s + draw.between(0.3, 0.5)
    return room(draw, lay(parts), 0.8, 0.25)


@FAMILY.category(
    "a quick run of high, clear, sliding whistled notes",
    (1.0, 3.8),
    "bird birds birdsong song singing chirp chirping tweet songbird canary sparrow",
)
def bird_song(draw: Draw) -> Samples:
    """A handful of syllables, each a fast sweep, some of them repeated."""
    shapes = []
    for _ in range(draw.whole(2, 4)):
        low, high = sorted(draw.many(2, 1900.0, 3400.0))
        points = (low, high, low * 1.1) if draw.chance(0.4) else (high, low, low)
        shapes.append((draw.between(0.06, 0.14), points[:: 1 if draw.chance(0.5) else -1]))
    parts, start_s = [], 0.0
    for length_s, points in shapes:
        for _ in range(draw.whole(2, 5)):
            at_s = times(length_s)
            f0 = glide(at_s, (0, points[0]), (0.5 * length_s, points[1]), (length_s, points[2]))
            parts.append((start_s, draw.between(0.7, 1.0), sine(f0) * arch(at_s, 0.4)))
            start_s += length_s + draw.between(0.02, 0.06)
        start_s += draw.between(0.03, 0.12)
    return room(draw, lay(parts), 0.5, 0.15)


@FAMILY.category(
    "pairs of soft flute-like notes, the second of each pair lower by a third",
    (1.8, 3.7),
    "cuckoo bird clock",
)
def cuckoo_call(draw: Draw) -> Samples:
    """A falling third, two or three times."""
    pitch_hz, pair_s = draw.near(660.0, 0.08), draw.between(0.9, 1.1)
    parts = []
    for number in range(draw.whole(2, 3)):
        for start_s, length_s, ratio in ((0.0, 0.2, 1.0), (0.32, 0.3, draw.near(0.815, 0.02))):
            at_s = times(length_s)
            f0 = pitch_hz * ratio * glide(at_s, (0, 0.96), (0.06, 1.0), (length_s, 0.98))
            sound = harmonics(f0, [1.0, 0.08, 0.1]) * fade(at_s, 0.03, 0.08)
            sound += 0.02 * noise(draw, len(at_s), band(600, 2500)) * fade(at_s, 0.03, 0.08)
            parts.append((number * pair_s + start_s, 1.0, sound))
    return room(draw, lay(parts), 0.7, 0.2)


@FAMILY.category(
    "three to six long, wailing, shrill cries, each sliding down",
    (1.5, 3.8),
    "seagull gull bird sea beach seabird",
)
def seagull_cry(draw: Draw) -> Samples:
    """Harmonic cries that slide down, the longest first."""
    pitch_hz, count = draw.near(1100.0, 0.12), draw.whole(3, 6)

    def cry(number: int) -> Samples:
        at_s = times(max(0.2, draw.near(0.5, 0.15) - 0.05 * number))
        f0 = glide(
            at_s, (0, 0.9 * pitch_hz), (0.2 * at_s[-1], 1.3 * pitch_hz), (at_s[-1], 0.8 * pitch_hz)
        )
        return harmonics(f0, [0.5, 1.0, 0.7, 0.3, 0.1]) * fade(at_s, 0.04, 0.12)

    return room(draw, repeat(draw.steps(count, draw.between(0.46, 0.58), 0.06), cry), 0.5, 0.2)


@FAMILY.category(
    "a few short, flat, nasal, reedy honks, each softer than the one before",
    (0.5, 1.8),
    "duck quack quacking goose geese honk waterfowl bird",
)
def duck_quack(draw: Draw) -> Samples:
    """Reedy and nasal, a descending row."""
    pitch_hz, count = draw.near(250.0, 0.15), draw.whole(3, 5)

    def quack(number: int) -> Samples:
        at_s = times(draw.between(0.13, 0.2))
        f0 = glide(
            at_s, (0, pitch_hz), (0.4 * at_s[-1], 1.08 * pitch_hz), (at_s[-1], 0.9 * pitch_hz)
        )
        throat = [(draw.near(1150, 0.05), 180, 1.0), (draw.near(2450, 0.05), 260, 0.9)]
        sound = voice(draw, f0, throat, breathiness=0.15, roughness=0.03, tilt_db=1.0)
        return sound * fade(at_s, 0.012, 0.07)

    starts = draw.steps(count, draw.between(0.25, 0.34), 0.06)
    return repeat(starts, quack, 0.85 ** np.arange(count))


@FAMILY.category(
    "a fast, dry, wooden rattle of taps that dies down",
    (0.9, 2.9),
    "woodpecker pecking drumming bird knock tap",
)
def woodpecker_drum(draw: Draw) -> Samples:
    """Some eighteen taps a second on a hollow trunk, once or twice."""
    trunk = draw.several([820.0, 1450.0, 2300.0], 0.15)
    rate_hz = draw.near(18.0, 0.15)

    def tap(number: int) -> Samples:
        body = modes(times(0.06), trunk, [0.045, 0.03, 0.02], [1.0, 0.7, 0.5])
        return lay([(0, 1.0, body), (0, 0.25, click(draw, 1500, 5000, 0.004))])

    def roll(number: int) -> Samples:
        count = draw.whole(11, 17)
        return repeat(draw.steps(count, 1 / rate_hz, 0.03), tap, np.linspace(1.0, 0.35, count))

    return room(draw, repeat(np.arange(draw.whole(1, 2)) * 1.3, roll), 0.5, 0.2)


@FAMILY.category(
    "a soft, quivering, rolling coo, low and breathy, said in three swells",
    (1.2, 1.9),
    "pigeon dove coo cooing bird",
)
def pigeon_coo(draw: Draw) -> Samples:
    """A low coo with a roll of the tongue in the middle."""
    pitch_hz, parts, start_s = draw.near(290.0, 0.1), [], 0.0
    for length_s, roll in ((0.3, 0.0), (draw.between(0.55, 0.7), 0.8), (0.35, 0.0)):
        at_s = times(length_s * draw.near(1.0, 0.1))
        f0 = pitch_hz * glide(at_s, (0, 0.85), (0.4 * at_s[-1], 1.12), (at_s[-1], 0.9))
        gate = 1.0 - roll * (0.5 + 0.5 * np.sin(2 * np.pi * draw.near(24.0, 0.1) * at_s))
        sound = harmonics(f0, [1.0, 0.35, 0.1]) + 0.15 * noise(draw, len(at_s), band(250, 900))
        parts.append((start_s, 1.0, sound * gate * arch(at_s, 0.35)))
        start_s += len(at_s) / 48_000 + 0.08
    return lay(parts)
