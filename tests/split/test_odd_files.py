"""Files as people have them: every container, coding and name, and those that are no good."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest
import soundfile

from perturb.audio_io import find_audio, read_audio
from tests.split.small import AUDIO, CONDITIONS, LABELS, lines, write_benchmark, write_suite

RATE_HZ = 16_000
SECONDS = 0.6

# What is written, and the subtype that each member of the pair has.
FORMS = {
    "pcm16.wav": ({"subtype": "PCM_16"}, "WAV", "PCM_16"),
    "pcm24.wav": ({"subtype": "PCM_24"}, "WAV", "PCM_24"),
    "pcm32.wav": ({"subtype": "PCM_32"}, "WAV", "PCM_32"),
    "float.wav": ({"subtype": "FLOAT"}, "WAV", "FLOAT"),
    "double.wav": ({"subtype": "DOUBLE"}, "WAV", "DOUBLE"),
    "a-law.wav": ({"subtype": "ALAW"}, "WAV", "PCM_16"),
    "mu-law.wav": ({"subtype": "ULAW"}, "WAV", "PCM_16"),
    "unsigned.wav": ({"subtype": "PCM_U8"}, "WAV", "PCM_16"),
    "extensible.wav": ({"format": "WAVEX", "subtype": "PCM_24"}, "WAVEX", "PCM_24"),
    "rf64.wav": ({"format": "RF64", "subtype": "PCM_16"}, "WAVEX", "PCM_16"),
    "flac24.flac": ({"format": "FLAC", "subtype": "PCM_24"}, "WAV", "PCM_24"),
    "vorbis.ogg": ({"format": "OGG", "subtype": "VORBIS"}, "WAV", "PCM_16"),
    "layer3.mp3": ({"format": "MP3", "subtype": "MPEG_LAYER_III"}, "WAV", "PCM_16"),
}
NAMES = (
    "a/x.wav",
    "b/x.wav",
    "two words.wav",
    "犬/声 の ファイル.wav",
    "🐕.wav",
    "UPPER.WAV",
    "x.y.z.wav",
)


@functools.cache
def _spoken():
    clips = [read_audio(path).signal for path in find_audio(AUDIO / "librivox")]
    assert {clip.sample_rate_hz for clip in clips} == {RATE_HZ}
    return np.concatenate([clip.samples[0] for clip in clips])


def speech(number, seconds=SECONDS):
    """Return a piece of speech that overlaps with no other's."""
    start = round(number * SECONDS * RATE_HZ)
    return _spoken()[start : start + round(seconds * RATE_HZ)]


def put(path, number, seconds=SECONDS, **form):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, speech(number, seconds), RATE_HZ, **form)


def rows_for(names):
    return [
        {
            "id": f"q{index}",
            "audio_id": name,
            "question": "How?",
            "choices": LABELS,
            "answer": LABELS[index % 4],
        }
        for index, name in enumerate(names)
    ]


def by_clip(output):
    """Return the manifest's rows by clip and condition."""
    return {
        (row["audios"][0]["clip_id"], row["condition"]): row
        for row in lines(output / "manifest.jsonl")
    }


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    from perturb.cli.app import run

    folder = tmp_path_factory.mktemp("forms")
    for number, (name, (form, _, _)) in enumerate(FORMS.items()):
        put(folder / "data" / name, number, **form)
    bench = write_benchmark(folder / "data", rows_for(FORMS))
    suite = write_suite(folder)
    assert run(["split", str(bench), "-o", str(folder / "out"), "--suite", str(suite)]) in (0, 1)
    return folder / "data", folder / "out"


def test_every_member_of_a_pair_has_the_form_of_its_source(forms):
    data, output = forms
    rows = by_clip(output)
    for name, (_, container, subtype) in FORMS.items():
        source = read_audio(data / name)
        for condition in CONDITIONS:
            row = rows[name, condition]
            assert row["status"] == "ok", row["reason"]
            made = read_audio(output / row["audios"][0]["path"])
            found = made.container, made.subtype, made.channel_mask
            assert found == (container, subtype, source.channel_mask), (name, condition)
            assert made.signal.sample_rate_hz == source.signal.sample_rate_hz
            assert made.signal.channel_count == source.signal.channel_count
            if condition != "mismatched":
                assert made.signal.sample_count == source.signal.sample_count


def test_the_original_holds_the_samples_of_the_source(forms):
    data, output = forms
    rows = by_clip(output)
    for name in FORMS:
        source = read_audio(data / name).signal.samples
        made = read_audio(output / rows[name, "original"]["audios"][0]["path"]).signal.samples
        lossy = name.endswith((".ogg", ".mp3"))
        assert np.max(np.abs(made - source)) <= (2.0**-16 if lossy else 0.0), name


