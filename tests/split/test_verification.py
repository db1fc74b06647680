"""``perturb verify DIR``: an untouched split has no finding, and whatever is touched is found."""

from __future__ import annotations

import json
import shutil

import pytest

from perturb.cli.app import run
from tests.split.small import (
    CONDITIONS,
    cuttings,
    lines,
    mostly_slow,
    rows_of,
    write_benchmark,
    write_suite,
)
from tests.unit.forgery import forged, set_field

FORMS = ("source", "parquet", "audiofolder", "inspect")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a benchmark, one of its clips unreadable, and its split."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "data").mkdir()
    names = cuttings(folder / "data", 7, seconds=0.6)
    bench = write_benchmark(folder / "data", rows_of(names, questions=2))
    (folder / "data" / names[6]).write_bytes(b"no audio at all")
    words = ["split", str(bench), "-o", str(folder / "out"), "--suite", str(write_suite(folder))]
    assert run([*words, *(f"--writer={form}" for form in FORMS)]) == 1
    return folder


@pytest.fixture
def out(made, folder):
    """Return a copy of the split that may be touched; forms share the canonical files."""
    shutil.copytree(made / "data", folder / "data")
    shutil.copytree(made / "out", folder / "out")
    return folder / "out"


@pytest.fixture
def findings(cli, out):
    """Return a function that gives the findings of the split as "path: message"."""

    def found(*options):
        answer = cli("verify", out, "--json", *options)
        listed = answer.envelope["findings"]
        assert answer.code == (1 if listed else 0), answer.err
        return [f"{finding['path']}: {finding['message']}" for finding in listed]

    return found


def replace(path, content):
    """Give a file other content without touching other names of the same file."""
    path.unlink()
    path.write_bytes(content)


