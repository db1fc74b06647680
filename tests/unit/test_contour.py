from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import AudioError, ParameterError
from perturb.measure import contour
from perturb.measure.contour import SILENCE_DB, level_contour_db


def plain_contour(samples, rate_hz, window_s=0.025, hop_s=0.005):
    levels = []
    for k in range(1 + int(samples.size / (hop_s * rate_hz) + 1e-9)):
        start, stop = (
            int(np.floor((k * hop_s + side * window_s / 2) * rate_hz + 0.5)) for side in (-1, 1)
        )
        piece = samples[max(start, 0) : stop].astype(np.float64)
        levels.append(10 * np.log10(max(np.mean(piece**2) if piece.size else 0.0, 1e-20)))
    return np.array(levels)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 22_050, 44_100, 192_000])
def test_every_frame_is_the_rms_around_its_centre(rate_hz):
    rng = np.random.default_rng(0)
    samples = (rng.standard_normal(rate_hz // 4) * np.linspace(0, 1, rate_hz // 4) ** 4).astype(
        np.float32
    )
    np.testing.assert_allclose(
        level_contour_db(samples, rate_hz), plain_contour(samples, rate_hz), atol=1e-4
    )
    np.testing.assert_allclose(
        level_contour_db(samples, rate_hz, 0.05, 0.01),
        plain_contour(samples, rate_hz, 0.05, 0.01),
        atol=1e-4,
    )


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 48_000])
def test_blocks_change_nothing(rate_hz, monkeypatch):
    samples = np.random.default_rng(1).standard_normal(rate_hz).astype(np.float32)
    whole = level_contour_db(samples, rate_hz)
    monkeypatch.setattr(contour, "_BLOCK_FRAMES", 7)
    np.testing.assert_allclose(level_contour_db(samples, rate_hz), whole, atol=1e-5)


def test_quiet_after_loud_is_measured_and_silence_is_exact():
    samples = np.zeros(32_000, dtype=np.float32)
    samples[:8_000] = 1.0
    samples[16_000:] = 1e-5
    levels = level_contour_db(samples, 16_000)
    assert levels[50] == 0.0
    assert levels[150] == SILENCE_DB
    assert levels[300] == pytest.approx(-100.0, abs=0.01)


@pytest.mark.parametrize("count", [0, 1, 79, 80, 479])
def test_tiny_clips(count):
    levels = level_contour_db(np.full(count, 0.1, dtype=np.float32), 16_000)
    assert levels.size == 1 + count // 80
    assert levels[0] == pytest.approx(-20.0 if count else SILENCE_DB)


def test_bad_input_is_refused():
    with pytest.raises(AudioError, match="one channel"):
        level_contour_db(np.zeros((1, 9), dtype=np.float32), 16_000)
    with pytest.raises(AudioError, match="accepted: 8000 to 192000 Hz"):
        level_contour_db(np.zeros(9, dtype=np.float32), 1)
    with pytest.raises(ParameterError, match="hop_s is 0 s; accepted: one sample or more"):
        level_contour_db(np.zeros(9, dtype=np.float32), 16_000, hop_s=0)
