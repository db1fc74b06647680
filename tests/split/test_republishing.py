"""A published split is made again from plans and hashes, with audio of one's own."""

from __future__ import annotations

import json
import shutil

import msgspec
import pytest

from perturb.cli.app import run
from perturb.plan.trace import Trace
from tests.split.small import cuttings, rows_of, tree, write_benchmark

RECORDS = ("manifest.jsonl", "items.jsonl", "clips.jsonl", "donors.json", "split.json")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a benchmark, its split, and what of the split is published."""
    folder = tmp_path_factory.mktemp("republishing")
    bench = write_benchmark(folder, rows_of(cuttings(folder, 4)))
    assert run(["split", str(bench), "-o", str(folder / "split")]) in (0, 1)  # 1.2 s: some miss
    published = folder / "published"
    shutil.copytree(folder / "split" / "traces", published / "traces")
    for name in RECORDS:
        shutil.copy(folder / "split" / name, published / name)
    return folder


def again(made, output, *options, audio_root=None):
    root = made if audio_root is None else audio_root
    return run(
        [
            *("split", "--from", str(made / "published" / "manifest.jsonl")),
            *("--audio-root", str(root), "-o", str(output), *options),
        ]
    )


def test_audio_traces_and_records_are_the_same_bytes(made):
    assert again(made, made / "again") == 0
    before, after = tree(made / "split"), tree(made / "again")
    for name, content in before.items():
        if name.split("/")[0] in ("audio", "traces") or name in RECORDS[:4]:
            assert after[name] == content, name
    assert run(["verify", str(made / "again"), "--replay", "all"]) == 0


def test_forms_come_with_the_benchmark(made):
    bench = str(made / "bench.json")
    assert again(made, made / "forms", bench, "--writer", "source") == 0
    form = {name: text for name, text in tree(made / "split").items() if name.startswith("source")}
    assert form
    found = tree(made / "forms")
    assert all(found[name] == content for name, content in form.items())
    assert run(["verify", str(made / "forms")]) == 0


def test_clips_are_found_by_content_under_other_names(made, tmp_path):
    renamed = tmp_path / "mine"
    renamed.mkdir()
    for number, path in enumerate(sorted((made / "audio").iterdir())):
        shutil.copy(path, renamed / f"{number}.wav")
    assert again(made, tmp_path / "again", audio_root=renamed) == 0
    audio = {n: c for n, c in tree(made / "split").items() if n.startswith("audio/")}
    found = tree(tmp_path / "again")
    assert all(found[name] == content for name, content in audio.items())
    assert run(["verify", str(tmp_path / "again"), "--replay", "all"]) == 0


def test_missing_clips_stop_it_before_the_first_write(made, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert again(made, tmp_path / "out", audio_root=tmp_path / "empty") == 2
    assert "4 of 4 clips are not there" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_other_audio_under_a_clips_name_is_a_finding_and_no_finished_split(made, tmp_path, capsys):
    wrong = tmp_path / "wrong"
    shutil.copytree(made / "audio", wrong / "audio")
    first, second, *_ = sorted((wrong / "audio").iterdir())
    shutil.copy(first, second)
    assert again(made, tmp_path / "out", "--json", audio_root=wrong) == 1
    answer = json.loads(capsys.readouterr().out)
    assert not answer["ok"]
    assert any("other audio" in finding["message"] for finding in answer["findings"])
    assert not (tmp_path / "out" / "split.json").exists()


def test_another_benchmark_is_refused(made, tmp_path, capsys):
    rows = json.loads((made / "bench.json").read_text())
    rows[0]["question"] = "Something else?"
    other = tmp_path / "bench.json"
    other.write_text(json.dumps(rows))
    assert again(made, tmp_path / "out", str(other), "--writer", "source") == 2
    assert "other items" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_published_folder_itself_is_never_written_to(made, capsys):
    assert again(made, made / "published") == 2
    assert "published split itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [("--seed", "3"), ("--suite", "seabed/text"), ("--limit", "2"), ("--dry-run",)],
    ids=lambda options: options[0],
)
def test_what_the_published_split_has_settled_is_not_passed_over(made, tmp_path, capsys, options):
    assert again(made, tmp_path / "out", *options) == 2
    assert f"{options[0]}: --from makes a published split again" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_trace_writes_nowhere_but_among_the_audio_of_the_split(made, tmp_path, capsys):
    forged = tmp_path / "published"
    shutil.copytree(made / "published", forged)
    (tmp_path / "elsewhere" / "noise").mkdir(parents=True)
    path = forged / "traces" / "shard-00000.jsonl"
    traces = [Trace.from_json(line) for line in path.read_bytes().splitlines()]
    for index, trace in enumerate(traces):
        if trace.output is not None and "/noise/" in str(trace.output.path):
            place = str(trace.output.path).replace("../audio", "../../elsewhere")
            output = msgspec.structs.replace(trace.output, path=place)
            traces[index] = msgspec.structs.replace(trace, output=output)
    path.write_bytes(b"".join(trace.to_json(is_compact=True) for trace in traces))
    command = ["split", "--from", str(forged / "manifest.jsonl"), "--audio-root", str(made)]
    assert run([*command, "-o", str(tmp_path / "out"), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert sum("lies outside audio/" in finding["message"] for finding in findings) == 4
    assert not list((tmp_path / "elsewhere").rglob("*.wav"))
