"""The tempo engines of others: Signalsmith Stretch and Rubber Band, asked in a way that is safe.

Both are handed the span with 100 ms of the recording on either side, equal channels only once, and
what comes back is cut to the exact length and joined to the recording over 10 ms inside the span.

Rubber Band runs as a program, through pyrubberband. That package writes 16-bit files, in which
quiet material collapses; the program itself clips at full scale, and hangs on an empty file. So the
files of our own copy of its module are float and lie in a folder that goes when the work is done,
the peak is brought under full scale first by a power of two, the child has a time limit, too short
a span never reaches it, and a result cut short by a full disk is refused.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import re
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from perturb.errors import AudioError, OutputError, ParameterError
from perturb.kernels.joins import join_into, join_lengths
from perturb.measure.level import sample_peak
from perturb.signal import FloatArray

__all__ = ["ForeignEngine", "check_engine", "stretch_with"]

ForeignEngine = Literal["spectral", "rubberband"]

_CONTEXT_S = 0.1
_SEED = 1
_LEAST_RUBBERBAND_VERSION = 3
_CHECK_TIMEOUT_S = 10.0
_CHILD_TIMEOUT_S = 30.0
"""And one more for each second that goes in or comes out."""

_SHORTFALL_S = 0.01
"""How much less than asked for is no sign of a full disk: the program keeps to the sample."""

_LARGEST_SHAM_RATE = 1.25
"""Further there, the way back would cost words that the probe does not cost."""

_TEMPORARY_FILES = "speed: rubberband's temporary files"
_MAKE_ROOM = "make room, name another folder by TMPDIR, or use engine='wsola'"

_PEAK = 0.5
"""Room for what an engine adds to a peak."""


def check_engine(engine: ForeignEngine) -> str:
    """Return name and version of an engine, or say how to get it.

    Raises
    ------
    ParameterError
        A package or program is missing, or too old.
    """
    return _check_spectral() if engine == "spectral" else _check_rubberband()


def stretch_with(
    engine: ForeignEngine,
    samples: FloatArray,
    sample_rate_hz: int,
    start: int,
    stop: int,
    target_length: int,
    *,
    is_sham: bool = False,
) -> tuple[FloatArray, int]:
    """Play a span at another rate with one of the engines.

    The sham is played at the rate, 1.25 or 0.8 at most, and then back: it has been through the
    engine twice and is as long as before. At a rate of 1 these engines do next to nothing.

    Parameters
    ----------
    engine : {'spectral', 'rubberband'}
        Which one.
    samples : ndarray of float32, shape (channels, n)
        The whole recording.
    sample_rate_hz : int
        Sampling rate in Hz.
    start, stop : int
        The span, in samples.
    target_length : int
        Samples of the span at its new rate.
    is_sham : bool
        Whether to play it there and back.

    Returns
    -------
    FloatArray
        Shape (channels, target_length), of the sham (channels, stop - start), joined to the
        recording before and after the span.
    int
        Samples that the engine gave too many (or, negative, too few, filled with zeros).

    Raises
    ------
    ParameterError
        The engine is missing.
    AudioError
        It failed, or took longer than its time limit.
    """
    check_engine(engine)
    rate = (stop - start) / target_length
    context = round(_CONTEXT_S * sample_rate_hz)
    first = max(0, start - context)
    chunk = samples[:, first : stop + context]
    distinct, which = _distinct_channels(chunk)
    run = _run_spectral if engine == "spectral" else _run_rubberband
    if is_sham:
        rate = min(max(rate, 1.0 / _LARGEST_SHAM_RATE), _LARGEST_SHAM_RATE)
        distinct = np.ascontiguousarray(run(distinct, sample_rate_hz, rate))
        rate = distinct.shape[1] / chunk.shape[1]
    played = run(distinct, sample_rate_hz, rate)
    if is_sham:
        rate, target_length = 1.0, stop - start
    wanted = math.floor(chunk.shape[1] / rate + 0.5)
    surplus = played.shape[1] - wanted
    lead = math.floor((start - first) / rate + 0.5)
    out = np.zeros((samples.shape[0], target_length), dtype=np.float32)
    part = played[which, lead : lead + target_length]
    out[:, : part.shape[1]] = part
    _join(out, samples, sample_rate_hz, start, stop)
    return out, surplus


def _join(out: FloatArray, samples: FloatArray, sample_rate_hz: int, start: int, stop: int) -> None:
    """Cross over from the recording to the edit and back, inside the edit."""
    # The edges that a span of the edit's length would have: none where the clip itself ends.
    length = out.shape[1]
    after = samples.shape[1] - stop
    rising, falling = join_lengths(start, start + length, start + length + after, sample_rate_hz)
    edited = out.copy()
    out[:, :rising] = samples[:, start : start + rising]
    out[:, length - falling :] = samples[:, stop - falling : stop]
    join_into(edited, 0, rising, falling, out)


def _distinct_channels(samples: FloatArray) -> tuple[FloatArray, list[int]]:
    """Return the channels that differ, and which of them each channel is."""
    kept: list[int] = []
    which = []
    for index, channel in enumerate(samples):
        same = [place for place, at in enumerate(kept) if np.array_equal(samples[at], channel)]
        which.append(same[0] if same else len(kept))
        if not same:
            kept.append(index)
    return samples[kept], which


@functools.cache
def _check_spectral() -> str:
    if importlib.util.find_spec("python_stretch") is None:
        raise ParameterError(
            "speed: engine='spectral' needs the package python-stretch; install it with "
            "pip install 'perturb-audio[spectral]', or use engine='wsola'"
        )
    return f"Signalsmith Stretch, python-stretch {version('python-stretch')}"


def _run_spectral(samples: FloatArray, sample_rate_hz: int, rate: float) -> FloatArray:
    from python_stretch.Signalsmith import Stretch

    engine = Stretch(_SEED)
    engine.preset(samples.shape[0], sample_rate_hz)
    engine.timeFactor = rate
    played: FloatArray = np.asarray(engine.process(np.ascontiguousarray(samples)))
    return played


@functools.cache
def _check_rubberband() -> str:
    if importlib.util.find_spec("pyrubberband") is None:
        raise ParameterError(
            "speed: engine='rubberband' needs the package pyrubberband; install it with "
            "pip install 'perturb-audio[rubberband]', or use engine='wsola'"
        )
    program = shutil.which("rubberband")
    way_out = (
        "install it (Debian and Ubuntu: apt-get install rubberband-cli; macOS: brew install "
        "rubberband), or use engine='wsola'"
    )
    if program is None:
        raise ParameterError(
            f"speed: engine='rubberband' needs the program rubberband, version "
            f"{_LEAST_RUBBERBAND_VERSION} or later, and it is not on the path; {way_out}"
        )
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_CHECK_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ParameterError(
            f"speed: the program {program} does not run ({error}); {way_out}"
        ) from None
    found = re.search(r"\d+(\.\d+)*", said.stdout + said.stderr)
    if found is None or int(found[0].split(".")[0]) < _LEAST_RUBBERBAND_VERSION:
        raise ParameterError(
            f"speed: the program {program} is version {found[0] if found else 'unknown'}; "
            f"accepted: {_LEAST_RUBBERBAND_VERSION} or later (the R3 engine); {way_out}"
        )
    _load_pyrubberband()
    return f"Rubber Band {found[0]} (R3), pyrubberband {version('pyrubberband')}"


@functools.cache
def _load_pyrubberband() -> Any:
    """Return a copy of pyrubberband's module that is ours alone, so that we may furnish it.

    It takes neither the form of its temporary files nor a time limit as an argument.
    """
    import soundfile

    spec = importlib.util.find_spec("pyrubberband.pyrb")
    if spec is None or spec.loader is None:
        raise ParameterError(
            f"speed: pyrubberband {version('pyrubberband')} is not understood; install 0.4, or "
            "use engine='wsola'"
        )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.sf = SimpleNamespace(  # type: ignore[attr-defined]
        write=_write_float, read=soundfile.read
    )
    return module


def _write_float(path: str, samples: FloatArray, sample_rate_hz: int) -> None:
    import soundfile

    try:
        soundfile.write(path, samples, sample_rate_hz, subtype="FLOAT")
    except (RuntimeError, OSError) as error:
        raise OutputError(f"{_TEMPORARY_FILES} cannot be written ({error}); {_MAKE_ROOM}") from None


def _run_rubberband(samples: FloatArray, sample_rate_hz: int, rate: float) -> FloatArray:
    count = samples.shape[1]
    wanted = math.floor(count / rate + 0.5)
    module = _load_pyrubberband()
    limit_s = _CHILD_TIMEOUT_S + (count + wanted) / sample_rate_hz
    module.subprocess = SimpleNamespace(
        check_call=functools.partial(subprocess.check_call, timeout=limit_s),
        DEVNULL=subprocess.DEVNULL,
    )
    peak = sample_peak(samples)
    # By its exponent: the factor itself is beyond single precision for the faintest clips.
    exponent = 0 if peak == 0.0 else math.floor(math.log2(_PEAK / peak))
    scaled = np.ascontiguousarray(np.ldexp(samples.T, exponent))
    try:
        with tempfile.TemporaryDirectory(prefix="perturb-") as folder:
            module.tempfile = SimpleNamespace(
                mkstemp=functools.partial(tempfile.mkstemp, dir=folder)
            )
            played = module.time_stretch(scaled, sample_rate_hz, rate, {"--fine": ""})
    except subprocess.TimeoutExpired:
        raise AudioError(
            f"rubberband had not finished {count} samples after {limit_s:.0f} s and was stopped; "
            "use engine='wsola'"
        ) from None
    except (subprocess.CalledProcessError, RuntimeError, OSError) as error:
        raise AudioError(f"rubberband failed: {error}; use engine='wsola'") from None
    if len(played) < wanted - _SHORTFALL_S * sample_rate_hz:
        raise OutputError(
            f"{_TEMPORARY_FILES} were cut short: {len(played)} of {wanted} samples; {_MAKE_ROOM}"
        )
    result: FloatArray = np.ascontiguousarray(np.ldexp(np.asarray(played).T, -exponent))
    return result
