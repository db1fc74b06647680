"""Writing: the form, the rounding, the bytes, and what is left behind when it fails."""

import errno
import hashlib
import io
import os
import random
import struct
import subprocess
import sys
import time

import numpy as np
import pytest
import soundfile

from perturb.audio_io import (
    OutputFormat,
    count_over_full_scale,
    file_sha256,
    output_format_for,
    prepare_audio,
    prepare_bytes,
    quantise,
    read_audio,
    write_audio,
    write_bytes_atomic,
    write_text_atomic,
)
from perturb.audio_io import encoding as encoding_module
from perturb.errors import AudioError, ParameterError
from perturb.signal import Signal

WAV_SUBTYPES = ["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]
FORMS = [
    *[OutputFormat(container="WAV", subtype=subtype) for subtype in WAV_SUBTYPES],
    *[OutputFormat(container="WAVEX", subtype=subtype) for subtype in WAV_SUBTYPES],
    OutputFormat(container="FLAC", subtype="PCM_16"),
    OutputFormat(container="FLAC", subtype="PCM_24"),
]


def name_of(form):
    return "x.flac" if form.container == "FLAC" else "x.wav"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def form_id(form):
    return f"{form.container}-{form.subtype}"


@pytest.fixture
def clip():
    samples = np.random.default_rng(2).uniform(-0.99, 0.99, (2, 1_001))
    return Signal.from_array(samples, 16_000, layout="channels_first")


# The form of the output


@pytest.mark.parametrize(
    ("container", "subtype", "wav", "flac"),
    [
        ("WAV", "PCM_16", "PCM_16", "PCM_16"),
        ("WAV", "PCM_24", "PCM_24", "PCM_24"),
        ("WAV", "PCM_32", "PCM_32", "PCM_24"),
        ("WAV", "FLOAT", "FLOAT", "PCM_24"),
        ("WAV", "DOUBLE", "DOUBLE", "PCM_24"),
        ("WAV", "PCM_U8", "PCM_16", "PCM_16"),
        ("WAV", "ALAW", "PCM_16", "PCM_16"),
        ("WAV", "ULAW", "PCM_16", "PCM_16"),
        ("WAV", "MS_ADPCM", "PCM_16", "PCM_16"),
        ("RF64", "PCM_16", "PCM_16", "PCM_16"),
        ("W64", "PCM_24", "PCM_24", "PCM_24"),
        ("AIFF", "PCM_24", "PCM_24", "PCM_24"),
        ("FLAC", "PCM_S8", "PCM_16", "PCM_16"),
        ("FLAC", "PCM_16", "PCM_16", "PCM_16"),
        ("FLAC", "PCM_24", "PCM_24", "PCM_24"),
        ("CAF", "ALAC_24", "PCM_24", "PCM_24"),
        ("OGG", "VORBIS", "PCM_16", "PCM_16"),
        ("OGG", "OPUS", "PCM_16", "PCM_16"),
        ("MP3", "MPEG_LAYER_III", "PCM_16", "PCM_16"),
    ],
)
def test_form_follows_the_source(tmp_path, container, subtype, wav, flac):
    path = tmp_path / "source"
    soundfile.write(path, np.zeros(16_000), 16_000, format=container, subtype=subtype)
    source = read_audio(path)
    form = output_format_for(source, ".wav")
    assert form.container == ("WAVEX" if container == "RF64" else "WAV")
    assert (form.subtype, form.notes) == (wav, ())
    form = output_format_for(source, ".FLAC")
    assert (form.container, form.subtype) == ("FLAC", flac)
    expected = (
        ()
        if subtype == flac or wav == flac
        else (f"FLAC holds no {subtype} samples: written as 24-bit",)
    )
    assert form.notes == expected


@pytest.mark.parametrize(
    ("container", "channels", "expected"),
    [
        ("WAV", 2, "WAV"),
        ("WAV", 4, "WAV"),
        ("WAVEX", 1, "WAVEX"),
        ("RF64", 4, "WAVEX"),  # libsndfile gives its RF64 files an extensible header
        ("FLAC", 2, "WAV"),
        ("FLAC", 4, "WAVEX"),
        ("AIFF", 4, "WAVEX"),
    ],
)
def test_header_keeps_its_kind(tmp_path, container, channels, expected):
    path = tmp_path / "source"
    soundfile.write(path, np.zeros((10, channels)), 16_000, format=container, subtype="PCM_16")
    source = read_audio(path)
    form = output_format_for(source, ".wav")
    assert form.container == expected
    written = write_audio(tmp_path / "x.wav", source.signal, form)
    assert soundfile.info(written.path).format == expected


def test_speaker_positions_survive(tmp_path):
    signal = Signal.from_array(np.zeros((4, 10)), 16_000, layout="channels_first")
    form = OutputFormat(container="WAVEX", channel_mask=0x33)
    write_audio(tmp_path / "a.wav", signal, form)
    again = output_format_for(read_audio(tmp_path / "a.wav"), ".wav")
    assert again == form
    write_audio(tmp_path / "b.wav", Signal.from_array(np.zeros(10), 16_000), form)
    assert read_audio(tmp_path / "b.wav").channel_mask == 0  # four speakers for one channel


def test_form_without_a_source():
    assert output_format_for(None, ".wav") == OutputFormat()
    assert output_format_for(None, ".wav", channel_count=3).container == "WAVEX"


@pytest.mark.parametrize("suffix", [".mp3", ".ogg", "", "wav", ".wave"])
def test_other_suffix_is_refused_with_those_that_fit(suffix):
    with pytest.raises(ParameterError, match=rf"suffix is '{suffix}'; accepted: \.wav, \.flac"):
        output_format_for(None, suffix)


def test_flac_takes_neither_floats_nor_many_channels(tmp_path):
    with pytest.raises(ParameterError, match="subtype is 'FLOAT'; accepted in FLAC"):
        OutputFormat(container="FLAC", subtype="FLOAT")
    with pytest.raises(ParameterError, match="9 channels; accepted in FLAC: 1 to 8"):
        output_format_for(None, ".flac", channel_count=9)
    signal = Signal.from_array(np.zeros((9, 10)), 16_000, layout="channels_first")
    with pytest.raises(ParameterError, match="9 channels; accepted in FLAC"):
        write_audio(tmp_path / "x.flac", signal, OutputFormat(container="FLAC"))
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "container"), [("x.flac", "WAV"), ("x.wav", "FLAC"), ("x", "WAV")]
)
def test_suffix_and_form_must_agree(tmp_path, clip, name, container):
    with pytest.raises(ParameterError, match=f"{container} is written under"):
        write_audio(tmp_path / name, clip, OutputFormat(container=container))


