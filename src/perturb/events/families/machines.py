"""Machines and vehicles: engines, rotors, horns, tools."""

from __future__ import annotations

import numpy as np

from perturb.events.category import Family
from perturb.events.sounds.curves import arch, decay, fade, glide, line, on_off, strike, wander
from perturb.events.sounds.draw import Draw, Samples, times
from perturb.events.sounds.noise import band, filtered, noise, peaks, tilt
from perturb.events.sounds.scenes import lay, repeat, room
from perturb.events.sounds.strikes import click, modes, thud
from perturb.events.sounds.tones import harmonics, phase, pulses, saw

__all__ = ["FAMILY"]

FAMILY = Family("machines")


def firing(draw: Draw, rate_hz: Samples, unevenness: float) -> Samples:
    """Return an engine's firing strokes: pulses whose loudness differs from one to the next."""
    train = pulses(rate_hz)
    turns = (phase(rate_hz) / (2.0 * np.pi) + 0.5).astype(int)
    strengths = 1.0 + unevenness * draw.many(int(turns.max()) + 1, -1.0, 1.0)
    return np.asarray(train * strengths[turns])


@FAMILY.category(
    "a low, even, throbbing idle",
    (1.8, 3.5),
    "car engine idle idling motor vehicle truck",
)
def car_engine(draw: Draw) -> Samples:
    """Four strokes, a silencer, a little rattle."""
    at_s = times(draw.between(2.0, 3.2))
    rate = draw.near(31.0, 0.15) * (1.0 + 0.02 * wander(draw, at_s, 3.0))
    sound = filtered(
        firing(draw, rate, 0.3), peaks((75, 70, 1), (190, 120, 0.6), (420, 250, 0.2), floor=0.02)
    )
    sound /= np.sqrt(np.mean(sound**2))
    sound += (
        0.12 * noise(draw, len(at_s), band(300, 2_000, 1)) * (0.5 + on_off(at_s, 31.0, 0.5, 0.008))
    )
    return sound * fade(at_s, 0.3, 0.3)


@FAMILY.category(
    "a loud, blaring chord of two reedy tones, held, once or twice",
    (0.5, 2.3),
    "car horn honk honking beep vehicle traffic truck",
)
def car_horn(draw: Draw) -> Samples:
    """Two discs a third apart."""
    pitch_hz = draw.near(405.0, 0.1)

    def blast(number: int) -> Samples:
        at_s = times(draw.between(0.35, 0.8))
        tone = saw(np.full(len(at_s), pitch_hz), 26) + saw(np.full(len(at_s), 1.235 * pitch_hz), 26)
        return filtered(tone, peaks((2_300.0, 1_400, 1.0), (900.0, 600, 0.5), floor=0.15)) * fade(
            at_s, 0.015, 0.03
        )

    return room(
        draw, repeat(np.arange(draw.whole(1, 2)) * draw.between(0.9, 1.0), blast), 0.35, 0.15
    )


@FAMILY.category(
    "a mighty chord of five low horn tones, held long",
    (2.0, 3.6),
    "train horn locomotive railway rail",
)
def train_horn(draw: Draw) -> Samples:
    """Air horns: a minor sixth chord."""
    length_s, pitch_hz = draw.between(1.4, 2.4), draw.near(262.0, 0.08)
    at_s = times(length_s)
    bend = line(at_s, (0, 0.97), (0.12, 1.0), (length_s - 0.15, 1.0), (length_s, 0.95))
    sound = sum(saw(pitch_hz * ratio * bend, 16) for ratio in (1.0, 1.189, 1.414, 1.682, 2.0))
    sound = filtered(np.asarray(sound), peaks((700.0, 600, 1.0), (1500.0, 900, 0.6), floor=0.15))
    return room(draw, sound * fade(at_s, 0.08, 0.2), 1.2, 0.35)


@FAMILY.category(
    "a rasping motor that revs up and falls back, twice",
    (1.8, 3.3),
    "motorcycle motorbike engine rev revving motor vehicle scooter",
)
def motorcycle_rev(draw: Draw) -> Samples:
    """Firing rate and brightness follow the throttle."""
    length_s = draw.between(2.0, 3.0)
    at_s = times(length_s)
    throttle = np.clip(np.sin(2.0 * np.pi * 2.0 * at_s / length_s - 0.6), 0.0, 1.0) ** 0.7
    throttle = np.convolve(throttle, np.full(4_800, 1 / 4_800), mode="same")
    rate = draw.near(48.0, 0.1) * (1.0 + 2.4 * throttle)
    sound = filtered(
        firing(draw, rate, 0.4),
        peaks((160, 150, 1.0), (520, 350, 0.9), (1500, 900, 0.5), floor=0.08),
    )
    return sound * (0.4 + 0.6 * throttle) * fade(at_s, 0.15, 0.25)


