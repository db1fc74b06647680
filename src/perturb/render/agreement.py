"""Agreement: whether what was found again is what was recorded. Pure comparisons, for `verify`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

import msgspec
import numpy as np

from perturb.audio_io import AudioFile, OutputFormat, count_over_full_scale
from perturb.audio_io.encoding import encode_audio
from perturb.operators.proof import Measured
from perturb.plan.trace import AudioRecord, Headroom, StepTrace
from perturb.signal import Signal

__all__ = [
    "differing_fields",
    "encoded_sha256",
    "headroom_agrees",
    "largest_difference",
    "lsb_of",
    "proof_differences",
    "record_of_reading",
    "record_of_writing",
]

_SAME_PLACE_TOLERANCE = 1e-6
"""Relative and absolute: rounding of the JSON text, nothing more."""

_ELSEWHERE_TOLERANCE = 1e-2
"""On other versions or another processor, where the audio itself may differ by 1 LSB."""


def record_of_reading(recorded: AudioRecord, found: AudioFile) -> AudioRecord:
    """Return what the record of audio that was read has to say, now that it is read again.

    Equal audio in another container is the same input: where the file is another, its form is not
    held against it.
    """
    again = msgspec.structs.replace(
        recorded,
        audio_sha256=found.signal.audio_sha256,
        sample_rate_hz=found.signal.sample_rate_hz,
        channels=found.signal.channel_count,
        samples=found.signal.sample_count,
        clipped_samples=0,
    )
    if found.file_sha256 == recorded.file_sha256:
        again = msgspec.structs.replace(
            again, container=found.container, subtype=found.subtype, notes=found.notes
        )
    return again


def record_of_writing(
    recorded: AudioRecord, rendered: Signal, written: Signal, file_format: OutputFormat
) -> AudioRecord:
    """Return what the record of a variant has to say of its form, its hashes aside."""
    is_integer = file_format.full_scale_bits is not None
    return msgspec.structs.replace(
        recorded,
        sample_rate_hz=written.sample_rate_hz,
        channels=written.channel_count,
        samples=written.sample_count,
        container=file_format.container,
        subtype=file_format.subtype,
        clipped_samples=count_over_full_scale(rendered) if is_integer else 0,
        notes=file_format.notes,
    )


def differing_fields(recorded: msgspec.Struct, found: msgspec.Struct) -> str:
    """Return the fields in which two records of a kind differ, with both values; '' for none."""
    pairs = (
        (name, getattr(recorded, name), getattr(found, name)) for name in recorded.__struct_fields__
    )
    return ", ".join(f"{name} {old}, found {new}" for name, old, new in pairs if old != new)


def encoded_sha256(signal: Signal, file_format: OutputFormat) -> str:
    """Return the hash of the file that `signal` is written to."""
    digest = hashlib.sha256()
    for block in encode_audio(signal, file_format):
        digest.update(block)
    return digest.hexdigest()


def headroom_agrees(recorded: Headroom, found: Headroom, *, is_same_place: bool) -> bool:
    """Whether a headroom is the recorded one; on another machine, its gain within one step."""
    if is_same_place:
        return recorded == found
    return abs(recorded.gain_db - found.gain_db) <= _ELSEWHERE_TOLERANCE + 1e-9


def largest_difference(left: Signal, right: Signal) -> float | None:
    """Return the largest difference of two samples, None where the shapes differ."""
    if left.samples.shape != right.samples.shape:
        return None
    return float(np.max(np.abs(left.samples - right.samples)))


def lsb_of(file_format: OutputFormat) -> float:
    """Return one step of a form; a float is allowed the step of 24 bits."""
    return 2.0 ** (1 - (file_format.full_scale_bits or 24))


def proof_differences(recorded: StepTrace, again: StepTrace, *, is_same_place: bool) -> list[str]:
    """Return what measuring again contradicts, a line each."""
    tolerance = _SAME_PLACE_TOLERANCE if is_same_place else _ELSEWHERE_TOLERANCE
    return [
        f"{_describe(old)}, measured again {_describe(new)}"
        for old, new in _paired(recorded.measured, again.measured)
        if old is None or new is None or not _agrees(old, new, tolerance)
    ]


def _paired(
    recorded: tuple[Measured, ...], again: tuple[Measured, ...]
) -> Iterator[tuple[Measured | None, Measured | None]]:
    """Pair proofs by what they measure and where."""
    old = {(proof.name, proof.span): proof for proof in recorded}
    new = {(proof.name, proof.span): proof for proof in again}
    for key in dict.fromkeys([*old, *new]):
        yield old.get(key), new.get(key)


def _agrees(old: Measured, new: Measured, tolerance: float) -> bool:
    if _terms(old) != _terms(new) or not _is_close(old.requested, new.requested, tolerance):
        return False
    if old.achieved is None or new.achieved is None:
        return old.achieved == new.achieved
    return old.verdict == new.verdict and _is_close(old.achieved, new.achieved, tolerance)


def _is_close(left: float, right: float, tolerance: float) -> bool:
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def _terms(proof: Measured) -> Measured:
    """Return the terms of a proof, leaving out the numbers."""
    return msgspec.structs.replace(proof, requested=0.0, achieved=0.0, reason=None, verdict=None)


def _describe(proof: Measured | None) -> str:
    if proof is None:
        return "not there"
    where = "" if proof.span is None else f" of span {proof.span + 1}"
    value = "undefined" if proof.achieved is None else f"{proof.achieved:.6g} {proof.unit}".strip()
    return f"{proof.name}{where} {value} ({proof.verdict})"
