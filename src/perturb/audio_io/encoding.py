"""From samples to the bytes of a file.

WAV is written here rather than by libsndfile: the format is small, libsndfile stamps the time into
float files (its PEAK chunk), and the rounding is then ours to state. FLAC goes through libsndfile,
as integers rounded by the same rule.

The rule: ``round(x * 2 ** (bits - 1))``, halves to even, saturated at the ends of the range. No
dither. Integers of up to 24 bits that were read come back as they were, bit by bit.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import soundfile

from perturb.audio_io.output_format import FLAC_MAX_CHANNELS, OutputFormat
from perturb.errors import AudioError, ParameterError
from perturb.signal import FloatArray, Signal

__all__ = ["count_over_full_scale", "encode_audio", "quantise", "wave_header"]

_BLOCK_SAMPLES = 1 << 18
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
_SAMPLE_BYTES = {"PCM_16": 2, "PCM_24": 3, "PCM_32": 4, "FLOAT": 4, "DOUBLE": 8}
_RIFF_LIMIT_BYTES = 0xFFFFFFFF


def quantise(signal: Signal, output_format: OutputFormat) -> Signal:
    """Return the samples that a file of this form holds, without writing one.

    Parameters
    ----------
    signal : Signal
        Audio of any level.
    output_format : OutputFormat
        The form.

    Returns
    -------
    Signal
        Bit-equal to what `write_audio` writes and `read_audio` reads back. Beyond full scale,
        integer forms clip; `count_over_full_scale` counts the samples concerned.

    Examples
    --------
    >>> clip = Signal.from_array([0.5, 2.0, 1e-6], 16_000)
    >>> quantise(clip, OutputFormat(subtype="PCM_16")).samples
    array([[0.5      , 0.9999695, 0.       ]], dtype=float32)
    """
    bits = output_format.full_scale_bits
    if bits is None:
        return signal
    samples = np.empty_like(signal.samples)
    for start, stop in _blocks(signal):
        codes = _integers(signal.samples[:, start:stop], bits)
        # Adding zero turns -0.0 into the 0.0 that an integer reads back as.
        samples[:, start:stop] = codes * 2.0 ** (1 - bits) + 0.0
    return Signal.adopt(samples, signal.sample_rate_hz)


def count_over_full_scale(signal: Signal) -> int:
    """Return the number of samples whose magnitude is above 1.0.

    Integer PCM clips these. Samples within the last half step below +1.0 saturate as well, by less
    than one step; they are not counted.
    """
    blocks = (signal.samples[:, start:stop] for start, stop in _blocks(signal))
    return sum(int(np.count_nonzero(np.abs(block) > 1.0)) for block in blocks)


def encode_audio(signal: Signal, output_format: OutputFormat) -> Iterator[bytes]:
    """Yield the bytes of the file, a block at a time."""
    if output_format.container == "FLAC":
        yield _encode_flac(signal, output_format)
        return
    yield wave_header(
        output_format, signal.channel_count, signal.sample_rate_hz, signal.sample_count
    )
    for start, stop in _blocks(signal):
        yield _encode_block(signal.samples[:, start:stop], output_format)
    frame_bytes = signal.channel_count * _SAMPLE_BYTES[output_format.subtype]
    if signal.sample_count * frame_bytes % 2:
        yield b"\0"


def wave_header(
    output_format: OutputFormat, channel_count: int, sample_rate_hz: int, sample_count: int
) -> bytes:
    """Return everything that precedes the samples of a WAV file.

    RIFF, or RF64 where a size passes 32 bits (EBU Tech 3306). Float and extensible files carry the
    fact chunk that the format asks of them. No chunk holds a time or a program's name.
    """
    sample_bytes = _SAMPLE_BYTES[output_format.subtype]
    frame_bytes = channel_count * sample_bytes
    data_bytes = sample_count * frame_bytes
    tag = _FLOAT if output_format.full_scale_bits is None else _PCM
    is_extensible = output_format.container == "WAVEX"
    layout = struct.pack(
        "<HHIIHH",
        _EXTENSIBLE if is_extensible else tag,
        channel_count,
        sample_rate_hz,
        sample_rate_hz * frame_bytes,
        frame_bytes,
        8 * sample_bytes,
    )
    if is_extensible:
        mask = output_format.channel_mask
        if mask.bit_count() > channel_count:
            mask = 0  # more speakers than channels: an edit has dropped some
        layout += struct.pack("<HHIH", 22, 8 * sample_bytes, mask, tag) + _SUBFORMAT_TAIL
    elif tag == _FLOAT:
        layout += struct.pack("<H", 0)
    chunks = _chunk(b"fmt ", layout)
    if is_extensible or tag == _FLOAT:
        chunks += _chunk(b"fact", struct.pack("<I", min(sample_count, 0xFFFFFFFF)))
    body_bytes = 4 + len(chunks) + 8 + data_bytes + data_bytes % 2
    if body_bytes <= _RIFF_LIMIT_BYTES:
        head = struct.pack("<4sI4s", b"RIFF", body_bytes, b"WAVE")
        return head + chunks + struct.pack("<4sI", b"data", data_bytes)
    body_bytes += 36
    head = struct.pack("<4sI4s", b"RF64", 0xFFFFFFFF, b"WAVE")
    sizes = struct.pack("<QQQI", body_bytes, data_bytes, sample_count, 0)
    return head + _chunk(b"ds64", sizes) + chunks + struct.pack("<4sI", b"data", 0xFFFFFFFF)


def _blocks(signal: Signal) -> Iterator[tuple[int, int]]:
    step = max(1, _BLOCK_SAMPLES // signal.channel_count)
    for start in range(0, signal.sample_count, step):
        yield start, min(start + step, signal.sample_count)


def _integers(block: FloatArray, bits: int) -> npt.NDArray[np.float64]:
    full_scale = 2.0 ** (bits - 1)
    rounded = np.rint(block.astype(np.float64) * full_scale)
    np.clip(rounded, -full_scale, full_scale - 1.0, out=rounded)
    rounded += 0.0  # integers have no negative zero
    return rounded


def _encode_block(block: FloatArray, output_format: OutputFormat) -> bytes:
    bits = output_format.full_scale_bits
    if bits is None:
        return block.T.astype("<f4" if output_format.subtype == "FLOAT" else "<f8").tobytes()
    codes = np.ascontiguousarray(_integers(block, bits).T)
    if bits == 24:
        return codes.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return codes.astype("<i2" if bits == 16 else "<i4").tobytes()


def _encode_flac(signal: Signal, output_format: OutputFormat) -> bytes:
    # Into memory first: libsndfile does not report a full disk reliably.
    if signal.channel_count > FLAC_MAX_CHANNELS:
        raise ParameterError(
            f"{signal.channel_count} channels; accepted in FLAC: 1 to {FLAC_MAX_CHANNELS}"
        )
    bits = output_format.full_scale_bits or 24
    buffer = io.BytesIO()
    try:
        with soundfile.SoundFile(
            buffer,
            "w",
            samplerate=signal.sample_rate_hz,
            channels=signal.channel_count,
            format="FLAC",
            subtype=output_format.subtype,
        ) as stream:
            for start, stop in _blocks(signal):
                codes = _integers(signal.samples[:, start:stop], bits).T
                # libsndfile takes the upper bits of an int32, unrounded.
                stream.write(codes.astype(np.int32, order="C") << (32 - bits))
    except soundfile.SoundFileError as error:
        raise AudioError(f"cannot encode as FLAC: {error}") from error
    return buffer.getvalue()


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack("<4sI", name, len(content)) + content
