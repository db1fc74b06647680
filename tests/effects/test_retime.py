"""`retime` on real speech: pauses by Praat's intensity, syllables by its dips, and words."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from perturb.operators.retime import Retime
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.synthesis.pauses import find_pauses
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments import praat
from tests.instruments.edits import ENGLISH, edit_file
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

pytestmark = pytest.mark.slow

TRANSCRIPTS = read_transcripts(CLIPS_FOLDER / "README.md")
QUIET_DB = 30.0
LONGEST_S = 0.45


def _read(path):
    return soundfile.read(path, dtype="float32")


WITH_PAUSES = [path for path in CLIPS if find_pauses(*_read(path))]


def _quiet_run_s(contour, moment_s, floor_db):
    at = int(np.argmin(np.abs(contour.times_s - moment_s)))
    is_loud = contour.level_db >= floor_db
    assert not is_loud[at]
    before, after = np.flatnonzero(is_loud[:at]), np.flatnonzero(is_loud[at:])
    return contour.times_s[at + after[0]] - contour.times_s[before[-1]]


def test_enough_clips_have_pauses():
    assert len(WITH_PAUSES) >= 7


@pytest.mark.parametrize("pause_s", [0.2, 0.6])
def test_praat_finds_every_pause_as_much_longer_as_asked(pause_s, tmp_path):
    errors_s = []
    for path in WITH_PAUSES:
        one = edit_file(path, tmp_path / "variant.wav", Retime(pause_s=pause_s))
        own, new = (praat.intensity(side, one.rate) for side in (one.before, one.after))
        floor_db = own.level_db.max() - QUIET_DB
        shift_s = 0.0
        for start, stop in find_pauses(one.before.astype(np.float32), one.rate):
            length_s = (stop - start) / one.rate
            before_s = _quiet_run_s(own, (start + stop) / 2 / one.rate, floor_db)
            middle_s = start / one.rate + shift_s + pause_s / 2
            after_s = _quiet_run_s(new, middle_s, floor_db)
            errors_s.append(after_s - before_s - (pause_s - length_s))
            shift_s += pause_s - length_s
    # Praat's frames are 5 ms apart.
    assert np.max(np.abs(errors_s)) <= 0.010 + 1e-9, np.round(errors_s, 4)


def _nuclei_s(samples, rate):
    """Return the peaks of Praat's intensity with dips of 2 dB between, voiced, as de Jong has."""
    contour, pitch = praat.intensity(samples, rate), praat.pitch(samples, rate)
    levels = contour.level_db
    peaks, high, low, is_rising = [], 0, 0, True
    for frame, level in enumerate(levels):
        if is_rising and level < levels[high] - 2.0:
            peaks.append(high)
            low, is_rising = frame, False
        elif not is_rising and level > levels[low] + 2.0:
            high, is_rising = frame, True
        elif is_rising and level > levels[high]:
            high = frame
        elif not is_rising and level < levels[low]:
            low = frame
    moments_s = contour.times_s[[p for p in peaks if levels[p] > levels.max() - 25.0]]
    voiced = np.interp(moments_s, pitch.times_s, (pitch.f0_hz > 0).astype(float)) > 0.5
    return moments_s[voiced]


def _spread(samples, rate):
    intervals_s = np.diff(_nuclei_s(samples, rate))
    return float(np.log(intervals_s[intervals_s <= LONGEST_S]).std())


@pytest.fixture(scope="module")
def retimed(tmp_path_factory):
    """Return every clip at an even tempo, or its sham: before, after, rate, status; made once."""
    folder = tmp_path_factory.mktemp("retimed")
    made = {}

    def edit(role):
        for path in CLIPS:
            if (path, role) not in made:
                output = folder / f"{path.stem}-{role}.wav"
                step = Step(operator=Retime(what="tempo"), role=role)
                trace = apply_to_file(FileJob(path, output, (step,)))
                before, rate = soundfile.read(path)
                after, _ = soundfile.read(output)
                made[path, role] = (before, after, rate, trace.status)
        return [made[path, role] for path in CLIPS]

    return edit


def test_praat_finds_syllables_more_even(retimed):
    left = [
        _spread(after, rate) / _spread(before, rate) for before, after, rate, _ in retimed("probe")
    ]
    assert np.median(left) <= 0.7, np.round(left, 2)
    assert max(left) < 1.0, np.round(left, 2)
    same = [
        _spread(after, rate) / _spread(before, rate) for before, after, rate, _ in retimed("sham")
    ]
    assert np.median(same) > 0.9, np.round(same, 2)


@pytest.mark.parametrize("role", ["probe", "sham"])
def test_recorded_proofs_of_tempo_hold(retimed, role):
    statuses = [status for *_, status in retimed(role)]
    assert statuses.count("ok") >= len(statuses) - 1, statuses


@pytest.fixture(scope="module")
def recogniser():
    return ClosedSetSphinx([word for path in ENGLISH for word in TRANSCRIPTS[path.stem]])


def share_kept(recogniser, clips):
    """Return words heard after the edit for each heard before; clips are (path, edited)."""
    heard = np.zeros(2)
    for path, (before, after, rate, *_) in clips:
        if path in ENGLISH:
            words = TRANSCRIPTS[path.stem]
            heard += [
                share_of_words(recogniser, side, rate, words) * len(words)
                for side in (before, after)
            ]
    return heard[1] / heard[0]


@pytest.mark.parametrize(("role", "kept"), [("probe", 0.93), ("sham", 0.95)])
def test_words_are_kept_at_an_even_tempo(recogniser, retimed, role, kept):
    assert share_kept(recogniser, zip(CLIPS, retimed(role), strict=True)) >= kept


def test_words_are_kept_between_other_pauses(recogniser, tmp_path):
    edited = [edit_file(path, tmp_path / "v.wav", Retime(pause_s=0.6)) for path in WITH_PAUSES]
    assert share_kept(recogniser, zip(WITH_PAUSES, edited, strict=True)) >= 0.95
