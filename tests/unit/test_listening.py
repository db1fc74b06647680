"""Listening tests: who hears everything is right; who does not listen is at chance."""

from __future__ import annotations

import math
import zlib

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perturb.errors import ParameterError
from perturb.signal import Signal
from perturb.testing import Answer, ListeningResult, listening_table, make_listening_test

RATE_HZ = 8_000
LETTERS = "abcdefghij"


def sentence(number, letters):
    """Return words of so many letters in all, unlike those of any other number."""
    text = "".join(LETTERS[int(digit)] for digit in f"{number:0{letters}d}")
    return tuple(text[at : at + 5] for at in range(0, letters, 5))


TRANSCRIPTS = {f"clip {n}": sentence(n, 20 + n % 9) for n in range(24)}
CLIPS = {
    name: Signal.from_array(np.full((1, 8), n / 100.0), RATE_HZ, layout="channels_first")
    for n, name in enumerate(TRANSCRIPTS)
}


class Perfect:
    """Knows each clip by its first sample."""

    def hear(self, samples, sample_rate_hz):
        return TRANSCRIPTS[f"clip {round(100 * float(samples[0, 0]))}"]

    def fit(self, samples, sample_rate_hz, words):
        return float(tuple(words) == self.hear(samples, sample_rate_hz))


class Biased:
    """Likes some sentences better than others and does not listen."""

    def __init__(self, liking):
        self.liking = liking

    def hear(self, samples, sample_rate_hz):
        return ()

    def fit(self, samples, sample_rate_hz, words):
        return self.liking(words)


def taste(words):
    """Return a liking that differs from sentence to sentence."""
    return zlib.crc32("".join(words).encode()) / 2**32


def ask(recogniser, options=4, seed=0, clips=CLIPS):
    return make_listening_test(TRANSCRIPTS, options=options, seed=seed).ask(recogniser, clips)


@pytest.mark.parametrize("options", [2, 3, 4, 6])
def test_who_hears_everything_is_always_right(options):
    result = ask(Perfect(), options)
    assert (result.share, result.words_heard) == (1.0, 1.0)
    assert result.p_value == pytest.approx(options**-24.0)


@pytest.mark.parametrize("options", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "liking",
    [
        pytest.param(lambda words: 0.0, id="deaf: always the first"),
        pytest.param(lambda words: taste(words), id="likes some"),
        pytest.param(lambda words: -len("".join(words)) + 1e-9 * taste(words), id="the shortest"),
        pytest.param(lambda words: len("".join(words)) + 1e-9 * taste(words), id="the longest"),
    ],
)
def test_who_does_not_listen_is_exactly_at_chance(options, seed, liking):
    result = ask(Biased(liking), options, seed)
    assert result.share == result.chance == 1.0 / options
    assert result.words_heard == 0.0
    assert result.p_value > 0.4


def test_who_guesses_is_near_chance():
    rng = np.random.default_rng(5)
    found = [ask(Biased(lambda words: rng.random()), seed=seed).right for seed in range(40)]
    # 960 guesses at one of four: three standard deviations are 40.
    assert abs(sum(found) - 240) < 40


def test_a_sentence_that_cannot_fit_is_no_answer():
    result = ask(Biased(lambda words: -math.inf))
    assert {answer.chosen for answer in result.answers} == {None}
    assert result.right == 0


@given(st.integers(2, 5), st.integers(0, 2**32), st.sampled_from([1.0, 1.2, 1.5, 3.0]))
def test_options_are_of_about_one_length_and_each_is_right_once_at_each_place(options, seed, ratio):
    words = {f"{n}": sentence(n, 12 + n % 7 + n % 3) for n in range(40)}
    test = make_listening_test(words, options=options, seed=seed, max_length_ratio=ratio)
    assert {one.clip for one in test.questions} | set(test.left_out) == set(words)
    for start in range(0, len(test.questions), options):
        group = test.questions[start : start + options]
        assert len({frozenset(one.options) for one in group}) == 1
        assert sorted(one.right for one in group) == list(range(options))
    for one in test.questions:
        assert one.length_ratio <= ratio
        assert one.options[one.right] == words[one.clip]
        assert len(set(one.options)) == options


