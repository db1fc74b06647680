"""A few small numbers held by value, so that a change of output never goes unnoticed.

They hold on any processor within rounding; bytes are compared within one run only. Regenerate
after an intended change, and say so in the changelog under *Numerical changes*:

    pytest tests/golden --regenerate
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.operators.registry import all_operators
from perturb.plan.step import Step
from perturb.plan.step_text import format_step
from perturb.render.apply import apply
from perturb.span import Span
from tests.conftest import write_respoken

pytestmark = [pytest.mark.golden, pytest.mark.usefixtures("example_references")]

FILE = Path(__file__).parent / "golden.json"
SPAN = Span(0.5, 2.5)


def _has_own_sham(operator):
    return operator.sham_kind == "own" and operator.sham_exists()


# What another library computes is that library's to hold; the sentence has no pause, nor syllables
# enough in a row.
EXAMPLES = [
    example
    for name, kind in all_operators().items()
    if name not in ("audiomentations", "retime")
    for example in kind.examples()
]
CASES = [
    (format_step(Step(operator=operator)), operator, sham)
    for operator in EXAMPLES
    for sham in ((False, True) if _has_own_sham(operator) else (False,))
]


def _summary(signal):
    samples = signal.samples[0].astype(np.float64)
    places = np.linspace(0, len(samples) - 1, 8).astype(int)
    return {
        "samples": len(samples),
        "rms": float(np.sqrt(np.mean(samples**2))),
        "peak": float(np.max(np.abs(samples))),
        "at": [float(value) for value in samples[places]],
    }


@pytest.mark.parametrize(
    ("name", "operator", "sham"), CASES, ids=[f"{c[0]}{'-sham' if c[2] else ''}" for c in CASES]
)
def test_output_is_what_it_was(name, operator, sham, sentence, request):
    clip = read_audio(sentence).signal
    if operator.op_name() == "voice_file":
        write_respoken(Path.cwd(), clip, SPAN)
    placed = operator if operator.needs_whole_clip else operator @ SPAN
    found = _summary(apply(clip, placed, seed=11, sham=sham).signal)
    key = f"{name}{' sham' if sham else ''}"
    if request.config.getoption("--regenerate"):
        golden = json.loads(FILE.read_text()) if FILE.exists() else {}
        golden[key] = found
        FILE.write_text(json.dumps(dict(sorted(golden.items())), indent=1) + "\n")
        return
    golden = json.loads(FILE.read_text())[key]
    assert found["samples"] == golden["samples"]
    assert found["rms"] == pytest.approx(golden["rms"], rel=1e-5)
    assert found["peak"] == pytest.approx(golden["peak"], rel=1e-4, abs=1e-6)
    assert found["at"] == pytest.approx(golden["at"], rel=1e-3, abs=1e-5)
