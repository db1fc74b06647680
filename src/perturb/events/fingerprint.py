"""The fingerprint of the generated bank: whether sounds changed since something was learnt."""

from __future__ import annotations

import hashlib

from perturb.events.bank import render
from perturb.events.registry import all_categories

__all__ = ["bank_fingerprint"]

_RATE_HZ = 8_000


def bank_fingerprint() -> str:
    """Return a hash of one rendering of every category, to the audible: levels of 50 ms in dB.

    It stays where processors differ in the last bits of a float.
    """
    import numpy as np

    from perturb.measure.level import frame_powers

    digest = hashlib.sha256()
    for name in all_categories():
        powers = frame_powers(render(name, 0, _RATE_HZ).samples, _RATE_HZ // 20)
        levels = np.round(10.0 * np.log10(powers + 1e-6)).astype(int)
        digest.update(f"{name}:{levels.tolist()};".encode())
    return digest.hexdigest()