# Samples


@pytest.mark.parametrize("form", FORMS, ids=form_id)
def test_what_comes_back_is_what_the_file_holds(tmp_path, clip, form):
    path = tmp_path / name_of(form)
    written = write_audio(path, clip, form)
    again = read_audio(path)
    assert again.signal.is_equal(written.signal)
    assert quantise(clip, form).is_equal(written.signal)
    assert (again.container, again.subtype, again.notes) == (form.container, form.subtype, ())
    assert written.file_sha256 == again.file_sha256 == file_sha256(path)
    assert (written.path, written.output_format, written.clipped_samples) == (path, form, 0)
    assert names_in(tmp_path) == [path.name]
    step = {"PCM_16": 2.0**-15, "PCM_24": 2.0**-23, "PCM_32": 2.0**-31}.get(form.subtype, 0.0)
    error = np.abs(written.signal.samples - clip.samples.astype(np.float64)).max()
    assert error <= step / 2 + 2.0**-60
    foreign, _ = soundfile.read(path, dtype="float32")
    assert np.array_equal(foreign.T, written.signal.samples)


@pytest.mark.parametrize("container", ["WAV", "FLAC"])
def test_every_16_bit_code_survives(tmp_path, container):
    codes = np.arange(-32_768, 32_768).astype(np.int16)
    form = OutputFormat(container=container, subtype="PCM_16")
    path = tmp_path / name_of(form)
    written = write_audio(path, Signal.from_array(codes, 16_000), form)
    assert np.array_equal(soundfile.read(path, dtype="int16")[0], codes)
    assert written.clipped_samples == 0


