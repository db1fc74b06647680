"""Anchored sets hold what they claim: every value, every time, every window, twice the same bytes.

Measured by `tests.instruments.anchor_audit` on the files, with nothing of the package. Sixty
recordings of up to ten minutes are for ``benchmarks/bench_anchors_set.py``; here are six.
"""

from __future__ import annotations

import json

import pytest
from examples.anchor_set import join_recordings

from perturb.cli.app import run
from tests.instruments.anchor_audit import EDITS, audit
from tests.split.small import tree

pytestmark = pytest.mark.slow

TOLERANCES = {
    "event": 0.05,
    "silence": 0.0,
    "smear": 0.2,
    "louder": 0.05,
    "softer": 0.05,
    "faster": 0.05,
    "slower": 0.05,
}
RANGES = {
    "event": (6.0, 10.0),
    "louder": (8.0, 12.0),
    "softer": (-12.0, -8.0),
    "faster": (1.5, 3.0),
    "slower": (1 / 3, 2 / 3),
}


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    return join_recordings(tmp_path_factory.mktemp("joined"), 6, (60.0, 180.0))


@pytest.fixture(scope="module", params=EDITS)
def made(request, joined, tmp_path_factory):
    """Return the name of an edit, its set, and every position as the auditor found it."""
    folder = tmp_path_factory.mktemp(request.param)
    recordings, table = joined
    command = ("anchors", recordings, "-o", folder / "set", "--segments", table)
    assert run([str(word) for word in (*command, *EDITS[request.param])]) == 0
    return request.param, folder / "set", list(audit(folder / "set", recordings))


def test_every_value_is_what_was_asked_for(made):
    name, split, found = made
    assert len({one.chain for one in found}) == 6
    low, high = RANGES.get(name, (0.0, 1.0))
    for one in found:
        assert low - 1e-6 <= one.requested <= high + 1e-6
        relative = abs(one.requested) if name in ("faster", "slower") else 1.0
        assert abs(one.achieved - one.requested) <= TOLERANCES[name] * relative, one
    rows = [json.loads(line) for line in (split / "anchors.jsonl").read_text().splitlines()]
    assert len(found) == sum(len(row["positions"]) for row in rows)


def test_every_time_is_true(made):
    """A change fills its recorded place, where one can show, and nothing else is changed."""
    name, _, found = made
    # An event sets out softly, and its last sound may die away below the file's last step.
    late_s, early_s = (0.1, 0.6) if name == "event" else (0.002, 0.002)
    for one in found:
        assert one.outside == 0, one
        assert one.start_error_s <= late_s, one
        assert one.stop_error_s <= early_s, one


def test_every_window_is_active(made):
    _, _, found = made
    for one in found:
        assert one.level_share >= 0.8, one
        assert one.voice_share >= 0.8, one


def test_twice_the_same_bytes(made, joined, tmp_path):
    name, split, _ = made
    recordings, table = joined
    command = ("anchors", recordings, "-o", tmp_path / "set", "--segments", table, "--jobs", 2)
    assert run([str(word) for word in (*command, *EDITS[name])]) == 0

    def without_place(folder):
        # Where the recordings lie is written relative to the folder of the set.
        return {path: content for path, content in tree(folder).items() if "audio/" in path}

    assert without_place(tmp_path / "set") == without_place(split)