@FAMILY.category(
    "heavy rhythmic chopping of air, some eleven times a second",
    (1.9, 3.5),
    "helicopter chopper rotor aircraft aviation",
)
def helicopter(draw: Draw) -> Samples:
    """Blade slaps: low pulses with a burst of noise each, and a turbine's whine."""
    at_s = times(draw.between(2.0, 3.2))
    rate_hz = draw.near(11.0, 0.12)
    place = at_s * rate_hz % 1.0
    slap = decay(place, 0.9) * np.minimum(place / 0.05, 1.0)
    body = noise(draw, len(at_s), band(60, 420, 1)) + 0.4 * noise(
        draw, len(at_s), band(400, 1_800, 1)
    )
    thump = np.sin(2.0 * np.pi * 85.0 * place / rate_hz)
    whine = 0.05 * harmonics(np.full(len(at_s), draw.near(1_150.0, 0.1)), [1.0, 0.3])
    return (
        ((body + thump) * (0.12 + slap) + whine)
        * fade(at_s, 0.3, 0.4)
        * (1.0 + 0.2 * wander(draw, at_s, 1.0))
    )


@FAMILY.category(
    "a deep, smooth, droning motor that passes by and drops in pitch",
    (2.4, 4.3),
    "airplane aeroplane plane propeller aircraft aviation flyby",
)
def propeller_plane(draw: Draw) -> Samples:
    """Propeller harmonics with the Doppler shift of a pass."""
    length_s = draw.between(2.6, 4.0)
    at_s = times(length_s)
    pitch_hz = draw.near(92.0, 0.12) * line(at_s, (0.3 * length_s, 1.12), (0.7 * length_s, 0.89))
    sound = harmonics(pitch_hz, [1.0, 0.9, 0.75, 0.55, 0.4, 0.3, 0.22, 0.16, 0.1, 0.07])
    sound += 0.7 * harmonics(1.013 * pitch_hz, [0.8, 0.7, 0.5, 0.4, 0.25, 0.15])
    sound += 0.3 * noise(draw, len(at_s), band(150, 1_500, 1))
    return sound * arch(at_s, 0.5, 1.2)


@FAMILY.category(
    "a harsh, tearing, buzzing motor that surges under load",
    (1.8, 3.3),
    "chainsaw saw chain sawing lumber tool lawn mower",
)
def chainsaw(draw: Draw) -> Samples:
    """A small two-stroke, bright and rough."""
    at_s = times(draw.between(2.0, 3.0))
    load = 0.5 + 0.5 * wander(draw, at_s, 1.6)
    rate = draw.near(118.0, 0.1) * (1.35 - 0.35 * load)
    sound = filtered(
        firing(draw, rate, 0.5),
        peaks((430, 300, 0.8), (1_300, 700, 1.0), (2_900, 1_200, 0.8), floor=0.15),
    )
    sound /= np.sqrt(np.mean(sound**2))
    rip = noise(draw, len(at_s), band(1_200, 6_000, 1)) * (0.3 + 0.5 * load)
    return (sound + 0.5 * rip) * fade(at_s, 0.12, 0.2)


@FAMILY.category(
    "a high whining motor that starts, steadies and runs down",
    (1.3, 2.6),
    "drill drilling electric tool power screwdriver",
)
def electric_drill(draw: Draw) -> Samples:
    """Gears and brushes: many harmonics of a gliding whine."""
    length_s = draw.between(1.4, 2.4)
    at_s = times(length_s)
    f0 = draw.near(640.0, 0.12) * glide(
        at_s, (0, 0.25), (0.3, 1.0), (length_s - 0.35, 0.97), (length_s, 0.3)
    )
    sound = harmonics(f0, [1.0, 0.6, 0.8, 0.3, 0.35, 0.2, 0.1]) * (
        1.0 + 0.3 * np.sin(phase(f0 / 11.0))
    )
    sound += 0.35 * noise(draw, len(at_s), band(1_500, 6_000, 1))
    return sound * fade(at_s, 0.08, 0.15)


