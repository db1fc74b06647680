"""Excitation of a synthetic voice: pulses at a given F0, noise where there is none.

A pulse is a response tabulated at 32 fractional delays, so that a period need not be a whole
number of samples; the nearest delay is off by 1/64 sample at most.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from perturb.kernels._jit import kernel

__all__ = ["PHASES", "add_noise", "add_pulses", "place_pulses"]

PHASES = 32
"""Fractional delays per sample in a pulse table."""


@kernel
def place_pulses(
    f0_hz: npt.NDArray[np.float32],
    first_time_s: float,
    hop_s: float,
    times_out: npt.NDArray[np.float64],
    pitch_out: npt.NDArray[np.float64],
) -> int:
    """Write one pulse time per period of F0 and return how many.

    F0 is linear between the frames of a voiced run, and constant in the half hop before its
    first and after its last; each run starts with a pulse. Per half hop the phase is a parabola
    in time, so the moments at which it is whole are found exactly, whatever the sampling rate.

    Parameters
    ----------
    f0_hz : ndarray of float32, shape (frames,)
        F0 in Hz, 0 = unvoiced.
    first_time_s, hop_s : float
        Time of the first frame and distance between frames, in seconds.
    times_out, pitch_out : ndarray of float64, shape (capacity,)
        Receive the pulse times in seconds and the F0 in Hz there; what exceeds the capacity is
        dropped. ``frames * (1 + hop_s * max(f0_hz))`` is enough.
    """
    count = 0
    half_s = 0.5 * hop_s
    cycles_left = 0.0
    for frame in range(f0_hz.size):
        here_hz = float(f0_hz[frame])
        if here_hz <= 0.0:
            continue
        before_hz = float(f0_hz[frame - 1]) if frame > 0 else 0.0
        after_hz = float(f0_hz[frame + 1]) if frame + 1 < f0_hz.size else 0.0
        if before_hz <= 0.0:
            cycles_left = 0.0
        for half in range(2):
            start_hz = here_hz
            stop_hz = here_hz
            start_s = first_time_s + frame * hop_s
            if half == 0:
                start_s -= half_s
                if before_hz > 0.0:
                    start_hz = 0.5 * (before_hz + here_hz)
            elif after_hz > 0.0:
                stop_hz = 0.5 * (here_hz + after_hz)
            slope = (stop_hz - start_hz) / half_s
            cycles = 0.5 * (start_hz + stop_hz) * half_s
            while cycles_left < cycles:
                root = math.sqrt(start_hz * start_hz + 2.0 * slope * cycles_left)
                delay_s = 2.0 * cycles_left / (start_hz + root)
                if count < times_out.size:
                    times_out[count] = start_s + delay_s
                    pitch_out[count] = root
                    count += 1
                cycles_left += 1.0
            cycles_left -= cycles
    return count


@kernel
def add_pulses(
    times_s: npt.NDArray[np.float64],
    gains: npt.NDArray[np.float64],
    table: npt.NDArray[np.float32],
    centre: int,
    sample_rate_hz: float,
    inout: npt.NDArray[np.float32],
) -> None:
    """Add `gains` times the tabulated response at each of `times_s`.

    Row p of `table`, shape (PHASES, length), is the response delayed by p / PHASES samples, its
    time zero at index `centre`. What falls outside `inout` is cut off.
    """
    phases, length = table.shape
    for pulse in range(times_s.size):
        ticks = math.floor(times_s[pulse] * sample_rate_hz * phases + 0.5)
        start = ticks // phases - centre
        row = table[ticks % phases]
        gain = np.float32(gains[pulse])
        for index in range(max(0, -start), min(length, inout.size - start)):
            inout[start + index] += gain * row[index]


@kernel
def add_noise(
    noise: npt.NDArray[np.float32],
    f0_hz: npt.NDArray[np.float32],
    first_time_s: float,
    hop_s: float,
    fade_s: float,
    voiced_gain: float,
    start: int,
    sample_rate_hz: float,
    inout: npt.NDArray[np.float32],
) -> None:
    """Add `noise`, weighted by voicing, to the samples from `start` on.

    The weight is 1 in unvoiced and `voiced_gain` in voiced stretches. A frame speaks for half a
    hop on either side; before the first and after the last frame all is unvoiced. Between the
    two, power crosses over evenly within `fade_s` (at most a hop), centred on the boundary.
    """
    voiced_power = voiced_gain * voiced_gain
    index = 0
    while index < noise.size:
        # Samples up to half-way between this frame boundary and the next share its two sides.
        time_s = (start + index) / sample_rate_hz - first_time_s
        boundary = math.floor(time_s / hop_s + 1.0)
        boundary_s = (boundary - 0.5) * hop_s
        stop = math.ceil((first_time_s + boundary * hop_s) * sample_rate_hz) - start
        stop = min(max(stop, index + 1), noise.size)
        left = 0 < boundary <= f0_hz.size and f0_hz[boundary - 1] > 0.0
        right = 0 <= boundary < f0_hz.size and f0_hz[boundary] > 0.0
        if left == right:
            gain = np.float32(voiced_gain if left else 1.0)
            for place in range(index, stop):
                inout[start + place] += gain * noise[place]
        else:
            for place in range(index, stop):
                time_s = (start + place) / sample_rate_hz - first_time_s
                done = min(max((time_s - boundary_s) / fade_s + 0.5, 0.0), 1.0)
                voiced = 0.5 - 0.5 * math.cos(math.pi * (done if right else 1.0 - done))
                power = 1.0 + voiced * (voiced_power - 1.0)
                inout[start + place] += np.float32(math.sqrt(power)) * noise[place]
        index = stop
