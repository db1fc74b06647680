"""`AsTransform`: our operators where the audiomentations library expects one of its own."""

from __future__ import annotations

import random

import numpy as np
import pytest

from perturb.errors import AudioError, InapplicableError, ParameterError
from perturb.operators.crop import Crop
from perturb.operators.gain import Gain
from perturb.operators.shuffle import Shuffle
from perturb.operators.silence import Silence
from perturb.render.compose import AsTransform
from perturb.span import Span
from perturb.testing.strategies import speech_like
from tests.extras import need

RATE = 16_000
ROW = speech_like(1.5, RATE, seed=3, level=0.05).samples[0]


def test_it_acts_on_a_row_and_on_channels():
    quieter = AsTransform(Gain(gain_db=-20.0))
    assert quieter(ROW, RATE) == pytest.approx(ROW / 10, abs=1e-7)
    both = np.stack([ROW, -ROW])
    found = quieter(both, RATE)
    assert found.shape == both.shape
    assert found == pytest.approx(both / 10, abs=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_and_input_are_kept_and_the_result_may_be_written_to(dtype):
    samples = ROW.astype(dtype)
    before = samples.copy()
    found = AsTransform(Silence(), Span(0.2, 0.4))(samples, RATE)
    assert found.dtype == dtype
    assert np.array_equal(samples, before)
    found[:] = 0.0


def test_spans_placed_either_way():
    one = AsTransform(Gain(gain_db=-20.0), Span(0.2, 0.4))(ROW, RATE)
    two = AsTransform(Gain(gain_db=-20.0) @ Span(0.2, 0.4))(ROW, RATE)
    assert np.array_equal(one, two)
    assert np.array_equal(one[:3_200], ROW[:3_200])
    assert one[4_800] == pytest.approx(ROW[4_800] / 10)


def test_the_seed_comes_from_the_global_generator():
    shuffle = AsTransform(Shuffle(segment_s=0.05))
    random.seed(1)
    first, second = shuffle(ROW, RATE), shuffle(ROW, RATE)
    random.seed(1)
    assert np.array_equal(first, shuffle(ROW, RATE))
    assert not np.array_equal(first, second)


def test_numpys_global_generator_is_left_alone():
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    AsTransform(Shuffle())(ROW, RATE)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_p_is_a_probability():
    random.seed(0)
    sometimes = AsTransform(Gain(gain_db=-20.0), p=0.3)
    acted = sum(not np.array_equal(sometimes(ROW, RATE), ROW) for _ in range(200))
    assert 40 <= acted <= 80
    never = AsTransform(Gain(gain_db=-20.0), p=0.0)
    assert np.array_equal(never(ROW, RATE), ROW)
    with pytest.raises(ParameterError, match=r"p is 1\.5; accepted: 0 to 1"):
        AsTransform(Gain(gain_db=1.0), p=1.5)


def test_frozen_parameters_act_the_same_again():
    shuffle = AsTransform(Shuffle(segment_s=0.05))
    first = shuffle(ROW, RATE)
    shuffle.freeze_parameters()
    assert np.array_equal(shuffle(ROW, RATE), first)
    shuffle.unfreeze_parameters()
    assert not np.array_equal(shuffle(ROW, RATE), first)
    assert set(shuffle.serialize_parameters()) == {"should_apply", "seed"}


def test_length_changes_are_handed_on():
    assert AsTransform(Crop(duration_s=0.5))(ROW, RATE).shape == (RATE // 2,)


def test_what_it_cannot_act_on_raises_or_passes_with_the_reason():
    silence = np.zeros(RATE, dtype=np.float32)
    with pytest.raises(InapplicableError, match="digital silence"):
        AsTransform(Gain(gain_db=6.0))(silence, RATE)
    lenient = AsTransform(Gain(gain_db=6.0), skip_inapplicable=True)
    assert np.array_equal(lenient(silence, RATE), silence)
    assert "digital silence" in lenient.parameters["reason"]
    lenient(ROW, RATE)
    assert "reason" not in lenient.parameters


def test_bad_audio_is_refused():
    with pytest.raises(AudioError, match="not finite"):
        AsTransform(Gain(gain_db=6.0))(np.array([np.nan], dtype=np.float32), RATE)
    with pytest.raises(ParameterError, match="past the end"):
        AsTransform(Gain(gain_db=6.0), Span(1.0, 9.0))(ROW, RATE)


@need("audiomentations")
def test_inside_a_composition():
    import audiomentations

    augment = audiomentations.Compose(
        [
            audiomentations.PolarityInversion(p=1.0),
            AsTransform(Shuffle(segment_s=0.1), p=1.0),
            audiomentations.SomeOf(1, [AsTransform(Gain(gain_db=-6.0))]),
        ]
    )
    random.seed(5)
    one = augment(samples=ROW, sample_rate=RATE)
    random.seed(5)
    two = augment(samples=ROW, sample_rate=RATE)
    assert np.array_equal(one, two)
    assert one.shape == ROW.shape
    assert one.dtype == np.float32
    assert np.abs(one).max() == pytest.approx(np.abs(ROW).max() / 10 ** (6 / 20), rel=0.05)
    augment.freeze_parameters()
    assert np.array_equal(augment(samples=ROW, sample_rate=RATE), augment(ROW, RATE))
    assert "gain:gain_db=-6.0" in repr(augment)
    assert augment.to_dict_private()["transforms"][1]["step"].startswith("shuffle")