def test_splits_of_every_form_verify(forms, cli):
    answer = cli("verify", forms[1], "--replay", "all", "--json")
    assert (answer.code, answer.envelope["findings"]) == (0, [])
    assert answer.envelope["result"]["unchecked"] == []


def test_names_of_all_kinds_and_two_of_one_name(cli, folder, quick):
    for number, name in enumerate(NAMES):
        put(folder / "data" / name, number)
    bench = write_benchmark(folder / "data", rows_for(NAMES))
    words = ("split", bench, "-o", "out put/犬", "--suite", quick, "--writer", "source")
    assert cli(*words, "--writer", "inspect").code == 0
    output = folder / "out put" / "犬"
    rows = by_clip(output)
    for condition in CONDITIONS:
        paths = [rows[name, condition]["audios"][0]["path"] for name in NAMES]
        assert len(set(paths)) == len(NAMES)
        listed = json.loads((output / "source" / condition / bench.name).read_text())
        for name, path, row in zip(NAMES, paths, listed, strict=True):
            assert row["audio_id"] == name
            there = output / "source" / condition / name
            assert there.read_bytes() == (output / path).read_bytes()
    assert (
        rows["a/x.wav", "original"]["audios"][0]["sha256_out"]
        != (rows["b/x.wav", "original"]["audios"][0]["sha256_out"])
    )
    assert cli("verify", output, "--replay", "all").code == 0


def test_litter_is_no_item(cli, folder, quick):
    for number in range(3):
        put(folder / "data" / f"{number}.wav", number)
    for name in ("._0.wav", "__MACOSX/._1.wav", ".perturb-1-ab.tmp", ".DS_Store"):
        (folder / "data" / name).parent.mkdir(exist_ok=True)
        (folder / "data" / name).write_bytes(b"litter")
    answer = cli("split", "data", "-o", "out", "--suite", quick, "--reader", "folder", "--json")
    assert {row["item_id"] for row in lines(folder / "out" / "items.jsonl")} == (
        {"0.wav", "1.wav", "2.wav"}
    ), answer
    assert not [path for path in (folder / "out").rglob("*") if path.name.startswith("._")]


# Files that are no good: a row with the reason, each time, and the others done.


def empty(path):
    put(path, 0, seconds=0.0)


def blip(path):
    put(path, 1, seconds=0.023)


def text(path):
    path.write_bytes(b"this is no audio, and it says so at length" * 20)


def no_number(path):
    samples = speech(2).copy()
    samples[1_234] = np.nan
    soundfile.write(path, samples, RATE_HZ, subtype="FLOAT")


def infinite(path):
    samples = speech(2).copy()
    samples[77] = -np.inf
    soundfile.write(path, samples, RATE_HZ, subtype="FLOAT")


def huge(path):
    samples = speech(2).copy()
    samples[500] = 1e29
    soundfile.write(path, samples, RATE_HZ, subtype="FLOAT")


def cut(path):
    put(path, 3)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def missing(path):
    pass


def a_folder(path):
    path.mkdir()


BAD = {
    "empty": (empty, "empty.wav: the audio is empty"),
    "text": (text, "text.wav: not readable as audio"),
    "no_number": (no_number, "no_number.wav: sample 1234"),
    "infinite": (infinite, "infinite.wav: sample 77"),
    "huge": (huge, "huge.wav: sample 500"),
    "cut": (cut, "cut.wav: truncated"),
    "missing": (missing, "missing.wav: no such file"),
    "a_folder": (a_folder, "a_folder.wav: a folder, not a file"),
}


@pytest.fixture
def mixed(folder):
    """Return a benchmark of good clips, one of 23 ms, and one of each bad kind among them."""
    (folder / "data").mkdir()
    names = [f"good-{number}.wav" for number in range(4)]
    for number, name in enumerate(names):
        put(folder / "data" / name, 10 + number)
    blip(folder / "data" / "blip.wav")
    for kind, (make, _) in BAD.items():
        make(folder / "data" / f"{kind}.wav")
    listed = [*names[:2], *(f"{kind}.wav" for kind in BAD), "blip.wav", *names[2:]]
    return write_benchmark(folder / "data", rows_for(listed))


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_bad_files_cost_their_own_rows_alone(cli, folder, mixed, quick, jobs):
    answer = cli("split", mixed, "-o", "out", "--suite", quick, "--jobs", jobs, "--json")
    assert answer.code == 1
    assert answer.envelope["result"]["faults"] == []
    rows = by_clip(folder / "out")
    assert len(rows) == (len(BAD) + 5) * len(CONDITIONS)
    for condition in CONDITIONS:
        for kind, (_, said) in BAD.items():
            row = rows[f"{kind}.wav", condition]
            assert row["status"] == "failed"
            assert said in row["reason"]
            assert str(folder) not in row["reason"], "records are the same on every machine"
            assert (row["audios"][0]["path"], row["audios"][0]["trace"]) == (None, None)
        for number in range(4):
            row = rows[f"good-{number}.wav", condition]
            assert row["status"] == "ok", row["reason"]
    for condition in ("original", "repeat", "noise", "mismatched"):
        assert rows["blip.wav", condition]["status"] == "ok"
    for condition in ("louder", "louder_sham"):  # asked for at a place that this clip has not
        late = rows["blip.wav", condition]
        assert late["status"] == "failed"
        assert "0.2" in late["reason"]
        assert late["audios"][0]["path"] == rows["blip.wav", "original"]["audios"][0]["path"]
    for condition in CONDITIONS:
        listed = json.loads((folder / "out" / "source" / condition / mixed.name).read_text())
        assert len(listed) == len(BAD) + 5
        for row in listed:
            if row["perturb_status"] == "failed":
                assert row["audio_id"] == f"{row['perturb_clip_id']}"
    assert cli("verify", "out", "--replay", "all", "--jobs", jobs).code == 0


