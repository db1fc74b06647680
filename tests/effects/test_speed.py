"""What `speed` keeps and moves, on real speech: clicks, Praat's pitch and level, words.

No instrument here has a part in the edit. The recogniser hears frames of 10 ms and phones of three
of them or more: at 2 × and 3 × the phones of these clips are shorter than that, whatever the engine
(Rubber Band fares alike). It is therefore given frames as much shorter as the clip is faster, and
is reported with its own as well. Bounds are those of the operator's contract: 95 % of the clips
inside, the median well inside.
"""

from __future__ import annotations

import math
import tempfile
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import parselmouth
import pocketsphinx
import pytest
import soundfile

from perturb.operators.speed import Speed
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from tests.conftest import CLIPS, CLIPS_FOLDER
from tests.instruments import praat
from tests.instruments.engines import needs_engine
from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_heard

pytestmark = pytest.mark.slow

SHARE_INSIDE = 0.95
OWN = [(rate, engine) for engine in ("wsola", "wsola_speech") for rate in (0.5, 1.5, 2.0, 3.0)]
# At 3 × the engines of others smear a click until speech is louder.
FOREIGN = [(rate, engine) for engine in ("spectral", "rubberband") for rate in (0.5, 1.5, 2.0)]
ENGLISH = {
    stem: words
    for stem, words in read_transcripts(CLIPS_FOLDER / "README.md").items()
    if not stem.startswith("it-")
}


@cache
def _clip(path):
    samples, rate_hz = soundfile.read(path, dtype="float32")
    return Signal.from_array(samples, rate_hz)


def _edit(signal, rate, engine="wsola", span=None, *, sham=False):
    """Return the edited samples (float64, the gain undone) and the trace."""
    operator = Speed(rate=rate, engine=engine)
    variant = apply(signal, operator if span is None else operator @ span, sham=sham)
    gain = 10 ** (variant.trace.headroom.gain_db / 20)
    return variant.signal.samples[0].astype(np.float64) / gain, variant.trace


def _assert_most(inside):
    assert np.mean(inside) >= SHARE_INSIDE, inside


# Clicks: the first sample of what stands out.


def _onset_s(samples, rate_hz, due_s):
    """Return when, within 25 ms of what is due, a third of the peak there is reached."""
    first = max(0, round((due_s - 0.025) * rate_hz))
    part = np.abs(samples[first : round((due_s + 0.025) * rate_hz)])
    return (first + int(np.argmax(part >= part.max() / 3.0))) / rate_hz


@pytest.mark.parametrize(("rate", "engine"), [*OWN, *FOREIGN])
def test_clicks_are_on_time(rate, engine, sentence):
    needs_engine(engine)
    speech = _clip(sentence)
    samples = 0.1 * speech.samples[0].astype(np.float64)
    places = np.arange(4_003, samples.size - 4_000, 5_501)
    samples[places] = 0.7
    clip = Signal.from_array(samples, speech.sample_rate_hz)
    for span in (None, Span(0.4, 2.6)):
        result, trace = _edit(clip, rate, engine, span)
        errors_s = []
        for place in places:
            due_s = trace.time_map.map_point(place / clip.sample_rate_hz)[0]
            errors_s.append(_onset_s(result, clip.sample_rate_hz, due_s) - due_s)
        worst_ms = 1_000 * np.abs(errors_s).max()
        assert worst_ms < 12.0, errors_s
        if engine == "wsola":
            assert worst_ms <= 1.0


@pytest.mark.parametrize("rate", [0.5, 1.5, 2.0, 3.0])
def test_wsola_gives_every_click_once_and_whole(rate, sentence):
    speech = _clip(sentence)
    samples = 0.1 * speech.samples[0].astype(np.float64)
    places = np.arange(4_003, samples.size - 4_000, 5_501)
    samples[places] = 0.7
    result, _ = _edit(Signal.from_array(samples, speech.sample_rate_hz), rate)
    heard = np.flatnonzero(np.abs(result) > 0.3)
    assert heard.size == places.size
    assert np.abs(heard - places / rate).max() <= 1.5


