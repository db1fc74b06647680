"""How fast events are made, and how fast a clip is listened to for what it may already hold.

    python benchmarks/bench_events.py [--seeds 5]

Each category is rendered at 48 kHz and at 16 kHz, finished and calibrated; × real time on one core
is the seconds of sound over the seconds of work, the slowest categories by name. Listening is timed
on an hour of sentences in a row.
"""

from __future__ import annotations

import argparse
import time

from perturb.events.bank import render
from perturb.events.registry import all_categories
from perturb.events.resemblance import suspected_categories
from run import make_clip

SLOWEST = 5
HOUR_S = 3_600.0


def speed_of(name: str, seeds: int, sample_rate_hz: int) -> tuple[float, float]:
    """Return seconds of sound and seconds of work, of some renderings of a category."""
    start = time.perf_counter()
    sound_s = sum(render(name, seed, sample_rate_hz).duration_s for seed in range(seeds))
    return sound_s, time.perf_counter() - start


def main() -> None:
    """Time everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    render("dog_bark", 0, 48_000)
    for rate in (48_000, 16_000):
        found = {name: speed_of(name, options.seeds, rate) for name in all_categories()}
        sound_s, work_s = (sum(part) for part in zip(*found.values(), strict=True))
        speeds = sorted((sound / work, name) for name, (sound, work) in found.items())
        print(
            f"{len(found)} categories at {rate} Hz: {sound_s / work_s:.0f} × real time, "
            f"median {speeds[len(speeds) // 2][0]:.0f} ×, "
            f"{1_000 * work_s / (len(found) * options.seeds):.0f} ms an event"
        )
        print(
            "   slowest: " + ", ".join(f"{name} {speed:.0f} ×" for speed, name in speeds[:SLOWEST])
        )
    hour = make_clip(HOUR_S)
    start = time.perf_counter()
    suspected_categories(hour)
    print(f"listening: {HOUR_S / (time.perf_counter() - start):.0f} × real time")


if __name__ == "__main__":
    main()
