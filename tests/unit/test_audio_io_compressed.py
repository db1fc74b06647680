"""FLAC, Ogg, mp3 and the other containers: nothing is lost without a word."""

import numpy as np
import pytest
import soundfile

from perturb.audio_io import read_audio, read_info
from perturb.audio_io.header import Hole, SplicedFile, with_patches
from perturb.audio_io.mpeg import _count_frames, skip_id3
from perturb.audio_io.ogg import _checksum, _with_position
from perturb.errors import AudioError

RATE_HZ = 16_000
TIME_S = np.arange(5 * RATE_HZ) / RATE_HZ
NOISE = np.random.default_rng(3).standard_normal(TIME_S.size) * 0.05
TONE = (0.3 * np.sin(2 * np.pi * 300 * TIME_S) * np.minimum(1, TIME_S) + NOISE).astype(np.float32)


@pytest.fixture(scope="module")
def encoded(tmp_path_factory):
    """Bytes of the same clip in each kind."""
    folder = tmp_path_factory.mktemp("encoded")
    kinds = {
        "flac": ("FLAC", "PCM_16", {}),
        "ogg": ("OGG", "VORBIS", {}),
        "opus": ("OGG", "OPUS", {}),
        "cbr": ("MP3", "MPEG_LAYER_III", {"bitrate_mode": "CONSTANT"}),
        "vbr": ("MP3", "MPEG_LAYER_III", {"bitrate_mode": "VARIABLE"}),
    }
    contents = {}
    for name, (container, subtype, options) in kinds.items():
        path = folder / name
        soundfile.write(path, TONE, RATE_HZ, format=container, subtype=subtype, **options)
        contents[name] = path.read_bytes()
    return contents


@pytest.fixture
def put(tmp_path):
    def write(content, name="x"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def decoded(content, put):
    return read_audio(put(content, "plain")).signal.samples


@pytest.mark.parametrize(
    ("kind", "container", "subtype"),
    [
        ("flac", "FLAC", "PCM_16"),
        ("ogg", "OGG", "VORBIS"),
        ("opus", "OGG", "OPUS"),
        ("cbr", "MP3", "MPEG_LAYER_III"),
        ("vbr", "MP3", "MPEG_LAYER_III"),
    ],
)
def test_sound_file_is_read_as_the_decoder_reads_it(encoded, put, kind, container, subtype):
    path = put(encoded[kind])
    file = read_audio(path)
    assert (file.container, file.subtype, file.notes) == (container, subtype, ())
    assert file.signal.samples.shape == (1, TONE.size)
    # Not equal for mp3: soundfile seeks to the start before it reads, and mpg123 then differs.
    np.testing.assert_allclose(
        file.signal.samples[0], soundfile.read(path, dtype="float32")[0], atol=2e-7
    )
    assert read_info(path).declared_frames == TONE.size


# FLAC


def with_flac_count(content, frames):
    word = int.from_bytes(content[18:26], "big")
    return content[:18] + ((word >> 36 << 36) | frames).to_bytes(8, "big") + content[26:]


def test_flac_of_unknown_length(encoded, put):
    file = read_audio(put(with_flac_count(encoded["flac"], 0)))
    assert np.array_equal(file.signal.samples, decoded(encoded["flac"], put))
    assert file.notes == ("the FLAC header declares no length",)


def test_flac_that_claims_billions_of_frames_is_truncated(encoded, put):
    with pytest.raises(AudioError, match=r"truncated: 68719476735 samples declared, 80000 decoded"):
        read_audio(put(with_flac_count(encoded["flac"], 2**36 - 1)))


def test_flac_that_declares_too_little_is_contradictory(encoded, put):
    with pytest.raises(AudioError, match="contradictory header: 100 samples declared, 80000"):
        read_audio(put(with_flac_count(encoded["flac"], 100)))


@pytest.mark.parametrize("frames", [80_000, 0])
def test_flac_cut_or_damaged_is_refused_with_the_position(encoded, put, frames):
    content = with_flac_count(encoded["flac"], frames)
    middle = len(content) // 2
    for damaged in (
        content[:middle],
        content[:middle] + content[middle + 3_000 :],
        content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1 :],
    ):
        with pytest.raises(AudioError, match="truncated or damaged: decoding fails after sample"):
            read_audio(put(damaged))


