"""How fast a sound is laid over a clip, or put in its place, beside audiomentations' own mixer.

    python benchmarks/bench_event.py [--seconds 60] [--repeats 15]

The host is the LibriVox sentences in a row, 16 kHz; three events of 1 s. Each operator is timed
alone, on a fresh analysis of the host: the active level and the loudness that it notes are counted,
proof, reading and writing are not; event and donor are decoded already. The best of several runs
counts, ours and the peer's in turn. The peer, AddShortNoises, lays the same event over the host at
the same density, from a file that it keeps in memory. `mismatch` with `material=auto` asks the
speech gate about host and donor first.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
from audiomentations import AddShortNoises

import perturb as pt
from perturb.measure.analysis import Analysis
from perturb.operators.crop import Crop
from perturb.operators.event import Event
from perturb.operators.mismatch import Mismatch
from perturb.operators.reverse import Reverse
from perturb.operators.shuffle import Shuffle
from perturb.plan.step import Plan, Step
from perturb.render.chain import run_chain
from perturb.render.references import References
from run import best_times, make_clip

Work = Callable[[], object]


def make_event(sample_rate_hz: int) -> pt.Signal:
    """Return a noise burst of 1 s that dies away."""
    decay = np.exp(-4.0 * np.arange(sample_rate_hz) / sample_rate_hz)
    noise = np.random.default_rng(0).standard_normal(sample_rate_hz)
    return pt.Signal.from_array(0.1 * noise * decay, sample_rate_hz)


def operator_alone(host: pt.Signal, step: Step, sounds: dict[str, pt.Signal]) -> Work:
    """Return the work of one step, its outside audio decoded."""
    plan = Plan.of([step], clip_id="clip")
    references = References(Path.cwd(), schemes={"item": sounds.__getitem__})
    return lambda: run_chain(plan, Analysis(host), references)


def short_noises(host: pt.Signal, event: pt.Signal, folder: Path) -> Work:
    """Return the work of the peer: an event of the same length every 20 s or so."""
    path = folder / "event.wav"
    soundfile.write(path, event.samples[0], event.sample_rate_hz)
    transform = AddShortNoises(
        str(path),
        min_time_between_sounds=15.0,
        max_time_between_sounds=22.0,
        burst_probability=1e-9,
        noise_rms="relative",
        p=1.0,
    )
    samples = np.array(host.samples[0])

    def work() -> object:
        random.seed(3)
        return transform(samples, host.sample_rate_hz)

    return work


def main() -> None:
    """Time everything and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    host = make_clip(options.seconds)
    rate = host.sample_rate_hz
    donor = pt.Signal.adopt(np.array(host.samples[:, ::-1]), rate)
    longer = pt.Signal.adopt(np.concatenate([donor.samples] * 2, axis=1), rate)
    shorter = donor.slice(0, donor.sample_count * 2 // 3)
    sounds = {
        "event": make_event(rate),
        "event_44100": make_event(44_100),
        "donor": donor,
        "longer": longer,
        "shorter": shorter,
    }
    places = tuple(pt.Span(options.seconds * share) for share in (0.2, 0.5, 0.8))
    step = Event(ref="item:event", snr_db=8.0)
    rows: list[tuple[str, int | None, Step]] = [
        ("event, 3 places", 3000, Step(operator=step, spans=places)),
        ("event, 3 places, sham", 3000, Step(operator=step, spans=places, role="sham")),
        (
            "event, 3 places, from 44.1 kHz",
            None,
            Step(operator=Event(ref="item:event_44100", snr_db=8.0), spans=places),
        ),
    ]
    rows += [
        (
            f"mismatch, {name} donor, material={material}",
            3000,
            Step(operator=Mismatch(ref=f"item:{ref}", material=material)),
        )
        for material in ("auto", "speech", "other")
        for name, ref in (("equal", "donor"), ("longer", "longer"), ("shorter", "shorter"))
    ]
    rows += [
        ("reverse", None, Step(operator=Reverse())),
        ("shuffle, 0.25 s", None, Step(operator=Shuffle())),
        ("crop, half", None, Step(operator=Crop(duration_s=options.seconds / 2))),
    ]
    print(f"{host.duration_s:.0f} s at {rate} Hz, best of {options.repeats}, × real time")
    print(f"{'':44}{'× real time':>12}{'to reach':>10}{'of AddShortNoises':>19}")
    with tempfile.TemporaryDirectory() as folder:
        peer = short_noises(host, sounds["event"], Path(folder))
        for name, bar, placed in rows:
            work = operator_alone(host, placed, sounds)
            ours_s, peer_s = best_times([work, peer], options.repeats)
            print(
                f"{name:44}{options.seconds / ours_s:12.0f}{bar or '':>10}{peer_s / ours_s:19.2f}"
            )
        print(f"{'audiomentations AddShortNoises':44}{options.seconds / peer_s:12.0f}")


if __name__ == "__main__":
    main()
