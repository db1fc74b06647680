"""By ear, what is in a clip is suspected, and speech alone is left most of the bank.

Clips and seeds are those that taught nothing.
"""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import perturb as pt
from perturb.events.bank import render
from perturb.events.registry import all_categories
from perturb.events.resemblance import suspected_categories
from perturb.measure.level import gated_level_dbfs
from perturb.signal import Signal
from tests.conftest import CLIPS

pytestmark = pytest.mark.slow

UNHEARD = CLIPS[1::2]
CLIP_S = 5.0
SEEDS = (200_000, 200_001, 200_002)


def excerpt(rng: np.random.Generator) -> Signal:
    clip = pt.read_audio(UNHEARD[int(rng.integers(len(UNHEARD)))]).signal
    row = np.roll(clip.samples[0], -int(rng.integers(clip.sample_count)))
    return Signal.from_array(
        np.resize(row, round(CLIP_S * clip.sample_rate_hz)), clip.sample_rate_hz
    )


def laid(clip: Signal, name: str, seed: int, snr_db: float, rng: np.random.Generator) -> Signal:
    rate = clip.sample_rate_hz
    event = render(name, seed, rate).samples[0].astype(np.float64)
    level_db = gated_level_dbfs(clip.samples, rate).value - gated_level_dbfs(event, rate).value
    mixed = clip.samples[0].astype(np.float64)
    start = int(rng.integers(max(1, len(mixed) - len(event))))
    event = event[: len(mixed) - start]
    mixed[start : start + len(event)] += 10 ** ((snr_db + level_db) / 20) * event
    return Signal.from_array(mixed, rate)


@pytest.mark.parametrize(("snr_db", "most_missed"), [(0.0, 0.05), (8.0, 0.02)])
def test_few_events_are_missed_and_few_others_excluded(snr_db, most_missed):
    missed, beside = [], []
    for name in all_categories():
        for seed in SEEDS:
            rng = np.random.default_rng(zlib.crc32(f"{name}{seed}".encode()))
            suspected = suspected_categories(laid(excerpt(rng), name, seed, snr_db, rng))
            missed.append(name not in suspected)
            beside.append(len(set(suspected) - {name}) / (len(all_categories()) - 1))
    assert np.mean(missed) <= most_missed
    assert np.mean(beside) <= 0.15


def test_speech_alone_leaves_most_of_the_bank():
    rng = np.random.default_rng(5)
    shares = [len(suspected_categories(excerpt(rng))) / len(all_categories()) for _ in range(60)]
    assert np.mean(shares) <= 0.07
    assert max(shares) <= 0.25


def test_minutes_of_speech_leave_most_of_the_bank():
    rng = np.random.default_rng(6)
    parts = []
    while len(parts) < 60:
        clip = excerpt(rng)
        if clip.sample_rate_hz == 8_000:
            parts.append(clip.samples)
    minutes = Signal.adopt(np.concatenate(parts, axis=1), 8_000)
    assert len(suspected_categories(minutes)) / len(all_categories()) <= 0.15