@FAMILY.category(
    "violent, rapid hammering that hits a hard surface some sixteen times a second",
    (1.2, 2.6),
    "jackhammer pneumatic hammer drill construction roadworks",
)
def jackhammer(draw: Draw) -> Samples:
    """Steel on concrete with bursts of compressed air."""
    rate_hz, length_s = draw.near(16.0, 0.1), draw.between(1.3, 2.3)
    steel = draw.several([480.0, 1_150.0, 1_900.0, 2_900.0], 0.1)

    def blow(number: int) -> Samples:
        ring = modes(times(0.05), steel, [0.05, 0.04, 0.03, 0.03], draw.many(4, 0.5, 1.0))
        air = noise(draw, 2_400, band(500, 4_500, 1)) * strike(times(0.05), 0.01, 0.07)
        return lay(
            [
                (0, 0.7, ring),
                (0, 1.0, thud(draw, 78.0, 0.06, 1.0)),
                (0, 0.6, click(draw, 300, 5000, 0.015)),
                (0.008, 0.4, air),
            ]
        )

    count = round(length_s * rate_hz)
    return repeat(draw.steps(count, 1 / rate_hz, 0.03), blow, draw.many(count, 0.85, 1.0))


@FAMILY.category(
    "heavy puffs in a steady rhythm, each a burst of escaping pressure",
    (1.6, 3.7),
    "train steam locomotive engine railway chug chugging",
)
def steam_train(draw: Draw) -> Samples:
    """Four exhausts a turn, the first the strongest."""
    rate_hz, count = draw.near(4.6, 0.12), draw.whole(8, 13)

    def puff(number: int) -> Samples:
        at_s = times(0.9 / rate_hz)
        puffed = noise(draw, len(at_s), band(110, 1_500, 1))
        return puffed * strike(at_s, 0.02, 0.26)

    gains = [1.0 if number % 4 == 0 else 0.65 for number in range(count)]
    return room(draw, repeat(draw.steps(count, 1 / rate_hz, 0.02), puff, gains), 0.4, 0.2)


@FAMILY.category(
    "a shrill squeal that slides and wavers, full of scraping",
    (1.0, 2.2),
    "tyre tire screech skid skidding brakes car vehicle squeal",
)
def tyre_screech(draw: Draw) -> Samples:
    """Stick and slip of rubber: a band of unsteady partials."""
    length_s = draw.between(0.8, 1.7)
    at_s = times(length_s)
    f0 = (
        draw.near(880.0, 0.1)
        * (1.0 + 0.06 * wander(draw, at_s, 9.0))
        * line(at_s, (0, 1.08), (length_s, 0.9))
    )
    sound = harmonics(f0, [1.0, 0.7, 0.45, 0.2]) + 0.7 * harmonics(1.07 * f0, [0.9, 0.6, 0.3])
    sound += 0.5 * noise(draw, len(at_s), band(800, 4_000, 1))
    return room(
        draw, sound * fade(at_s, 0.06, 0.2) * (1.0 + 0.3 * wander(draw, at_s, 20.0)), 0.4, 0.2
    )


@FAMILY.category(
    "a sharp release of pressure that hisses out",
    (0.5, 1.4),
    "air brake brakes bus truck hiss pneumatic release compressor",
)
def air_brake(draw: Draw) -> Samples:
    """A valve opens: loud hiss that falls in pitch and dies."""
    at_s = times(draw.between(0.6, 1.2))
    hiss = noise(draw, len(at_s), band(1_100, 8_000, 1))
    low = noise(draw, len(at_s), band(250, 1_200, 1))
    loud = strike(at_s, 0.01, 1.6 * at_s[-1]) * fade(at_s, 0.005, 0.1)
    return lay(
        [(0, 1.0, (hiss + 0.35 * low * decay(at_s, 0.4)) * loud), (0, 1.2, thud(draw, 110.0, 0.08))]
    )


@FAMILY.category(
    "a rapid, light, mechanical chatter with a faint motor hum",
    (1.3, 2.8),
    "sewing machine loom printer stitching",
)
def sewing_machine(draw: Draw) -> Samples:
    """Needle and shuttle, a dozen turns a second, two clicks a turn."""
    rate_hz, length_s = draw.near(11.5, 0.1), draw.between(1.5, 2.6)
    plate = draw.several([620.0, 1_700.0, 2_600.0], 0.1)

    def clack(number: int) -> Samples:
        level = (1.0, 0.45)[number % 2]
        ring = modes(times(0.03), plate, [0.025, 0.02, 0.015], [1.0, 0.6, 0.5])
        return level * lay([(0, 1.0, ring), (0, 0.4, click(draw, 1000, 5000, 0.005))])

    count = round(2 * length_s * rate_hz)
    clacks = repeat(draw.steps(count, 0.5 / rate_hz, 0.04), clack)
    hum = saw(np.full(len(clacks), draw.near(200.0, 0.05)), 8)
    return clacks + 0.05 * filtered(hum, tilt(-3.0, 300.0))
