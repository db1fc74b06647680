"""Rate and level along a path of time, on sound whose path is known."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.measure.tempo import compare_tempo

RATE_HZ = 16_000


def _syllables(count, unit_s, seed=0, sample_rate_hz=RATE_HZ):
    """Return noise whose level changes at random, `count` times, every `unit_s`."""
    random = np.random.default_rng(seed)
    levels = 10.0 ** (random.uniform(-40.0, 0.0, count) / 20.0)
    samples = np.repeat(levels, round(unit_s * sample_rate_hz))
    return (0.1 * samples * random.choice([-1.0, 1.0], samples.size)).astype(np.float32)


def _compare(before, after, rate, sample_rate_hz=RATE_HZ):
    duration_s = before.size / sample_rate_hz
    return compare_tempo(before, after, sample_rate_hz, [0, duration_s], [0, duration_s / rate])


@pytest.mark.parametrize("rate", [0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("sample_rate_hz", [8_000, 48_000])
def test_a_true_edit_reads_its_rate(rate, sample_rate_hz):
    before = _syllables(40, 0.06, sample_rate_hz=sample_rate_hz)
    after = _syllables(40, 0.06 / rate, sample_rate_hz=sample_rate_hz)
    found = _compare(before, after, rate, sample_rate_hz)
    assert found.rate == pytest.approx(rate, rel=0.01)
    assert found.level_correlation > 0.97
    assert found.level_reason is None
    assert found.rate_reason is None


@pytest.mark.parametrize("claimed", [0.5, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("made", ["left", "inverted"])
def test_what_was_left_alone_or_inverted_is_found_out(claimed, made):
    before = _syllables(80, 0.06)
    really = 1.0 if made == "left" else 1.0 / claimed
    after = _syllables(80, 0.06 / really)[: round(before.size / claimed)]
    if after.size < round(before.size / claimed):
        after = np.pad(after, (0, round(before.size / claimed) - after.size))
    found = _compare(before, after, claimed)
    # Where it was inverted, little of the original is there to be read.
    assert found.rate == pytest.approx(really, rel=0.02 if made == "left" else 0.15)
    assert found.level_correlation < 0.5


def test_a_rate_is_not_found_in_other_sound():
    found = _compare(_syllables(40, 0.06), _syllables(40, 0.03, seed=9), 2.0)
    assert found.level_correlation < 0.5
    assert found.rate is None or abs(found.rate - 2.0) > 0.1


def test_a_path_of_several_rates():
    before = _syllables(40, 0.06)
    after = np.concatenate([_syllables(40, 0.02)[: 20 * 320], _syllables(40, 0.06)[20 * 960 :]])
    straight = compare_tempo(before, after, RATE_HZ, [0, 2.4], [0, 1.6])
    bent = compare_tempo(before, after, RATE_HZ, [0, 1.2, 2.4], [0, 0.4, 1.6])
    assert bent.rate == pytest.approx(1.5, rel=0.01)
    assert bent.level_correlation > 0.97
    assert straight.level_correlation < 0.7


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (np.zeros(RATE_HZ), "silent"),
        (np.full(RATE_HZ, 0.5), "moves by less than 2 dB"),
        (np.random.default_rng(0).normal(0, 0.1, RATE_HZ), "moves by less than 2 dB"),
        (np.ones(2_000), "40 are needed"),
    ],
)
def test_what_cannot_be_read_has_a_reason(before, why):
    before = before.astype(np.float32)
    found = _compare(before, before[::2], 2.0)
    assert found.rate is None
    assert found.level_correlation is None
    assert why in found.rate_reason
    assert why in found.level_reason


def test_a_silent_result_is_no_rate():
    before = _syllables(40, 0.06)
    found = _compare(before, np.zeros(before.size // 2, dtype=np.float32), 2.0)
    assert found.rate is None
    assert found.rate_reason == "the levels fit at no rate"
    assert found.level_correlation == 0.0
    assert found.level_reason == "the result's level does not move"


def test_a_long_clip_is_read_from_its_start():
    before, after = _syllables(1_000, 0.06), _syllables(1_000, 0.04)
    assert _compare(before, after, 1.5).rate == pytest.approx(1.5, rel=0.002)


@pytest.mark.parametrize(
    ("source_s", "target_s"), [([0, 1, 1], [0, 1, 2]), ([0, 1], [0, 0]), ([0, 1], [0, 1, 2])]
)
def test_a_path_that_does_not_rise_is_refused(source_s, target_s):
    with pytest.raises(ParameterError, match="rising moments"):
        compare_tempo(_syllables(4, 0.1), _syllables(4, 0.1), RATE_HZ, source_s, target_s)


def test_channels_are_refused():
    with pytest.raises(ParameterError, match="one channel each"):
        compare_tempo(np.zeros((1, 5), np.float32), np.zeros(5, np.float32), 8_000, [0, 1], [0, 1])