def test_bad_files_are_never_donors(cli, folder, mixed, quick):
    cli("split", mixed, "-o", "out", "--suite", quick)
    given = {row["donor_id"] for row in by_clip(folder / "out").values()} - {None}
    assert given
    assert not {f"{kind}.wav" for kind in (*BAD, "blip")} & given


@pytest.mark.slow
def test_three_of_a_thousand(cli, folder):
    """997 done, 3 listed with reasons."""
    (folder / "data").mkdir()
    names = [f"{number:04d}.wav" for number in range(1000)]
    for number, name in enumerate(names):
        samples = speech(number % 20, seconds=0.2)
        soundfile.write(folder / "data" / name, samples, RATE_HZ, subtype="PCM_16")
    for number, spoil in ((17, empty), (500, blip), (998, text)):
        spoil(folder / "data" / names[number])
    bench = write_benchmark(folder / "data", rows_for(names))
    suite = write_suite(
        folder,
        'title = "Two"\n[[condition]]\nname = "original"\n[[condition]]\nname = "louder"\n'
        'recipe = "audiospan/loudness_up"\nat = "0.05-0.15"\n',
    )
    answer = cli("split", bench, "-o", "out", "--suite", suite, "--jobs", "2", "--json")
    assert answer.code == 1
    counts = answer.envelope["result"]["counts"]
    assert counts["original"] == {"ok": 998, "failed": 2}
    assert sum(counts["louder"].values()) == 1000
    assert counts["louder"]["failed"] == 3
    listed = [row for row in lines(folder / "out" / "manifest.jsonl") if row["status"] == "failed"]
    assert {row["row"] for row in listed} == {17, 500, 998}
    assert all(row["reason"] for row in listed)
    assert cli("verify", "out", "--jobs", "2").code == 0


def test_a_size_of_zero_or_of_a_stream_is_read_or_said(cli, folder, quick):
    """Some programs leave the data's size open; what decodes is the only length."""
    sizes = {"zero.wav": 0, "stream.wav": 0xFFFFFFFF}
    for number, (name, size) in enumerate(sizes.items()):
        put(folder / "data" / name, number)
        content = bytearray((folder / "data" / name).read_bytes())
        at = content.index(b"data") + 4
        content[at : at + 4] = size.to_bytes(4, "little")
        (folder / "data" / name).write_bytes(content)
    for number in range(2, 5):
        put(folder / "data" / f"{number}.wav", number)
    listed = [*sizes, "2.wav", "3.wav", "4.wav"]
    bench = write_benchmark(folder / "data", rows_for(listed))
    assert cli("split", bench, "-o", "out", "--suite", quick).code in (0, 1)
    rows = by_clip(folder / "out")
    for name in sizes:
        row = rows[name, "original"]
        if row["status"] == "ok":
            made = read_audio(folder / "out" / row["audios"][0]["path"]).signal
            assert made.sample_count == round(SECONDS * RATE_HZ)
        else:
            assert row["reason"]
    assert cli("verify", "out", "--replay", "all").code == 0


def test_audio_above_full_scale_keeps_its_range_in_floats(cli, folder, quick):
    for number in range(4):
        (folder / "data").mkdir(exist_ok=True)
        loud = speech(number) / np.max(np.abs(speech(number))) * 1.5
        soundfile.write(folder / "data" / f"{number}.wav", loud, RATE_HZ, subtype="FLOAT")
    bench = write_benchmark(folder / "data", rows_for(f"{number}.wav" for number in range(4)))
    assert cli("split", bench, "-o", "out", "--suite", quick).code in (0, 1)
    originals = find_audio(folder / "out" / "audio" / "original")
    peaks = [np.max(np.abs(read_audio(path).signal.samples)) for path in originals]
    assert peaks == pytest.approx([1.5] * 4)