def test_the_seed_draws_the_foils():
    one, again, other = (make_listening_test(TRANSCRIPTS, seed=seed) for seed in (1, 1, 2))
    assert one == again
    foils = [{q.clip: frozenset(q.options) for q in test.questions} for test in (one, other)]
    assert foils[0] != foils[1]


def test_who_is_left_out_is_named_with_the_reason():
    words = {**TRANSCRIPTS, "twin": TRANSCRIPTS["clip 3"], "long": sentence(7, 90)}
    test = make_listening_test(words)
    assert test.left_out == {
        "twin": "the same words as clip 3",
        "long": "no 3 other of about its length",
    }
    assert test.ask(Perfect(), {**CLIPS, "twin": CLIPS["clip 3"]}).asked == 24


def test_clips_without_a_sound_are_told():
    heard = {name: clip for name, clip in CLIPS.items() if name != "clip 5"}
    result = ask(Perfect(), clips=heard)
    assert (result.asked, result.not_asked) == (23, ("clip 5",))


@pytest.mark.parametrize(("right", "asked", "options"), [(0, 8, 4), (3, 11, 4), (24, 24, 2)])
def test_intervals_are_exact_binomials(right, asked, options):
    answers = tuple(Answer(str(n), 0 if n < right else 1, 0, 0.5, 4) for n in range(asked))
    result = ListeningResult(answers, options)
    low, high = result.interval
    assert low == pytest.approx(stats.beta.ppf(0.025, right, asked - right + 1) if right else 0.0)
    share = asked - right
    assert high == pytest.approx(stats.beta.ppf(0.975, right + 1, share) if share else 1.0)
    assert result.p_value == pytest.approx(stats.binom.sf(right - 1, asked, 1.0 / options))
    fewest, most = result.chance_range
    assert (
        stats.binom.cdf(most, asked, 1 / options) - stats.binom.cdf(fewest - 1, asked, 1 / options)
        >= 0.95 - 1e-9
    )


@pytest.mark.parametrize(
    ("words", "settings", "message"),
    [
        ({"a": ["x"], "b": ["y"]}, {}, "2 transcripts for 4 options"),
        ({}, {"options": 2}, "0 transcripts"),
        ({"a": ["x"] * 9, "b": ["yy"]}, {"options": 2}, "no 2 of the 2 different sentences"),
        ({"a": ["x"], "b": ["x"]}, {"options": 2}, "no 2 of the 1 different sentences"),
        ({"a": ["x"], "b": []}, {"options": 2}, "clip 'b' has the transcript"),
        ({"a": ["x"], "b": "words in a row"}, {"options": 2}, "accepted: a sequence of words"),
        ({"a": ["x"], "b": ["y"]}, {"options": 1}, "options is 1; accepted: 2 or more"),
        ({"a": ["x"], "b": ["y"]}, {"options": 2, "max_length_ratio": 0.9}, "accepted: 1 or more"),
    ],
)
def test_tests_that_cannot_be_are_refused(words, settings, message):
    with pytest.raises(ParameterError, match=message):
        make_listening_test(words, **settings)


def test_a_clip_without_a_transcript_is_refused():
    with pytest.raises(ParameterError, match="clip 'x' has no transcript in the test"):
        ask(Perfect(), clips={**CLIPS, "x": CLIPS["clip 1"]})
    with pytest.raises(ParameterError, match="no clip to ask about"):
        ask(Perfect(), clips={})


def _answers(right, heard):
    return tuple(Answer(f"{n}", 0 if n < right else 1, 0, heard, 4) for n in range(8))


def test_the_table_sets_each_condition_beside_guesses_and_the_originals():
    results = {
        "original": ListeningResult(_answers(8, 0.8), 4),
        "half as well": ListeningResult(_answers(2, 0.4), 4),
        "two clips": ListeningResult(_answers(2, 0.8)[:2], 4, tuple("234567")),
    }
    rows = listening_table(results, "original").splitlines()[2:]
    assert rows == [
        "| original | 8 of 8 | 0.63 to 1.00 | 0 to 5 of 8 | 1.00 |",
        "| half as well | 2 of 8 | 0.03 to 0.65 | 0 to 5 of 8 | 0.50 |",
        "| two clips | 2 of 2 | 0.16 to 1.00 | 0 to 2 of 2 | 1.00 |",
    ]


def test_results_survive_their_file():
    result = ask(Perfect())
    assert msgspec.json.decode(msgspec.json.encode(result), type=ListeningResult) == result
