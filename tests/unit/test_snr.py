"""Support, window, onset and the other conventions, on sounds whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.measure.analysis import Analysis
from perturb.measure.snr import ActiveSupport, event_window, onset_sample, other_ratios
from perturb.signal import Signal
from tests.strategies.sounds import burst, silence, tone


def _row(samples):
    return np.asarray(samples, dtype=np.float32)[np.newaxis]


@pytest.mark.parametrize("rate", [8_000, 11_025, 44_100, 192_000])
def test_support_is_what_lies_within_20_db_of_the_loudest_frame(rate):
    parts = [tone(0.1, rate, 1000.0, level) for level in (-10.0, -29.0, -31.0)]
    support = ActiveSupport.of(_row(np.concatenate([*parts, silence(0.1, rate)])), rate)
    shares = [support.mask[round(at / 0.01)] for at in (0.05, 0.15, 0.25, 0.35)]
    assert shares == [True, True, False, False]


def test_power_over_the_support_counts_a_short_last_frame_by_its_length():
    samples = _row(np.concatenate([np.full(160, 0.5), np.full(40, 1.0)]))
    support = ActiveSupport.of(samples, 16_000)
    assert support.power(samples) == pytest.approx((160 * 0.25 + 40 * 1.0) / 200)


def test_digital_silence_has_no_support():
    support = ActiveSupport.of(_row(silence(0.1, 8_000)), 8_000)
    assert not support.mask.any()
    assert support.power(_row(silence(0.1, 8_000))) == 0.0


@pytest.mark.parametrize(
    ("start", "stop", "count", "window"),
    [
        (4_000, 20_000, 80_000, (4_000, 20_000)),
        (40_000, 41_000, 80_000, (36_500, 44_500)),
        (79_900, 80_000, 80_000, (75_950, 80_000)),
        (0, 10, 3_000, (0, 3_000)),
    ],
)
def test_window(start, stop, count, window):
    assert event_window(start, stop, count, 8_000) == window


def test_onset_is_where_the_sound_comes_within_20_db_of_its_peak():
    samples = _row(np.concatenate([np.full(50, 0.04), np.full(50, 0.06), np.full(10, -0.5)]))
    assert onset_sample(samples) == 50
    assert onset_sample(_row(silence(0.1, 8_000))) is None
    assert onset_sample(np.concatenate([_row(silence(0.01, 8_000)), _row(tone(0.01, 8_000))])) < 4


def test_narrow_band_ratio_leaves_out_what_lies_above():
    rate = 44_100
    low, high = tone(2.0, rate, 1_000.0, -20.0), tone(2.0, rate, 15_000.0, -10.0)
    host = Signal.from_array(low, rate)
    event = Signal.from_array(low + high, rate)
    level = 10 * np.log10(np.mean((low + high) ** 2))
    ratios = other_ratios(event, level, Analysis(host), (0, host.sample_count))
    assert ratios["snr_8k_db"].value == pytest.approx(0.0, abs=0.01)
    assert ratios["snr_active_db"].value == pytest.approx(level + 20.0, abs=0.1)


def test_an_event_above_8_khz_alone_has_no_narrow_ratio():
    rate = 44_100
    time_s = np.arange(rate) / rate
    # On a bin of the analysis, so that nothing leaks.
    event = Signal.from_array(0.1 * np.sin(2 * np.pi * 15_000 * time_s), rate)
    host = Signal.from_array(burst(1.0, rate), rate)
    ratios = other_ratios(event, -23.0, Analysis(host), (0, rate))
    found = ratios["snr_8k_db"]
    assert found.value is None or found.value < -60.0
