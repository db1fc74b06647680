"""Closed-set recognition of words: what of a sentence a recogniser still hears.

`pocketsphinx` carries a US-English model in its wheel, so it needs no download. It hears 16 kHz;
telephone clips are resampled. Two questions can be asked of it:

- `share_of_words`: it may answer with any sequence of words of a closed vocabulary, all equally
  likely at any place, so an unintelligible clip can be, and is, wrong. The hits that a random
  answer would have are given by `chance_share`.
- `which_sentence`: of a few known sentences, the one that fits the clip best. An unintelligible
  clip still has its rhythm, so this can be right more often than chance; that is a leak to state.

A recogniser that has had no part in the processing can be put in its place: the functions ask
for the `Recogniser` protocol.
"""

from __future__ import annotations

import math
import re
import tempfile
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pocketsphinx
import soxr

from perturb.testing.recogniser import (
    Recogniser,
    Words,
    chance_share,
    length_matched,
    share_heard,
    share_of_words,
    which_sentence,
)

__all__ = [
    "ClosedSetSphinx",
    "Recogniser",
    "chance_share",
    "length_matched",
    "read_transcripts",
    "share_heard",
    "share_of_words",
    "which_sentence",
]

RATE_HZ = 16_000
EXTRA_PRONUNCIATIONS = {"unmute": "AH N M Y UW T"}
"""Words of the project's clips that the model's dictionary lacks."""


class ClosedSetSphinx:
    """Pocketsphinx with a vocabulary and no knowledge of which word follows which.

    Parameters
    ----------
    vocabulary : sequence of str
        Every word that may be heard, lower case.

    Raises
    ------
    ValueError
        A word is neither in the model's dictionary nor in `EXTRA_PRONUNCIATIONS`.
    """

    def __init__(self, vocabulary: Words) -> None:
        self.vocabulary = tuple(sorted(set(vocabulary)))
        self._dictionary = _dictionary_of(self.vocabulary)

    def hear(self, samples: npt.ArrayLike, sample_rate_hz: int) -> tuple[str, ...]:
        """Return the words heard, in order."""
        heard = _decode(self._loop, samples, sample_rate_hz)
        if heard is None:
            return ()
        spelled = (re.sub(r"\(\d+\)$", "", word) for word in heard.hypstr.split())
        return tuple(word for word in spelled if word[0] not in "<[")

    def fit(self, samples: npt.ArrayLike, sample_rate_hz: int, words: Words) -> float:
        """Return the log-likelihood of the clip given the sentence; -inf where it cannot fit."""
        if not words:
            raise ValueError("words is empty; accepted: one word or more")
        decoder = self._aligner
        steps = [(place, place + 1, 1.0, word) for place, word in enumerate(words)]
        decoder.add_fsg("sentence", decoder.create_fsg("sentence", 0, len(words), steps))
        decoder.activate_search("sentence")
        best = _decode(decoder, samples, sample_rate_hz)
        return -math.inf if best is None or best.score <= 0 else math.log(best.score)

    @cached_property
    def _loop(self) -> pocketsphinx.Decoder:
        # Equal unigrams of a language model, not a grammar with a loop: the same question, but
        # the decoder's tree search answers it twenty times faster.
        log_share = -math.log10(len(self.vocabulary) + 1)
        grams = [f"{log_share:.5f} {word} 0" for word in (*self.vocabulary, "</s>")]
        head = ["\\data\\", f"ngram 1={len(grams) + 1}", "", "\\1-grams:", "-99 <s> 0"]
        with tempfile.TemporaryDirectory() as folder:
            model, dictionary = Path(folder, "loop.arpa"), Path(folder, "loop.dict")
            model.write_text("\n".join([*head, *grams, "", "\\end\\", ""]), "utf-8")
            dictionary.write_text(self._dictionary, "utf-8")
            return pocketsphinx.Decoder(lm=str(model), dict=str(dictionary), loglevel="FATAL")

    @cached_property
    def _aligner(self) -> pocketsphinx.Decoder:
        with tempfile.TemporaryDirectory() as folder:
            dictionary = Path(folder, "aligner.dict")
            dictionary.write_text(self._dictionary, "utf-8")
            # No pruning: a sentence that fits badly must still get its score.
            return pocketsphinx.Decoder(
                lm=None, dict=str(dictionary), loglevel="FATAL",
                beam=0.0, wbeam=0.0, pbeam=0.0, maxhmmpf=-1, bestpath=False,
            )  # fmt: skip


def read_transcripts(readme: Path) -> dict[str, tuple[str, ...]]:
    """Read the tables ``| file | words |`` of `readme`: stem of each file to its words."""
    rows = re.findall(r"^\| (\S+) \| (.+?) \|$", readme.read_text("utf-8"), re.MULTILINE)
    return {stem: tuple(words.split()) for stem, words in rows if stem != "file"}


def _decode(
    decoder: pocketsphinx.Decoder, samples: npt.ArrayLike, sample_rate_hz: int
) -> pocketsphinx.Hypothesis | None:
    data = np.asarray(samples, dtype=np.float32)
    if data.ndim == 2:
        data = data.mean(axis=0)
    if sample_rate_hz != RATE_HZ:
        data = soxr.resample(data, sample_rate_hz, RATE_HZ)
    pcm = np.round(np.clip(data, -1.0, 1.0) * 32_767.0).astype("<i2")
    decoder.reinit_feat()  # forget the means of earlier clips
    decoder.start_utt()
    # The whole utterance at once: its mean cepstrum is then its own, not that of earlier clips.
    decoder.process_raw(pcm.tobytes(), no_search=False, full_utt=True)
    decoder.end_utt()
    return decoder.hyp()


def _dictionary_of(vocabulary: Words) -> str:
    path = Path(pocketsphinx.get_model_path(), "en-us", "cmudict-en-us.dict")
    wanted, lines, known = set(vocabulary), [], set()
    for line in path.read_text("utf-8").splitlines():
        word = re.sub(r"\(\d+\)$", "", line.split(" ", 1)[0])
        if word in wanted:
            lines.append(line)
            known.add(word)
    for word in sorted(wanted - known):
        if word not in EXTRA_PRONUNCIATIONS:
            raise ValueError(
                f"no pronunciation is known of {word!r}; add it to EXTRA_PRONUNCIATIONS"
            )
        lines.append(f"{word} {EXTRA_PRONUNCIATIONS[word]}")
    return "\n".join([*lines, ""])
