"""`voice` and `voice_file` on real speech: what Praat and a recogniser hear.

Two sexes, two languages, 8 and 16 kHz. Formants are Praat's (Burg, five of them under 5.5 kHz or
half the rate; the ceiling moves along with the ratio, as for another vocal tract), at
the moments that it voices before. F1 of a high voice lies among few harmonics and is drawn to the
nearest one, so its bound is wider. Words: eleven English clips, 179 words, by closed-set
pocketsphinx.
"""

from __future__ import annotations

import numpy as np
import parselmouth
import pytest

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.errors import InapplicableError
from perturb.measure.f0_track import F0Track
from perturb.measure.prosody import compare_f0
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.signal import Signal
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments import praat
from tests.instruments.edits import ENGLISH, assert_inside, unscaled
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

pytestmark = pytest.mark.slow

TRANSCRIPTS = read_transcripts(CLIPS_FOLDER / "README.md")
HIGH = CLIPS_FOLDER / "prompts" / "en-vm-newuser.wav"
OPERATORS = {
    "other sex": pt.Voice(),
    "higher": pt.Voice(pitch_ratio=1.3, formant_ratio=1.19),
    "lower": pt.Voice(pitch_ratio=0.85, formant_ratio=0.84),
    "speaker": pt.Voice(ref=f"file:{HIGH}"),
}


class Edited:
    """A clip and its variant, heard by Praat.

    Parameters
    ----------
    path : Path
        The clip.
    after : Signal
        The variant, its gain undone.
    trace : Trace
        As written.
    """

    def __init__(self, path, after, trace):
        self.before = pt.read_audio(path).signal
        self.after, self.trace = after, trace
        self.rate = self.before.sample_rate_hz
        self.notes = trace.steps[0].notes
        self.own, self.heard = (
            praat.pitch(signal.samples, self.rate) for signal in (self.before, after)
        )
        self.prosody = praat.compare_prosody(self.before.samples, after.samples, self.rate)

    def formant_ratios(self, ratio):
        """Return the median ratio of the first three formants."""
        times_s = self.own.times_s[self.own.f0_hz > 0]
        ceiling_hz = min(5_500.0, 0.5 * self.rate, 0.5 * self.rate / ratio)
        before = _formants(self.before, ceiling_hz, times_s)
        after = _formants(self.after, ceiling_hz * ratio, times_s)
        return np.nanmedian(after / before, axis=0)


def _formants(signal, ceiling_hz, times_s):
    sound = parselmouth.Sound(signal.samples[0].astype(float), signal.sample_rate_hz)
    found = sound.to_formant_burg(0.01, 5, ceiling_hz, 0.025, 50.0)
    return np.array([[found.get_value_at_time(k, t) for k in (1, 2, 3)] for t in times_s])


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """Return all clips edited by the operator of a name, made once."""
    folder = tmp_path_factory.mktemp("voice")
    made = {}
    low = "sense-and-sensibility-0890"

    def edit(name, role="probe"):
        if (name, role) not in made:
            made[name, role] = []
            for path in CLIPS:
                output = folder / f"{path.stem}-{name}-{role}.wav"
                step = Step(operator=OPERATORS[name], role=role)
                trace = apply_to_file(FileJob(path, output, (step,)))
                if trace.status == "inapplicable":
                    # A low voice, lowered: a tenth and more of it would be held at 60 Hz.
                    assert (name, path.stem) == ("lower", low), trace.reason
                    assert "no room" in trace.reason
                    continue
                made[name, role].append(Edited(path, unscaled(output, trace), trace))
        return made[name, role]

    return edit


@pytest.mark.parametrize("name", OPERATORS)
def test_praat_finds_the_pitch_where_it_was_to_go(edited, name):
    cents, gross, medians = [], [], []
    for clip in edited(name):
        notes = clip.notes
        both = (clip.own.f0_hz > 0) & (clip.heard.f0_hz > 0)
        own = np.log2(clip.own.f0_hz[both] / notes["own_hz"])
        wanted_hz = notes["target_hz"] * np.exp2(notes["range_ratio"] * own)
        wanted_hz = np.clip(wanted_hz, 60.0, 480.0)
        off = np.abs(1200 * np.log2(clip.heard.f0_hz[both] / wanted_hz))
        cents.append(np.median(off))
        gross.append(np.mean(off > 1200 * np.log2(1.2)))
        medians.append(
            abs(1200 * np.log2(np.median(clip.heard.f0_hz[both]) / np.median(wanted_hz)))
        )
    assert_inside(medians, 60.0)
    assert_inside(cents, 15.0)
    assert_inside(gross, 0.03)


@pytest.mark.parametrize("name", OPERATORS)
def test_praat_finds_the_resonances_moved(edited, name):
    found = np.array(
        [
            clip.formant_ratios(clip.notes["formant_ratio"]) / clip.notes["formant_ratio"]
            for clip in edited(name)
        ]
    )
    for formant, bound in ((0, 0.10), (1, 0.04), (2, 0.04)):
        assert_inside(np.abs(found[:, formant] - 1.0), bound)


