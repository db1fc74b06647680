"""The example of an operator from another package keeps what every operator owes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.operators.gain import Gain
from perturb.operators.proof import Measured
from perturb.operators.protocol import Operator
from perturb.testing import check_operator

FOLDER = Path(__file__).parents[2] / "examples" / "third_party"


@pytest.fixture
def polarity(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    from perturb_polarity import Polarity

    yield Polarity()
    sys.modules.pop("perturb_polarity", None)


def test_the_example_passes_the_whole_suite(polarity, sentence):
    check_operator(polarity, clip=read_audio(sentence).signal, max_examples=25)


def test_the_entry_point_names_the_tag(polarity):
    declared = (FOLDER / "pyproject.toml").read_text()
    assert f'{polarity.op_name()} = "perturb_polarity:Polarity"' in declared


class Forgetful(Gain, frozen=True, kw_only=True):
    """Claim what is not so."""

    def measure(self, before, after, spans, ctx):
        return []


class Careless(Gain, frozen=True, kw_only=True, tag="careless"):
    """Change more than it was asked to."""

    def apply(self, signal, spans, ctx):
        return ctx.splice(signal, spans, lambda segment: segment.samples * 2.0)


class Idle(Gain, frozen=True, kw_only=True, tag="idle"):
    """Change nothing."""

    def apply(self, signal, spans, ctx):
        return ctx.splice(signal, spans, lambda segment: segment.samples)


class Uneven(Gain, frozen=True, kw_only=True, tag="uneven"):
    """Draw for each channel."""

    def apply(self, signal, spans, ctx):
        gains = ctx.generator("gain").random((signal.channel_count, 1), dtype=np.float32)
        return ctx.splice(signal, spans, lambda segment: segment.samples * gains)


class Vague(Gain, frozen=True, kw_only=True, tag="vague"):
    """Measure nothing."""

    def measure(self, before, after, spans, ctx):
        return [Measured.within("level", 0.0, None, 1.0, reason="nobody looked")]


@pytest.mark.parametrize(
    ("operator", "promise"),
    [
        (Idle(gain_db=6.0), "the clip is changed"),
        (Uneven(gain_db=6.0), "equal channels stay equal"),
        (Vague(gain_db=6.0), r"its proofs hold .* missed: \['level'\]"),
        (Forgetful(gain_db=6.0), "something is proven"),
        (Careless(gain_db=1.0), "its proofs hold"),
    ],
)
def test_a_broken_promise_is_named(operator: Operator, promise, sentence):
    with pytest.raises(AssertionError, match=promise):
        check_operator(operator, clip=read_audio(sentence).signal, max_examples=5)
