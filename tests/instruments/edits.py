"""Real clips edited as a user would, from file to file, and which of them to edit on every run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from perturb.audio_io import read_audio
from perturb.operators.protocol import Operator
from perturb.plan.step import Role, Step
from perturb.plan.trace import Trace
from perturb.render.files import FileJob, apply_to_file
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS

__all__ = [
    "ENGLISH",
    "EditedFile",
    "assert_inside",
    "edit_file",
    "quick_clips_first",
    "unscaled",
]

ENGLISH = [path for path in CLIPS if not path.stem.startswith("it-")]

# A low voice at 16 kHz, a high one at 8 kHz.
_QUICK = {"sense-and-sensibility-0880", "en-cannot-complete-as-dialed"}

quick_clips_first = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in _QUICK else pytest.mark.slow)
        for path in CLIPS
    ],
)
"""Mark of tests that run on two clips on every commit, and on all in the whole check."""


class EditedFile(NamedTuple):
    """A clip and its variant as their files hold them, the recorded gain undone.

    Parameters
    ----------
    before, after : ndarray of float64, shape (samples,) or (samples, channels)
        Full scale 1.0.
    rate : int
        Sampling rate in Hz.
    trace : Trace
        As written.
    """

    before: npt.NDArray[np.float64]
    after: npt.NDArray[np.float64]
    rate: int
    trace: Trace


def edit_file(
    path: Path, output: Path, operator: Operator, *spans: Span, role: Role = "probe"
) -> EditedFile:
    """Edit a file and read both back by soundfile; the edit must have met all of its proofs."""
    trace = apply_to_file(FileJob(path, output, (Step(operator=operator, spans=spans, role=role),)))
    assert trace.status == "ok", trace.reason
    before, rate = soundfile.read(path, dtype="float64")
    after, _ = soundfile.read(output, dtype="float64")
    return EditedFile(before, after / 10 ** (trace.headroom.gain_db / 20), rate, trace)


def unscaled(path: Path, trace: Trace) -> Signal:
    """Return a written variant, its headroom gain undone."""
    after = read_audio(path).signal
    gain = np.float32(10 ** (trace.headroom.gain_db / 20))
    return Signal.adopt(after.samples / gain, after.sample_rate_hz)


def assert_inside(values: npt.ArrayLike, bound: float, *, at_least: bool = False) -> None:
    """All clips but one are inside, and their mean is: fourteen cannot tell 95 % from 93 %."""
    values = np.array(values, dtype=float)
    inside = values >= bound if at_least else values <= bound
    assert np.sum(~inside) <= 1, np.round(values, 4)
    assert values.mean() >= bound if at_least else values.mean() <= bound
