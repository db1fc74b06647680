"""Whatever is written into a record, ``perturb verify`` says what it finds and never breaks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from perturb.cli.app import run
from tests.split.small import cuttings, lines, rows_of, write_benchmark, write_suite

pytestmark = pytest.mark.slow

RECORDS = ("manifest.jsonl", "items.jsonl", "clips.jsonl", "donors.json", "split.json")
BELIEVED = {("source", "reason"), ("environment",)}
"""Places that nothing else tells of: how a reader knew the benchmark, and the versions."""

OTHERS: tuple[Any, ...] = ("x", -7, 1e300, None, [], {})
"""What a leaf is replaced by: each of them in its turn, as far as it is another."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a benchmark and its split."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "data").mkdir()
    names = cuttings(folder / "data", 3, seconds=0.6)
    bench = write_benchmark(folder / "data", rows_of(names, questions=2))
    words = ["split", str(bench), "-o", str(folder / "out"), "--suite", str(write_suite(folder))]
    run([*words, "--writer=source", "--writer=audiofolder"])
    return folder


def leaves(value: Any, at: tuple = ()) -> Iterator[tuple]:
    """Yield where in a record each value lies that is no collection."""
    if isinstance(value, dict | list) and value:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*at, key))
    else:
        yield at


def put(record: Any, at: tuple, value: Any) -> Any:
    """Return a record with another value in one place."""
    if not at:
        return value
    copy = dict(record) if isinstance(record, dict) else list(record)
    copy[at[0]] = put(copy[at[0]], at[1:], value)
    return copy


@pytest.mark.parametrize("name", RECORDS)
def test_any_value_in_any_place(name, made, tmp_path, capsys):
    shutil.copytree(made / "data", tmp_path / "data")
    shutil.copytree(made / "out", tmp_path / "out")
    path = tmp_path / "out" / name
    is_lines = path.suffix == ".jsonl"
    records = lines(path) if is_lines else [json.loads(path.read_text())]
    middle = len(records) // 2
    content = path.read_bytes()
    for number, at in enumerate(leaves(records[middle])):
        if at[:1] in BELIEVED or at in BELIEVED:
            continue
        value = OTHERS[number % len(OTHERS)]
        changed = [*records[:middle], put(records[middle], at, value), *records[middle + 1 :]]
        if changed == records:
            continue
        path.unlink()  # other names of the same file stay as they are
        path.write_text("".join(json.dumps(record) + "\n" for record in changed))
        code = run(["verify", str(tmp_path / "out"), "--replay", "0%", "--json"])
        printed = capsys.readouterr()
        assert "fault of perturb" not in printed.err, (at, value)
        envelope = json.loads(printed.out)
        assert code in (1, 2), (at, value)
        assert envelope["findings"], (at, value)
    path.unlink()
    path.write_bytes(content)
    assert run(["verify", str(tmp_path / "out"), "--replay", "0%", "--json"]) in (0, 1)
