"""Excitation of a synthetic voice: pulses at a given F0, noise elsewhere, through one response.

A pulse is a response (flat, or a neutral vowel) tabulated at 32 fractional delays, so that a
period need not be a whole number of samples; the nearest delay is off by 1/64 sample at most.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["PHASES", "add_pulses", "noise_gain", "place_pulses"]

PHASES = 32
"""Fractional delays per sample in a pulse table."""


@kernel
def place_pulses(
    f0_hz: npt.NDArray[np.float32],
    first_time_s: float,
    hop_s: float,
    times_out: npt.NDArray[np.float64],
    f0_out: npt.NDArray[np.float64],
) -> int:
    """Write one pulse time per period of F0 and return how many.

    F0 is linear between frames of a voiced run and constant in the half hop before the first and
    after the last; phase starts anew in each run. Per half hop, phase is a parabola in time, so
    its whole numbers are found exactly, whatever the sampling rate.

    Parameters
    ----------
    f0_hz : ndarray of float32, shape (frames,)
        F0 in Hz, 0 = unvoiced.
    first_time_s, hop_s : float
        Time of the first frame and distance between frames, in seconds.
    times_out, f0_out : ndarray of float64, shape (capacity,)
        Receive the pulse times in seconds and the F0 in Hz there. Capacity for
        ``frames * hop_s * max(f0_hz) + runs`` pulses; never written beyond.
    """
    count = 0
    until_next = 0.0
    half_s = 0.5 * hop_s
    for frame in range(f0_hz.size):
        here = float(f0_hz[frame])
        if here <= 0.0:
            continue
        before = float(f0_hz[frame - 1]) if frame > 0 else 0.0
        after = float(f0_hz[frame + 1]) if frame + 1 < f0_hz.size else 0.0
        if before <= 0.0:
            until_next = 0.0
        centre_s = first_time_s + frame * hop_s
        for part in range(2):
            if part == 0:
                start_hz = here if before <= 0.0 else 0.5 * (before + here)
                stop_hz = here
                start_s = centre_s - half_s
            else:
                start_hz = here
                stop_hz = here if after <= 0.0 else 0.5 * (here + after)
                start_s = centre_s
            slope = (stop_hz - start_hz) / half_s
            cycles = 0.5 * (start_hz + stop_hz) * half_s
            while until_next < cycles:
                root = math.sqrt(start_hz * start_hz + 2.0 * slope * until_next)
                delay_s = 2.0 * until_next / (start_hz + root)
                if count < times_out.size:
                    times_out[count] = start_s + delay_s
                    f0_out[count] = start_hz + slope * delay_s
                    count += 1
                until_next += 1.0
            until_next -= cycles
    return count


@kernel
def add_pulses(
    times_s: npt.NDArray[np.float64],
    gains: npt.NDArray[np.float64],
    table: npt.NDArray[np.float32],
    centre: int,
    sample_rate_hz: float,
    out_inout: npt.NDArray[np.float32],
) -> None:
    """Add `gains` times the tabulated response at each of `times_s`.

    Row p of `table` (shape (PHASES, length)) is the response delayed by p / PHASES samples, its
    time zero at index `centre`. What falls outside `out_inout` is cut off.
    """
    phases, length = table.shape
    for pulse in range(times_s.size):
        ticks = int(math.floor(times_s[pulse] * sample_rate_hz * phases + 0.5))
        start = ticks // phases - centre
        row = table[ticks % phases]
        gain = np.float32(gains[pulse])
        first = max(0, -start)
        last = min(length, out_inout.size - start)
        for index in range(first, last):
            out_inout[start + index] += gain * row[index]


@kernel
def noise_gain(
    f0_hz: npt.NDArray[np.float32],
    first_time_s: float,
    hop_s: float,
    sample_rate_hz: float,
    fade_s: float,
    start_sample: int,
    gain_out: npt.NDArray[np.float32],
) -> None:
    """Write the weight of noise, 1 in unvoiced and 0 in voiced stretches, from `start_sample` on.

    A frame is responsible for half a hop on either side; before the first and after the last
    frame nothing is voiced. Weights cross over within `fade_s`, centred on the boundary, as the
    square root of a raised cosine, so that power crosses over evenly.
    """
    for index in range(gain_out.size):
        time_s = (start_sample + index) / sample_rate_hz
        position = (time_s - first_time_s) / hop_s + 0.5
        boundary = int(math.floor(position + 0.5))
        left = 0 < boundary <= f0_hz.size and f0_hz[boundary - 1] > 0.0
        right = 0 <= boundary < f0_hz.size and f0_hz[boundary] > 0.0
        if left == right:
            gain_out[index] = 0.0 if left else 1.0
            continue
        done = (position - boundary) * hop_s / fade_s + 0.5
        done = min(max(done, 0.0), 1.0)
        if right:
            done = 1.0 - done
        gain_out[index] = math.sin(0.5 * math.pi * done)
