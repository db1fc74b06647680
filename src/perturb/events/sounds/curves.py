"""Curves over time: glides of pitch, envelopes, slow wandering."""

from __future__ import annotations

import numpy as np

from perturb.events.sounds.draw import RATE_HZ, Draw, Samples

__all__ = ["arch", "decay", "fade", "glide", "line", "on_off", "strike", "wander"]

Point = tuple[float, float]


def line(at_s: Samples, *points: Point) -> Samples:
    """Return a curve through ``(time_s, value)`` points, level before the first, after the last.

    Between two points it goes as a half cosine, so that it has no corners.
    """
    places = np.array([place for place, _ in points])
    values = np.array([value for _, value in points])
    which = np.clip(np.searchsorted(places, at_s, side="right") - 1, 0, len(points) - 2)
    share = np.clip((at_s - places[which]) / (places[which + 1] - places[which]), 0.0, 1.0)
    share = 0.5 - 0.5 * np.cos(np.pi * share)
    return np.asarray(values[which] + share * (values[which + 1] - values[which]))


def glide(at_s: Samples, *points: Point) -> Samples:
    """Return a curve as `line` does, on a logarithmic scale: frequencies glide this way."""
    return np.exp(line(at_s, *((place, float(np.log(value))) for place, value in points)))


def decay(at_s: Samples, t60_s: float) -> Samples:
    """Return an exponential decay that has lost 60 dB after `t60_s`."""
    return np.asarray(10.0 ** (-3.0 * at_s / t60_s))


def strike(at_s: Samples, attack_s: float, t60_s: float) -> Samples:
    """Return a rise of `attack_s` and an exponential decay of `t60_s` seconds."""
    return np.asarray(np.minimum(at_s / attack_s, 1.0) * decay(at_s, t60_s))


def fade(at_s: Samples, rise_s: float, fall_s: float) -> Samples:
    """Return a hold with raised-cosine edges, as long as `at_s`."""
    stop_s = len(at_s) / RATE_HZ
    rising = np.clip(at_s / rise_s, 0.0, 1.0)
    falling = np.clip((stop_s - at_s) / fall_s, 0.0, 1.0)
    return np.asarray((0.5 - 0.5 * np.cos(np.pi * rising)) * (0.5 - 0.5 * np.cos(np.pi * falling)))


def arch(at_s: Samples, peak: float = 0.5, power: float = 1.0) -> Samples:
    """Return a swell that peaks at a share of the stretch and is 0 at both ends."""
    share = at_s * RATE_HZ / len(at_s)
    bent = np.where(share < peak, 0.5 * share / peak, 0.5 + 0.5 * (share - peak) / (1.0 - peak))
    return np.asarray(np.sin(np.pi * bent) ** power)


def on_off(at_s: Samples, rate_hz: float, duty: float, edge_s: float = 0.004) -> Samples:
    """Return a gate that opens `rate_hz` times a second, for a share of each turn."""
    place = (at_s * rate_hz % 1.0) / rate_hz
    stop = duty / rate_hz
    return np.asarray(np.clip(place / edge_s, 0, 1) * np.clip((stop - place) / edge_s, 0, 1))


def wander(draw: Draw, at_s: Samples, rate_hz: float) -> Samples:
    """Return a smooth random curve around 0, about one turn in ``1 / rate_hz`` s, within ±1."""
    knots = int(len(at_s) / RATE_HZ * 2.0 * rate_hz) + 3
    points = tuple(zip(np.arange(knots) / (2.0 * rate_hz), draw.many(knots, -1, 1), strict=True))
    return line(at_s, *points)
