"""Tracker and judge against Praat, on real speech, clean and in noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import soundfile

from perturb.measure.f0 import track_f0
from perturb.measure.f0_judge import judge_f0
from tests.conftest import CLIPS
from tests.instruments import praat


@dataclass(frozen=True)
class Disagreement:
    """Deviations in cents of frames voiced in both, and whether voicing differs, per frame."""

    cents: np.ndarray
    is_voicing_error: np.ndarray

    @property
    def median_cents(self):
        return float(np.median(np.abs(self.cents)))

    @property
    def gross_ratio(self):
        return float(np.mean(np.abs(2 ** (self.cents / 1_200) - 1) > praat.GROSS_RATIO))

    @property
    def voicing_error_ratio(self):
        return float(np.mean(self.is_voicing_error))


def clip(path):
    samples, rate_hz = soundfile.read(path, dtype="float32")
    return samples, rate_hz


def with_noise(samples, snr_db):
    noise = np.random.default_rng(10).standard_normal(samples.size)
    gain = np.sqrt(np.mean(samples.astype(np.float64) ** 2) / 10 ** (snr_db / 10))
    return (samples + gain * noise).astype(np.float32)


def disagree(track, reference):
    found_hz = track.at(reference.times_s).astype(np.float64)
    both = (found_hz > 0) & (reference.f0_hz > 0)
    cents = 1_200 * np.log2(found_hz[both] / reference.f0_hz[both])
    return Disagreement(cents, (found_hz > 0) != (reference.f0_hz > 0))


def pool(parts):
    return Disagreement(
        np.concatenate([part.cents for part in parts]),
        np.concatenate([part.is_voicing_error for part in parts]),
    )


@pytest.fixture(scope="module")
def references():
    return [praat.pitch(*clip(path)) for path in CLIPS]


def against_praat(algorithm, references, snr_db=None):
    parts = []
    for path, reference in zip(CLIPS, references, strict=True):
        samples, rate_hz = clip(path)
        if snr_db is not None:
            samples = with_noise(samples, snr_db)
        parts.append(disagree(algorithm(samples, rate_hz), reference))
    return parts


def test_tracker_on_clean_speech(references):
    parts = against_praat(track_f0, references)
    everything = pool(parts)
    assert everything.median_cents < 1.0
    assert everything.gross_ratio <= 0.005
    assert everything.voicing_error_ratio <= 0.06
    for path, part in zip(CLIPS, parts, strict=True):
        assert part.median_cents < 1.0, path.name
        assert part.gross_ratio <= 0.01, path.name
        assert part.voicing_error_ratio <= 0.06, path.name


def test_tracker_in_noise_finds_the_pitch_of_the_clean_speech(references):
    everything = pool(against_praat(track_f0, references, snr_db=10.0))
    assert everything.median_cents <= 5.0
    assert everything.gross_ratio <= 0.005
    assert everything.voicing_error_ratio <= 0.08


def test_judge_on_clean_speech(references):
    parts = against_praat(judge_f0, references)
    everything = pool(parts)
    assert everything.median_cents <= 3.0
    assert everything.gross_ratio <= 0.015
    assert everything.voicing_error_ratio <= 0.10
    for path, part in zip(CLIPS, parts, strict=True):
        assert part.median_cents <= 3.0, path.name
        # Five frames of one short clip: a creak that has a pitch and its octave.
        assert part.gross_ratio <= 0.02, path.name
        assert part.voicing_error_ratio <= 0.10, path.name


def test_judge_in_noise(references):
    everything = pool(against_praat(judge_f0, references, snr_db=10.0))
    assert everything.median_cents <= 5.0
    assert everything.gross_ratio <= 0.005


@pytest.mark.parametrize("algorithm", [track_f0, judge_f0])
def test_a_transposed_recording_is_heard_transposed(algorithm):
    # Played faster, everything is higher by the ratio of the rates: Praat is not asked.
    samples, rate_hz = clip(CLIPS[0])
    plain, fast = algorithm(samples, rate_hz), algorithm(samples, round(rate_hz * 1.25))
    raised_hz = fast.at(plain.times_s / 1.25)
    both = (raised_hz > 0) & plain.is_voiced
    ratio = raised_hz[both] / plain.f0_hz[both]
    assert np.median(ratio) == pytest.approx(1.25, rel=1e-3)
    assert np.mean(np.abs(ratio / 1.25 - 1) > 0.2) <= 0.02
