"""Human non-speech: voices without words."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, fade, glide, line, on_off, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import both, noise, peaks, tilt
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import bubble
from perturb.events.sounds.tones import harmonics
from perturb.events.sounds.voices import Formant, breath, voice

__all__ = ["FAMILY"]

FAMILY = Family("human")


@FAMILY.category(
    "a run of short, breathy bursts of voice, all on one vowel, sinking",
    (0.7, 2.1),
    "laugh laughter laughing giggle chuckle",
)
def laugh(draw: Draw) -> Samples:
    """Ha-ha-ha: five bursts a second, each half breath."""
    size, count = draw.near(1.0, 0.15), draw.whole(5, 9)
    pitch_hz, pace_s = draw.near(260.0, 0.25), draw.near(0.2, 0.1)

    def burst(number: int) -> Samples:
        vowel_s = 0.48 * pace_s
        throat = [(780.0 / size, 130, 1.0), (1_300.0 / size, 160, 0.6), (2_600.0 / size, 260, 0.25)]
        puffed = times(0.06)
        at_s = times(vowel_s)
        sinking = 1.15 - 0.35 * number / count
        f0 = glide(
            at_s,
            (0, pitch_hz * sinking),
            (0.3 * vowel_s, 1.15 * pitch_hz * sinking),
            (vowel_s, 0.9 * pitch_hz * sinking),
        )
        ha = voice(draw, f0, throat, breathiness=0.3, roughness=0.02) * arch(at_s, 0.35)
        h = breath(draw, len(puffed), throat) * arch(puffed, 0.7)
        return lay([(0, 0.25, h), (0.045, 1.0, ha)])

    return repeat(draw.steps(count, pace_s, 0.06), burst, np.linspace(1.0, 0.45, count))


@FAMILY.category(
    "one to three explosive, throaty bursts of breath",
    (0.2, 1.5),
    "cough coughing throat clearing sick",
)
def cough(draw: Draw) -> Samples:
    """The glottis bursts open; a hoarse tail follows."""
    size, count = draw.near(1.0, 0.15), draw.whole(1, 3)

    def burst(number: int) -> Samples:
        at_s = times(draw.between(0.24, 0.34))
        throat = [(650.0 / size, 250, 1.0), (1_450.0 / size, 350, 0.9), (2_700.0 / size, 600, 0.6)]
        f0 = glide(at_s, (0, 170.0 / size), (at_s[-1], 120.0 / size))
        hoarse = voice(draw, f0, throat, breathiness=1.0, roughness=0.15, tilt_db=-3.0)
        blast = breath(draw, len(at_s), throat, tilt_db=-1.0, floor=0.2)
        return blast * strike(at_s, 0.006, 0.3) + 0.5 * hoarse * arch(at_s, 0.45)

    return repeat(
        draw.steps(count, draw.between(0.38, 0.5), 0.06), burst, draw.many(count, 0.7, 1.0)
    )


@FAMILY.category(
    "an indrawn gasp, then one sharp, hissing explosion of breath",
    (0.7, 1.2),
    "sneeze sneezing achoo sick",
)
def sneeze(draw: Draw) -> Samples:
    """Ah — tchoo: a rising breath, a burst of high noise, a voiced end."""
    size = draw.near(1.0, 0.12)
    gasp_s = draw.between(0.35, 0.55)
    at_s = times(gasp_s)
    rising = voice(
        draw,
        glide(at_s, (0, 210.0 / size), (gasp_s, 330.0 / size)),
        [(800.0, 200, 1.0), (1_500.0, 300, 0.6)],
        breathiness=0.9,
        roughness=0.03,
    )
    burst_s = times(draw.between(0.3, 0.4))
    hiss = noise(draw, len(burst_s), peaks((2_700.0, 1_500, 1.0), (5_000.0, 2_500, 0.9), floor=0.1))
    tail_s = times(0.3)
    ooh = voice(
        draw,
        glide(tail_s, (0, 280.0 / size), (0.3, 170.0 / size)),
        [(420.0, 120, 1.0), (1_100.0, 200, 0.4)],
        breathiness=0.5,
    )
    return lay(
        [
            (0, 0.28, rising * line(at_s, (0, 0.1), (gasp_s, 1.0)) * fade(at_s, 0.05, 0.03)),
            (gasp_s + 0.05, 1.0, hiss * strike(burst_s, 0.008, 0.5) * fade(burst_s, 0.005, 0.05)),
            (gasp_s + 0.17, 0.4, ooh * arch(tail_s, 0.3)),
        ]
    )


@FAMILY.category(
    "long, strained, wailing cries of a small high voice, a gasp between them",
    (1.6, 3.7),
    "baby cry crying infant toddler newborn child children",
)
def baby_cry(draw: Draw) -> Samples:
    """An arch around 450 Hz with a rough top, and the breath before the next."""
    pitch_hz, count = draw.near(450.0, 0.1), draw.whole(2, 3)

    def cry(number: int) -> Samples:
        length_s = draw.between(0.65, 0.95)
        at_s = times(length_s)
        f0 = glide(
            at_s,
            (0, 0.8 * pitch_hz),
            (0.25 * length_s, 1.2 * pitch_hz),
            (0.7 * length_s, 1.1 * pitch_hz),
            (length_s, 0.75 * pitch_hz),
        )
        f0 *= 1.0 + 0.015 * np.sin(2 * np.pi * draw.near(7.0, 0.1) * at_s)
        throat = [(1_050.0, 250, 1.0), (1_900.0, 300, 0.6), (3_400.0, 400, 0.7)]
        return voice(draw, f0, throat, breathiness=0.08, roughness=0.025, tilt_db=-2.0) * fade(
            at_s, 0.08, 0.15
        )

    def gasp(number: int) -> Samples:
        at_s = times(0.18)
        return breath(draw, len(at_s), [(2_000.0, 600, 1.0), (3_500.0, 800, 0.6)]) * arch(at_s, 0.7)

    starts = draw.steps(count, draw.between(1.1, 1.2), 0.02)
    return lay([(0, 1.0, repeat(starts, cry)), (float(starts[-1]) - 0.12, 0.2, gasp(0))])


@FAMILY.category(
    "one long, piercing, open-throated cry at the top of the voice",
    (1.1, 2.3),
    "scream screaming shout yell shriek",
)
def scream(draw: Draw) -> Samples:
    """High, rough and bright all through."""
    length_s, pitch_hz = draw.between(0.9, 1.7), draw.near(1_000.0, 0.15)
    at_s = times(length_s)
    f0 = glide(
        at_s,
        (0, 0.7 * pitch_hz),
        (0.15 * length_s, 1.05 * pitch_hz),
        (0.8 * length_s, pitch_hz),
        (length_s, 0.6 * pitch_hz),
    )
    throat = [(1_100.0, 350, 1.0), (2_050.0, 400, 0.9), (3_300.0, 500, 0.8)]
    sound = voice(draw, f0, throat, breathiness=0.3, roughness=0.05, tilt_db=0.0, floor=0.08)
    return room(draw, sound * fade(at_s, 0.05, 0.15), 0.5, 0.2)


@FAMILY.category(
    "a slow, wide, sighing voice that opens high and sinks away into breath",
    (1.3, 2.5),
    "yawn yawning sigh tired",
)
def yawn(draw: Draw) -> Samples:
    """The jaw drops, the pitch slides down, breath takes over."""
    length_s, pitch_hz = draw.between(1.4, 2.3), draw.near(230.0, 0.2)
    at_s = times(length_s)
    f0 = glide(
        at_s, (0, 0.9 * pitch_hz), (0.2 * length_s, 1.4 * pitch_hz), (length_s, 0.5 * pitch_hz)
    )
    first = glide(at_s, (0, 400.0), (0.35 * length_s, 800.0), (length_s, 380.0))
    second = glide(at_s, (0, 1_000.0), (0.4 * length_s, 1_250.0), (length_s, 800.0))
    throat: list[Formant] = [(first, 140, 1.0), (second, 180, 0.5), (2_500.0, 300, 0.12)]
    voiced = voice(draw, f0, throat, breathiness=0.25, roughness=0.015, tilt_db=-8.0)
    air = breath(draw, len(at_s), [(first, 300, 1.0), (second, 400, 0.6)])
    return voiced * arch(at_s, 0.3) + 0.3 * air * arch(at_s, 0.65)


@FAMILY.category(
    "a wet, bubbling, throaty warble",
    (1.2, 2.6),
    "gargle gargling mouthwash throat",
)
def gargle(draw: Draw) -> Samples:
    """A voice broken up by bubbles some twenty times a second."""
    length_s = draw.between(1.3, 2.3)
    at_s = times(length_s)
    f0 = draw.near(150.0, 0.2) * (1.0 + 0.08 * wander(draw, at_s, 4.0))
    throat = [(550.0, 180, 1.0), (1_150.0, 250, 0.7), (2_300.0, 400, 0.2)]
    broken = 0.15 + on_off(
        at_s * (1.0 + 0.05 * wander(draw, at_s, 2.0)), draw.near(19.0, 0.12), 0.5, 0.012
    )
    starts = draw.poisson(42.0, length_s - 0.1)
    bubbles = repeat(
        starts,
        lambda _: bubble(draw, draw.between(450, 1_100), 0.04, 0.5),
        draw.many(len(starts), 0.2, 1.0),
    )
    voiced = (
        voice(draw, f0, throat, breathiness=0.3, roughness=0.05) * broken * fade(at_s, 0.1, 0.2)
    )
    return lay([(0, 1.0, voiced), (0, 0.8, bubbles)])


@FAMILY.category(
    "a distant mass of many voices that roars, swells and dies",
    (2.8, 4.6),
    "crowd cheer cheering stadium audience applause people shout",
)
def crowd_roar(draw: Draw) -> Samples:
    """Dozens of open vowels at once, far off."""
    length_s = draw.between(2.4, 3.6)
    at_s = times(length_s)
    vowels = both(
        peaks((650.0, 350, 1.0), (1_150.0, 400, 0.9), (2_600.0, 900, 0.3), floor=0.03),
        tilt(-3.0, 1_000),
    )
    mass = noise(draw, len(at_s), vowels)
    for _ in range(14):
        pitch_hz = draw.between(220.0, 480.0)
        start, stop = sorted(draw.many(2, 0.0, length_s))
        place = line(
            at_s, (start, 0.0), (start + 0.4 * (stop - start) + 0.05, 1.0), (stop + 0.12, 0.0)
        )
        f0 = pitch_hz * (1.0 + 0.06 * wander(draw, at_s, 1.5))
        mass += 0.22 * harmonics(f0, [0.5, 1.0, 0.8, 0.4, 0.2]) * place
    return room(draw, mass * arch(at_s, 0.4), 1.0, 0.4)
