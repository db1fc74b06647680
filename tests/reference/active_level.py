"""P.56 as the recommendation states it: one counter and one hangover per threshold."""

import math


def count_active_samples(samples, thresholds, smoothing, hangover_samples):
    """Return the energy and the active samples per threshold, by plain loops."""
    counts = [0] * len(thresholds)
    hangover_left = [0] * len(thresholds)
    first = second = energy = 0.0
    for column in samples.T.astype(float):
        power = sum(value * value for value in column) / len(column)
        energy += power
        first = smoothing * first + (1.0 - smoothing) * math.sqrt(power)
        second = smoothing * second + (1.0 - smoothing) * first
        for j, threshold in enumerate(thresholds):
            if second >= threshold:
                counts[j] += 1
                hangover_left[j] = hangover_samples
            elif hangover_left[j] > 0:
                counts[j] += 1
                hangover_left[j] -= 1
    return energy, counts