@pytest.mark.parametrize("name", OPERATORS)
def test_praat_finds_the_level_and_the_timing_kept(edited, name):
    assert_inside([c.prosody.level_correlation for c in edited(name)], 0.995, at_least=True)
    assert_inside([c.prosody.voicing_error_ratio for c in edited(name)], 0.08)


def test_praat_finds_nothing_changed_in_the_sham(edited):
    clips = edited("other sex", "sham")
    assert_inside([clip.prosody.f0_median_cents for clip in clips], 12.0)
    assert_inside([clip.prosody.f0_gross_ratio for clip in clips], 0.01)
    assert_inside([clip.prosody.level_correlation for clip in clips], 0.99, at_least=True)
    assert_inside([clip.prosody.voicing_error_ratio for clip in clips], 0.04)
    moved = np.array([clip.formant_ratios(1.0) for clip in clips])
    assert np.abs(moved - 1.0).max() <= 0.01
    assert not any(clip.before.is_equal(clip.after) for clip in clips)


@pytest.mark.parametrize("role", ["probe", "sham"])
@pytest.mark.parametrize("name", OPERATORS)
def test_recorded_proofs_hold(edited, name, role):
    statuses = [clip.trace.status for clip in edited(name, role)]
    assert statuses.count("ok") == len(statuses), statuses


@pytest.fixture(scope="module")
def share_of():
    """Return the share of all English words heard in signals by clip."""
    recogniser = ClosedSetSphinx([word for path in ENGLISH for word in TRANSCRIPTS[path.stem]])

    def share(signals):
        heard = total = 0.0
        for path, signal in zip(CLIPS, signals, strict=True):
            if path in ENGLISH:
                words = TRANSCRIPTS[path.stem]
                found = share_of_words(recogniser, signal.samples[0], signal.sample_rate_hz, words)
                heard += found * len(words)
                total += len(words)
        return heard / total

    return share


@pytest.mark.parametrize(
    ("name", "role", "kept"), [("other sex", "probe", 0.92), ("other sex", "sham", 0.96)]
)
def test_words_are_kept(edited, share_of, name, role, kept):
    original = share_of([pt.read_audio(path).signal for path in CLIPS])
    found = share_of([clip.after for clip in edited(name, role)])
    assert found >= kept * original, (found, original)


def test_noise_and_silence_are_inapplicable():
    rng = np.random.default_rng(2)
    for made in (rng.standard_normal(32_000) * 0.1, np.zeros(32_000)):
        for operator in OPERATORS.values():
            with pytest.raises(InapplicableError, match="speech"):
                pt.apply(Signal.from_array(made, 16_000), operator)


@pytest.fixture(scope="module")
def respoken(tmp_path_factory):
    """Return all clips with their utterance spoken anew: 7 % faster, in another voice and softer.

    A stand-in for another speaker's recording, whose words and melody are known.
    """
    folder = tmp_path_factory.mktemp("respoken")
    found = []
    for path in CLIPS:
        clip = pt.read_audio(path).signal
        voice = pt.apply(pt.apply(clip, pt.Voice()).signal, pt.Speed(rate=1.07)).signal
        padded = np.pad(0.3 * voice.samples, ((0, 0), (3_000, 5_000)))
        recording = Signal.from_array(padded, voice.sample_rate_hz, layout="channels_first")
        pt.write_audio(folder / "new.wav", recording, OutputFormat())
        output = folder / f"{path.stem}.wav"
        step = Step(operator=pt.VoiceFile(ref=f"file:{folder / 'new.wav'}"))
        trace = apply_to_file(FileJob(path, output, (step,)))
        found.append((Edited(path, unscaled(output, trace), trace), recording))
    return found


def test_recordings_are_fitted_and_proven(respoken):
    statuses = [clip.trace.status for clip, _ in respoken]
    assert statuses.count("ok") >= len(statuses) - 1, statuses
    assert_inside([abs(clip.notes["stretch"] - 1.07) for clip, _ in respoken], 0.03)


def test_praat_finds_the_recordings_melody_in_the_slot(respoken):
    cents = []
    for clip, recording in respoken:
        said = praat.pitch(recording.samples, clip.rate)
        start_s, stop_s = clip.notes["recording_speech_s"]
        inside = (said.times_s >= start_s) & (said.times_s < stop_s)
        places = (said.times_s[inside] - start_s) * clip.notes["stretch"]
        heard = F0Track(
            clip.heard.times_s,
            clip.heard.f0_hz.astype(np.float32),
            np.ones(clip.heard.f0_hz.size, np.float32),
            praat.TIME_STEP_S,
        ).at(places + clip.notes["utterance_s"][0])
        wanted = said.f0_hz[inside].astype(np.float32)
        times_s = np.arange(wanted.size) * praat.TIME_STEP_S
        tracks = (F0Track(times_s, x, np.ones_like(x), praat.TIME_STEP_S) for x in (wanted, heard))
        cents.append(compare_f0(*tracks).median_error_cents)
    assert_inside(cents, 20.0)


def test_the_recordings_words_are_heard(respoken, share_of):
    original = share_of([pt.read_audio(path).signal for path in CLIPS])
    found = share_of([clip.after for clip, _ in respoken])
    assert found >= 0.90 * original, (found, original)
