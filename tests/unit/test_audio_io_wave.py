"""WAVE files built byte by byte: what is read, what is noted, what is refused."""

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from perturb.audio_io import read_audio, read_info
from perturb.errors import AudioError

CODES = np.random.default_rng(5).integers(-30_000, 30_000, 800).astype(np.int16)
DATA = CODES.astype("<i2").tobytes()
EXPECTED = (CODES / 32_768.0).astype(np.float32)[np.newaxis]
PCM_MONO = (1, 1, 16_000, 32_000, 2, 16)
LIST = b"LIST" + struct.pack("<I", 5) + b"INFOx" + b"\0"


def chunk(name, content, size=None, order="<"):
    size = len(content) if size is None else size
    return name + struct.pack(order + "I", size) + content + b"\0" * (len(content) % 2)


def wave(
    data=DATA, *, size=None, fmt=PCM_MONO, riff=None, before=b"", after=b"", magic=b"RIFF", pad=True
):
    order = ">" if magic == b"RIFX" else "<"
    if isinstance(fmt, tuple):
        fmt = struct.pack(order + "HHIIHH", *fmt)
    audio = chunk(b"data", data, size, order)
    if not pad and len(data) % 2:
        audio = audio[:-1]
    body = b"WAVE" + chunk(b"fmt ", fmt, order=order) + before + audio + after
    return magic + struct.pack(order + "I", len(body) if riff is None else riff) + body


def extensible(tag, channels, bits, mask, rate_hz=16_000):
    align = channels * bits // 8
    head = struct.pack("<HHIIHH", 0xFFFE, channels, rate_hz, rate_hz * align, align, bits)
    guid = struct.pack("<H", tag) + bytes.fromhex("000000001000800000aa00389b71")
    return head + struct.pack("<HHI", 22, bits, mask) + guid


@pytest.fixture
def put(tmp_path):
    def write(content, name="x.wav"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_plain_file_is_read_to_the_bit(put):
    file = read_audio(put(wave()))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert (file.container, file.subtype, file.notes) == ("WAV", "PCM_16", ())
    assert (file.signal.sample_rate_hz, file.channel_mask) == (16_000, None)


@pytest.mark.parametrize(
    ("content", "container"),
    [
        (wave(before=LIST), "WAV"),
        (wave(after=LIST), "WAV"),
        (wave(before=LIST + LIST, after=LIST + LIST), "WAV"),
        (wave(after=LIST[:-1]), "WAV"),
        (wave(fmt=struct.pack("<HHIIHHH", *PCM_MONO, 0)), "WAV"),
        (wave(fmt=extensible(1, 1, 16, 4)), "WAVEX"),
    ],
    ids=["LIST first", "LIST last", "odd chunks", "last pad missing", "18-byte fmt", "extensible"],
)
def test_chunk_order_and_padding_do_not_matter(put, content, container):
    file = read_audio(put(content))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert (file.container, file.notes) == (container, ())


def test_extensible_keeps_its_speaker_positions(put):
    stereo = wave(fmt=extensible(1, 2, 16, 0x30))
    file = read_audio(put(stereo))
    assert file.channel_mask == 0x30
    assert np.array_equal(file.signal.samples, EXPECTED.reshape(-1, 2).T)


def test_big_endian_riff(put):
    file = read_audio(put(wave(CODES.astype(">i2").tobytes(), magic=b"RIFX")))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert file.notes == ("big-endian (RIFX)",)


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFF000, 0x80000000])
def test_size_written_by_a_streaming_program_is_read_and_noted(put, size):
    file = read_audio(put(wave(size=size, riff=size)))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert file.notes == (
        f"header declared {size:#x} bytes of audio; all 1600 bytes that follow are read",
    )


