from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, write_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.contour import Contour
from perturb.plan.step_text import format_step, parse_step
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.testing.strategies import speech_like

RATE = 16_000
CLIP = speech_like(2.4, RATE, channels=2, seed=1, level=0.05)
POINTS = ((0.0, 120.0), (0.5, 200.0), (1.0, 110.0))


def _assert_proven(variant):
    """All proofs hold; the level's less closely than in speech, which does not fall so steeply.

    The syllables fall by 30 dB in 10 ms: a period that moves by half of one moves the level.
    """
    missed = {proof.name for proof in variant.trace.measured if proof.verdict != "ok"}
    assert missed <= {"level_correlation"}, variant.trace.reason
    level = next(p for p in variant.trace.measured if p.name == "level_correlation")
    assert level.achieved >= 0.96


def _write(path, signal):
    write_audio(path, signal, OutputFormat())
    return f"file:{path}"


def test_points_are_followed():
    variant = apply(CLIP, Contour(points=POINTS))
    _assert_proven(variant)
    f0 = Analysis(variant.signal).f0
    voiced = np.flatnonzero(f0.is_voiced)
    middle = voiced[np.argmin(np.abs(voiced - (voiced[0] + voiced[-1]) / 2))]
    assert f0.f0_hz[middle] == pytest.approx(195.0, rel=0.05)
    assert f0.f0_hz[voiced[3]] == pytest.approx(122.0, rel=0.05)


@pytest.mark.parametrize("register", ["donor", "own"])
def test_another_recordings_contour_is_followed(tmp_path, register):
    # Another rate, and half as long.
    ref = _write(tmp_path / "other.wav", speech_like(1.2, 8_000, seed=5))
    variant = apply(CLIP, Contour(ref=ref, register=register))
    _assert_proven(variant)


def test_a_melody_can_be_moved_to_the_voices_own_height():
    high = ((0.0, 300.0), (1.0, 330.0))
    for register, expected in (("donor", 315.0), ("own", Analysis(CLIP).f0.median_hz)):
        variant = apply(CLIP, Contour(points=high, register=register))
        assert Analysis(variant.signal).f0.median_hz == pytest.approx(expected, rel=0.03)


def test_a_donor_without_a_voice_is_inapplicable(tmp_path):
    hiss = Signal.from_array(0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    for donor in (hiss, Signal.from_array(np.zeros(RATE), RATE)):
        ref = _write(tmp_path / "other.wav", donor)
        with pytest.raises(InapplicableError, match="has no voiced frame"):
            apply(CLIP, Contour(ref=ref))


def test_exactly_one_melody_is_asked_for():
    for fields in ({}, {"ref": "file:a.wav", "points": POINTS}):
        with pytest.raises(ParameterError, match="exactly one"):
            Contour(**fields)
    with pytest.raises(ParameterError, match="file:PATH"):
        Contour(ref="a.wav")


@pytest.mark.parametrize("points", [((0.0, 50.0),), ((1.0, 100.0), (0.0, 100.0)), ()])
def test_points_that_are_no_melody_are_refused(points):
    with pytest.raises(ParameterError, match="accepted"):
        Contour(points=points)


def test_points_can_be_written_on_the_command_line():
    step = parse_step("contour:points=[[0, 120], [1, 100.5]]")
    assert step.operator.points == ((0.0, 120.0), (1.0, 100.5))
    assert parse_step(format_step(step)) == step
