"""Closed-set listening tests: which of k sentences was it, and what would a guess have scored?

Sentences of about one length are put into groups of k by a seed. All clips of a group are asked
with the same k options, each time in another order, the right one once at every place: whoever does
not listen, but likes a place or a sentence, has exactly one of k right. What is above that was
heard: what an edit leaves behind for this recogniser; another may hear more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from perturb.errors import ParameterError
from perturb.signal import Signal
from perturb.testing.listening_result import Answer, ListeningResult
from perturb.testing.recogniser import Recogniser, Words, share_of_words, which_sentence

__all__ = ["ListeningQuestion", "ListeningTest", "make_listening_test"]


@dataclass(frozen=True)
class ListeningQuestion:
    """Which of these was it?

    Parameters
    ----------
    clip : str
        Name of the clip.
    options : tuple of tuple of str
        Words of the k sentences, in the order in which they are asked.
    right : int
        Place of the one that is spoken, from 0.
    """

    clip: str
    options: tuple[tuple[str, ...], ...]
    right: int

    @property
    def length_ratio(self) -> float:
        """Letters of the longest option over those of the shortest."""
        lengths = [_letters(words) for words in self.options]
        return max(lengths) / min(lengths)


@dataclass(frozen=True)
class ListeningTest:
    """Questions about clips, to be put to any recogniser as often as one likes.

    Parameters
    ----------
    questions : tuple of ListeningQuestion
        Group by group.
    left_out : mapping of str to str
        Clips that are not asked about, each with the reason.
    """

    questions: tuple[ListeningQuestion, ...]
    left_out: Mapping[str, str]

    def ask(self, recogniser: Recogniser, clips: Mapping[str, Signal]) -> ListeningResult:
        """Play clips to a recogniser and ask of each which sentence it was.

        Parameters
        ----------
        recogniser : Recogniser
            One that had no part in making them.
        clips : mapping of str to Signal
            Sounds by name: the originals, or edits of them; the recogniser is handed all channels.
            Clips of the test that are missing go to `not_asked`; those that it leaves out are
            passed over.

        Raises
        ------
        ParameterError
            A clip has no transcript in the test, or there is none to ask about.
        """
        names = {question.clip for question in self.questions}
        for name in clips:
            if name not in names and name not in self.left_out:
                raise ParameterError(
                    f"clip {name!r} has no transcript in the test; accepted: "
                    f"{', '.join(sorted({*names, *self.left_out}))}"
                )
        asked = [question for question in self.questions if question.clip in clips]
        if not asked:
            raise ParameterError("there is no clip to ask about; accepted: one of the test's")
        return ListeningResult(
            answers=tuple(_answer(recogniser, clips[one.clip], one) for one in asked),
            option_count=len(asked[0].options),
            not_asked=tuple(one.clip for one in self.questions if one.clip not in clips),
        )


def make_listening_test(
    transcripts: Mapping[str, Words],
    *,
    options: int = 4,
    seed: int = 0,
    max_length_ratio: float = 1.5,
) -> ListeningTest:
    """Make questions of clips whose words are known.

    Parameters
    ----------
    transcripts : mapping of str to sequence of str
        The words spoken, by the clip's name.
    options : int
        Sentences to choose from, k: 2 or more. A guess has one of k right.
    seed : int
        Draws who is in a group with whom, and the order of the options.
    max_length_ratio : float
        How many times as many letters as the shortest the longest sentence of a group may have, 1
        or more: the length of a clip must not give the sentence away.

    Raises
    ------
    ParameterError
        A clip without words, fewer than k sentences of about one length, or `options` or
        `max_length_ratio` out of range.

    Examples
    --------
    >>> words = {"a": ["red", "hen"], "b": ["big", "dog"], "c": ["a", "very", "long", "sentence"]}
    >>> test = make_listening_test(words, options=2)
    >>> [question.clip for question in test.questions], dict(test.left_out)
    (['a', 'b'], {'c': 'no 1 other of about its length'})
    """
    _check_settings(transcripts, options, max_length_ratio)
    left_out: dict[str, str] = {}
    distinct: dict[tuple[str, ...], str] = {}
    for name, words in sorted(transcripts.items()):
        first = distinct.setdefault(tuple(words), name)
        if first != name:
            left_out[name] = f"the same words as {first}"
    row = sorted(distinct, key=lambda words: (_letters(words), distinct[words]))
    rng = np.random.default_rng(seed)
    questions: list[ListeningQuestion] = []
    at = 0
    while at < len(row):
        longest = max_length_ratio * _letters(row[at])
        alike = [words for words in row[at:] if _letters(words) <= longest]
        count = len(alike) // options * options
        if count == 0:
            left_out[distinct[row[at]]] = f"no {options - 1} other of about its length"
            at += 1
            continue
        shuffled = [alike[place] for place in rng.permutation(count)]
        for start in range(0, count, options):
            questions += _ask_all_of(shuffled[start : start + options], distinct, rng)
        at += count
    if not questions:
        raise ParameterError(
            f"no {options} of the {len(row)} different sentences are of about one length (up to "
            f"{max_length_ratio:g} times as many letters); accepted: more clips, fewer options, or "
            "a greater max_length_ratio"
        )
    return ListeningTest(tuple(questions), left_out)


def _check_settings(
    transcripts: Mapping[str, Words], options: int, max_length_ratio: float
) -> None:
    if options < 2:
        raise ParameterError(f"options is {options}; accepted: 2 or more")
    if not max_length_ratio >= 1.0:
        raise ParameterError(f"max_length_ratio is {max_length_ratio:g}; accepted: 1 or more")
    for name, words in transcripts.items():
        if isinstance(words, str) or not _letters(words):
            raise ParameterError(
                f"clip {name!r} has the transcript {words!r}; accepted: a sequence of words"
            )
    if len(transcripts) < options:
        raise ParameterError(
            f"there are {len(transcripts)} transcripts for {options} options; accepted: at least "
            "as many clips as options"
        )


def _ask_all_of(
    group: list[tuple[str, ...]], names: Mapping[tuple[str, ...], str], rng: np.random.Generator
) -> list[ListeningQuestion]:
    """Ask about each sentence of a group, the right one once at every place."""
    count = len(group)
    questions = []
    for number, place in enumerate(rng.permutation(count).tolist()):
        order = tuple(group[(at + number - place) % count] for at in range(count))
        questions.append(ListeningQuestion(names[group[number]], order, place))
    return questions


def _answer(recogniser: Recogniser, clip: Signal, question: ListeningQuestion) -> Answer:
    spoken = question.options[question.right]
    heard = share_of_words(recogniser, clip.samples, clip.sample_rate_hz, spoken)
    chosen = which_sentence(recogniser, clip.samples, clip.sample_rate_hz, question.options)
    return Answer(question.clip, chosen, question.right, heard, len(spoken))


def _letters(words: Words) -> int:
    return sum(map(len, words))