@pytest.mark.parametrize("container", ["WAV", "FLAC"])
def test_24_bit_codes_survive(tmp_path, container):
    ends = [-(2**23), -(2**23) + 1, -1, 0, 1, 2**23 - 2, 2**23 - 1]
    codes = np.r_[ends, np.random.default_rng(1).integers(-(2**23), 2**23, 50_000)].astype(np.int32)
    form = OutputFormat(container=container, subtype="PCM_24")
    path = tmp_path / name_of(form)
    write_audio(path, Signal.from_array((codes << 8).astype(np.int32), 16_000), form)
    assert np.array_equal(soundfile.read(path, dtype="int32")[0] >> 8, codes)


def test_halves_go_to_even_and_ends_saturate():
    steps = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 32_767.5, 40_000, -32_768, -32_769, -40_000])
    signal = Signal.from_array(steps / 32_768, 16_000)
    codes = quantise(signal, OutputFormat()).samples[0] * 32_768
    assert codes.tolist() == [0, 2, 2, 0, -2, 32_767, 32_767, -32_768, -32_768, -32_768]
    # Beyond full scale are 40000, -32769 and -40000; 32767.5 saturates by less than a step.
    assert count_over_full_scale(signal) == 3


@pytest.mark.parametrize("form", FORMS, ids=form_id)
def test_clipping_is_counted_and_only_where_integers_demand_it(tmp_path, form):
    signal = Signal.from_array(np.array([0.5, 1.0, -1.0, 1.25, -3.0, 999.0]), 16_000)
    written = write_audio(tmp_path / name_of(form), signal, form)
    if form.full_scale_bits is None:
        assert written.clipped_samples == 0
        assert written.signal.is_equal(signal)
    else:
        assert written.clipped_samples == 3
        top = np.float32(1 - 2.0 ** (1 - form.full_scale_bits))
        assert written.signal.samples[0].tolist() == [0.5, top, -1.0, top, -1.0, top]


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (8, 7), (1, 70_001)])
def test_short_odd_and_many_channelled(tmp_path, form, shape):
    samples = np.random.default_rng(4).uniform(-1, 1, shape)
    signal = Signal.from_array(samples, 44_100, layout="channels_first")
    path = tmp_path / name_of(form)
    written = write_audio(path, signal, form)
    assert written.signal.samples.shape == shape
    assert quantise(signal, form).is_equal(written.signal)
    assert path.stat().st_size % 2 == 0 or form.container == "FLAC"


def test_64_channels_at_192_khz(tmp_path):
    samples = np.random.default_rng(4).uniform(-1, 1, (64, 30))
    signal = Signal.from_array(samples, 192_000, layout="channels_first")
    written = write_audio(tmp_path / "x.wav", signal, OutputFormat(subtype="PCM_24"))
    assert written.signal.samples.shape == (64, 30)
    assert written.signal.sample_rate_hz == 192_000


# Bytes


def test_wav_is_the_plain_44_byte_header_and_samples(tmp_path):
    write_audio(tmp_path / "x.wav", Signal.from_array(np.array([0.5, -1.0]), 8_000), OutputFormat())
    expected = b"RIFF" + struct.pack("<I", 40) + b"WAVEfmt " + struct.pack("<I", 16)
    expected += struct.pack("<HHIIHH", 1, 1, 8_000, 16_000, 2, 16)
    expected += b"data" + struct.pack("<Ihh", 4, 16_384, -32_768)
    assert (tmp_path / "x.wav").read_bytes() == expected


def test_float_wav_does_not_depend_on_the_second_it_was_written_in(tmp_path, clip):
    form = OutputFormat(subtype="FLOAT")
    hashes, foreign = set(), set()
    for _ in range(2):
        hashes.add(write_audio(tmp_path / "x.wav", clip, form).file_sha256)
        buffer = io.BytesIO()
        soundfile.write(buffer, clip.samples.T, 16_000, format="WAV", subtype="FLOAT")
        foreign.add(hashlib.sha256(buffer.getvalue()).hexdigest())
        time.sleep(1.1)
    assert len(hashes) == 1
    assert b"PEAK" not in (tmp_path / "x.wav").read_bytes()[:200]
    assert len(foreign) == 2  # what this guards against


