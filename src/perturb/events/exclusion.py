"""Categories that must not be laid over a clip, since they may be in it already.

By the item's labels or events where they are given (`perturb.events.label_words`); else by ear
(`perturb.events.resemblance`). Both err towards excluding.

Of labels nothing is measured; they are believed. By ear, on speakers and seeds that taught nothing
(`benchmarks/train_resemblance.py`; 8 kHz prompts and 16 kHz read sentences, 5 s, the event laid
over the clip's active level):

====================================  =======
@TABLE@
====================================  =======

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