# Pitch and level, by Praat.


def _pitch_error_cents(before, after, rate_hz, time_map):
    wanted, found = praat.pitch(before, rate_hz), praat.pitch(after, rate_hz)
    moments = np.array([time_map.map_point(time_s)[0] for time_s in wanted.times_s])
    frames = np.round((moments - found.times_s[0]) / praat.TIME_STEP_S).astype(int)
    inside = (frames >= 0) & (frames < found.f0_hz.size)
    one, other = wanted.f0_hz[inside], found.f0_hz[frames[inside]]
    both = (one > 0) & (other > 0)
    return float(np.median(np.abs(1200 * np.log2(other[both] / one[both])))), int(both.sum())


@pytest.mark.parametrize(
    ("rate", "engine"),
    [*OWN, *((rate, engine) for rate, engine in FOREIGN if engine == "spectral")],
)
def test_praat_hears_the_same_pitch(rate, engine):
    needs_engine(engine)
    errors = []
    for path in CLIPS:
        clip = _clip(path)
        result, trace = _edit(clip, rate, engine)
        error, frames = _pitch_error_cents(
            clip.samples[0], result, clip.sample_rate_hz, trace.time_map
        )
        assert frames > 100
        errors.append(error)
    _assert_most(np.array(errors) <= 40.0)
    assert np.median(errors) <= 30.0


def _intensity_db(samples, rate_hz, floor_hz):
    sound = parselmouth.Sound(np.asarray(samples, dtype=np.float64), float(rate_hz))
    found = sound.to_intensity(minimum_pitch=floor_hz, time_step=0.005)
    return np.asarray(found.xs()), np.asarray(found.values[0])


@pytest.mark.parametrize(("rate", "least"), [(0.5, 0.95), (1.5, 0.95), (2.0, 0.95), (3.0, 0.90)])
def test_praat_hears_the_same_level_along_the_map(rate, least):
    correlations = []
    for path in CLIPS:
        clip = _clip(path)
        result, _ = _edit(clip, rate)
        # A window as much longer as time runs faster.
        times_s, before = _intensity_db(clip.samples[0], clip.sample_rate_hz, 100 / max(rate, 1.0))
        found_s, after = _intensity_db(result, clip.sample_rate_hz, 100 * min(rate, 1.0))
        after = np.interp(times_s / rate, found_s, after)
        loud = before > before.max() - 35.0
        correlations.append(np.corrcoef(before[loud], after[loud])[0, 1])
    _assert_most(np.array(correlations) >= least)
    assert np.median(correlations) >= least + 0.02


def test_lengths_and_directions():
    for path in CLIPS:
        clip = _clip(path)
        for rate in (0.5, 0.9, 1.5, 3.0):
            for span in (None, Span(0.5, 1.7)):
                result, trace = _edit(clip, rate, span=span)
                length_s = clip.duration_s if span is None else 1.2
                due = clip.duration_s - length_s * (1 - 1 / rate)
                assert abs(result.size / clip.sample_rate_hz - due) <= 1 / clip.sample_rate_hz
                assert trace.status == "ok" or rate == 3.0, trace.reason


# Words, by a recogniser.


class QuickSphinx(ClosedSetSphinx):
    """The recogniser with frames as much shorter as speech is faster."""

    def __init__(self, vocabulary, rate):
        super().__init__(vocabulary)
        self.rate = rate

    @cached_property
    def _loop(self):
        log_share = -math.log10(len(self.vocabulary) + 1)
        grams = [f"{log_share:.5f} {word} 0" for word in (*self.vocabulary, "</s>")]
        head = ["\\data\\", f"ngram 1={len(grams) + 1}", "", "\\1-grams:", "-99 <s> 0"]
        with tempfile.TemporaryDirectory() as folder:
            model, dictionary = Path(folder, "loop.arpa"), Path(folder, "loop.dict")
            model.write_text("\n".join([*head, *grams, "", "\\end\\", ""]), "utf-8")
            dictionary.write_text(self._dictionary, "utf-8")
            return pocketsphinx.Decoder(
                lm=str(model),
                dict=str(dictionary),
                loglevel="FATAL",
                frate=round(100 * self.rate),
            )