@pytest.mark.parametrize("form", FORMS, ids=form_id)
def test_same_bytes_every_time_in_every_process(tmp_path, clip, form):
    path = tmp_path / name_of(form)
    first = write_audio(path, clip, form).file_sha256
    assert write_audio(path, clip, form).file_sha256 == first
    if form.container == "WAVEX":
        return
    code = f"""
import numpy as np
from perturb.audio_io import OutputFormat, write_audio
from perturb.signal import Signal
samples = np.random.default_rng(2).uniform(-0.99, 0.99, (2, 1_001))
signal = Signal.from_array(samples, 16_000, layout="channels_first")
form = OutputFormat(container={form.container!r}, subtype={form.subtype!r})
print(write_audio({str(tmp_path / ("y" + path.suffix))!r}, signal, form).file_sha256)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == first


def test_rf64_beyond_4_gb(tmp_path, clip, monkeypatch):
    header = encoding_module.wave_header(OutputFormat(subtype="FLOAT"), 2, 48_000, 2**30)
    assert header[:4] == b"RF64"
    assert struct.unpack("<QQQ", header[20:44]) == (len(header) - 8 + 2**33, 2**33, 2**30)
    limit = encoding_module.wave_header(OutputFormat(), 1, 8_000, (2**32 - 40) // 2)
    assert limit[:4] == b"RIFF"
    monkeypatch.setattr(encoding_module, "_RIFF_LIMIT_BYTES", 1_000)
    for form in (OutputFormat(subtype="PCM_24"), OutputFormat(container="WAVEX", subtype="FLOAT")):
        written = write_audio(tmp_path / "x.wav", clip, form)
        assert soundfile.info(written.path).format == "RF64"
        assert written.signal.is_equal(quantise(clip, form))
        assert read_audio(written.path).notes == ()


# Whole or not at all


def test_nothing_has_its_name_before_the_commit(tmp_path, clip):
    path, trace = tmp_path / "x.wav", tmp_path / "x.json"
    with prepare_audio(path, clip, OutputFormat()) as audio:
        assert audio.written.signal.is_equal(quantise(clip, OutputFormat()))
        with prepare_bytes(trace, b"{}") as record:
            names = names_in(tmp_path)
            assert len(names) == 2
            assert all(n.startswith(".perturb-") and n.endswith(".tmp") for n in names)
            assert audio.commit() is audio.written
            record.commit()
    assert names_in(tmp_path) == ["x.json", "x.wav"]
    assert file_sha256(path) == audio.written.file_sha256
    assert file_sha256(trace) == record.file_sha256


def test_leaving_without_a_commit_discards(tmp_path, clip):
    (tmp_path / "x.wav").write_bytes(b"old")
    with prepare_audio(tmp_path / "x.wav", clip, OutputFormat()):
        pass

    def fail():
        with prepare_audio(tmp_path / "x.wav", clip, OutputFormat()):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names_in(tmp_path) == ["x.wav"]
    assert (tmp_path / "x.wav").read_bytes() == b"old"


def test_commit_and_discard_happen_once(tmp_path):
    pending = prepare_bytes(tmp_path / "x", b"1")
    pending.commit()
    pending.discard()
    assert (tmp_path / "x").read_bytes() == b"1"
    with pytest.raises(AudioError, match="already committed or discarded"):
        pending.commit()


def test_existing_file_is_replaced_or_kept_as_asked(tmp_path, clip):
    path = tmp_path / "x.wav"
    write_bytes_atomic(path, b"old")
    with pytest.raises(AudioError, match=r"x\.wav: the file exists; it was not to be replaced"):
        write_audio(path, clip, OutputFormat(), overwrite=False)
    assert path.read_bytes() == b"old"
    write_audio(path, clip, OutputFormat())
    assert read_audio(path).signal.sample_count == clip.sample_count
    write_audio(tmp_path / "new.wav", clip, OutputFormat(), overwrite=False)
    assert names_in(tmp_path) == ["new.wav", "x.wav"]


def test_name_taken_between_preparing_and_commit(tmp_path):
    pending = prepare_bytes(tmp_path / "x", b"new", overwrite=False)
    (tmp_path / "x").write_bytes(b"other")
    with pytest.raises(AudioError, match="the file exists"):
        pending.commit()
    assert names_in(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"other"


def test_without_hard_links_a_name_is_still_kept(tmp_path, monkeypatch):
    def refuse(*_args):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    write_bytes_atomic(tmp_path / "x", b"1", overwrite=False)
    with pytest.raises(AudioError, match="the file exists"):
        write_bytes_atomic(tmp_path / "x", b"2", overwrite=False)
    assert (tmp_path / "x").read_bytes() == b"1"


def test_link_is_replaced_not_followed(tmp_path, clip):
    (tmp_path / "input.wav").write_bytes(b"input")
    (tmp_path / "out.wav").symlink_to("input.wav")
    write_audio(tmp_path / "out.wav", clip, OutputFormat())
    assert (tmp_path / "input.wav").read_bytes() == b"input"
    assert not (tmp_path / "out.wav").is_symlink()


def test_hard_link_to_the_input_leaves_the_input(tmp_path):
    (tmp_path / "input").write_bytes(b"input")
    (tmp_path / "out").hardlink_to(tmp_path / "input")
    write_bytes_atomic(tmp_path / "out", b"out")
    assert (tmp_path / "input").read_bytes() == b"input"


def test_permissions_follow_the_umask(tmp_path, clip):
    old = os.umask(0o027)
    try:
        write_audio(tmp_path / "x.wav", clip, OutputFormat())
    finally:
        os.umask(old)
    assert (tmp_path / "x.wav").stat().st_mode & 0o777 == 0o640


def test_targets_that_are_no_files_are_refused(tmp_path, clip):
    (tmp_path / "folder.wav").mkdir()
    os.mkfifo(tmp_path / "pipe.wav")
    (tmp_path / "null.wav").symlink_to("/dev/null")
    for name, message in {
        "folder.wav": "a folder of this name exists",
        "pipe.wav": "is not a regular file; it is never replaced",
        "null.wav": "is not a regular file; it is never replaced",
        "gone/x.wav": "the folder .*gone does not exist",
        "a\0.wav": "not a path: embedded null byte",
    }.items():
        with pytest.raises(AudioError, match=message):
            write_audio(tmp_path / name, clip, OutputFormat())
    with pytest.raises(AudioError, match="not the name of a file"):
        write_bytes_atomic("/", b"")
    assert len(names_in(tmp_path)) == 3


@pytest.mark.parametrize("form", FORMS[-3:], ids=form_id)
def test_full_disk(tmp_path, clip, form, monkeypatch):
    path = tmp_path / name_of(form)
    path.write_bytes(b"old")

    def refuse(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(AudioError, match=rf"{path.name}: No space left on device$") as caught:
        write_audio(path, clip, form)
    assert "\n" not in str(caught.value)
    assert names_in(tmp_path) == [path.name]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_write_that_really_fails_half_way(tmp_path, suffix):
    # A limit on the size of files stands for a full disk: it stops the write in the middle.
    code = f"""