def test_empty_flac(put, tmp_path):
    soundfile.write(tmp_path / "e.flac", np.zeros(0), RATE_HZ)
    with pytest.raises(AudioError, match=r"e\.flac: .*empty|e\.flac: not readable"):
        read_audio(tmp_path / "e.flac")


def test_flac_behind_an_id3_tag(encoded, put):
    tag = b"ID3\x04\0\0" + bytes([0, 0, 1, 0]) + bytes(128)
    file = read_audio(put(tag + encoded["flac"]))
    assert np.array_equal(file.signal.samples, decoded(encoded["flac"], put))


# Ogg


def ogg_pages(content):
    pages, position = [], 0
    while position < len(content):
        lacing = content[position + 27 : position + 27 + content[position + 26]]
        stop = position + 27 + len(lacing) + sum(lacing)
        pages.append(content[position:stop])
        position = stop
    return pages


@pytest.mark.parametrize("kind", ["ogg", "opus"])
def test_ogg_cut_inside_a_page_is_truncated(encoded, put, kind):
    content = encoded[kind]
    with pytest.raises(AudioError, match=r"truncated: the Ogg page at byte \d+ ends \d+ bytes"):
        read_audio(put(content[: len(content) // 2]))


@pytest.mark.parametrize("kind", ["ogg", "opus"])
def test_ogg_with_a_damaged_or_missing_page_is_refused(encoded, put, kind):
    content, pages = encoded[kind], ogg_pages(encoded[kind])
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    with pytest.raises(AudioError, match=r"the Ogg page at byte \d+ fails its checksum"):
        read_audio(put(flipped))
    missing = b"".join(pages[:3] + pages[4:])
    with pytest.raises(AudioError, match="the Ogg page 4 follows where page 3 belongs"):
        read_audio(put(missing))


def test_ogg_that_ends_without_a_last_page_is_noted(encoded, put):
    file = read_audio(put(b"".join(ogg_pages(encoded["ogg"])[:-1])))
    assert 0 < file.signal.sample_count < TONE.size
    assert file.notes[0] == "the Ogg stream has no last page; it may have been cut"


@pytest.mark.parametrize("granule", [100, 40_000, 10**9])
def test_ogg_with_a_wrong_count_is_read_to_its_end(encoded, put, granule):
    pages = ogg_pages(encoded["ogg"])
    pages[-1] = _with_position(pages[-1], granule)
    file = read_audio(put(b"".join(pages)))
    # Trimming at the end is lost with the right number, so up to one block more comes out.
    assert 0 <= file.signal.sample_count - TONE.size < 2_048
    expected = decoded(encoded["ogg"], put)
    assert np.array_equal(file.signal.samples[:, : TONE.size], expected)
    assert any(str(granule) in note for note in file.notes)


def test_chained_ogg_is_refused_rather_than_read_in_part(encoded, put):
    with pytest.raises(AudioError, match=r"a second stream starts at byte \d+"):
        read_audio(put(encoded["ogg"] + encoded["ogg"]))


def test_bytes_behind_an_ogg_stream_are_noted(encoded, put):
    file = read_audio(put(encoded["ogg"] + bytes(300)))
    assert file.signal.sample_count == TONE.size
    assert file.notes == ("300 bytes after the audio are no page; ignored",)


def test_checksum_of_a_page_agrees_with_the_encoder(encoded):
    for page in ogg_pages(encoded["opus"]):
        assert _checksum(page) == page[22:26]


# mp3


def split_mp3(content):
    """Return the offset of the count in the tag, and the audio without the tag's frame."""
    tag = max(content.find(b"Xing", 0, 100), content.find(b"Info", 0, 100))
    audio = content.find(content[:2], 4)
    return tag + 8, content[audio:]


@pytest.mark.parametrize("kind", ["cbr", "vbr"])
@pytest.mark.parametrize("count", [0, 10, 1_000, 2**32 - 1])
def test_mp3_with_a_wrong_count_gives_the_same_audio(encoded, put, kind, count):
    content = encoded[kind]
    offset, _ = split_mp3(content)
    right = int.from_bytes(content[offset : offset + 4], "big")
    wrong = content[:offset] + count.to_bytes(4, "big") + content[offset + 4 :]
    file = read_audio(put(wrong))
    assert np.array_equal(file.signal.samples, decoded(content, put))
    assert file.notes == (f"the tag declares {count} MPEG frames, {right} are there and read",)


def test_mp3_that_holds_nothing_behind_its_tag(encoded, put):
    content = encoded["vbr"]
    tag_frame = content[: content.find(content[:2], 4)]
    for piece in (tag_frame, tag_frame[:20], tag_frame[:30]):
        with pytest.raises(AudioError, match=r"truncated|empty|not readable"):
            read_audio(put(piece))


@pytest.mark.parametrize("kind", ["cbr", "vbr"])
@pytest.mark.parametrize("trailer", [b"", b"TAG" + bytes(125)])
def test_mp3_without_a_count_is_read_to_its_end(encoded, put, kind, trailer):
    # libsndfile by itself guesses the length of the variable kind and drops what lies beyond.
    _, audio = split_mp3(encoded[kind])
    frames, _ = _count_frames(audio, 0, 0)
    file = read_audio(put(audio + trailer))
    assert file.signal.sample_count == frames * 576
    delay = 576 + 529  # of encoder and decoder; the tag would have trimmed it
    trimmed = decoded(encoded[kind], put)
    stop = TONE.size - 2_000
    np.testing.assert_allclose(
        file.signal.samples[:, delay : delay + stop], trimmed[:, :stop], atol=1e-6
    )


def test_cut_mp3_is_read_and_noted(encoded, put):
    content = encoded["cbr"]
    file = read_audio(put(content[: len(content) // 2]))
    assert 0.45 < file.signal.sample_count / TONE.size < 0.55
    assert file.notes[0].startswith("the tag declares 141 MPEG frames, ")


def test_bytes_between_mp3_frames_are_noted(encoded, put):
    _, audio = split_mp3(encoded["cbr"])
    middle = audio.find(audio[:2], len(audio) // 2)
    file = read_audio(put(audio[:middle] + bytes(100) + audio[middle:]))
    assert file.notes == (f"100 bytes at byte {middle} are no MPEG frame; skipped",)


def test_mp3_behind_an_id3_tag(encoded, put):
    tag = b"ID3\x04\0\0" + bytes([0, 0, 1, 0]) + bytes(128)
    file = read_audio(put(tag + encoded["vbr"]))
    assert np.array_equal(file.signal.samples, decoded(encoded["vbr"], put))


def test_mp3_inside_a_wave_file_is_read_to_its_end(encoded, put):
    _, audio = split_mp3(encoded["vbr"])
    bare = read_audio(put(audio))
    layout = bytes.fromhex(
        "5500 0100 803e0000 a00f0000 0100 0000 0c00 0100 02000000 2001 0100 5104"
    )
    body = b"WAVEfmt " + len(layout).to_bytes(4, "little") + layout
    body += b"data" + len(audio).to_bytes(4, "little") + audio
    file = read_audio(put(b"RIFF" + len(body).to_bytes(4, "little") + body))
    assert (file.container, file.subtype) == ("WAV", "MPEG_LAYER_III")
    assert file.signal.is_equal(bare.signal)


# Other containers


@pytest.mark.parametrize(
    ("container", "subtype", "endian"),
    [
        ("AIFF", "PCM_16", "FILE"),
        ("AIFF", "PCM_16", "LITTLE"),
        ("AIFF", "FLOAT", "FILE"),
        ("AIFF", "ALAW", "FILE"),
        ("AIFF", "IMA_ADPCM", "FILE"),
        ("AU", "PCM_24", "FILE"),
        ("AU", "PCM_16", "LITTLE"),
        ("CAF", "PCM_16", "FILE"),
        ("CAF", "ALAC_16", "FILE"),
        ("NIST", "PCM_16", "FILE"),
    ],
)
def test_other_container_is_read_whole_or_refused(put, tmp_path, container, subtype, endian):
    path = tmp_path / "whole"
    soundfile.write(path, TONE, RATE_HZ, format=container, subtype=subtype, endian=endian)
    file = read_audio(path)
    assert (file.container, file.subtype, file.notes) == (container, subtype, ())
    assert np.array_equal(file.signal.samples[0], soundfile.read(path, dtype="float32")[0])
    content = path.read_bytes()
    if subtype != "IMA_ADPCM":
        with pytest.raises(AudioError, match=r"truncated|malformed|not readable"):
            read_audio(put(content[: len(content) // 2]))


def test_au_of_unknown_or_smaller_size(put, tmp_path):
    path = tmp_path / "x.au"
    soundfile.write(path, TONE, RATE_HZ, format="AU", subtype="PCM_16")
    content = path.read_bytes()
    whole = read_audio(path)
    for size in (0, 2**32 - 1):
        file = read_audio(put(content[:8] + size.to_bytes(4, "big") + content[12:]))
        assert file.signal.is_equal(whole.signal)
        assert file.notes == ("header declared no length; all 160000 bytes that follow are read",)
    file = read_audio(put(content[:8] + (1_000).to_bytes(4, "big") + content[12:]))
    assert file.signal.sample_count == 500
    assert file.notes == ("159000 bytes after the audio are ignored",)


def test_caf_that_declares_more_than_is_there(put, tmp_path):
    path = tmp_path / "x.caf"
    soundfile.write(path, TONE, RATE_HZ, format="CAF", subtype="PCM_16")
    content = path.read_bytes()
    at = content.find(b"data") + 4
    with pytest.raises(AudioError, match="truncated: the header declares 200000 bytes of audio"):
        read_audio(put(content[:at] + (200_000).to_bytes(8, "big") + content[at + 8 :]))
    file = read_audio(put(content[:at] + (100_004).to_bytes(8, "big") + content[at + 8 :]))
    assert file.signal.sample_count == 50_000
    assert file.notes == ("60000 bytes after the audio are ignored",)


@pytest.mark.parametrize("frames", [0, 100, 79_999, 80_001])
def test_aiff_whose_count_is_wrong(put, tmp_path, frames):
    path = tmp_path / "x.aiff"
    soundfile.write(path, TONE, RATE_HZ, format="AIFF", subtype="PCM_16")
    content = path.read_bytes()
    at = content.find(b"COMM") + 10
    with pytest.raises(AudioError, match=r"empty|contradictory header|truncated"):
        read_audio(put(content[:at] + frames.to_bytes(4, "big") + content[at + 4 :]))


def test_container_that_cannot_be_checked_says_so(tmp_path):
    path = tmp_path / "x.voc"
    soundfile.write(path, TONE, RATE_HZ, format="VOC", subtype="PCM_16")
    assert read_audio(path).notes == (
        "this container's length cannot be checked against its content",
    )


# The view that the decoder gets


def test_spliced_file_reads_like_its_concatenation(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(100)))
    with path.open("rb") as file:
        view = SplicedFile(file, with_patches(100, {10: b"abc", 50: b"z"}))
        whole = bytes(range(10)) + b"abc" + bytes(range(13, 50)) + b"z" + bytes(range(51, 100))
        assert view.read() == whole
        for start in (0, 9, 11, 49, 50, 99, 100):
            assert view.seek(start) == start
            assert view.read(7) == whole[start : start + 7]
        assert view.seek(0, 2) == 100
        assert view.seek(-4, 1) == view.tell() == 96
        assert view.read(-1) == whole[96:]
        holed = SplicedFile(file, (b"ab", Hole(5), b"cd"))
        assert holed.read(9) == b"ab"
        assert holed.read(9) == b""
        holed.seek(-2, 2)
        assert holed.read(9) == b"cd"


def test_id3_tags_are_skipped(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"ID3\x04\0\x10" + bytes([0, 0, 0, 3]) + bytes(13) + b"ID3\x03\0\0" + bytes(4))
    with path.open("rb") as file:
        assert skip_id3(file) == 33
