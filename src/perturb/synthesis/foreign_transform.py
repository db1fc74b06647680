"""Transforms of the audiomentations library, run in isolation and reproducibly.

That library draws from the global generators of `random` and `numpy.random` and keeps what it drew
on the transform. Here both generators are seeded for one run and put back bit for bit, and what was
drawn is handed out as plain values, from which the same transform can be run again.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perturb.errors import InapplicableError, ParameterError
from perturb.signal import FloatArray
from perturb.synthesis.foreign_library import EXTRA, find_transform, isolated_random

__all__ = ["ForeignResult", "make_transform", "run_transform"]


class ForeignResult(NamedTuple):
    """What a transform returned.

    Parameters
    ----------
    samples : ndarray of float32, shape (channels, samples)
        Possibly of another length.
    parameters : dict
        What it drew, as plain values.
    warnings : tuple of str
        What it warned of.
    """

    samples: FloatArray
    parameters: dict[str, Any]
    warnings: tuple[str, ...]


def make_transform(name: str, params: Mapping[str, Any]) -> Any:
    """Build a transform that always acts.

    Parameters
    ----------
    name, params
        As of `find_transform`.

    Raises
    ------
    ParameterError
        As by `find_transform`, or the constructor refuses a value.
    """
    kind, accepted = find_transform(name, params)
    with isolated_random(0), _one_line(f"{name}({', '.join(accepted)})"):
        return kind(**params, p=1.0)


def run_transform(
    transform: Any,
    samples: FloatArray,
    sample_rate_hz: int,
    seed: int,
    frozen: Mapping[str, Any],
) -> ForeignResult:
    """Run a transform once, or once more as it was run before.

    Parameters
    ----------
    transform : object
        From `make_transform`.
    samples : ndarray of float32, shape (channels, samples)
        Not written to.
    sample_rate_hz : int
        Sampling rate in Hz.
    seed : int
        Seed of everything that it draws, 0 to 2**32 - 1.
    frozen : mapping
        Parameters of an earlier run (`ForeignResult.parameters`); empty to draw them. What a
        transform draws while it acts (noise) comes from the seed in either case.

    Raises
    ------
    InapplicableError
        The transform raised: it cannot act on this audio.
    ParameterError
        It raised with parameters of an earlier run, or for want of a package; or it returned
        something that is not audio.
    """
    name = type(transform).__name__
    # A transform may write to what it is given, and a single channel is a plain row to it.
    given = np.array(samples[0] if samples.shape[0] == 1 else samples)
    if frozen:
        with _one_line(name):
            _freeze(transform, frozen)
    with isolated_random(seed), _one_line(name, of_clip=not frozen) as heard:
        result = np.asarray(transform(given, sample_rate_hz))
    parts = result[np.newaxis] if result.ndim == 1 else result
    if parts.ndim != 2 or parts.shape[0] != samples.shape[0] or parts.dtype.kind != "f":
        raise ParameterError(
            f"audiomentations: {name} returned {result.dtype} of shape {result.shape} for audio of "
            f"shape {given.shape}; accepted: floats with the same channels"
        )
    if not np.isfinite(parts).all():
        raise ParameterError(f"audiomentations: {name} returned samples that are not finite")
    # What a package says of its own imports it says once a process: no part of the result.
    said = tuple(
        dict.fromkeys(str(said.message) for said in heard if issubclass(said.category, UserWarning))
    )
    converted = np.ascontiguousarray(parts, dtype=np.float32)
    return ForeignResult(converted, _parameters_of(transform), said)


@contextlib.contextmanager
def _one_line(name: str, *, of_clip: bool = False) -> Iterator[list[warnings.WarningMessage]]:
    """Turn whatever the library raises into one line; keep its warnings and prints to ourselves."""
    with (
        warnings.catch_warnings(record=True) as heard,
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("always")
        try:
            yield heard
        except Exception as error:  # a foreign library raises what it likes
            first = next(iter(str(error).strip().splitlines()), "no reason given")
            said = f"audiomentations: {name} refused: {type(error).__name__}: {first}"
            if isinstance(error, ImportError):
                way_out = f"pip install 'perturb-audio[{EXTRA}]' brings what most transforms need"
                raise ParameterError(f"{said}; {way_out}") from error
            raise (InapplicableError if of_clip else ParameterError)(said) from error


def _nested(transform: Any) -> dict[str, Any]:
    """Return the transforms of which a transform is made, alone or in lists, by attribute."""
    from audiomentations.core.transforms_interface import BaseWaveformTransform

    found = {}
    for key, value in vars(transform).items():
        parts = value if isinstance(value, list) else [value]
        if parts and all(isinstance(part, BaseWaveformTransform) for part in parts):
            found[key] = value
    return found


def _parameters_of(transform: Any) -> dict[str, Any]:
    drawn = {
        key: _plain(value) for key, value in transform.parameters.items() if key != "should_apply"
    }
    for key, part in _nested(transform).items():
        is_list = isinstance(part, list)
        drawn[key] = [_parameters_of(each) for each in part] if is_list else _parameters_of(part)
    return drawn


def _freeze(transform: Any, frozen: Mapping[str, Any]) -> None:
    nested = _nested(transform)
    own = {key: value for key, value in frozen.items() if key not in nested}
    transform.parameters = {"should_apply": True, **own}
    transform.freeze_parameters()
    for key, part in nested.items():
        parts = part if isinstance(part, list) else [part]
        values = frozen.get(key, [] if isinstance(part, list) else {})
        values = values if isinstance(values, list) else [values]
        for each, value in zip(parts, values, strict=True):
            _freeze(each, value)


def _plain(value: Any) -> Any:
    """Return a drawn value as JSON can hold it."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Path):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