import resource, signal
import numpy as np
from perturb.audio_io import output_format_for, write_audio
from perturb.errors import AudioError
from perturb.signal import Signal
clip = Signal.from_array(np.random.default_rng(1).uniform(-1, 1, 500_000), 16_000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_audio({str(tmp_path / ("x" + suffix))!r}, clip, output_format_for(None, {suffix!r}))
except AudioError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == f"{tmp_path / ('x' + suffix)}: File too large\n"
    assert names_in(tmp_path) == []


def test_closed_folder(tmp_path, clip, monkeypatch):
    folder = tmp_path / "closed"
    folder.mkdir()
    if os.geteuid() == 0:  # permissions do not bind root, so the refusal is played

        def refuse(*_args):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr("pathlib.Path.open", refuse)
    folder.chmod(0o555)
    with pytest.raises(AudioError, match=r"closed/x\.wav: Permission denied$"):
        write_audio(folder / "x.wav", clip, OutputFormat())
    assert names_in(folder) == []


def test_disk_that_reads_back_otherwise_is_noticed(tmp_path, clip, monkeypatch):
    def damage(descriptor):
        os.pwrite(descriptor, b"\x11", 60)

    monkeypatch.setattr(os, "fsync", damage)
    with pytest.raises(AudioError, match=r"x\.wav: what was written reads back otherwise"):
        write_audio(tmp_path / "x.wav", clip, OutputFormat())
    assert names_in(tmp_path) == []


def test_global_random_states_are_untouched(tmp_path, clip):
    states = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    write_audio(tmp_path / "x.wav", clip, OutputFormat())
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states  # noqa: NPY002


def test_text_keeps_its_line_ends(tmp_path):
    write_text_atomic(tmp_path / "x.json", "a\r\nü🎧\n")
    assert (tmp_path / "x.json").read_bytes() == "a\r\nü🎧\n".encode()
