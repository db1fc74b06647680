"""`rotate` on tones: where they go, how loud, and whether they come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.rotate import Rotate
from perturb.plan.step import Plan, Step
from perturb.render.apply import apply
from perturb.render.chain import run_chain
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.rotate import rotate
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(2.0, RATE, seed=1, level=0.05)


def _render(clip, operator, *spans, role="probe"):
    """Return the result without headroom."""
    step = Step(operator=operator, spans=spans, role=role)
    plan = Plan(steps=(step,), clip_id="clip")
    return run_chain(plan, Analysis(clip), References(Path.cwd())).result.samples


def _tone(hz, rate=RATE, seconds=1.0):
    return Signal.from_array(
        0.1 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate), rate
    )


def _lines(samples, rate):
    """Return frequency in Hz and share of the power of the strongest line, 4 Hz wide."""
    power = np.abs(np.fft.rfft(samples * np.hanning(samples.size))) ** 2
    frequencies = np.fft.rfftfreq(samples.size, 1 / rate)
    hz = frequencies[power.argmax()]
    return hz, power[np.abs(frequencies - hz) <= 4.0].sum() / power.sum()


@pytest.mark.parametrize("rate", RATES_HZ)
@pytest.mark.parametrize("hz", [300.0, 1_000.0, 2_000.0, 3_500.0])
def test_a_tone_goes_to_its_mirror_place_at_its_level(rate, hz):
    tone = _tone(hz, rate)
    result = _render(tone, Rotate())[0]
    middle = result[rate // 8 : -rate // 8]
    found_hz, share = _lines(middle, rate)
    assert found_hz == pytest.approx(4_000.0 - hz, abs=2.0)
    assert share > 0.999
    # Near its edges the level is that of the tone within the band, where the filter starts.
    assert 20 * np.log10(middle.std() / tone.samples.std()) == pytest.approx(0.0, abs=0.5)


@pytest.mark.parametrize("centre_hz", [500.0, 1_234.5, 3_000.0])
def test_any_centre(centre_hz):
    tone = _tone(0.7 * centre_hz)
    found_hz, share = _lines(_render(tone, Rotate(centre_hz=centre_hz))[0][2_000:-2_000], RATE)
    assert found_hz == pytest.approx(1.3 * centre_hz, abs=2.0)
    assert share > 0.999


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_rotated_twice_is_the_original_within_the_band(rate):
    time_s = np.arange(rate) / rate
    inside = sum(
        np.sin(2 * np.pi * hz * time_s + hz) for hz in (400.0, 777.0, 1_500.0, 2_600.0, 3_300.0)
    )
    outside = np.sin(2 * np.pi * 80.0 * time_s)
    result = rotate((inside + outside).astype(np.float32)[np.newaxis], rate, 2_000.0, times=2)
    middle = slice(rate // 8, -rate // 8)
    assert result[0, middle] == pytest.approx(inside[middle], abs=0.02)


def test_what_lies_outside_the_band_is_left_out():
    random = np.random.default_rng(1)
    noise = Signal.from_array(0.05 * random.standard_normal(2 * RATE), RATE)
    power = np.abs(np.fft.rfft(_render(noise, Rotate())[0])) ** 2
    frequencies = np.fft.rfftfreq(2 * RATE, 1 / RATE)
    is_outside = (frequencies < 150.0) | (frequencies > 3_850.0)
    assert power[is_outside].sum() < 1e-3 * power.sum()


def test_speech_keeps_its_slope():
    # Noise with the long-term slope of speech comes out with that slope, not with its mirror.
    random = np.random.default_rng(2)
    spectrum = np.fft.rfft(random.standard_normal(8 * RATE))
    frequencies = np.fft.rfftfreq(8 * RATE, 1 / RATE)
    spectrum /= np.sqrt(1.0 + (frequencies / 500.0) ** 2.8)
    clip = Signal.from_array(0.01 * np.fft.irfft(spectrum) * 10.0, RATE)
    powers = [
        np.abs(np.fft.rfft(samples)) ** 2
        for samples in (clip.samples[0], _render(clip, Rotate())[0])
    ]
    for low in range(400, 3_600, 400):
        is_band = (frequencies >= low) & (frequencies < low + 400)
        ratio = powers[1][is_band].sum() / powers[0][is_band].sum()
        assert 10 * np.log10(ratio) == pytest.approx(0.0, abs=1.0)


@pytest.mark.parametrize("rate", RATES_HZ)
@pytest.mark.parametrize("sham", [False, True])
def test_any_rate(rate, sham):
    clip = speech_like(1.2, rate, channels=2, seed=3, level=0.05)
    variant = apply(clip, Rotate(), sham=sham)
    assert variant.trace.status == "ok", variant.trace.reason
    assert all(proof.achieved is not None for proof in variant.trace.measured)


@pytest.mark.parametrize("count", [2, 20, 160, 479, 1_600])
@pytest.mark.parametrize("role", ["probe", "sham"])
def test_very_short_clips(count, role):
    random = np.random.default_rng(count)
    clip = Signal.from_array(0.05 * random.standard_normal(count), RATE)
    result = _render(clip, Rotate(), role=role)
    assert np.isfinite(result).all()
    assert result.shape == clip.samples.shape
    assert np.abs(result).max() < 1.0


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(RATE), "digital silence"),
        (np.full(RATE, 0.5), "nothing between 200 and 3800 Hz"),
        (np.full(1, 0.5), "nothing between 200 and 3800 Hz"),
    ],
    ids=["zeros", "dc", "one sample"],
)
@pytest.mark.parametrize("sham", [False, True])
def test_where_there_is_nothing_to_rotate(samples, reason, sham):
    with pytest.raises(InapplicableError, match=reason):
        apply(Signal.from_array(samples, RATE), Rotate(), sham=sham)


def test_a_band_that_the_clip_cannot_hold():
    with pytest.raises(InapplicableError, match=r"up to 5700 Hz; at 8000 Hz .* lower centre_hz"):
        apply(_tone(1_000.0, 8_000), Rotate(centre_hz=3_000.0))


@pytest.mark.parametrize("centre_hz", [100.0, 20_000.0, float("nan")])
def test_the_centre_has_a_range(centre_hz):
    with pytest.raises(ParameterError, match="accepted: a finite number, 500 to 10000 Hz"):
        Rotate(centre_hz=centre_hz)


class _Context:
    """What `measure` may use."""


def test_proofs_find_what_is_wrong():
    span = (Span(0.0, 2.0),)
    quiet = Signal.adopt(_render(CLIP, Rotate()) * np.float32(0.9), RATE)
    for result, missed in ((CLIP, "mirror_correlation"), (quiet, "band_level")):
        found = Rotate().measure(CLIP, result, span, _Context())
        assert [p.name for p in found if p.verdict == "off_target"] == [missed]
    found = Rotate().measure_sham(CLIP, quiet, span, _Context())
    assert [p.verdict for p in found] == ["off_target", "off_target"]
