"""`ClosedSetSphinx`: a recogniser that needs no download, for listening tests.

`pocketsphinx` carries a US-English model in its wheel. It hears 16 kHz; other clips are resampled.
It is a weak listener: what it misses, a stronger one may hear. Two questions can be asked of it:

- `hear`: it may answer with any sequence of words of a closed vocabulary, all equally likely at any
  place, so an unintelligible clip can be, and is, wrong.
- `fit`: how well a known sentence fits the clip. An unintelligible clip still has its rhythm, so
  the best of a few can be right more often than chance; that is a leak to state.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from perturb.errors import ParameterError
from perturb.testing.recogniser import Words

__all__ = ["ClosedSetSphinx"]

_RATE_HZ = 16_000


class ClosedSetSphinx:
    """Pocketsphinx with a vocabulary and no knowledge of which word follows which.

    Parameters
    ----------
    vocabulary : sequence of str
        Every word that may be heard, lower case.
    pronunciations : mapping of str to str, optional
        Phones of words that the model's dictionary lacks, as it writes them: ``AH N M Y UW T``.

    Raises
    ------
    ParameterError
        Words of which no pronunciation is known, or `pocketsphinx` is not installed.
    """

    def __init__(self, vocabulary: Words, pronunciations: Mapping[str, str] | None = None) -> None:
        self.vocabulary = tuple(sorted(set(vocabulary)))
        self._sphinx = _import_pocketsphinx()
        self._dictionary = _dictionary_of(self._sphinx, self.vocabulary, pronunciations or {})

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
            raise ParameterError("words is empty; accepted: one word or more")
        decoder = self._aligner
        steps = [(place, place + 1, 1.0, word) for place, word in enumerate(words)]
        decoder.add_fsg("sentence", decoder.create_fsg("sentence", 0, len(words), steps))
        decoder.activate_search("sentence")
        best = _decode(decoder, samples, sample_rate_hz)
        return -math.inf if best is None or best.score <= 0 else math.log(best.score)

    @cached_property
    def _loop(self) -> Any:
        # Equal unigrams of a language model, not a grammar with a loop: the same question, but
        # the decoder's tree search answers it twenty times faster.
        log_share = -math.log10(len(self.vocabulary) + 1)
        grams = [f"{log_share:.5f} {word} 0" for word in (*self.vocabulary, "</s>")]
        head = ["\\data\\", f"ngram 1={len(grams) + 1}", "", "\\1-grams:", "-99 <s> 0"]
        with tempfile.TemporaryDirectory() as folder:
            model, dictionary = Path(folder, "loop.arpa"), Path(folder, "loop.dict")
            model.write_text("\n".join([*head, *grams, "", "\\end\\", ""]), "utf-8")
            dictionary.write_text(self._dictionary, "utf-8")
            return self._sphinx.Decoder(lm=str(model), dict=str(dictionary), loglevel="FATAL")

    @cached_property
    def _aligner(self) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            dictionary = Path(folder, "aligner.dict")
            dictionary.write_text(self._dictionary, "utf-8")
            # No pruning: a sentence that fits badly must still get its score.
            return self._sphinx.Decoder(
                lm=None, dict=str(dictionary), loglevel="FATAL",
                beam=0.0, wbeam=0.0, pbeam=0.0, maxhmmpf=-1, bestpath=False,
            )  # fmt: skip


def _import_pocketsphinx() -> ModuleType:
    try:
        import pocketsphinx
    except ImportError:
        raise ParameterError(
            "ClosedSetSphinx needs the package pocketsphinx, which is not installed: "
            "pip install 'perturb-audio[recogniser]', or bring a recogniser of your own"
        ) from None
    found: ModuleType = pocketsphinx
    return found


def _decode(decoder: Any, samples: npt.ArrayLike, sample_rate_hz: int) -> Any:
    data = np.asarray(samples, dtype=np.float32)
    if data.ndim == 2:
        data = data.mean(axis=0)
    if sample_rate_hz != _RATE_HZ:
        data = soxr.resample(data, sample_rate_hz, _RATE_HZ)
    pcm = np.round(np.clip(data, -1.0, 1.0) * 32_767.0).astype("<i2")
    decoder.reinit_feat()  # forget the means of earlier clips
    decoder.start_utt()
    # The whole utterance at once: its mean cepstrum is then its own, not that of earlier clips.
    decoder.process_raw(pcm.tobytes(), no_search=False, full_utt=True)
    decoder.end_utt()
    return decoder.hyp()


def _dictionary_of(sphinx: ModuleType, vocabulary: Words, pronunciations: Mapping[str, str]) -> str:
    path = Path(sphinx.get_model_path(), "en-us", "cmudict-en-us.dict")
    wanted, lines, known = set(vocabulary), [], set()
    for line in path.read_text("utf-8").splitlines():
        word = re.sub(r"\(\d+\)$", "", line.split(" ", 1)[0])
        if word in wanted:
            lines.append(line)
            known.add(word)
    unknown = sorted(wanted - known - pronunciations.keys())
    if unknown:
        raise ParameterError(
            f"no pronunciation is known of {', '.join(map(repr, unknown))}; accepted: words of the "
            "model's dictionary, or of pronunciations"
        )
    lines += [f"{word} {pronunciations[word]}" for word in sorted(wanted - known)]
    return "\n".join([*lines, ""])
