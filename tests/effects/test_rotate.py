"""Spectral rotation on real speech: where energy goes, by scipy; words, by a recogniser."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from perturb.operators.rotate import Rotate
from tests.conftest import CLIPS_FOLDER
from tests.instruments.edits import ENGLISH, edit_file, quick_clips_first
from tests.instruments.recogniser import (
    ClosedSetSphinx,
    chance_share,
    read_transcripts,
    share_heard,
    share_of_words,
)

TRANSCRIPTS = read_transcripts(CLIPS_FOLDER / "README.md")


def _edit(path, folder, *, role="probe"):
    return edit_file(path, folder / "variant.wav", Rotate(), role=role)[:3]


def _limited(samples, rate, low=200.0, high=3_800.0):
    """Return what lies in a band, cut out sharply by a Fourier transform of the whole."""
    spectrum = np.fft.rfft(samples)
    frequencies = np.fft.rfftfreq(samples.size, 1 / rate)
    spectrum[(frequencies < low) | (frequencies > high)] = 0.0
    return np.fft.irfft(spectrum, samples.size)


def _envelopes(samples, rate):
    """Return the magnitudes of nine bands of 400 Hz between 200 and 3800 Hz, (9, frames)."""
    frequencies, _, spectra = scipy.signal.stft(samples, rate, nperseg=round(0.03 * rate))
    powers = np.abs(spectra) ** 2
    edges = range(200, 3_800, 400)
    return np.sqrt(
        [powers[(frequencies >= low) & (frequencies < low + 400)].sum(axis=0) for low in edges]
    )


@quick_clips_first
def test_every_band_goes_to_its_mirror_place(path, tmp_path):
    before, after, rate = _edit(path, tmp_path)
    wanted, found = _envelopes(before, rate), _envelopes(after, rate)
    table = np.corrcoef(wanted, found)[:9, 9:]
    assert np.mean(np.diag(table[:, ::-1])) > 0.93
    # Of all bands of the result, none follows a band as well as its mirror band does.
    assert np.array_equal(table.argmax(axis=1), np.arange(9)[::-1])


@quick_clips_first
def test_level_is_that_of_the_band_and_nothing_lies_outside_it(path, tmp_path):
    before, after, rate = _edit(path, tmp_path)
    # The operator's edges are some 50 Hz wide, and a high voice has a harmonic there.
    level = 10 * np.log10(np.mean(after**2) / np.mean(_limited(before, rate) ** 2))
    assert level == pytest.approx(0.0, abs=0.5)
    outside = after - _limited(after, rate, 150.0, 3_850.0)
    assert np.mean(outside**2) < 0.002 * np.mean(after**2)


@quick_clips_first
def test_the_sham_is_the_clip_within_the_band(path, tmp_path):
    before, after, rate = _edit(path, tmp_path, role="sham")
    frame = round(0.025 * rate)
    frequencies, shared = scipy.signal.coherence(before, after, rate, nperseg=frame)
    inside = (frequencies > 350.0) & (frequencies < 3_650.0)
    assert shared[inside].mean() > 0.99
    level = 10 * np.log10(np.mean(after**2) / np.mean(_limited(before, rate) ** 2))
    assert level == pytest.approx(0.0, abs=0.5)


@pytest.mark.slow
def test_words_go_and_come_back_with_the_sham(tmp_path):
    recogniser = ClosedSetSphinx([word for path in ENGLISH for word in TRANSCRIPTS[path.stem]])
    heard = {"band": 0.0, "probe": 0.0, "sham": 0.0, "chance": 0.0}
    total = 0
    for path in ENGLISH:
        words = TRANSCRIPTS[path.stem]
        others = [TRANSCRIPTS[other.stem] for other in ENGLISH if other != path]
        total += len(words)
        for role in ("probe", "sham"):
            before, after, rate = _edit(path, tmp_path, role=role)
            answer = recogniser.hear(after, rate)
            heard[role] += share_heard(words, answer) * len(words)
            if role == "probe":
                heard["chance"] += chance_share(answer, others) * len(words)
        heard["band"] += share_of_words(recogniser, _limited(before, rate), rate, words) * len(
            words
        )
    shares = {name: count / total for name, count in heard.items()}
    assert shares["band"] > 0.65
    assert shares["probe"] < shares["chance"] + 0.05
    assert shares["sham"] == pytest.approx(shares["band"], abs=0.05)
