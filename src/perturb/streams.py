"""Keyed random streams: every draw of the package comes from here.

A generator is keyed by a hash of (seed, clip, stream, purpose), never by a global, a worker, a
clock or an order of work. The same key gives the same draws on any number of workers.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np

__all__ = ["SEED_RANGE", "Streams"]

SEED_RANGE = (0, 2**63 - 1)

_SCHEME = "perturb-stream/1"


@dataclass(frozen=True, slots=True)
class Streams:
    """The random streams of one clip in one condition.

    Parameters
    ----------
    seed : int
        The user's seed, 0 to 2**63 - 1.
    clip_id : str
        The benchmark's id of the clip, or the hash of its decoded audio.
    name : str
        The condition's name; conditions of a dose series share one, so that only the dose differs.

    Examples
    --------
    >>> streams = Streams(0, "clip", "main")
    >>> streams.generator("a").random() == streams.generator("a").random()
    True
    >>> streams.key("a") == streams.key("b")
    False
    """

    seed: int
    clip_id: str
    name: str

    def key(self, purpose: str) -> str:
        """Return the key of one purpose: 64 hexadecimal digits."""
        parts = json.dumps([_SCHEME, self.seed, self.clip_id, self.name, purpose])
        return hashlib.sha256(parts.encode()).hexdigest()

    def generator(self, purpose: str) -> np.random.Generator:
        """Return a fresh generator at the start of the stream of one purpose."""
        return np.random.Generator(np.random.PCG64(int(self.key(purpose), 16)))
