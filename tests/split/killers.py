"""Operators that take their process with them, or fail as no operator should."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import Literal

import numpy as np

from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.operators.proof import Measured
from perturb.operators.protocol import Edited, Operator
from perturb.time_map import TimeMap

__all__ = ["Deadly", "is_guilty"]


def is_guilty(sample_count):
    """Clips of an odd number of samples are the ones that cannot be survived."""
    return sample_count % 2 == 1


class Deadly(Operator, frozen=True, kw_only=True):
    """Do nothing; on a clip of an odd number of samples, die or fail."""

    how: Literal["kill", "fail", "memory"] = "kill"

    proof_description = "nothing"
    source = "made up"

    def ledger(self):
        return Ledger(keeps=PROPERTIES)

    def apply(self, signal_, spans, ctx):
        if is_guilty(signal_.sample_count):
            self._strike()
        return Edited(signal_, TimeMap.identity(signal_.duration_s))

    def _strike(self):
        if self.how == "fail":
            raise ZeroDivisionError("no such luck")
        if self.how == "memory":
            raise MemoryError
        assert multiprocessing.parent_process() is not None, "the run itself must survive"
        os.kill(os.getpid(), signal.SIGKILL)

    def measure(self, before, after, spans, ctx):
        return [Measured.within("finite", 1.0, float(np.isfinite(after.samples).all()), 0.0)]
