"""Answers that a harness drew at random where it could not parse one, by the traces they leave.

lmms-eval, VoiceBench and others give an unparsed answer an option at random, which makes a crash on
silent audio look like chance. Where a file holds what the model said beside the option, the two can
be compared. Where it holds options alone nothing is certain; what is left is that drawn options are
spread evenly over the places and know nothing of the gold, which few models manage.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from perturb.score.matching.normalising import normalise

__all__ = ["is_filled", "looks_drawn"]

_FEWEST = 100
_LEVEL = 0.05
_WORD = re.compile(r"\w+")


def is_filled(said: str | None, parsed: str | None, choices: tuple[str, ...]) -> bool:
    """Whether an option stands where nothing of it was said.

    Parameters
    ----------
    said : str or None
        What the model said.
    parsed : str or None
        What the harness took it for: an option's text, or its letter.
    choices : tuple of str
        The options.

    Returns
    -------
    bool
        True where `parsed` is an option, and `said` holds neither its text, nor its words, nor its
        letter. An answer that a harness may have read in some way of its own is not called filled.
    """
    if parsed is None or not parsed.strip():
        return False
    label = normalise(parsed)
    labels = [normalise(choice) for choice in choices]
    letters = [chr(ord("a") + place) for place in range(len(choices))]
    places = {at for at, one in enumerate(labels) if one == label}
    places |= {at for at, letter in enumerate(letters) if label in (letter, f"({letter})")}
    if not places:
        return False
    text = normalise(said or "")
    words = set(_WORD.findall(text))
    for place in places:
        option = set(_WORD.findall(labels[place]))
        if letters[place] in words or labels[place] in text or (option and option <= words):
            return False
    return True


def looks_drawn(
    choice: NDArray[np.int16], gold: NDArray[np.int16], options: NDArray[np.int16]
) -> bool:
    """Whether options look drawn at random, one in as many as there are.

    Three things must hold over the items with a known gold and the most common number of options,
    of which there must be 100: every answer names an option; the places are spread evenly
    (chi-squared, p > .05); and the share that is right is that of chance (|z| < 1.96).

    Parameters
    ----------
    choice, gold, options : ndarray of int16
        Chosen place, place of the gold and number of options of each answered item.
    """
    known = (gold >= 0) & (options >= 2)
    if known.sum() < _FEWEST:
        return False
    usual = int(np.bincount(options[known]).argmax())
    chosen, right = choice[known & (options == usual)], gold[known & (options == usual)]
    if len(chosen) < _FEWEST or (chosen < 0).any():
        return False
    from scipy.stats import chisquare

    counts = np.bincount(chosen, minlength=usual)
    if chisquare(counts).pvalue <= _LEVEL:
        return False
    chance = 1.0 / usual
    z = (np.mean(chosen == right) - chance) / np.sqrt(chance * (1.0 - chance) / len(chosen))
    return bool(abs(z) < 1.96)
