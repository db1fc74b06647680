"""`whisper` and `flat_intensity` on real speech: what Praat and a recogniser hear."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.operators.flat_intensity import FlatIntensity
from perturb.operators.whisper import Whisper
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments import praat
from tests.instruments.edits import ENGLISH, edit_file
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

pytestmark = pytest.mark.slow

TRANSCRIPTS = read_transcripts(CLIPS_FOLDER / "README.md")


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """Return every clip edited by an operator, as its files hold it; made once."""
    folder = tmp_path_factory.mktemp("edited")
    made = {}

    def edit(operator, role="probe"):
        key = operator.op_name(), role
        if key not in made:
            made[key] = [
                edit_file(path, folder / f"{path.stem}-{'-'.join(key)}.wav", operator, role=role)
                for path in CLIPS
            ]
        return made[key]

    return edit


def test_praat_hears_hardly_a_voice_in_a_whisper(edited):
    before, after = (
        np.array(
            [
                np.mean(praat.pitch(getattr(one, side), one.rate).f0_hz > 0)
                for one in edited(Whisper())
            ]
        )
        for side in ("before", "after")
    )
    assert before.min() > 0.4
    assert after.mean() <= 0.08, np.round(after, 3)
    assert after.max() <= 0.15, np.round(after, 3)


def test_praat_finds_the_level_of_a_whisper_kept(edited):
    found = [praat.compare_prosody(*one[:3]).level_correlation for one in edited(Whisper())]
    assert min(found) >= 0.98, np.round(found, 4)


def test_praat_finds_nothing_changed_in_the_sham_of_a_whisper(edited):
    found = [praat.compare_prosody(*one[:3]) for one in edited(Whisper(), "sham")]
    assert max(clip.f0_median_cents for clip in found) <= 1.0
    assert max(clip.voicing_error_ratio for clip in found) <= 0.01
    assert min(clip.level_correlation for clip in found) >= 0.999


def test_praat_finds_the_intensity_flat(edited):
    spreads = []
    for one in edited(FlatIntensity()):
        levels, achieved = (
            praat.intensity(side, one.rate).level_db for side in (one.before, one.after)
        )
        loud = levels > levels.max() - praat.INTENSITY_RANGE_DB
        spreads.append((levels[loud].std(), achieved[loud].std()))
    before, after = np.array(spreads).T
    assert before.min() > 5.0
    assert after.mean() <= 1.2, np.round(after, 2)
    assert after.max() <= 1.6, np.round(after, 2)


def test_praat_finds_the_melody_of_flat_intensity_kept(edited):
    found = [praat.compare_prosody(*one[:3]) for one in edited(FlatIntensity())]
    # Ours, not published bounds.
    assert np.median([clip.f0_median_cents for clip in found]) <= 5.0
    assert np.median([clip.f0_gross_ratio for clip in found]) <= 0.01


@pytest.fixture(scope="module")
def share_of():
    """Return the share of all English words heard in samples by clip."""
    recogniser = ClosedSetSphinx([word for path in ENGLISH for word in TRANSCRIPTS[path.stem]])

    def share(clips):
        heard = total = 0.0
        for path, (samples, rate) in zip(CLIPS, clips, strict=True):
            if path in ENGLISH:
                words = TRANSCRIPTS[path.stem]
                heard += share_of_words(recogniser, samples, rate, words) * len(words)
                total += len(words)
        return heard / total

    return share


@pytest.mark.parametrize(
    ("operator", "role", "kept"),
    [
        (Whisper(), "probe", 0.88),
        (Whisper(), "sham", 0.95),
        (FlatIntensity(), "probe", 0.94),
    ],
    ids=["whisper", "its sham", "flat_intensity"],
)
def test_words_are_kept(edited, share_of, operator, role, kept):
    clips = edited(operator, role)
    original = share_of([(one.before, one.rate) for one in clips])
    found = share_of([(one.after, one.rate) for one in clips])
    assert found >= kept * original, (found, original)
