"""Clips replaced by other real clips: what a recogniser hears, how loud, and whether related."""

from __future__ import annotations

import numpy as np
import parselmouth
import pyloudnorm
import pytest
import scipy.signal
import soundfile

from perturb.operators.mismatch import Mismatch
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

PAIRS = list(zip(CLIPS, [*CLIPS[3:], *CLIPS[:3]], strict=True))
WORDS = read_transcripts(CLIPS_FOLDER / "README.md")
SENTENCES = [path for path in CLIPS if "librivox" in str(path)]

each_pair = pytest.mark.parametrize(
    ("host", "donor"), PAIRS, ids=[f"{host.stem} by {donor.stem}" for host, donor in PAIRS]
)


def _replace(host, donor, folder, **fields):
    step = Step(operator=Mismatch(ref=f"file:{donor}", **fields))
    trace = apply_to_file(FileJob(host, folder / "out.wav", (step,)))
    before, rate = soundfile.read(host)
    after, _ = soundfile.read(folder / "out.wav")
    return before, after / 10 ** (trace.headroom.gain_db / 20), rate, trace


def _active_level_db(samples, rate):
    """Return Praat's mean intensity over the frames within 15 dB of the loud ones."""
    contour = parselmouth.Sound(samples, rate).to_intensity(minimum_pitch=100.0)
    levels = contour.values[0]
    loud = levels > np.percentile(levels, 95) - 15.0
    return 10 * np.log10(np.mean(10 ** (levels[loud] / 10)))


@each_pair
def test_length_level_and_kinship(host, donor, tmp_path):
    before, after, rate, trace = _replace(host, donor, tmp_path)
    assert trace.status == "ok"
    assert after.size == before.size
    notes = trace.steps[0].notes
    assert notes["is_speech"] == {"host": True, "donor": True}
    assert notes["matched"] == "active_level"
    # Praat's frames are not P.56's: they agree on speech within a dB or two.
    assert _active_level_db(after, rate) == pytest.approx(_active_level_db(before, rate), abs=2.0)
    products = scipy.signal.correlate(
        before - before.mean(), after - after.mean(), mode="full", method="fft"
    )
    alike = np.abs(products).max() / np.sqrt(before.var() * after.var()) / before.size
    assert alike < 0.5
    proof = next(p for p in trace.measured if p.name == "largest_correlation")
    assert proof.achieved == pytest.approx(alike, abs=0.005)


@each_pair
def test_as_other_sounds_they_agree_in_loudness(host, donor, tmp_path):
    before, after, rate, trace = _replace(host, donor, tmp_path, material="other")
    meter = pyloudnorm.Meter(rate)
    # Cut to whole tenths of a second: pyloudnorm rounds the number of its blocks up.
    whole = before.size * 10 // rate * rate // 10
    levels = [meter.integrated_loudness(samples[:whole]) for samples in (before, after)]
    assert levels[0] == pytest.approx(levels[1], abs=0.1)
    assert trace.status == "ok"


@pytest.mark.slow
def test_a_recogniser_hears_the_donor_and_not_the_clip(tmp_path):
    recogniser = ClosedSetSphinx([word for path in SENTENCES for word in WORDS[path.stem]])
    shares = []
    for host, donor in [(SENTENCES[0], SENTENCES[1]), (SENTENCES[3], SENTENCES[4])]:
        _, after, rate, trace = _replace(host, donor, tmp_path)
        assert trace.steps[0].notes["fit"] == "padded"
        of_donor, alone = (
            share_of_words(recogniser, samples, rate, WORDS[donor.stem])
            for samples in (after, soundfile.read(donor)[0])
        )
        assert of_donor >= alone - 0.15
        own = [word for word in WORDS[host.stem] if word not in WORDS[donor.stem]]
        shares.append(share_of_words(recogniser, after, rate, own))
    assert np.mean(shares) < 0.2
