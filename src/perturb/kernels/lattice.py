"""A clip's own moving envelope, put on any excitation: linear prediction and a lattice filter."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["resonate"]

STEPS = 5


@kernel
def resonate(
    samples: npt.NDArray[np.float32],
    window: npt.NDArray[np.float32],
    order: int,
    hop_samples: float,
    preemphasis: float,
    lag_window: npt.NDArray[np.float64],
    excitation_inout: npt.NDArray[np.float32],
) -> None:
    count = samples.size
    width = window.size
    lags = order + 1
    buffer = np.zeros(width + order, dtype=np.float32)
    correlation = np.empty(lags, dtype=np.float32)
    smooth = np.empty(lags)
    power = 0.0
    for index in range(width):
        power += float(window[index]) * float(window[index])
    old_k = np.zeros(order)
    new_k = np.zeros(order)
    k = np.zeros(order)
    predictor = np.zeros(lags)
    previous = np.zeros(lags)
    backward = np.zeros(lags)
    old_gain = 0.0
    new_gain = 0.0
    emphasised = 0.0
    frames = int(math.ceil(count / hop_samples)) + 1
    done = 0
    for frame in range(frames):
        # The envelope at this frame's centre.
        centre = int(math.floor(frame * hop_samples + 0.5))
        start = centre - width // 2
        for index in range(width):
            place = start + index
            value = 0.0
            if 0 <= place < count:
                before = float(samples[place - 1]) if place > 0 else 0.0
                value = float(samples[place]) - preemphasis * before
            buffer[index] = np.float32(value) * window[index]
        correlation[:] = 0.0
        for index in range(width):
            value32 = buffer[index]
            for lag in range(lags):
                correlation[lag] += value32 * buffer[index + lag]
        for lag in range(lags):
            smooth[lag] = lag_window[lag] * float(correlation[lag])
        error = smooth[0]
        old_gain = new_gain
        for stage in range(order):
            old_k[stage] = new_k[stage]
            new_k[stage] = 0.0
        if error <= 1e-20:
            new_gain = 0.0
        else:
            predictor[:] = 0.0
            predictor[0] = 1.0
            for stage in range(1, lags):
                total = smooth[stage]
                for index in range(1, stage):
                    total += predictor[index] * smooth[stage - index]
                reflection = -total / error
                for index in range(1, stage):
                    previous[index] = predictor[index]
                for index in range(1, stage):
                    predictor[index] = previous[index] + reflection * previous[stage - index]
                predictor[stage] = reflection
                new_k[stage - 1] = reflection
                error *= 1.0 - reflection * reflection
            new_gain = math.sqrt(max(error, 0.0) / power)
        if frame == 0:
            continue
        first = done
        for step in range(STEPS):
            stop = int(math.floor((frame - 1 + (step + 1) / STEPS) * hop_samples + 0.5))
            stop = min(stop, count)
            weight = (step + 0.5) / STEPS
            for stage in range(order):
                k[stage] = old_k[stage] + weight * (new_k[stage] - old_k[stage])
            gain = old_gain + weight * (new_gain - old_gain)
            for index in range(first, stop):
                forward = gain * float(excitation_inout[index])
                for stage in range(order - 1, -1, -1):
                    forward -= k[stage] * backward[stage]
                    backward[stage + 1] = backward[stage] + k[stage] * forward
                backward[0] = forward
                emphasised = forward + preemphasis * emphasised
                excitation_inout[index] = np.float32(emphasised)
            first = stop
        done = first
