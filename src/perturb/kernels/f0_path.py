"""Kernel of the autocorrelation pitch tracker: the cheapest path through the candidates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["choose_path"]

Array = npt.NDArray[Any]


@kernel
def choose_path(
    lags: Array,
    strengths: Array,
    unvoiced_strengths: Array,
    octave_cost: float,
    jump_cost: float,
    voicing_cost: float,
    shortest_lag: float,
    lags_out: Array,
    strengths_out: Array,
) -> None:
    """Choose one candidate, or none, in every frame: the cheapest path (Viterbi).

    Parameters
    ----------
    lags, strengths : ndarray of float32, shape (frames, candidates)
        What `find_candidates` wrote.
    unvoiced_strengths : ndarray of float32, shape (frames,)
        Strength of the choice "unvoiced".
    octave_cost, jump_cost, voicing_cost : float
        Per octave under the ceiling; per octave of change between frames; per change of voicing.
    shortest_lag : float
        Period of the ceiling, from which the octave cost counts.
    lags_out, strengths_out : ndarray of float32, shape (frames,)
        Chosen period (0 where unvoiced) and the strength of the best candidate.
    """
    frames, slots = lags.shape
    states = slots + 1
    back = np.zeros((frames, states), np.uint8)
    total = np.zeros(states, np.float64)
    fresh = np.zeros(states, np.float64)
    octaves = np.zeros(states, np.float64)
    fresh_octaves = np.zeros(states, np.float64)
    is_open = np.zeros(states, np.bool_)
    fresh_open = np.zeros(states, np.bool_)
    for k in range(frames):
        for s in range(states):
            fresh_open[s] = s == slots or lags[k, s] > 0.0
            if s < slots and fresh_open[s]:
                fresh_octaves[s] = math.log2(lags[k, s])
        for s in range(states):
            if not fresh_open[s]:
                continue
            if s == slots:
                local = np.float64(unvoiced_strengths[k])
            else:
                local = strengths[k, s] - octave_cost * (fresh_octaves[s] - math.log2(shortest_lag))
            best = -1e30
            origin = slots
            if k == 0:
                best = 0.0
            else:
                for p in range(states):
                    if not is_open[p]:
                        continue
                    cost = 0.0
                    if (p == slots) != (s == slots):
                        cost = voicing_cost
                    elif s != slots:
                        cost = jump_cost * abs(fresh_octaves[s] - octaves[p])
                    value = total[p] - cost
                    if value > best:
                        best = value
                        origin = p
            fresh[s] = best + local
            back[k, s] = origin
        for s in range(states):
            total[s] = fresh[s]
            octaves[s] = fresh_octaves[s]
            is_open[s] = fresh_open[s]
    if frames == 0:
        return
    state = slots
    for s in range(slots):
        if is_open[s] and total[s] > total[state]:
            state = s
    for k in range(frames - 1, -1, -1):
        lags_out[k] = lags[k, state] if state < slots else 0.0
        best_strength = np.float32(0.0)
        for c in range(slots):
            best_strength = max(best_strength, strengths[k, c])
        strengths_out[k] = strengths[k, state] if state < slots else best_strength
        state = back[k, state]
