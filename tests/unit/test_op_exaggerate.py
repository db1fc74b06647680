from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.events.bank import render
from perturb.measure.analysis import Analysis
from perturb.operators.exaggerate import Exaggerate
from perturb.operators.monotone import Monotone
from perturb.render.apply import apply
from perturb.synthesis.trusted_pitch import trusted_pitch
from perturb.testing.strategies import speech_like
from tests.conftest import CLIPS

CLIP = speech_like(3.0, 16_000, channels=2, seed=1, level=0.05)


def _assert_proven(variant):
    """All proofs hold; the level's less closely than in speech, which does not fall so steeply.

    The syllables fall by 30 dB in 10 ms: a period that moves by half of one moves the level.
    """
    missed = {proof.name for proof in variant.trace.measured if proof.verdict != "ok"}
    assert missed <= {"level_correlation"}, variant.trace.reason
    level = next(p for p in variant.trace.measured if p.name == "level_correlation")
    assert level.achieved >= 0.96


@pytest.mark.parametrize("factor", [0.25, 0.5, 0.75, 1.3, 1.8])
def test_the_range_is_the_factors(factor):
    variant = apply(CLIP, Exaggerate(factor=factor))
    proofs = {proof.name: proof for proof in variant.trace.measured}
    _assert_proven(variant)
    assert proofs["f0_slope"].achieved == pytest.approx(factor, rel=0.1)
    assert proofs["unvoiced_difference"].achieved == 0.0


def test_what_leaps_by_octaves_is_left_as_it_is():
    # A man's voice, in which the tracker hears a hiss at 470 Hz.
    path = next(path for path in CLIPS if path.stem == "sense-and-sensibility-0930")
    clip = Analysis(read_audio(path).signal)
    rate_hz = clip.signal.sample_rate_hz
    leaping = clip.f0.is_voiced & ~trusted_pitch(clip.f0).is_voiced
    first, last = (np.flatnonzero(leaping)[[0, -1]] * clip.f0.hop_s * rate_hz).astype(int)
    assert np.median(clip.f0.f0_hz[leaping]) > 3.0 * clip.f0.median_hz
    found = {}
    for operator in (Exaggerate(), Monotone()):
        variant = apply(clip, operator)
        assert variant.trace.status == "ok", variant.trace.reason
        found[operator.op_name()] = variant.signal.samples[:, first:last]
    own = clip.signal.samples[:, first:last]
    assert last - first > 0.02 * rate_hz
    assert np.array_equal(found["exaggerate"], own)
    assert not np.array_equal(found["monotone"], own)


def test_a_factor_of_one_is_the_clip():
    assert Exaggerate(factor=1.0).is_neutral
    assert apply(CLIP, Exaggerate(factor=1.0)).signal.is_equal(CLIP)


def test_a_voice_without_room_is_refused_before_it_is_edited():
    with pytest.raises(InapplicableError, match=r"no room: at factor 3, \d+ % of the voiced"):
        apply(render("wolf_howl", 2, 16_000), Exaggerate(factor=3.0))


def test_a_voice_that_is_flat_has_no_melody_to_change():
    flat = apply(CLIP, Monotone()).signal
    with pytest.raises(InapplicableError, match=r"moves by \d+ cents .* no melody to change"):
        apply(flat, Exaggerate())


def test_the_share_without_room_is_told():
    variant = apply(CLIP, Exaggerate(factor=3.0))
    proofs = {proof.name: proof for proof in variant.trace.measured}
    assert proofs["bent_frames"].unit == "%"
    assert apply(CLIP, Exaggerate(factor=1.2)).trace.measured


@pytest.mark.parametrize("factor", [0.2, 3.1])
def test_factors_out_of_range_are_refused(factor):
    with pytest.raises(ParameterError, match=r"0\.25 to 3 x"):
        Exaggerate(factor=factor)


def test_its_sham_is_that_of_monotone():
    shams = [apply(CLIP, one, sham=True).signal for one in (Exaggerate(), Monotone())]
    assert shams[0].is_equal(shams[1])