@cache
def _recogniser(rate):
    vocabulary = [word for words in ENGLISH.values() for word in words]
    return ClosedSetSphinx(vocabulary) if rate == 1.0 else QuickSphinx(vocabulary, rate)


def _words_heard(make, listening_rate=1.0):
    """Return how many of all words are heard, over all English clips."""
    hits = 0.0
    for path in CLIPS:
        words = ENGLISH.get(path.stem)
        if words is not None:
            clip = _clip(path)
            heard = _recogniser(listening_rate).hear(make(clip), clip.sample_rate_hz)
            hits += share_heard(words, heard) * len(words)
    return hits


@cache
def _words_of_the_original():
    return _words_heard(lambda clip: clip.samples[0])


def test_the_recogniser_hears_the_original():
    assert _words_of_the_original() > 0.7 * sum(len(words) for words in ENGLISH.values())


@pytest.mark.parametrize(
    ("rate", "engine", "least"),
    [
        (1.5, "wsola", 0.94),
        (2.0, "wsola", 0.88),
        (3.0, "wsola", 0.40),
        (3.0, "wsola_speech", 0.60),
    ],
)
def test_words_are_kept(rate, engine, least):
    heard = _words_heard(lambda clip: _edit(clip, rate, engine)[0], rate)
    assert heard / _words_of_the_original() >= least


def test_the_mode_for_speech_keeps_more_words_for_one_who_cannot_keep_up():
    uniform, uneven = (
        _words_heard(lambda clip, engine=engine: _edit(clip, 3.0, engine)[0])
        for engine in ("wsola", "wsola_speech")
    )
    assert uneven > 1.2 * uniform


# The sham.


@pytest.mark.parametrize(
    ("rate", "engine"), [*OWN, (0.5, "spectral"), (1.5, "spectral"), (1.5, "rubberband")]
)
def test_the_sham_keeps_words_and_is_spliced(rate, engine):
    needs_engine(engine)
    heard = _words_heard(lambda clip: _edit(clip, rate, engine, sham=True)[0])
    assert heard / _words_of_the_original() >= 0.95
    for path in CLIPS:
        clip = _clip(path)
        result, trace = _edit(clip, rate, engine, sham=True)
        assert result.size == clip.sample_count
        assert trace.time_map.is_identity
        change = result - clip.samples[0]
        assert np.mean(change**2) > 1e-3 * np.mean(clip.samples[0].astype(np.float64) ** 2)


@pytest.mark.parametrize("rate", [0.5, 1.5, 3.0])
def test_praat_hears_no_difference_of_prosody_in_the_sham(rate):
    found = [
        praat.compare_prosody(
            _clip(path).samples[0],
            _edit(_clip(path), rate, sham=True)[0],
            _clip(path).sample_rate_hz,
        )
        for path in CLIPS
    ]
    _assert_most(np.array([item.f0_median_cents for item in found]) <= 15.0)
    _assert_most(np.array([item.level_correlation for item in found]) >= 0.95)
    _assert_most(np.array([item.voicing_error_ratio for item in found]) <= 0.12)


@pytest.mark.parametrize(("rate", "within"), [(0.5, 0.05), (1.5, 0.03), (2.0, 0.03)])
def test_the_shams_splices_are_as_many_and_as_good(rate, within):
    likeness, density = [], []
    for path in CLIPS:
        notes = [
            _edit(_clip(path), rate, sham=sham)[1].steps[0].notes["spans"][0]
            for sham in (False, True)
        ]
        likeness.append(notes[1]["splice_likeness"] - notes[0]["splice_likeness"])
        density.append(notes[1]["splices"] / (rate * notes[0]["splices"]))
    assert abs(np.mean(likeness)) <= within
    np.testing.assert_allclose(density, 1.0, atol=0.15)