def test_sox_rounds_its_streaming_size_to_whole_frames(put):
    fmt = (1, 3, 16_000, 16_000 * 9, 9, 24)
    data = bytes(range(90))
    file = read_audio(put(wave(data, size=0x7FFFF000 // 9 * 9, fmt=fmt)))
    assert file.signal.samples.shape == (3, 10)


def test_size_zero_of_an_a_law_file(put):
    data = bytes(range(256))
    whole = read_audio(put(wave(data, fmt=(6, 1, 8_000, 8_000, 1, 8))))
    open_ended = read_audio(put(wave(data, size=0, fmt=(6, 1, 8_000, 8_000, 1, 8))))
    assert open_ended.signal.is_equal(whole.signal)
    assert whole.subtype == "ALAW"


@pytest.mark.parametrize("after", [b"", LIST, LIST + LIST[:-1]])
def test_no_audio_is_empty_even_before_other_chunks(put, after):
    path = put(wave(b"", after=after))
    with pytest.raises(AudioError, match=r"x\.wav: the audio is empty: 0 frames"):
        read_audio(path)


@pytest.mark.parametrize("keep", [0.5, 0.9, 0.999])
def test_cut_file_is_truncated(put, keep):
    content = wave()
    path = put(content[: int(len(content) * keep)])
    with pytest.raises(
        AudioError, match=r"truncated: the header declares 1600 bytes of audio, \d+ are"
    ):
        read_audio(path)
    with pytest.raises(AudioError, match="truncated"):
        read_info(path)


def test_every_cut_of_every_length_is_refused(put):
    content = wave(DATA[:40], before=LIST)
    for length in range(len(content)):
        with pytest.raises(AudioError, match=r"x\.wav: "):
            read_audio(put(content[:length]))


def test_cut_behind_the_audio_costs_nothing(put):
    file = read_audio(put(wave(after=LIST + LIST)[:-4]))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert "chunk 'LIST' after the audio is cut" in file.notes


def test_bytes_behind_the_audio_are_noted(put):
    file = read_audio(put(wave(after=b"\x00\x01\x02\x03" * 5)))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert file.notes == ("20 bytes after the audio are no chunk; ignored",)


def test_part_of_a_frame_is_noted(put):
    file = read_audio(put(wave(DATA[:-1])))
    assert np.array_equal(file.signal.samples, EXPECTED[:, :-1])
    assert file.notes == ("the last 1 bytes of the audio are no whole frame; ignored",)


@pytest.mark.parametrize(
    ("fmt", "message"),
    [
        ((1, 0, 16_000, 32_000, 2, 16), "0 channels"),
        ((1, 1, 0, 32_000, 2, 16), "a rate of 0 Hz"),
        ((1, 2, 16_000, 32_000, 2, 16), "2 channels of 16 bits in frames of 2 bytes"),
        ((1, 1, 16_000, 32_000, 2, 24), "1 channels of 24 bits in frames of 2 bytes"),
        ((1, 1, 16_000, 32_000, 0, 16), "1 channels of 16 bits in frames of 0 bytes"),
        ((1, 1, 16_000, 32_000, 2, 0), "0 bits per sample"),
        ((3, 1, 16_000, 32_000, 2, 16), "16 bits per sample"),
        ((1, 1, 16_000, 88_200, 2, 16), "make 32000 bytes per second, not 88200"),
        ((6, 2, 8_000, 8_000, 1, 8), "2 channels of 8 bits in frames of 1 bytes"),
        (b"\x01\x00\x01\x00", "a format chunk of 4 bytes, at least 16"),
    ],
)
def test_contradictory_format_is_refused(put, fmt, message):
    with pytest.raises(AudioError, match=rf"x\.wav: contradictory header: .*{message}"):
        read_audio(put(wave(fmt=fmt)))


def test_byte_rate_zero_is_noted(put):
    file = read_audio(put(wave(fmt=(1, 1, 16_000, 0, 2, 16))))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert file.notes == ("header declared 0 bytes per second",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (wave(after=chunk(b"data", DATA)), "two data chunks"),
        (wave(before=chunk(b"fmt ", struct.pack("<HHIIHH", *PCM_MONO))), "two format chunks"),
        (b"RIFF\x04\0\0\0WAVE", "no format chunk"),
        (b"RIFF\x04\0\0\0AVI ", "the form 'AVI ', not WAVE"),
        (wave(fmt=(1, 1, 4_000, 8_000, 2, 16)), "4000 Hz; accepted: 8000 to 192000 Hz"),
        (wave(fmt=(1, 1, 384_000, 768_000, 2, 16)), "384000 Hz"),
        (wave(fmt=(1, 65, 8_000, 8_000 * 130, 130, 16)), "65 channels; accepted: 1 to 64"),
        (wave(b"\0" * 10, fmt=(1, 8, 8_000, 128_000, 16, 16)), "the audio is empty"),
    ],
)
def test_other_faults_are_named(put, content, message):
    with pytest.raises(AudioError, match=rf"x\.wav: .*{message}"):
        read_audio(put(content))


@pytest.mark.parametrize(
    ("subtype", "fmt", "data", "expected"),
    [
        ("PCM_U8", (1, 1, 8_000, 8_000, 1, 8), bytes([0, 128, 255]), [-1.0, 0.0, 127 / 128]),
        (
            "ALAW",
            (6, 1, 8_000, 8_000, 1, 8),
            b"\xd5\x55\xaa",
            [8 / 32768, -8 / 32768, 32256 / 32768],
        ),
        ("ULAW", (7, 1, 8_000, 8_000, 1, 8), b"\xff\x00\x80", [0.0, -32124 / 32768, 32124 / 32768]),
        ("PCM_24", (1, 1, 8_000, 24_000, 3, 24), b"\x01\0\0\0\0\x80", [2.0**-23, -1.0]),
        ("PCM_24", (1, 1, 8_000, 24_000, 3, 20), b"\x10\0\0\0\0\x80", [2.0**-19, -1.0]),
        ("PCM_32", (1, 1, 8_000, 32_000, 4, 32), b"\0\x01\0\0\0\0\0\x80", [2.0**-23, -1.0]),
        ("FLOAT", (3, 1, 8_000, 32_000, 4, 32), struct.pack("<2f", 0.1, -2), [0.1, -2.0]),
        ("DOUBLE", (3, 1, 8_000, 64_000, 8, 64), struct.pack("<2d", 0.5, -2), [0.5, -2.0]),
    ],
)
def test_each_coding_is_read_at_its_scale(put, subtype, fmt, data, expected):
    file = read_audio(put(wave(data, fmt=fmt)))
    assert file.subtype == subtype
    assert np.array_equal(file.signal.samples[0], np.float32(expected))


def test_precision_that_float32_cannot_hold_is_counted(put):
    fmt = (1, 1, 8_000, 32_000, 4, 32)
    codes = np.array([1, 2**24, 2**24 + 1, 2**31 - 1], dtype="<i4")
    file = read_audio(put(wave(codes.tobytes(), fmt=fmt)))
    assert file.notes == ("PCM_32 source: 2 samples were rounded to float32, which keeps 24 bits",)
    doubles = struct.pack("<3d", 0.1, 0.5, 1 / 3)
    file = read_audio(put(wave(doubles, fmt=(3, 1, 8_000, 64_000, 8, 64))))
    assert file.notes == ("DOUBLE source: 2 samples were rounded to float32, which keeps 24 bits",)


def test_samples_above_full_scale_are_kept_and_counted(put):
    data = struct.pack("<4f", 1.0, -1.0, 1.5, -2.5)
    file = read_audio(put(wave(data, fmt=(3, 1, 8_000, 32_000, 4, 32))))
    assert file.signal.samples.tolist() == [[1.0, -1.0, 1.5, -2.5]]
    assert file.notes == ("2 samples above full scale, peak 2.5",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "sample 70000 of channel 1 is not finite"),
        (np.inf, "not finite"),
        (1e29, r"beyond \+60 dBFS"),
    ],
)
@pytest.mark.parametrize("width", ["<f4", "<f8"])
def test_bad_sample_is_refused_with_its_position(put, value, message, width):
    samples = np.zeros((70_010, 2), dtype=width)
    samples[70_000, 1] = value
    size = np.dtype(width).itemsize
    fmt = (3, 2, 16_000, 32_000 * size, 2 * size, 8 * size)
    with pytest.raises(AudioError, match=rf"x\.wav: sample 70000 of channel 1 .*{message[-10:]}"):
        read_audio(put(wave(samples.tobytes(), fmt=fmt)))


