"""Categories that must not be laid over a clip, since they may be in it already.

By the item's labels or events where they are given (`perturb.events.label_words`); else by ear
(`perturb.events.resemblance`). Both err towards excluding.

Labels are believed, and nothing is measured of them. By ear, on clips and seeds that taught nothing
(``benchmarks/train_resemblance.py``: prompts at 8 kHz and read sentences at 16 kHz, 5 s each, eight
events of each of 123 categories laid at a ratio to the clip's active level):

- the category that is there is missed in 2.6 % of mixtures at 0 dB, in 0.8 % at 8 dB; short dull or
  ringing blows most often;
- beside it, 11 % of the others are excluded too;
- in speech alone 4.6 % of the bank are excluded (20 categories at most), in five minutes of it
  6.9 %; short broad blows most often, which plosives resemble.

It knows generated events over clean speech: how much of a natural recording it recognises was not
measured, and in music or noise it may suspect most of the bank.
"""

from __future__ import annotations

from collections.abc import Iterable

from perturb.events.label_words import labelled_categories
from perturb.events.resemblance import suspected_categories
from perturb.signal import Signal

__all__ = ["excluded_categories"]


def excluded_categories(
    clip: Signal | None = None, labels: Iterable[str] | None = None
) -> dict[str, str]:
    """Return the generated categories to leave out for one item, each with the reason.

    Parameters
    ----------
    clip : Signal, optional
        Listened to where there are no labels.
    labels : iterable of str, optional
        What the item says is heard in the clip: labels, tags, names of events. An empty one says
        that nothing is; None that nobody knows.

    Returns
    -------
    dict of str to str
        Reason by category; empty where nothing is known and there is no clip.

    Examples
    --------
    >>> excluded_categories(labels=["church bells"])["church_bell"]
    "the item is labelled 'church bells'"
    """
    if labels is not None:
        return {
            name: f"the item is labelled {label!r}"
            for name, label in labelled_categories(labels).items()
        }
    if clip is None:
        return {}
    return {
        name: f"the clip may hold it already: {strength:.1f} nats over what is tolerated"
        for name, strength in suspected_categories(clip).items()
    }
