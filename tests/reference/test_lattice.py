from __future__ import annotations

import numpy as np
import pytest

from perturb.kernels import lattice
from perturb.kernels._jit import as_input
from tests.reference import lattice as twin

PREEMPHASIS = 0.94


def resonate(samples, excitation, *, order=10, width=200, hop_samples=40.0, floor=1e-4):
    window = as_input(0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(width) + 0.5) / width))
    lag_window = np.exp(-0.5 * (0.05 * np.arange(order + 1)) ** 2)
    lag_window[0] += floor
    out = excitation.astype(np.float32)
    setting = (window, as_input(lag_window, np.float64), hop_samples, PREEMPHASIS)
    lattice.resonate(as_input(samples), *setting, out)
    return out, setting


def vowels(count, rate_hz=8_000):
    """Noise and a buzz whose one resonance moves."""
    rng = np.random.default_rng(3)
    times_s = np.arange(count) / rate_hz
    turns = np.cumsum(500 + 4_000 * times_s) / rate_hz
    buzz = np.sin(2 * np.pi * turns) * np.exp(-300 * (times_s % 0.008))
    return (0.2 * buzz + 0.002 * rng.standard_normal(count)).astype(np.float32)


@pytest.mark.parametrize("hop_samples", [40.0, 55.125])
@pytest.mark.parametrize("count", [1, 39, 300, 1_000])
def test_twin(count, hop_samples):
    samples = vowels(count)
    excitation = np.random.default_rng(4).standard_normal(count)
    out, setting = resonate(samples, excitation, hop_samples=hop_samples)
    expected = twin.resonate(samples, *setting, excitation.astype(np.float32))
    np.testing.assert_allclose(out, expected, atol=2e-4 * np.abs(expected).max())


@pytest.mark.parametrize("hop_samples", [40.0, 55.125])
@pytest.mark.parametrize("count", [1, 39, 300, 1_000])
def test_twin_of_the_inverse(count, hop_samples):
    samples = vowels(count)
    _, setting = resonate(samples, samples, hop_samples=hop_samples)
    out = samples.copy()
    lattice.whiten(as_input(samples), *setting, out)
    expected = twin.whiten(samples, *setting, samples.astype(np.float64))
    np.testing.assert_allclose(out, expected, atol=5e-4 * max(1.0, np.abs(expected).max()))


def test_the_inverse_leaves_a_residual_that_gives_the_sound_back():
    samples = vowels(4_000)
    _, setting = resonate(samples, samples)
    residual = samples.copy()
    lattice.whiten(as_input(samples), *setting, residual)
    assert residual[400:-400].std() == pytest.approx(1.0, abs=0.3)
    lattice.resonate(as_input(samples), *setting, residual)
    np.testing.assert_allclose(residual, samples, atol=1e-5)


def test_the_residual_of_silence_is_silence():
    silence = np.zeros(1_000, dtype=np.float32)
    _, setting = resonate(silence, silence)
    out = np.ones(1_000, dtype=np.float32)
    lattice.whiten(as_input(silence), *setting, out)
    assert not out.any()


def test_envelope_and_level_of_a_steady_sound_are_met():
    # White noise through a known resonator: the filtered excitation has its spectrum and level.
    rng = np.random.default_rng(5)
    pole = 0.95 * np.exp(2j * np.pi * 0.15)
    samples = np.zeros(2_400)
    noise = 0.01 * rng.standard_normal(samples.size)
    for index in range(2, samples.size):
        samples[index] = (
            noise[index] + 2 * pole.real * samples[index - 1] - abs(pole) ** 2 * samples[index - 2]
        )
    out, _ = resonate(samples, rng.standard_normal(samples.size))
    assert 20 * np.log10(out[200:].std() / samples[200:].std()) == pytest.approx(0.0, abs=1.0)
    bands = [np.abs(np.fft.rfft(x[200:])) ** 2 for x in (samples, out)]
    shares = [power[300:360].sum() / power.sum() for power in bands]
    assert shares[1] == pytest.approx(shares[0], abs=0.1)


def test_the_direct_form_of_reflections_predicts():
    # The twin's own check: reflection coefficients are those of the solved predictor.
    correlation = np.array([1.0, 0.7, 0.3, -0.1])
    reflections, error = twin.reflections_and_error(correlation)
    predictor = twin.direct_form(reflections)
    np.testing.assert_allclose(
        predictor[1:], np.linalg.solve(correlation[[[0, 1, 2], [1, 0, 1], [2, 1, 0]]],
                                       -correlation[1:]),
    )  # fmt: skip
    assert error == pytest.approx(float(predictor @ correlation))


@pytest.mark.parametrize("kind", ["silence", "tone", "offset", "click"])
def test_nothing_explodes(kind):
    samples = {
        "silence": np.zeros(1_200),
        "tone": np.sin(2 * np.pi * 0.1 * np.arange(1_200)),
        "offset": np.full(1_200, 0.5),
        "click": np.eye(1, 1_200, 600)[0],
    }[kind]
    excitation = np.random.default_rng(6).standard_normal(1_200)
    # No noise floor: prediction may become perfect.
    out, _ = resonate(samples, excitation, floor=0.0)
    assert np.isfinite(out).all()
    assert np.abs(out).max() < 30
    if kind == "silence":
        assert not out.any()


def test_a_long_silence_ends_in_zeros_not_in_denormals():
    samples = np.zeros(4_000)
    samples[:400] = vowels(400)
    out, _ = resonate(samples, np.random.default_rng(7).standard_normal(4_000))
    tail = np.abs(out[2_000:])
    assert not ((tail > 0) & (tail < 1.2e-38)).any()
    assert not out[3_000:].any()
