"""Where golds go: every place as often as the others, whatever the order of the set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from perturb.anchors.questions.facts import OPTION_COUNT

__all__ = ["gold_places"]


def gold_places(names: Iterable[str], seed: int, options: int = OPTION_COUNT) -> dict[str, int]:
    """Return a place of the gold for each of a set of questions, balanced to within one.

    The questions are put in an order by keyed hashes and dealt out in turn, so that neither their
    own order nor the number of workers matters; another set of questions is dealt out otherwise.

    Parameters
    ----------
    names : iterable of str
        The questions, each once.
    seed : int
        Of the run.
    options : int
        Options of each.

    Examples
    --------
    >>> sorted(gold_places(["a", "b", "c", "d"], seed=0).values())
    [0, 1, 2, 3]
    """
    first = _key(seed, "") % options
    ordered = sorted(set(names), key=lambda name: (_key(seed, name), name))
    return {name: (first + turn) % options for turn, name in enumerate(ordered)}


def _key(seed: int, name: str) -> int:
    text = json.dumps(["perturb-golds/1", seed, name])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
