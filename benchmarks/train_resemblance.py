"""Learn the table of `perturb.events.resemblance`, and measure what it misses and what it invents.

    python benchmarks/train_resemblance.py [--write] [--seeds 24]

Events are laid over the example clips at -5 to 15 dB. Half of the clips and of the seeds teach, the
others measure: at each of some ratios how often the category that is there is suspected (its miss
rate), how many categories are suspected beside it, and how many in speech alone (the false alarms).
"""

from __future__ import annotations

import argparse
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import perturb as pt
from perturb.events import resemblance
from perturb.events.bank import render
from perturb.events.fingerprint import bank_fingerprint
from perturb.events.registry import all_categories
from perturb.measure.level import gated_level_dbfs
from perturb.signal import Signal

CLIPS = sorted((Path(__file__).parents[1] / "examples" / "audio").glob("*/*.wav"))
TEACHING, MEASURING = CLIPS[0::2], CLIPS[1::2]
RATE_HZ = 8_000
CLIP_S = 5.0
TEACHING_SNRS_DB = (-5.0, 15.0)
FIRST_MEASURING_SEED = 100_000
SHRINKAGE = 0.3
SPEECH_EXCERPTS = 400
MEASURED_SNRS_DB = (0.0, 8.0)
MINUTES = 5.0