def edit_lines(path, change):
    """Let `change` alter the rows of a JSONL file."""
    rows = lines(path)
    rows = change(rows) or rows
    replace(path, b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def edit_json(path, change):
    value = json.loads(path.read_text())
    change(value)
    replace(path, json.dumps(value, indent=2).encode())


def sealed(out, *names):
    """Enter the hashes of records that were forged, as a careful forger would."""
    from perturb.split.records.recording import record_hashes

    edit_json(out / "split.json", lambda record: record.update(files=record_hashes(out)))


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_untouched_split_has_no_finding(cli, out, jobs):
    answer = cli("verify", out, "--replay", "all", "--jobs", jobs, "--json")
    assert (answer.code, answer.envelope["findings"]) == (0, [])
    result = answer.envelope["result"]
    assert result["unchecked"] == []
    assert result["rows"] == 14 * len(CONDITIONS)
    assert result["variants"] == result["replayed"] == 6 * len(CONDITIONS)


@pytest.mark.slow
def test_a_share_of_the_variants_is_replayed(cli, out):
    counts = [
        cli("verify", out, "--replay", share, "--json").envelope["result"]["replayed"]
        for share in ("0%", "50%", "100%")
    ]
    assert counts[0] == 0 < counts[1] < counts[2]


@pytest.mark.parametrize("share", ["half", "-1%", "101%", "2", "nan%"])
def test_other_shares_are_refused(cli, out, share):
    answer = cli("verify", out, f"--replay={share}")
    assert answer.code == 2
    assert "0% to 100%, or all" in answer.error


@pytest.mark.slow
def test_a_split_that_moved_with_its_source_is_as_good(cli, out, folder):
    (folder / "moved").mkdir()
    out.rename(folder / "moved" / "out")
    (folder / "data").rename(folder / "moved" / "data")
    assert cli("verify", "moved/out", "--replay", "all").code == 0


# Audio.


def first(out, pattern):
    return sorted(out.glob(pattern))[0]


@pytest.mark.parametrize("condition", mostly_slow(CONDITIONS, "noise"))
def test_a_byte_of_a_file(out, findings, condition):
    path = first(out, f"audio/{condition}/*.wav")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    replace(path, bytes(content))
    found = findings()
    name = path.relative_to(out).as_posix()
    assert any(f"{name} is another file than was recorded" in line for line in found)
    assert any(line.startswith("manifest.jsonl: pair ") and name in line for line in found)


@pytest.mark.slow
def test_two_files_swapped(out, findings):
    first_path, second_path = sorted(out.glob("audio/noise/*.wav"))[:2]
    one, other = first_path.read_bytes(), second_path.read_bytes()
    replace(first_path, other)
    replace(second_path, one)
    found = findings()
    for path in (first_path, second_path):
        assert any(path.name in line and "another file" in line for line in found)


@pytest.mark.slow
def test_a_probe_in_the_place_of_its_sham(out, findings):
    probe = first(out, "audio/louder/*.wav")
    replace(out / "audio" / "louder_sham" / probe.name, probe.read_bytes())
    assert any(f"audio/louder_sham/{probe.name}" in line for line in findings())


def test_a_missing_file(out, findings):
    path = first(out, "audio/noise/*.wav")
    path.unlink()
    assert any(f"{path.name}: no such file" in line.lower() for line in findings())


def test_a_further_file(out, findings):
    (out / "audio" / "noise" / "further.wav").write_bytes(b"further")
    assert findings() == ["audio/noise/further.wav: no trace describes this file"]


@pytest.mark.slow
def test_litter_is_no_further_file(out, findings):
    (out / "audio" / "noise" / "._further.wav").write_bytes(b"litter")
    (out / "audio" / ".DS_Store").write_bytes(b"litter")
    assert findings() == []


# Sources.


def test_a_clip_that_changed_after_the_run(out, folder, findings):
    clips = sorted((folder / "data" / "audio").iterdir())
    key = f"audio/{clips[0].name}"
    replace(clips[0], clips[1].read_bytes())
    for replay in ("0%", "all"):
        found = findings("--replay", replay)
        assert f"clips.jsonl: clip {key!r} has changed since the split was made" in found


@pytest.mark.slow
def test_clips_that_are_gone(out, folder, findings):
    readable = [row for row in lines(out / "clips.jsonl") if row["file_sha256"]]
    shutil.rmtree(folder / "data" / "audio")
    found = findings("--replay", "0%")
    assert any(
        line.startswith(f"clips.jsonl: the files of {len(readable)} of {len(readable)} clips")
        for line in found
    )


def test_a_benchmark_that_changed_after_the_run(out, folder, findings):
    edit_json(folder / "data" / "bench.json", lambda rows: rows[3].update(answer="calm"))
    (found,) = findings()
    assert "bench.json: the benchmark holds other items" in found


@pytest.mark.slow
def test_a_benchmark_that_is_gone_leaves_forms_unchecked(cli, out, folder):
    (folder / "data" / "bench.json").unlink()
    answer = cli("verify", out)
    assert answer.code == 0
    assert "not checked  forms (source, parquet, audiofolder, inspect): " in answer.out
    assert "bench.json" in answer.out


# Rows of the manifest.

ROW = 8  # the second item, louder


def set_row(**values):
    return lambda rows: rows[ROW + 1].update(values)


def set_audio(**values):
    return lambda rows: rows[ROW + 1]["audios"][0].update(values)


def take(name):
    """Give the row what another item's row of the same condition has."""

    def change(rows):
        other = next(
            row
            for row in rows
            if row["condition"] == rows[ROW + 1]["condition"]
            and row["audios"][0]["clip_id"] != rows[ROW + 1]["audios"][0]["clip_id"]
        )
        rows[ROW + 1]["audios"][0][name] = other["audios"][0][name]

    return change


MANIFEST = {
    "off_target": set_row(status="off_target", reason="off target: x"),
    "inapplicable": set_row(status="inapplicable", reason="made up"),
    "failed": set_row(status="failed", reason="made up"),
    "reason": set_row(reason="made up"),
    "sham_of": set_row(sham_of="noise"),
    "row": set_row(row=5),
    "item": set_row(item_id="other"),
    "gold": set_row(gold_index=3),
    "expectation": set_row(expectation="invariant"),
    "expected": set_row(expected_answer="happy"),
    "hash_out": set_audio(sha256_out="0" * 64),
    "hash_in": set_audio(sha256_in="0" * 64),
    "path": take("path"),
    "trace": take("trace"),
    "no_trace": set_audio(trace=None),
    "no_path": set_audio(path=None),
    "clip": take("clip_id"),
    "missing": lambda rows: rows[: ROW + 1] + rows[ROW + 2 :],
    "duplicated": lambda rows: rows[: ROW + 2] + rows[ROW + 1 :],
    "order": lambda rows: [*rows[:ROW], rows[ROW + 1], rows[ROW], *rows[ROW + 2 :]],
    "item_gone": lambda rows: rows[: 2 * len(CONDITIONS)] + rows[3 * len(CONDITIONS) :],
    "nothing": lambda rows: rows[:0] or [rows[0]],
    "condition": set_row(condition="quieter"),
    "pair": set_row(pair_id="nobody"),
    "role": set_audio(role="reference"),
}


@pytest.mark.parametrize("name", mostly_slow(MANIFEST, "inapplicable", "missing", "role"))
def test_a_row_of_the_manifest(out, findings, name):
    edit_lines(out / "manifest.jsonl", MANIFEST[name])
    unsealed = findings()
    assert "manifest.jsonl: is not the file whose hash split.json records" in unsealed
    # A forger who seals it again is found out by what the rest of the split says.
    sealed(out)
    found = findings()
    assert found
    assert "manifest.jsonl: is not the file whose hash split.json records" not in found


@pytest.mark.slow
@pytest.mark.parametrize(
    "values", [{"donor_id": "audio/nobody.wav"}, {"donor_id": None}, {"donor_answer": "nobody"}]
)
def test_a_donor(out, findings, values):
    def change(rows):
        row = next(row for row in rows if row["condition"] == "mismatched" and row["donor_id"])
        row.update(values)

    edit_lines(out / "manifest.jsonl", change)
    sealed(out)
    assert any("donors.json" in line and "mismatched" in line for line in findings())


def test_edited_donors(out, findings):
    def change(tables):
        hosts = tables["hard"]["hosts"]
        hosts[0]["donors"], hosts[1]["donors"] = hosts[1]["donors"], hosts[0]["donors"]

    edit_json(out / "donors.json", change)
    assert "donors.json: is not the file whose hash split.json records" in findings()
    sealed(out)
    assert any("mismatched: donor and its answer are" in line for line in findings())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["donors.json", "items.jsonl", "clips.jsonl", "manifest.jsonl"])
