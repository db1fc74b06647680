"""`obscure` on signals of which it is known what it takes and what it leaves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.signal

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.coherence import coherence
from perturb.measure.spectrum import third_octave_levels
from perturb.operators.obscure import Obscure
from perturb.plan.step import Plan, Step
from perturb.render.apply import apply
from perturb.render.chain import run_chain
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.obscure import contour_block, talker_contour
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(3.0, RATE, seed=1, level=0.05)
MODULATIONS = ["icra", "speech", "steady"]
each_modulation = pytest.mark.parametrize("modulation", MODULATIONS)


def _render(clip, operator, *spans, role="probe", seed=0):
    """Return the result without headroom, from the streams of one clip id."""
    step = Step(operator=operator, spans=spans, role=role)
    plan = Plan(steps=(step,), clip_id="clip", seed=seed)
    return run_chain(plan, Analysis(clip), References(Path.cwd())).result.samples


def _level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-30)


def _contour_db(samples, above_hz=600.0):
    """Return the level of what lies above a frequency, every 20 ms, by scipy."""
    high = scipy.signal.butter(8, above_hz, "highpass", fs=RATE, output="sos")
    part = scipy.signal.sosfiltfilt(high, samples.astype(np.float64))
    return 10 * np.log10(np.square(part).reshape(-1, RATE // 50).mean(axis=1) + 1e-12)


@pytest.mark.parametrize("rate", RATES_HZ)
@each_modulation
def test_any_rate(rate, modulation):
    clip = speech_like(1.2, rate, channels=2, seed=2, level=0.05)
    variant = apply(clip, Obscure(modulation=modulation))
    assert variant.trace.status == "ok", variant.trace.reason
    assert all(proof.achieved is not None for proof in variant.trace.measured)


@each_modulation
def test_the_level_of_a_span_is_kept(modulation):
    result = _render(CLIP, Obscure(modulation=modulation), Span(0.7, 1.9))
    core = slice(round(0.71 * RATE), round(1.89 * RATE))
    assert _level_db(result[:, core]) == pytest.approx(_level_db(CLIP.samples[:, core]), abs=0.01)


@each_modulation
def test_the_hum_stays_and_the_rest_is_new(modulation):
    result = _render(CLIP, Obscure(modulation=modulation))
    found = coherence(CLIP.samples, result, RATE)
    assert found.explained_share(60.0, 200.0).value > 0.9
    assert found.explained_share(600.0).value < 0.03


@each_modulation
def test_it_has_the_colour_of_the_original(modulation):
    result = _render(CLIP, Obscure(modulation=modulation))
    before = third_octave_levels(CLIP.samples, RATE, frame_s=0.1)
    after = third_octave_levels(result, RATE, frame_s=0.1)
    differences = [
        new.level_dbfs.value - old.level_dbfs.value
        for old, new in zip(before, after, strict=True)
        if old.centre_hz > 500.0 and old.is_reliable
    ]
    assert len(differences) > 10
    # The voice of the clip is a line spectrum: smoothing moves power between bands.
    assert np.mean(differences) == pytest.approx(0.0, abs=1.0)
    assert np.max(np.abs(differences)) < 4.0


def test_noise_moves_as_asked():
    wanted = _contour_db(CLIP.samples[0])
    steady, own, other, another = (
        _contour_db(_render(CLIP, Obscure(modulation=modulation), seed=seed)[0])
        for modulation, seed in (("steady", 1), ("speech", 1), ("icra", 1), ("icra", 2))
    )
    assert steady.std() < 1.5
    assert np.corrcoef(own, wanted)[0, 1] > 0.9
    assert other.std() > 4.0
    assert abs(np.corrcoef(other, wanted)[0, 1]) < 0.5
    assert abs(np.corrcoef(other, another)[0, 1]) < 0.5


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_a_talker_contour_moves_like_speech(rate):
    random = np.random.default_rng(1)
    contour = talker_contour(300 * rate, rate, lambda count: random.standard_normal(count))
    assert contour.size == -(-300 * rate // contour_block(rate))
    level_db = 20 * np.log10(contour)
    assert level_db.std() == pytest.approx(8.0, abs=0.3)
    assert level_db.mean() == pytest.approx(0.0, abs=0.3)
    frequencies, power = scipy.signal.welch(level_db, rate / contour_block(rate), nperseg=8 * 1_024)
    share = [
        power[(frequencies >= low) & (frequencies < high)].sum() / power.sum()
        for low, high in ((0.0, 0.5), (1.0, 6.0), (16.0, 500.0))
    ]
    assert share[0] < 0.05
    assert share[1] > 0.6
    assert share[2] < 0.05


def test_all_channels_are_veiled_by_one_talker():
    pair = speech_like(2.0, RATE, channels=2, seed=4, level=0.05)
    one, two = _render(pair, Obscure())
    assert not np.array_equal(one, two)
    assert np.corrcoef(_contour_db(one), _contour_db(two))[0, 1] > 0.99


def test_silence_in_the_span_stays_silent_only_with_its_own_contour():
    samples = np.array(CLIP.samples)
    samples[:, 16_000:24_000] = 0.0
    clip = Signal.adopt(samples, RATE)
    own, other = (_render(clip, Obscure(modulation=name))[0] for name in ("speech", "icra"))
    assert _level_db(own[18_000:22_000]) < -120.0
    assert _level_db(other[18_000:22_000]) > _level_db(clip.samples) - 15.0


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_the_sham_is_the_clip_to_rounding(rate):
    clip = speech_like(1.0, rate, channels=2, seed=5, level=0.05)
    result = _render(clip, Obscure(), Span(0.2, 0.8), role="sham")
    assert result == pytest.approx(clip.samples, abs=2e-6)
    variant = apply(clip, Obscure() @ Span(0.2, 0.8), sham=True)
    assert variant.trace.status == "ok"


@pytest.mark.parametrize("count", [2, 20, 160, 479, 1_600])
@each_modulation
def test_very_short_clips(count, modulation):
    random = np.random.default_rng(count)
    clip = Signal.from_array(0.1 * random.standard_normal(count), RATE)
    variant = apply(clip, Obscure(modulation=modulation))
    assert variant.trace.status == "ok"
    assert np.isfinite(variant.signal.samples).all()
    assert _level_db(variant.signal.samples) == pytest.approx(_level_db(clip.samples), abs=0.2)


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(RATE), "digital silence"),
        (np.full(RATE, 0.5), "nothing above 300 Hz"),
        (np.full(1, 0.5), "nothing above 300 Hz"),
        (0.1 * np.cos(2 * np.pi * 60 * np.arange(RATE) / RATE), "nothing above 300 Hz"),
    ],
    ids=["zeros", "dc", "one sample", "hum"],
)
@pytest.mark.parametrize("sham", [False, True])
def test_where_there_is_nothing_to_obscure(samples, reason, sham):
    with pytest.raises(InapplicableError, match=reason):
        apply(Signal.from_array(samples, RATE), Obscure(), sham=sham)


def test_an_offset_is_kept():
    offset = Signal.adopt(CLIP.samples + np.float32(0.2), RATE)
    result = _render(offset, Obscure(modulation="steady"))
    assert result.mean() == pytest.approx(0.2, abs=1e-3)


def test_modulation_is_one_of_three():
    with pytest.raises(ParameterError, match="accepted: 'icra', 'speech', 'steady'"):
        Obscure(modulation="babble")


class _Context:
    """What `measure` may use."""


def test_proofs_find_what_is_wrong():
    span = (Span(0.5, 2.5),)
    louder = Signal.adopt(_render(CLIP, Obscure()) * np.float32(1.1), RATE)
    for result, missed in ((CLIP, "explained_by_original"), (louder, "level")):
        found = Obscure().measure(CLIP, result, span, _Context())
        assert [p.name for p in found if p.verdict == "off_target"] == [missed]
    found = Obscure().measure_sham(CLIP, louder, span, _Context())
    assert [p.verdict for p in found] == ["off_target", "off_target"]