def rng_of(*key: object) -> np.random.Generator:
    """Return the generator of a key."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def excerpt(clip: Signal, rng: np.random.Generator) -> Signal:
    """Return `CLIP_S` of a clip from a random place on, gone over again where it is shorter."""
    count = round(CLIP_S * clip.sample_rate_hz)
    start = int(rng.integers(clip.sample_count))
    row = np.resize(np.roll(clip.samples[0], -start), (1, count))
    return Signal.from_array(row, clip.sample_rate_hz, layout="channels_first")


def mixture(
    clip: Signal, category: str, seed: int, snr_db: float, rng: np.random.Generator
) -> tuple[Signal, tuple[float, float]]:
    """Return an event over a clip, `snr_db` over its active level, and its start and stop."""
    rate = clip.sample_rate_hz
    event = render(category, seed, rate).samples[0]
    gain_db = (
        snr_db + gated_level_dbfs(clip.samples, rate).value - gated_level_dbfs(event, rate).value
    )
    start = int(rng.integers(max(1, clip.sample_count - len(event))))
    mixed = np.array(clip.samples[0], dtype=np.float64)
    stretch = event[: len(mixed) - start]
    mixed[start : start + len(stretch)] += 10.0 ** (gain_db / 20.0) * stretch
    return Signal.from_array(mixed, rate), (start / rate, (start + len(stretch)) / rate)


def held_windows(count: int, place: tuple[float, float]) -> np.ndarray:
    """Return which windows hold half a second of the event, or most of a shorter one."""
    starts_s = np.arange(count) * 0.5
    shared_s = np.minimum(starts_s + 1.0, place[1]) - np.maximum(starts_s, place[0])
    return shared_s >= min(0.5, 0.7 * (place[1] - place[0]))


def clips_of(paths: list[Path]) -> list[Signal]:
    """Return clips, those at other rates resampled by reading as the test itself does."""
    return [pt.read_audio(path).signal for path in paths]


def teach(job: tuple[str, int]) -> np.ndarray:
    """Return descriptions of windows that hold a category (or speech alone)."""
    category, seeds = job
    clips, found = clips_of(TEACHING), []
    for seed in range(seeds):
        rng = rng_of("teach", category, seed)
        clip = excerpt(clips[int(rng.integers(len(clips)))], rng)
        if category == resemblance.SPEECH:
            found.append(resemblance.describe_windows(clip))
            continue
        mixed, place = mixture(clip, category, seed, rng.uniform(*TEACHING_SNRS_DB), rng)
        described = resemblance.describe_windows(mixed)
        found.append(described[held_windows(len(described), place)])
    return np.concatenate(found)


def learn(described: dict[str, np.ndarray]) -> resemblance.Discriminants:
    """Return the discriminants: class means under one covariance, shrunk to its diagonal."""
    names = tuple(described)
    features = np.concatenate(list(described.values()))
    scale = features.std(axis=0) + 1e-6
    means = np.array([one.mean(axis=0) / scale for one in described.values()])
    residues = np.concatenate(
        [one / scale - mean for one, mean in zip(described.values(), means, strict=True)]
    )
    spread = residues.T @ residues / (len(residues) - len(names))
    spread = (1.0 - SHRINKAGE) * spread + SHRINKAGE * np.diag(np.diag(spread) + 1e-6)
    weights = np.linalg.solve(spread, means.T)
    offsets = -0.5 * np.einsum("kd,dk->k", means, weights)
    return resemblance.Discriminants(names, scale, weights, offsets, bank_fingerprint())


def measure(job: tuple[str, int]) -> list[tuple[float, dict[str, float]]]:
    """Return what is suspected in clips and seeds that did not teach, by ratio."""
    category, seeds = job
    clips, found = clips_of(MEASURING), []
    for number in range(seeds):
        seed = FIRST_MEASURING_SEED + number
        rng = rng_of("measure", category, seed)
        clip = excerpt(clips[int(rng.integers(len(clips)))], rng)
        if category == resemblance.SPEECH:
            found.append((np.inf, resemblance.suspected_categories(clip)))
            continue
        for snr_db in MEASURED_SNRS_DB:
            mixed, _ = mixture(clip, category, seed, snr_db, rng)
            found.append((snr_db, resemblance.suspected_categories(mixed)))
    return found


def measure_minutes(seed: int) -> int:
    """Return how many categories are suspected in minutes of speech alone."""
    rng = rng_of("minutes", seed)
    clips = [clip for clip in clips_of(MEASURING) if clip.sample_rate_hz == RATE_HZ]
    parts = []
    while len(parts) * CLIP_S < 60.0 * MINUTES:
        parts.append(excerpt(clips[int(rng.integers(len(clips)))], rng).samples)
    return len(resemblance.suspected_categories(Signal.adopt(np.concatenate(parts, 1), RATE_HZ)))


def main() -> None:
    """Learn, write where asked to, and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table of the package")
    parser.add_argument("--seeds", type=int, default=24, help="that teach, per category")
    parser.add_argument("--measured-seeds", type=int, default=8, help="that measure, per category")
    options = parser.parse_args()
    classes = [resemblance.SPEECH, *all_categories()]
    with ProcessPoolExecutor(2) as pool:
        if options.write:
            jobs = [(name, options.seeds if name else SPEECH_EXCERPTS) for name in classes]
            described = dict(zip(classes, pool.map(teach, jobs), strict=True))
            learn(described).save(resemblance.TABLE_PATH)
    with ProcessPoolExecutor(2) as pool:
        jobs = [
            (name, options.measured_seeds if name else SPEECH_EXCERPTS // 4) for name in classes
        ]
        results = dict(zip(classes, pool.map(measure, jobs), strict=True))
        minutes = list(pool.map(measure_minutes, range(6)))
    count = len(classes) - 1
    for snr_db in MEASURED_SNRS_DB:
        rows = {
            name: [suspected for ratio, suspected in found if ratio == snr_db]
            for name, found in results.items()
            if name
        }
        missed = {name: np.mean([name not in one for one in found]) for name, found in rows.items()}
        beside = np.mean([len(set(one) - {name}) for name, found in rows.items() for one in found])
        print(
            f"{snr_db:+.0f} dB: missed {np.mean(list(missed.values())):.1%}, excluded beside it "
            f"{beside / (count - 1):.1%}"
        )
        worst = sorted(missed.items(), key=lambda pair: -pair[1])[:8]
        print(
            "   most missed: " + ", ".join(f"{name} {share:.0%}" for name, share in worst if share)
        )
    alone = [len(suspected) for _, suspected in results[resemblance.SPEECH]]
    print(
        f"speech alone, {CLIP_S:g} s: {np.mean(alone) / count:.1%} of {count} excluded, most "
        f"{max(alone)}; {MINUTES:g} min: {np.mean(minutes) / count:.1%}, most {max(minutes)}"
    )
    often: dict[str, int] = {}
    for _, suspected in results[resemblance.SPEECH]:
        for name in suspected:
            often[name] = often.get(name, 0) + 1
    most = sorted(often.items(), key=lambda pair: -pair[1])[:12]
    print("   most often: " + ", ".join(f"{name} {n / len(alone):.0%}" for name, n in most))


if __name__ == "__main__":
    main()