def test_a_record_that_is_gone_or_damaged(out, findings, name):
    content = (out / name).read_bytes()
    replace(out / name, content[: len(content) // 2])
    assert any(name in line for line in findings())
    (out / name).unlink()
    assert any(name in line for line in findings())


@pytest.mark.slow
@pytest.mark.parametrize(
    "values", [{"answer": "x"}, {"answer_index": 2}, {"choices": []}, {"pair_id": "x"}, {"row": 9}]
)
def test_an_edited_item(out, findings, values):
    edit_lines(out / "items.jsonl", lambda rows: rows[2].update(values))
    assert any(line.startswith("items.jsonl: is not the file") for line in findings())
    sealed(out)
    assert findings()


@pytest.mark.slow
@pytest.mark.parametrize("values", [{"audio_sha256": "0" * 64}, {"file_sha256": "0" * 64}])
def test_an_edited_clip(out, findings, values):
    edit_lines(out / "clips.jsonl", lambda rows: rows[2].update(values))
    sealed(out)
    assert any("clip 'audio/" in line for line in findings())


SPLIT = {
    "counts": lambda record: record["counts"]["noise"].update(ok=13),
    "status": lambda record: record["counts"]["noise"].update(off_target=1),
    "gold_positions": lambda record: record["gold_positions"]["noise"].reverse(),
    "seed": lambda record: record.update(seed=7),
    "suite": lambda record: record.update(suite="seabed/controls"),
    "condition": lambda record: record["conditions"][3]["condition"].update(at="0.1-0.3"),
    "recipe": lambda record: record["conditions"][3]["recipe"].update(title="Other"),
    "no_condition": lambda record: record["conditions"].pop(),
    "selection": lambda record: record.update(selection={"limit": 7}),
    "reader": lambda record: record["source"].update(items=3),
    "hash": lambda record: record["files"].update({"items.jsonl": "0" * 64}),
}


@pytest.mark.parametrize("name", mostly_slow(SPLIT, "counts", "seed"))
def test_the_record_of_the_split(out, findings, name):
    edit_json(out / "split.json", SPLIT[name])
    assert findings()


def test_an_unfinished_split_is_said_to_be_one(cli, out):
    (out / "split.json").unlink()
    answer = cli("verify", out)
    assert answer.code == 2
    assert "never finished; --resume goes on" in answer.error


# Traces.

TRACE = {
    "status": set_field("status", "off_target"),
    "seed": set_field("plan", "seed", 3),
    "stream": set_field("plan", "stream", "other"),
    "gain": set_field("headroom", "gain_db", -1.0),
    "output": set_field("output", "file_sha256", "0" * 64),
    "outside": set_field("output", "path", "/etc/hostname"),
    "input": set_field("input", "audio_sha256", "0" * 64),
}


def edit_trace(out, change, number=3):
    path = first(out, "traces/*.jsonl")
    texts = path.read_bytes().splitlines(keepends=True)
    texts[number] = change(texts[number]).rstrip(b"\n") + b"\n"
    replace(path, b"".join(texts))
    return f"{path.relative_to(out).as_posix()}#{number + 1}"


@pytest.mark.parametrize("name", mostly_slow(TRACE, "status"))
def test_an_edited_trace(out, findings, name):
    def by_hand(text):
        fields = json.loads(text)
        TRACE[name](fields)
        return json.dumps(fields).encode()

    pointer = edit_trace(out, by_hand)
    assert any(line.startswith(f"{pointer}: ") for line in findings())


@pytest.mark.parametrize("name", mostly_slow(TRACE, "gain"))
def test_a_trace_that_was_sealed_again(out, findings, name):
    pointer = edit_trace(out, lambda text: forged(text, TRACE[name]))
    found = findings("--replay", "all")
    assert any(pointer in line for line in found)


@pytest.mark.slow
def test_traces_out_of_their_places(out, findings):
    path = first(out, "traces/*.jsonl")
    texts = path.read_bytes().splitlines(keepends=True)
    replace(path, b"".join([texts[1], texts[0], *texts[2:]]))
    assert any("is not the file of the trace" in line for line in findings())


@pytest.mark.slow
def test_a_trace_twice(out, findings):
    path = first(out, "traces/*.jsonl")
    texts = path.read_bytes().splitlines(keepends=True)
    written = next(text for text in texts if json.loads(text)["output"])
    replace(path, b"".join([*texts, written]))
    assert any("2 traces describe this file" in line for line in findings())


@pytest.mark.slow
def test_traces_that_are_gone(out, findings):
    path = first(out, "traces/*.jsonl")
    texts = path.read_bytes().splitlines(keepends=True)
    replace(path, b"".join(texts[:-1]))
    assert any("no trace describes this file" in line for line in findings())
    path.unlink()
    assert findings()


# Forms.


def edit_source(out):
    edit_json(out / "source" / "noise" / "bench.json", lambda rows: rows[3].update(answer="calm"))
    return "source/noise/bench.json"


def edit_status(out):
    edit_json(
        out / "source" / "noise" / "bench.json",
        lambda rows: rows[3].update(perturb_status="off_target"),
    )
    return "source/noise/bench.json"


def drop_row(out):
    edit_json(out / "source" / "noise" / "bench.json", lambda rows: rows.pop())
    return "source/noise/bench.json"


def no_condition(out):
    shutil.rmtree(out / "source" / "noise")
    return "source/noise/"


def other_audio(out):
    path = first(out, "source/noise/audio/*.wav")
    replace(path, first(out, "audio/original/*.wav").read_bytes())
    return path.relative_to(out).as_posix()


def edit_parquet(out):
    import pyarrow
    from pyarrow import parquet

    path = first(out, "parquet/data/noise-*.parquet")
    table = parquet.read_table(path)
    values = table.column("answer").to_pylist()
    values[2] = "other"
    at = table.schema.get_field_index("answer")
    column = pyarrow.array(values, table.schema.field(at).type)
    parquet.write_table(table.set_column(at, table.schema.field(at), column), path)
    return path.relative_to(out).as_posix()


def edit_inspect(out):
    edit_lines(out / "inspect" / "noise.jsonl", lambda rows: rows[4].update(target="A"))
    return "inspect/noise.jsonl"


def edit_index(out):
    edit_json(out / "inspect" / "index.json", lambda entries: entries.pop())
    return "inspect/index.json"


def edit_metadata(out):
    path = first(out, "audiofolder/noise/metadata.*")
    replace(path, path.read_bytes().replace(b"sad", b"mad", 1))
    return path.relative_to(out).as_posix()


TOUCHES = (edit_source, edit_status, drop_row, no_condition, other_audio)
TOUCHES += (edit_parquet, edit_inspect, edit_index, edit_metadata)


@pytest.mark.parametrize("touch", mostly_slow(TOUCHES, edit_source, edit_parquet))
def test_a_touched_form(out, findings, touch):
    place = touch(out)
    found = findings()
    assert found
    assert all(line.startswith(place) for line in found)


@pytest.mark.slow
def test_a_form_that_is_gone(out, findings):
    shutil.rmtree(out / "inspect")
    assert any(line.startswith("inspect/") for line in findings())
