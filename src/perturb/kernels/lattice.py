"""A signal's own moving envelope, put on any excitation: linear prediction and a lattice filter.

A lattice of reflection coefficients stays stable while they are interpolated, which a filter in
direct form does not.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["STEPS_PER_HOP", "resonate", "whiten"]

STEPS_PER_HOP = 5
"""How often the filter is renewed between two frames of analysis."""
SILENCE_ENERGY = 1e-20
FLUSH_AMPLITUDE = 1e-25


@kernel
def resonate(
    samples: npt.NDArray[np.float32],
    window: npt.NDArray[np.float32],
    lag_window: npt.NDArray[np.float64],
    hop_samples: float,
    preemphasis: float,
    inout: npt.NDArray[np.float32],
) -> None:
    """Filter `inout`, an excitation of unit power, by the moving envelope of `samples`.

    Every hop, the pre-emphasised samples around it are windowed and their autocorrelation is
    turned into reflection coefficients (Levinson's recursion). Coefficients and gain are linear
    between frames; de-emphasis undoes the emphasis. Where `samples` is silent the gain is 0.

    Parameters
    ----------
    samples : ndarray of float32, shape (n,)
        The signal whose envelope is wanted.
    window : ndarray of float32, shape (width,)
        Analysis window; frame k is centred at sample ``floor(k * hop_samples + .5)``.
    lag_window : ndarray of float64, shape (order + 1,)
        Factor of each lag of the autocorrelation. Above 1 at lag 0: a noise floor. Falling with
        the lag: an envelope that is smoothed in frequency.
    hop_samples : float
        Distance of frames in samples.
    preemphasis : float
        Coefficient of the first difference taken before analysis, 0 to 1.
    inout : ndarray of float32, shape (n,)
        The excitation, overwritten by the result.
    """
    _run(samples, window, lag_window, hop_samples, preemphasis, False, inout)


@kernel
def whiten(
    samples: npt.NDArray[np.float32],
    window: npt.NDArray[np.float32],
    lag_window: npt.NDArray[np.float64],
    hop_samples: float,
    preemphasis: float,
    inout: npt.NDArray[np.float32],
) -> None:
    """Undo `resonate`: filter `inout` by the inverse of the moving envelope of `samples`.

    What is left of `samples` itself is the residual, of about unit power; `resonate` gives it back.
    Where `samples` is silent the result is 0. Parameters are those of `resonate`.
    """
    _run(samples, window, lag_window, hop_samples, preemphasis, True, inout)


@kernel
def _run(
    samples: npt.NDArray[np.float32],
    window: npt.NDArray[np.float32],
    lag_window: npt.NDArray[np.float64],
    hop_samples: float,
    preemphasis: float,
    is_inverse: bool,
    inout: npt.NDArray[np.float32],
) -> None:
    order = lag_window.size - 1
    frame_samples = np.zeros(window.size + order, dtype=np.float32)
    correlation = np.empty(order + 1, dtype=np.float32)
    window_energy = 0.0
    for index in range(window.size):
        window_energy += float(window[index]) ** 2
    before = np.zeros(order)
    after = np.zeros(order)
    reflections = np.empty(order)
    # The last place is the emphasis filter's memory.
    memory = np.zeros(order + 2)
    gain_after = 0.0
    stop = 0
    for frame in range(math.ceil(samples.size / hop_samples) + 1):
        before[:] = after
        gain_before = gain_after
        centre = math.floor(frame * hop_samples + 0.5)
        _cut_frame(samples, centre - window.size // 2, window, preemphasis, frame_samples)
        _correlate(frame_samples, window.size, correlation)
        error = _reflect(correlation, lag_window, after)
        gain_after = math.sqrt(error / window_energy)
        if frame == 0:
            continue
        for step in range(STEPS_PER_HOP):
            start = stop
            end = (frame - 1 + (step + 1) / STEPS_PER_HOP) * hop_samples
            stop = min(math.floor(end + 0.5), samples.size)
            weight = (step + 0.5) / STEPS_PER_HOP
            gain = gain_before + weight * (gain_after - gain_before)
            for stage in range(order):
                reflections[stage] = before[stage] + weight * (after[stage] - before[stage])
            if is_inverse:
                _analyse(reflections, gain, preemphasis, memory, inout[start:stop])
            else:
                _synthesise(reflections, gain, preemphasis, memory, inout[start:stop])


@kernel
def _synthesise(
    reflections: npt.NDArray[np.float64],
    gain: float,
    preemphasis: float,
    memory_inout: npt.NDArray[np.float64],
    inout: npt.NDArray[np.float32],
) -> None:
    order = reflections.size
    emphasised = memory_inout[order + 1]
    for index in range(inout.size):
        forward = gain * float(inout[index])
        for stage in range(order - 1, -1, -1):
            forward -= reflections[stage] * memory_inout[stage]
            memory_inout[stage + 1] = memory_inout[stage] + reflections[stage] * forward
        memory_inout[0] = forward
        emphasised = forward + preemphasis * emphasised
        if abs(emphasised) < FLUSH_AMPLITUDE:
            emphasised = 0.0  # denormal numbers would slow a long silence down
        inout[index] = np.float32(emphasised)
    memory_inout[order + 1] = emphasised


@kernel
def _analyse(
    reflections: npt.NDArray[np.float64],
    gain: float,
    preemphasis: float,
    memory_inout: npt.NDArray[np.float64],
    inout: npt.NDArray[np.float32],
) -> None:
    order = reflections.size
    before = memory_inout[order + 1]
    scale = 1.0 / gain if gain > 0.0 else 0.0
    for index in range(inout.size):
        forward = float(inout[index]) - preemphasis * before
        before = float(inout[index])
        backward = forward
        for stage in range(order):
            delayed = memory_inout[stage]
            memory_inout[stage] = backward
            backward = delayed + reflections[stage] * forward
            forward += reflections[stage] * delayed
        memory_inout[order] = backward
        inout[index] = np.float32(scale * forward)
    memory_inout[order + 1] = before


@kernel
def _cut_frame(
    samples: npt.NDArray[np.float32],
    start: int,
    window: npt.NDArray[np.float32],
    preemphasis: float,
    frame_out: npt.NDArray[np.float32],
) -> None:
    factor = np.float32(preemphasis)
    for index in range(window.size):
        place = start + index
        value = np.float32(0.0)
        if 0 <= place < samples.size:
            value = samples[place]
            if place > 0:
                value -= factor * samples[place - 1]
        frame_out[index] = value * window[index]


@kernel
def _correlate(
    frame: npt.NDArray[np.float32], width: int, correlation_out: npt.NDArray[np.float32]
) -> None:
    # `frame` ends in as many zeros as there are lags. Lags in the inner loop: each sum keeps its
    # order, so it can be vectorised without allowing the compiler to reorder.
    correlation_out[:] = 0.0
    for index in range(width):
        value = frame[index]
        for lag in range(correlation_out.size):
            correlation_out[lag] += value * frame[index + lag]


@kernel
def _reflect(
    correlation: npt.NDArray[np.float32],
    lag_window: npt.NDArray[np.float64],
    reflections_out: npt.NDArray[np.float64],
) -> float:
    """Write the reflection coefficients and return the energy that prediction leaves."""
    order = reflections_out.size
    reflections_out[:] = 0.0
    error = float(lag_window[0]) * float(correlation[0])
    if error <= SILENCE_ENERGY:
        return 0.0
    predictor = np.zeros(order + 1)
    predictor[0] = 1.0
    for stage in range(1, order + 1):
        total = 0.0
        for lag in range(stage):
            total += predictor[lag] * lag_window[stage - lag] * float(correlation[stage - lag])
        reflection = -total / error
        if not abs(reflection) < 1.0:
            break  # rounding has used up what was left to predict; beyond lies instability
        for lag in range(1, stage // 2 + 1):
            # The two ends of the predictor are updated from each other.
            low = predictor[lag]
            high = predictor[stage - lag]
            predictor[lag] = low + reflection * high
            predictor[stage - lag] = high + reflection * low
        predictor[stage] = reflection
        reflections_out[stage - 1] = reflection
        error *= 1.0 - reflection * reflection
    return error
