"""Transforms of the audiomentations library on real speech, measured from the files by scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from perturb.operators.audiomentations import Audiomentations
from tests.conftest import CLIPS
from tests.extras import need
from tests.instruments.edits import edit_file

pytestmark = need("audiomentations")

each_clip = pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)


def _edit(path, folder, transform, **params):
    operator = Audiomentations(transform=transform, params=params)
    return edit_file(path, folder / "variant.wav", operator)


@each_clip
def test_a_codec_keeps_timing_and_most_of_the_sound(path, tmp_path):
    before, after, rate, trace = _edit(path, tmp_path, "Mp3Compression", min_bitrate=32)
    assert after.size == before.size
    products = scipy.signal.correlate(after, before, mode="full", method="fft")
    assert abs(np.argmax(products) - (before.size - 1)) <= 1
    coherence = scipy.signal.coherence(before, after, rate, nperseg=512)[1]
    assert np.median(coherence[: coherence.size // 2]) > 0.9
    assert trace.steps[0].notes["parameters"][0]["bitrate"] >= 32


@each_clip
def test_a_low_pass_at_the_drawn_frequency(path, tmp_path):
    before, after, rate, trace = _edit(
        path, tmp_path, "LowPassFilter", min_cutoff_freq=500.0, max_cutoff_freq=1500.0
    )
    drawn = trace.steps[0].notes["parameters"][0]
    frequencies, one = scipy.signal.welch(before, rate, nperseg=1024)
    _, two = scipy.signal.welch(after, rate, nperseg=1024)
    change_db = 10 * np.log10(two / one)
    at = np.argmin(np.abs(frequencies - drawn["cutoff_freq"]))
    assert change_db[at] == pytest.approx(-3.0, abs=1.0)
    assert np.median(change_db[frequencies > 2 * drawn["cutoff_freq"]]) < -9.0
