from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import InapplicableError
from perturb.measure.analysis import Analysis
from perturb.operators.whisper import Whisper
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(2.4, RATE, channels=2, seed=1, level=0.05)


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    variant = apply(speech_like(1.6, rate, channels=2, seed=2, level=0.05), Whisper())
    assert variant.trace.status == "ok", variant.trace.reason


def test_no_voice_is_left():
    assert Analysis(CLIP).f0.voiced_share > 0.4
    assert Analysis(apply(CLIP, Whisper()).signal).f0.voiced_share < 0.05


def test_the_resonances_stay():
    whispered = apply(CLIP, Whisper()).signal.samples[0]
    spectra = [
        np.abs(np.fft.rfft(x[: x.size // 400 * 400].reshape(-1, 400), axis=1)) ** 2
        for x in (CLIP.samples[0], whispered)
    ]
    # 40 Hz bins, smoothed over the harmonics: formants at 600 and 1400 Hz, a valley between.
    smooth = [
        10 * np.log10(np.convolve(s.mean(axis=0), np.ones(5) / 5, mode="same")) for s in spectra
    ]
    for found in smooth:
        assert found[15] > found[25] + 5
        assert found[35] > found[25] + 2


def test_the_sham_gives_the_clip_back():
    variant = apply(CLIP, Whisper(), sham=True)
    assert variant.trace.status == "ok", variant.trace.reason
    np.testing.assert_allclose(variant.signal.samples, CLIP.samples, atol=2e-3)


def test_channels_share_the_noise():
    one = CLIP.samples[:1]
    clip = Signal.adopt(np.concatenate([one, 0.5 * one]), RATE)
    first, second = apply(clip, Whisper()).signal.samples
    assert np.corrcoef(first, second)[0, 1] > 0.999


def test_silence_between_words_stays_silent():
    samples = np.array(CLIP.samples)
    samples[:, 16_000:24_000] = 0.0
    found = apply(Signal.adopt(samples, RATE), Whisper()).signal.samples
    assert not found[:, 17_000:23_000].any()


def test_no_voice_is_inapplicable():
    hiss = Signal.from_array(0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    with pytest.raises(InapplicableError, match="no speech"):
        apply(hiss, Whisper())
    with pytest.raises(InapplicableError, match="no speech"):
        apply(CLIP, Whisper() @ Span(0.1, 0.12))
