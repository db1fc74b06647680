"""The recogniser as an instrument: does it answer as its protocol says?"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import soundfile

from perturb.errors import ParameterError
from tests.conftest import CLIPS_FOLDER
from tests.instruments.recogniser import (
    ClosedSetSphinx,
    chance_share,
    read_transcripts,
    share_heard,
    share_of_words,
    which_sentence,
)

SENTENCE = "sense-and-sensibility-0890"


@pytest.fixture(scope="module")
def transcripts():
    every = read_transcripts(CLIPS_FOLDER / "README.md")
    return {stem: words for stem, words in every.items() if stem.startswith("sense")}


@pytest.fixture(scope="module")
def recogniser(transcripts):
    return ClosedSetSphinx([word for words in transcripts.values() for word in words])


@pytest.fixture(scope="module")
def clip():
    return soundfile.read(CLIPS_FOLDER / "librivox" / f"{SENTENCE}.wav", dtype="float32")


def test_a_sentence_is_heard_and_named(recogniser, transcripts, clip):
    words = transcripts[SENTENCE]
    assert share_of_words(recogniser, *clip, words) >= 0.8
    others = [other for other in transcripts.values() if other != words]
    assert which_sentence(recogniser, *clip, [*others, words]) == len(others)


def test_answers_do_not_depend_on_what_was_heard_before(recogniser, transcripts, clip):
    samples, rate_hz = clip
    heard, fit = recogniser.hear(*clip), recogniser.fit(*clip, transcripts[SENTENCE])
    recogniser.hear(samples[::-1], rate_hz)
    assert recogniser.hear(*clip) == heard
    assert recogniser.fit(*clip, transcripts[SENTENCE]) == fit


def test_noise_is_no_sentence(recogniser, transcripts):
    noise = 0.05 * np.random.default_rng(0).standard_normal(32_000)
    heard = recogniser.hear(noise, 16_000)
    assert chance_share(heard, list(transcripts.values())) <= 0.1
    # Two seconds cannot hold twenty words more than once over.
    assert recogniser.fit(noise[:4_000], 16_000, transcripts[SENTENCE]) == -math.inf


def test_shares_count_words_in_order():
    assert share_heard(["a", "b", "c", "d"], ["x", "b", "a", "d", "d"]) == 0.5
    assert share_heard(["a"], []) == 0.0
    assert chance_share(["a", "b"], [["a"], ["c", "b"]]) == 0.75


def test_an_unknown_word_is_refused():
    with pytest.raises(ParameterError, match=r"no pronunciation is known of 'qzxv', 'zzq'; accept"):
        ClosedSetSphinx(["and", "zzq", "qzxv"])


def test_without_its_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pocketsphinx", None)
    with pytest.raises(ParameterError, match=r"pip install 'perturb-audio\[recogniser\]'"):
        ClosedSetSphinx(["and"])