@pytest.mark.parametrize("bits", [struct.pack("<d", 1e300), struct.pack("<Q", 0x7FF0 << 48 | 1)])
def test_double_that_float32_cannot_hold_is_refused(put, bits):
    data = bytes(8) + bits
    with pytest.raises(AudioError, match="sample 1 of channel 0 is not finite"):
        read_audio(put(wave(data, fmt=(3, 1, 8_000, 64_000, 8, 64))))


def rf64(data_size, data=DATA, field=0xFFFFFFFF):
    ds64 = struct.pack("<QQQI", 0, data_size, len(data) // 2, 0)
    audio = b"data" + struct.pack("<I", field) + data
    body = (
        b"WAVE" + chunk(b"ds64", ds64) + chunk(b"fmt ", struct.pack("<HHIIHH", *PCM_MONO)) + audio
    )
    return b"RF64" + struct.pack("<I", 0xFFFFFFFF) + body


@pytest.mark.parametrize("size", [1600, 0, 2**64 - 1])
def test_rf64_with_and_without_its_size(put, size):
    file = read_audio(put(rf64(size)))
    assert np.array_equal(file.signal.samples, EXPECTED)
    assert file.container == "RF64"
    assert len(file.notes) == (size != 1600)


def test_rf64_that_claims_billions_of_frames_is_truncated(put):
    path = put(rf64(2**50))
    with pytest.raises(AudioError, match=f"truncated: the header declares {2**50} bytes of audio"):
        read_audio(path)


def test_size_that_wrapped_at_4_gb_is_refused(tmp_path):
    path = tmp_path / "x.wav"
    path.write_bytes(wave(after=bytes(8)))
    with path.open("r+b") as file:
        file.truncate(2**32 + 10_000)  # sparse: takes no room
    with pytest.raises(AudioError, match="the size field wrapped at 4 GB"):
        read_audio(path)


def test_wave64(put, tmp_path):
    path = tmp_path / "x.w64"
    soundfile.write(path, CODES, 16_000, format="W64", subtype="PCM_16")
    file = read_audio(path)
    assert (file.container, file.notes) == ("W64", ())
    assert np.array_equal(file.signal.samples, EXPECTED)
    content = path.read_bytes()
    with pytest.raises(AudioError, match="truncated: the header declares 1600 bytes of audio"):
        read_audio(put(content[:1000]))


@pytest.mark.parametrize("subtype", ["MS_ADPCM", "IMA_ADPCM", "GSM610"])
def test_compressed_wave_is_read_whole_or_refused(put, tmp_path, subtype):
    path = tmp_path / "x.wav"
    soundfile.write(path, np.tile(CODES, 20), 16_000, subtype=subtype)
    file = read_audio(path)
    assert file.subtype == subtype
    assert 0 <= file.signal.sample_count - 16_000 < 1_100  # whole blocks
    content = path.read_bytes()
    with pytest.raises(AudioError, match="truncated: the header declares"):
        read_audio(put(content[: len(content) // 2]))


def test_info_agrees_with_the_audio_without_decoding(put):
    path = put(wave())
    info = read_info(path)
    assert (info.container, info.subtype, info.sample_rate_hz) == ("WAV", "PCM_16", 16_000)
    assert (info.channel_count, info.declared_frames) == (1, 800)
    assert info.file_size_bytes == Path(path).stat().st_size
