"""Reversed, shuffled and cropped speech by Praat, scipy and a recogniser."""

from __future__ import annotations

import numpy as np
import parselmouth
import pytest
import scipy.signal
import soundfile

from perturb.operators.crop import Crop
from perturb.operators.reverse import Reverse
from perturb.operators.shuffle import Shuffle
from perturb.span import Span
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments.edits import edit_file
from tests.instruments.praat import pitch
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

WORDS = read_transcripts(CLIPS_FOLDER / "README.md")
ENGLISH = [path for path in CLIPS if not path.stem.startswith("it-") and "conf" not in path.stem]

each_clip = pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)


def _edit(path, folder, operator, *spans, role="probe"):
    return edit_file(path, folder / "variant.wav", operator, *spans, role=role)


@each_clip
def test_reversed_speech_has_its_pitch_backwards(path, tmp_path):
    before, after, rate, trace = _edit(path, tmp_path, Reverse())
    step = 2**-15 / 10 ** (trace.headroom.gain_db / 20)
    assert np.abs(after - before[::-1]).max() <= (0.0 if trace.headroom.gain_db == 0.0 else step)
    one, two = pitch(before, rate).f0_hz, pitch(after, rate).f0_hz[::-1]
    voiced = (one > 0) & (two > 0)
    assert voiced.sum() > 0.8 * (one > 0).sum()
    assert np.median(np.abs(1200 * np.log2(two[voiced] / one[voiced]))) < 10.0


@each_clip
def test_shuffled_speech_has_the_same_long_term_spectrum(path, tmp_path):
    before, after, rate, trace = _edit(path, tmp_path, Shuffle())
    assert after.size == before.size
    # In bands as wide as the fades allow, 100 Hz.
    frequencies, one = scipy.signal.welch(before, rate, nperseg=rate // 100)
    _, two = scipy.signal.welch(after, rate, nperseg=rate // 100)
    change_db = (10 * np.log10(two / one))[frequencies >= 100.0]
    heard = one[frequencies >= 100.0] > one.max() * 1e-3
    assert np.abs(change_db[heard]).max() < 1.5
    # Each segment is found where the map says, by its normalised correlation with the clip.
    edge = round(0.006 * rate)
    energy = np.concatenate([[0.0], np.cumsum(before**2)])
    for piece in trace.time_map.pieces[:6]:
        low, high = (round(t * rate) for t in (piece.target_start_s, piece.target_stop_s))
        part = after[low + edge : high - edge]
        if part.std() > 0.01:
            products = scipy.signal.correlate(before, part, mode="valid", method="fft")
            around = energy[part.size :] - energy[: -part.size]
            found = np.argmax(products / np.sqrt(around + 1e-3 * around.max()))
            assert (found - edge) / rate == pytest.approx(piece.source_start_s, abs=1.5 / rate)


@each_clip
def test_a_fragment_is_the_clips_own(path, tmp_path):
    duration = soundfile.info(path).duration
    start, stop = round(duration * 0.3, 3), round(duration * 0.7, 3)
    before, after, rate, _ = _edit(path, tmp_path, Crop(), Span(start, stop))
    first, last = (int(np.floor(t * rate + 0.5)) for t in (start, stop))
    edge = round(0.01 * rate)
    assert after.size == last - first
    assert np.array_equal(after[edge:-edge], before[first + edge : last - edge])
    click = np.abs(np.diff(np.concatenate([[0.0], after, [0.0]])))
    assert max(click[0], click[-1]) < 0.01
    assert parselmouth.Sound(after, rate).duration == pytest.approx(stop - start, abs=1 / rate)


@pytest.mark.slow
def test_what_a_recogniser_still_hears(tmp_path):
    shares = {"clip": [], "reverse": [], "shuffle": [], "shuffle sham": []}
    for folder in ("librivox", "prompts"):
        paths = [path for path in ENGLISH if folder in str(path)]
        recogniser = ClosedSetSphinx([word for path in paths for word in WORDS[path.stem]])
        for path in paths:
            before, backwards, rate, _ = _edit(path, tmp_path, Reverse())
            shuffled = _edit(path, tmp_path, Shuffle())[1]
            sham = _edit(path, tmp_path, Shuffle(), role="sham")[1]
            for name, samples in zip(shares, (before, backwards, shuffled, sham), strict=True):
                shares[name].append(share_of_words(recogniser, samples, rate, WORDS[path.stem]))
    means = {name: float(np.mean(values)) for name, values in shares.items()}
    assert means["reverse"] < 0.25
    assert means["shuffle"] < 0.6
    assert means["shuffle sham"] >= means["clip"] - 0.05
