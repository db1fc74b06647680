"""Plain twins of the kernels that mark periods and move them, and that bring a level back."""

from __future__ import annotations

import math

import numpy as np

STRAY_COST = 0.3


def period_at(periods, place):
    return float(np.interp(place, np.arange(len(periods)), periods))


def next_step(guide, mark, direction, period):
    """Return the signed distance to the next mark, by comparing each lag in full."""
    centre, half = math.floor(mark + 0.5), max(2, math.floor(0.5 * period + 0.5))
    lags = direction * np.arange(math.ceil(0.8 * period), math.floor(1.2 * period) + 1)
    reach = half + math.floor(1.2 * period) + 2
    if lags.size == 0 or centre < reach or centre + reach >= guide.size:
        return direction * period
    own = guide[centre - half : centre + half + 1].astype(np.float64)

    def likeness(lag):
        other = guide[centre + lag - half : centre + lag + half + 1].astype(np.float64)
        return float(own @ other / (math.sqrt((own @ own) * (other @ other)) + 1e-12))

    strays = (lags - direction * period) / (0.2 * period)
    values = [likeness(lag) for lag in lags] - STRAY_COST * strays**2
    lag = int(lags[int(np.argmax(values))])
    left, here, right = likeness(lag - 1), likeness(lag), likeness(lag + 1)
    bend = left - 2 * here + right
    return lag + (min(max(0.5 * (left - right) / bend, -0.5), 0.5) if bend < 0 else 0.0)


def mark_periods(guide, start, stop, periods, first, hop):
    middle = 0.5 * (start + stop)
    period = period_at(periods, (middle - first) / hop)
    low = max(math.ceil(max(middle - 0.5 * period, start)), 0)
    high = min(math.floor(min(middle + 0.5 * period, stop)), guide.size - 1)
    best = low + int(np.argmax(np.abs(guide[low : high + 1])))
    marks = [float(best)]
    for direction in (-1, 1):
        mark = float(best)
        while True:
            mark += next_step(guide, mark, direction, period_at(periods, (mark - first) / hop))
            if not start <= mark <= stop:
                break
            marks.append(mark)
    return np.sort(marks)


def lay_marks(start, stop, periods, first, hop):
    marks, mark = [], start
    while mark <= stop:
        marks.append(mark)
        half = 0.5 * period_at(periods, (mark - first) / hop)
        mark += period_at(periods, (mark + half - first) / hop)
    return np.array(marks)


def overlap_add(samples, sources, targets, start, stop, table):
    """Return grains and rest, each grain as a function over the whole run."""
    origin, length = math.ceil(start), math.floor(stop) + 1 - math.ceil(start)
    places = origin + np.arange(length)
    grains, rest = np.zeros((samples.shape[0], length)), np.ones(length)
    gaps = np.diff(sources)
    taps = table.shape[1]
    padded = np.pad(samples.astype(np.float64), ((0, 0), (4_000, 4_000)))
    for number, target in enumerate(targets):
        source = int(np.argmin(np.abs(sources - target)))
        before = min(gaps[max(source - 1, 0)], target - start)
        after = min(gaps[min(source, gaps.size - 1)], stop - target)
        widths = np.where(places < target, before, after)
        offsets = places - target
        inside = (np.abs(offsets) <= widths) & (widths > 0)
        window = np.where(
            inside, 0.5 + 0.5 * np.cos(np.pi * offsets / np.maximum(widths, 1e-9)), 0.0
        )
        shift = sources[source] - target
        whole = math.floor(shift)
        row = table[math.floor((shift - whole) * (len(table) - 1) + 0.5)].astype(np.float64)
        at = places + whole + 4_000 - (taps // 2 - 1)
        read = sum(row[tap] * padded[:, at + tap] for tap in range(taps))
        grains += window * read
        if number == 0:
            rest[places < target] -= window[places < target]
            rest[places >= target] = 0.0
        if number == len(targets) - 1:
            rest[places >= target] = 1.0 - window[places >= target]
    return grains, rest


def follow_level(wanted, half, block, largest, passes, guide, sound):
    sound = sound.astype(np.float64)
    points = np.arange(math.ceil(wanted.size / block) + 1) * block

    def powers(samples):
        cuts = [samples[max(p - half, 0) : p + half].astype(np.float64) for p in points]
        return np.array([np.mean(cut**2) if cut.size else 0.0 for cut in cuts])

    goal, total = powers(wanted), np.ones(points.size)
    for _ in range(passes):
        found = powers(sound[guide])
        gain = np.sqrt(np.divide(goal, found, out=np.ones_like(goal), where=found > 1e-12))
        new = np.clip(total * gain, 1 / largest, largest)
        sound = sound * np.interp(np.arange(wanted.size), points, new / total)
        total = new
    return sound
