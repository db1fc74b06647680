"""Animal calls: mammals. Voices of bodies small and large, and their patterns of call."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, fade, glide, line, on_off, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, noise
from perturb.events.sounds.scenes import repeat, room
from perturb.events.sounds.tones import harmonics
from perturb.events.sounds.voices import Formant, breath, voice

__all__ = ["FAMILY"]

FAMILY = Family("animal_calls")


@FAMILY.category(
    "one to four short, hoarse, abrupt bursts of voice, each falling in pitch",
    (0.2, 1.8),
    "dog bark barking puppy hound woof canine pet",
)
def dog_bark(draw: Draw) -> Samples:
    """A quick rise and fall of pitch, hoarse, with a wide open mouth."""
    size = draw.near(1.0, 0.3)
    pitch_hz, count = 420.0 / size, draw.whole(1, 4)

    def bark(number: int) -> Samples:
        at_s = times(draw.near(0.17, 0.2))
        stop_s = at_s[-1]
        bend = draw.near(1.0, 0.06)
        f0 = glide(
            at_s,
            (0, 0.8 * pitch_hz),
            (0.25 * stop_s, 1.25 * pitch_hz * bend),
            (stop_s, 0.5 * pitch_hz),
        )
        throat = [
            (820.0 / size, 260.0, 1.0),
            (1500.0 / size, 300.0, 0.8),
            (2900.0 / size, 600, 0.3),
        ]
        sound = voice(draw, f0, throat, breathiness=0.5, roughness=0.08, tilt_db=-3.0)
        return sound * strike(at_s, 0.012, 2.6 * stop_s) * fade(at_s, 0.005, 0.04)

    starts = draw.steps(count, draw.between(0.32, 0.55), 0.1)
    return room(draw, repeat(starts, bark, draw.many(count, 0.7, 1.0)), 0.25, 0.25)


@FAMILY.category(
    "one drawn-out, nasal, plaintive tone of voice that rises and then falls",
    (0.5, 1.3),
    "cat meow meowing kitten mew miaow feline pet",
)
def cat_meow(draw: Draw) -> Samples:
    """The mouth opens and closes while the pitch arches."""
    length_s, pitch_hz = draw.between(0.6, 1.1), draw.near(560.0, 0.2)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, 0.8 * pitch_hz),
        (draw.between(0.3, 0.5) * length_s, 1.3 * pitch_hz),
        (length_s, 0.75 * pitch_hz),
    ) * (1.0 + 0.012 * wander(draw, at_s, 5.0))
    first = glide(at_s, (0, 500), (0.45 * length_s, draw.near(1250, 0.1)), (length_s, 650))
    second = glide(at_s, (0, 1500), (0.4 * length_s, draw.near(2500, 0.1)), (length_s, 1300))
    throat: list[Formant] = [(first, 220.0, 1.0), (second, 300.0, 0.8), (3700.0, 500.0, 0.3)]
    sound = voice(draw, f0, throat, breathiness=0.06, roughness=0.008, tilt_db=-4.0)
    return sound * line(at_s, (0, 0.0), (0.12, 0.5), (0.4 * length_s, 1.0), (length_s, 0.0))


@FAMILY.category(
    "one long, deep, hollow tone of voice, swelling slowly",
    (1.4, 3.0),
    "cow moo mooing cattle bull calf livestock farm",
)
def cow_moo(draw: Draw) -> Samples:
    """A long low call: lips closed, then open."""
    length_s, pitch_hz = draw.between(1.3, 2.4), draw.near(135.0, 0.18)
    at_s = times(length_s)
    f0 = glide(
        at_s, (0, 0.75 * pitch_hz), (0.5 * length_s, pitch_hz * 1.15), (length_s, 0.7 * pitch_hz)
    ) * (1.0 + 0.01 * wander(draw, at_s, 6.0))
    first = glide(at_s, (0, 230), (0.35 * length_s, draw.near(480, 0.1)), (length_s, 330))
    throat: list[Formant] = [(first, 110.0, 1.0), (850.0, 200.0, 0.35), (2100.0, 400.0, 0.1)]
    sound = voice(draw, f0, throat, breathiness=0.08, roughness=0.015, tilt_db=-7.0, floor=0.01)
    return room(draw, sound * fade(at_s, 0.25 * length_s, 0.35 * length_s), 0.4, 0.3)


@FAMILY.category(
    "a nasal tone of voice that trembles rapidly from start to end",
    (0.6, 1.4),
    "sheep goat lamb bleat bleating baa livestock farm",
)
def sheep_bleat(draw: Draw) -> Samples:
    """A voice shaken in loudness and pitch some ten times a second."""
    length_s, pitch_hz, shake_hz = draw.between(0.7, 1.2), draw.near(300, 0.2), draw.near(9.5, 0.2)
    at_s = times(length_s)
    shake = np.sin(2.0 * np.pi * shake_hz * at_s)
    f0 = glide(at_s, (0, 1.05 * pitch_hz), (length_s, 0.9 * pitch_hz)) * (1.0 + 0.035 * shake)
    throat = [(750.0, 200, 1.0), (draw.near(1750, 0.1), 250, 0.9), (2800.0, 400, 0.5)]
    sound = voice(draw, f0, throat, breathiness=0.12, roughness=0.03, tilt_db=-4.0)
    return sound * (0.55 + 0.45 * shake) * fade(at_s, 0.05, 0.2)


@FAMILY.category(
    "a few low, rattling, snorting grunts in quick succession",
    (0.7, 2.1),
    "pig oink oinking hog boar swine grunt snort livestock farm",
)
def pig_grunt(draw: Draw) -> Samples:
    """Slow pulses of a slack throat, and the snort of breath on top."""
    rate_hz, count = draw.near(52.0, 0.2), draw.whole(3, 5)

    def grunt(number: int) -> Samples:
        at_s = times(draw.between(0.14, 0.28))
        f0 = glide(at_s, (0, rate_hz), (at_s[-1], 1.35 * rate_hz))
        throat = [
            (draw.near(420, 0.1), 160, 1.0),
            (draw.near(1250, 0.1), 300, 0.7),
            (2400.0, 500, 0.3),
        ]
        return voice(draw, f0, throat, breathiness=0.7, roughness=0.08, tilt_db=-3.0) * arch(
            at_s, 0.35
        )

    starts = draw.steps(count, draw.between(0.3, 0.42), 0.15)
    return repeat(starts, grunt, draw.many(count, 0.6, 1.0))


@FAMILY.category(
    "one high, shrill, quavering voice that tumbles down in pitch",
    (1.3, 2.6),
    "horse whinny neigh neighing pony mare livestock farm",
)
def horse_whinny(draw: Draw) -> Samples:
    """A shrill start, then a fall with a quaver that deepens."""
    length_s, pitch_hz, shake_hz = (
        draw.between(1.3, 2.1),
        draw.near(1150, 0.15),
        draw.near(12, 0.15),
    )
    at_s = times(length_s)
    shake = np.sin(2.0 * np.pi * shake_hz * at_s)
    depth = line(at_s, (0, 0.02), (0.3 * length_s, 0.1), (length_s, 0.16))
    f0 = glide(
        at_s, (0, 0.8 * pitch_hz), (0.15 * length_s, pitch_hz), (length_s, 0.38 * pitch_hz)
    ) * (1.0 + depth * shake)
    throat = [(1200.0, 500, 1.0), (2300.0, 500, 0.9), (3900.0, 800, 0.4)]
    sound = voice(draw, f0, throat, breathiness=0.2, roughness=0.02, tilt_db=-2.0, floor=0.1)
    return room(draw, sound * (0.75 + 0.25 * shake) * fade(at_s, 0.06, 0.3), 0.3, 0.25)


@FAMILY.category(
    "one long, pure, mournful tone of voice that rises, holds and sinks",
    (2.4, 4.1),
    "wolf howl howling coyote dog canine",
)
def wolf_howl(draw: Draw) -> Samples:
    """Few harmonics, a leap up, a long hold, a sinking end, a valley around it."""
    length_s, pitch_hz = draw.between(1.9, 3.0), draw.near(520.0, 0.2)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, 0.55 * pitch_hz),
        (0.2 * length_s, pitch_hz),
        (0.65 * length_s, 0.97 * pitch_hz),
        (length_s, 0.6 * pitch_hz),
    ) * (1.0 + 0.008 * np.sin(2.0 * np.pi * draw.near(4.5, 0.2) * at_s))
    sound = harmonics(f0, [1.0, draw.between(0.3, 0.5), 0.15, 0.05])
    sound += 0.01 * noise(draw, len(at_s), band(300, 3000))
    return room(draw, sound * fade(at_s, 0.3, 0.5), 1.0, 0.35)


@FAMILY.category(
    "a loud blare of harsh voice that leaps up and breaks",
    (1.1, 2.1),
    "elephant trumpet trumpeting",
)
def elephant_trumpet(draw: Draw) -> Samples:
    """A brassy, rough call: all harmonics, a leap, a hoarse end."""
    length_s, pitch_hz = draw.between(0.9, 1.5), draw.near(380.0, 0.15)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, 0.6 * pitch_hz),
        (0.12 * length_s, 1.1 * pitch_hz),
        (0.6 * length_s, 1.3 * pitch_hz),
        (length_s, 0.8 * pitch_hz),
    )
    throat = [(900.0, 500, 1.0), (1900.0, 600, 0.9), (3200.0, 900, 0.7)]
    sound = voice(draw, f0, throat, breathiness=0.3, roughness=0.05, tilt_db=1.0, floor=0.25)
    low = voice(draw, 0.25 * f0, [(300.0, 200, 1.0)], roughness=0.05)
    return room(draw, (sound + 0.25 * low) * fade(at_s, 0.04, 0.2), 0.5, 0.35)


@FAMILY.category(
    "rough voice drawn in on a squeaky high tone and let out on a low one, over and over",
    (1.7, 3.5),
    "donkey mule bray braying hee haw livestock farm",
)
def donkey_bray(draw: Draw) -> Samples:
    """In: a squeak. Out: a hoarse honk. Two or three times."""
    size, count = draw.near(1.0, 0.12), draw.whole(2, 3)

    def bray(number: int) -> Samples:
        drawn = times(draw.between(0.28, 0.36))
        out = times(draw.between(0.38, 0.5))
        high = glide(drawn, (0, 620.0 / size), (drawn[-1], 900.0 / size))
        low = glide(out, (0, 300.0 / size), (out[-1], 230.0 / size))
        throat = [(950.0, 300, 1.0), (1800.0, 400, 0.8), (2900.0, 600, 0.5)]
        first = voice(draw, high, throat, breathiness=0.5, roughness=0.05, tilt_db=-2.0)
        second = voice(draw, low, throat, breathiness=0.3, roughness=0.1, tilt_db=-2.0)
        return np.concatenate([0.45 * first * arch(drawn), second * fade(out, 0.03, 0.12)])

    starts = draw.steps(count, draw.between(0.95, 1.05), 0.03)
    return room(draw, repeat(starts, bray), 0.35, 0.25)


@FAMILY.category(
    "a low steady rattle of breath that comes and goes twice a second or so",
    (1.7, 3.3),
    "cat purr purring kitten feline pet",
)
def cat_purr(draw: Draw) -> Samples:
    """Soft pulses at 25 per second, louder on the way out than on the way in."""
    length_s, rate_hz = draw.between(1.9, 3.0), draw.near(25.0, 0.12)
    at_s = times(length_s)
    flutter = on_off(at_s, rate_hz, 0.45, 0.008)
    sound = breath(draw, len(at_s), [(180.0, 160, 1.0), (520.0, 300, 0.35)], tilt_db=-9, floor=0.01)
    turn = 0.65 + 0.35 * np.sign(np.sin(2.0 * np.pi * draw.near(0.9, 0.15) * at_s + 0.3))
    turn = np.convolve(turn, np.full(2_400, 1 / 2_400), mode="same")
    return sound * flutter * turn * fade(at_s, 0.2, 0.3)
