"""Plain twin of the lattice: normal equations solved as a matrix, then stepped down."""

from __future__ import annotations

import math

import numpy as np

STEPS_PER_HOP = 5


def reflections_and_error(correlation):
    """Return reflection coefficients and the energy left, by solving for each order's predictor."""
    order = correlation.size - 1
    if correlation[0] <= 1e-20:
        return np.zeros(order), 0.0
    rows = np.abs(np.subtract.outer(np.arange(order), np.arange(order)))
    reflections = np.zeros(order)
    for stage in range(1, order + 1):
        matrix = correlation[rows[:stage, :stage]]
        # The last coefficient of the best predictor of an order is its reflection coefficient.
        reflections[stage - 1] = np.linalg.solve(matrix, -correlation[1 : stage + 1])[-1]
    return reflections, float(correlation[0] * np.prod(1.0 - reflections**2))


def analyse(samples, window, lag_window, hop_samples, preemphasis):
    before = np.concatenate([[0.0], samples[:-1]])
    emphasised = np.concatenate([samples - preemphasis * before, np.zeros(window.size)])
    emphasised = np.concatenate([np.zeros(window.size), emphasised])
    frames = []
    for frame in range(math.ceil(samples.size / hop_samples) + 1):
        start = math.floor(frame * hop_samples + 0.5) - window.size // 2 + window.size
        cut = emphasised[start : start + window.size]
        cut = np.pad(cut, (0, window.size - cut.size)) * window
        full = np.correlate(cut, cut, "full")[window.size - 1 :]
        frames.append(reflections_and_error(full[: lag_window.size] * lag_window))
    gains = [math.sqrt(error / np.sum(window.astype(np.float64) ** 2)) for _, error in frames]
    return np.array([reflections for reflections, _ in frames]), np.array(gains)


def direct_form(reflections):
    """Return the prediction polynomial of some reflection coefficients."""
    polynomial = np.ones(1)
    for reflection in reflections:
        longer = np.append(polynomial, 0.0)
        polynomial = longer + reflection * longer[::-1]
    return polynomial


def resonate(samples, window, lag_window, hop_samples, preemphasis, excitation):
    reflections, gains = analyse(
        samples.astype(np.float64), window, lag_window, hop_samples, preemphasis
    )
    order = reflections.shape[1]
    delayed = np.zeros(order + 1)
    result = np.zeros(samples.size)
    for index in range(samples.size):
        step = 0
        while math.floor((step + 1) / STEPS_PER_HOP * hop_samples + 0.5) <= index:
            step += 1
        frame, part = divmod(step, STEPS_PER_HOP)
        weight = (part + 0.5) / STEPS_PER_HOP
        k = (1 - weight) * reflections[frame] + weight * reflections[frame + 1]
        forward = ((1 - weight) * gains[frame] + weight * gains[frame + 1]) * excitation[index]
        backward = np.zeros(order + 1)
        for stage in range(order, 0, -1):
            forward = forward - k[stage - 1] * delayed[stage - 1]
            backward[stage] = delayed[stage - 1] + k[stage - 1] * forward
        backward[0] = forward
        delayed = backward
        result[index] = forward + preemphasis * (result[index - 1] if index else 0.0)
    return result


def whiten(samples, window, lag_window, hop_samples, preemphasis, signal):
    reflections, gains = analyse(
        samples.astype(np.float64), window, lag_window, hop_samples, preemphasis
    )
    order = reflections.shape[1]
    delayed = np.zeros(order + 1)
    result = np.zeros(samples.size)
    for index in range(samples.size):
        step = 0
        while math.floor((step + 1) / STEPS_PER_HOP * hop_samples + 0.5) <= index:
            step += 1
        frame, part = divmod(step, STEPS_PER_HOP)
        weight = (part + 0.5) / STEPS_PER_HOP
        k = (1 - weight) * reflections[frame] + weight * reflections[frame + 1]
        forward = signal[index] - preemphasis * (signal[index - 1] if index else 0.0)
        backward = np.zeros(order + 1)
        backward[0] = forward
        for stage in range(order):
            backward[stage + 1] = delayed[stage] + k[stage] * forward
            forward = forward + k[stage] * delayed[stage]
        delayed = backward
        gain = (1 - weight) * gains[frame] + weight * gains[frame + 1]
        result[index] = forward / gain if gain > 0 else 0.0
    return result
