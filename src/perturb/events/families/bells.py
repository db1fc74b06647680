"""Alarms and signals: bells, horns and whistles, blown or struck."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import fade, glide, line, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, noise, peaks
from perturb.events.sounds.scenes import repeat, room
from perturb.events.sounds.strikes import BELL, modes, struck
from perturb.events.sounds.tones import harmonics, saw

__all__ = ["FAMILY"]

FAMILY = Family("alarms")
_GONG = (1.0, 1.52, 2.1, 2.63, 3.4, 4.3)


@FAMILY.category(
    "a continuous, loud metallic clangour of rapid strokes",
    (1.5, 2.9),
    "fire bell alarm school ring ringing",
)
def fire_bell(draw: Draw) -> Samples:
    """A motor hammer on a steel gong, some fourteen strokes a second."""
    pitch_hz, rate_hz = draw.near(950.0, 0.12), draw.near(14.0, 0.12)
    gong = draw.several(pitch_hz * np.array(_GONG), 0.02)

    def stroke(number: int) -> Samples:
        return modes(times(0.5), gong, np.linspace(0.6, 0.3, 6), draw.many(6, 0.5, 1.0))

    count = round(draw.between(1.2, 2.2) * rate_hz)
    return repeat(draw.steps(count, 1 / rate_hz, 0.05), stroke, draw.many(count, 0.8, 1.0))


@FAMILY.category(
    "two bursts of a shrill metallic ringing, a pause between them",
    (1.9, 3.1),
    "telephone phone ring ringing bell",
)
def telephone_ring(draw: Draw) -> Samples:
    """Two small gongs struck by turns, twenty strokes a second, in bursts."""
    pitch_hz, rate_hz, burst_s = (
        draw.near(1500.0, 0.1),
        draw.near(21.0, 0.1),
        draw.between(0.65, 0.9),
    )
    gongs = [
        draw.several(pitch_hz * ratio * np.array([1.0, 2.3, 2.9]), 0.02) for ratio in (1, 1.22)
    ]

    def burst(number: int) -> Samples:
        def stroke(which: int) -> Samples:
            return modes(times(0.35), gongs[which % 2], [0.35, 0.2, 0.15], [1.0, 0.5, 0.3])

        count = round(burst_s * rate_hz)
        return repeat(draw.steps(count, 1 / rate_hz, 0.04), stroke)

    return repeat([0.0, burst_s + draw.between(0.55, 0.75)], burst)


@FAMILY.category(
    "two soft, resonant bar tones, the second lower, each dying away slowly",
    (1.8, 2.5),
    "doorbell door bell chime ding dong",
)
def door_chime(draw: Draw) -> Samples:
    """Ding, dong: a major third apart."""
    pitch_hz = draw.near(690.0, 0.1)

    def note(number: int) -> Samples:
        lowest = pitch_hz * (1.0, 0.794)[number]
        return modes(
            times(1.6), [lowest, 2.0 * lowest, 4.1 * lowest], [1.5, 0.6, 0.25], [1, 0.2, 0.15]
        )

    return repeat([0.0, draw.between(0.45, 0.65)], note)


@FAMILY.category(
    "a single deep, long blast, booming and steady",
    (2.3, 4.0),
    "foghorn fog horn ship boat ferry vessel",
)
def foghorn(draw: Draw) -> Samples:
    """A reed at around 100 Hz over water."""
    length_s = draw.between(1.7, 2.8)
    at_s = times(length_s)
    f0 = draw.near(105.0, 0.15) * line(
        at_s, (0, 0.94), (0.2, 1.0), (length_s - 0.2, 1.0), (length_s, 0.9)
    )
    sound = filtered(saw(f0, 20), peaks((260.0, 200, 1.0), (620.0, 300, 0.4), floor=0.1))
    return room(draw, sound * fade(at_s, 0.12, 0.3), 1.2, 0.35)


@FAMILY.category(
    "one or two shrill blasts with a fast flutter inside",
    (0.3, 1.9),
    "whistle referee sports police",
)
def whistle_blast(draw: Draw) -> Samples:
    """A pea whistle: a high tone whose pitch and loudness flutter together."""
    pitch_hz, flutter_hz = draw.near(2650.0, 0.07), draw.near(32.0, 0.2)

    def blast(number: int) -> Samples:
        at_s = times(draw.between(0.4, 0.75))
        flutter = np.sin(2.0 * np.pi * flutter_hz * at_s)
        f0 = (
            pitch_hz * (1.0 + 0.035 * flutter) * line(at_s, (0, 0.9), (0.04, 1.0), (at_s[-1], 0.99))
        )
        hiss = 0.25 * noise(draw, len(at_s), band(1800, 6000))
        return (harmonics(f0, [1.0, 0.1]) * (0.7 + 0.3 * flutter) + hiss) * fade(at_s, 0.02, 0.04)

    return repeat(np.arange(draw.whole(1, 2)) * draw.between(0.85, 0.95), blast)


@FAMILY.category(
    "two quick bright metallic trills",
    (1.2, 1.7),
    "bicycle bike bell ring cycle",
)
def bicycle_bell(draw: Draw) -> Samples:
    """A thumb lever: six or so strokes in a rush, twice."""
    pitch_hz = draw.near(2150.0, 0.1)
    dome = draw.several(pitch_hz * np.array([1.0, 1.004, 1.62, 2.4]), 0.015)

    def trill(number: int) -> Samples:
        def stroke(which: int) -> Samples:
            return modes(times(0.8), dome, [0.8, 0.75, 0.4, 0.2], [1.0, 0.7, 0.5, 0.3])

        return repeat(draw.steps(6, draw.near(0.036, 0.1), 0.1), stroke, [0.5, 0.8, 1, 1, 0.8, 0.6])

    return repeat([0.0, draw.between(0.38, 0.5)], trill)


@FAMILY.category(
    "slow, heavy, long-ringing strokes of deep metal",
    (2.3, 4.8),
    "church bell bells toll tolling tower clock",
)
def church_bell(draw: Draw) -> Samples:
    """A hum, a prime, a minor third: one or two strokes."""
    pitch_hz = draw.near(330.0, 0.2)

    def stroke(number: int) -> Samples:
        return struck(draw, 2.6, pitch_hz, BELL, 4.0, damping=0.75, detune=0.006, hardness=0.88)

    return repeat(np.arange(draw.whole(1, 2)) * draw.between(1.5, 1.8), stroke)


@FAMILY.category(
    "a flourish of brassy notes climbing to a held one",
    (1.3, 2.1),
    "bugle trumpet fanfare brass horn music",
)
def bugle_call(draw: Draw) -> Samples:
    """Natural harmonics of a tube, tongued."""
    pitch_hz, pace_s = draw.near(196.0, 0.1), draw.between(0.15, 0.2)

    def note(number: int) -> Samples:
        at_s = times(pace_s * (0.9, 0.9, 0.9, 4.0)[number])
        f0 = pitch_hz * (2, 3, 4, 5)[number] * line(at_s, (0, 0.97), (0.03, 1.0), (at_s[-1], 1.0))
        sound = filtered(saw(f0, 16), peaks((1200.0, 900, 1.0), (2400.0, 1200, 0.5), floor=0.1))
        return sound * fade(at_s, 0.025, 0.05) * (1.0 + 0.1 * wander(draw, at_s, 5.0))

    return room(draw, repeat(np.arange(4) * pace_s, note), 0.6, 0.25)


@FAMILY.category(
    "several reedy pitches at once in a rush of air, sliding up as they start",
    (1.5, 2.8),
    "train steam whistle locomotive railway",
)
def steam_whistle(draw: Draw) -> Samples:
    """Three pipes and a great deal of hiss."""
    length_s, pitch_hz = draw.between(1.1, 2.0), draw.near(620.0, 0.1)
    at_s = times(length_s)
    bend = glide(at_s, (0, 0.8), (0.15, 1.0), (length_s - 0.2, 1.0), (length_s, 0.85))
    sound = sum(harmonics(pitch_hz * ratio * bend, [1.0, 0.0, 0.2]) for ratio in (1.0, 1.19, 1.5))
    sound = sound + 0.5 * noise(draw, len(at_s), band(500, 5000, 1))
    return room(draw, sound * fade(at_s, 0.08, 0.2), 0.8, 0.3)
