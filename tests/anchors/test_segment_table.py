"""Tables of segments beside a benchmark: times, words, speakers, weights, relations by name."""

from __future__ import annotations

import json

import numpy as np
import pytest
import soundfile

from perturb.anchors.segmenting import find_segments
from perturb.benchmark.readers.folder import FolderReader
from perturb.benchmark.readers.mmau import MmauReader
from perturb.benchmark.sound_labels import labels_of
from perturb.errors import BenchmarkError
from perturb.measure.analysis import Analysis
from perturb.signal import Signal
from perturb.split.anchored.planning import main_items
from perturb.split.anchored.segment_table import load_segments


@pytest.fixture
def recordings(tmp_path):
    """Return two recordings as a benchmark."""
    (tmp_path / "audio").mkdir()
    for name in ("a.wav", "b.wav"):
        soundfile.write(tmp_path / "audio" / name, np.zeros(800), 8_000)
    return FolderReader().read(tmp_path / "audio")


def load(recordings, name, text):
    path = recordings.path.parent / name
    path.write_text(text)
    return load_segments(path, recordings)


def test_a_csv_gives_segments_in_order_with_a_relation_by_name(recordings):
    text = (
        "clip,segment,start_s,stop_s,text,speaker,weight,relation_to,relation\n"
        "a.wav,answer,4,6,yes,B,2,,\n"
        "a.wav,question,1,3,is it?,A,,answer,The second answers the first\n"
    )
    given = load(recordings, "t.csv", text)
    first, second = given.by_clip["a.wav"]
    assert (first.start_s, first.text, first.speaker, first.weight) == (1.0, "is it?", "A", 1.0)
    assert (second.text, second.weight) == ("yes", 2.0)
    (relation,) = first.relations
    assert (relation.to, relation.text) == (1, "The second answers the first")
    assert "1 of 2 items" in given.notes[0]


def test_json_lines_give_several_relations_by_name_or_place(recordings):
    rows = [
        {"clip": "b.wav", "start": 0, "end": 1, "relations": [{"to": 1, "kind": "causes"}]},
        {"clip": "b.wav", "start": 1, "end": 2, "relations": [{"to": "2", "text": "x"}]},
        {"clip": "b.wav", "start": 2, "end": 3},
    ]
    given = load(recordings, "t.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    relations = [segment.relations for segment in given.by_clip["b.wav"]]
    assert [[(one.to, one.kind, one.text) for one in several] for several in relations] == [
        [(1, "causes", "")],
        [(2, "relates to", "x")],
        [],
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"start_s": "soon"}, "start_s before stop_s"),
        ({"start_s": -1}, "start_s before stop_s"),
        ({"stop_s": 10**400}, "times are 0 and 1000"),
        ({"stop_s": float("inf")}, "times are 0 and inf; accepted: start_s before stop_s"),
        ({"weight": -1}, "weight is -1.0; accepted: a finite number, 0 to 1e+06"),
        ({"weight": "x"}, "weight is 'x'; accepted: a number, 0 or 1e-06 to 1e+06"),
        ({"weight": 10**400}, "weight is 1000"),
        (
            {"relations": [{"to": "b"}]},
            "relation {'to': 'b'}; accepted: {'to': a segment of this clip, 'kind': a word, "
            "'text': a sentence}",
        ),
        ({"segment": "s", "relation_to": "s"}, "the segment itself"),
    ],
)
def test_every_row_that_is_no_segment_is_named(recordings, fields, message):
    row = {"clip": "a.wav", "start_s": 0, "stop_s": 1, **fields}
    good = {"clip": "a.wav", "start_s": 2, "stop_s": 3}
    text = json.dumps(good) + "\n" + json.dumps(row) + "\n"
    with pytest.raises(BenchmarkError, match=r"t\.jsonl, line 2: ") as caught:
        load(recordings, "t.jsonl", text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < len(str(recordings.path)) + 220
    assert "}}" not in str(caught.value)


def test_a_name_is_given_to_one_segment_of_a_clip(recordings):
    text = (
        "clip,segment,start_s,stop_s\n"
        "a.wav,one,4,6\n"
        "b.wav,one,1,3\n"
        "a.wav,two,1,3\n"
        "a.wav,one,7,8\n"
        "a.wav,one,0,1\n"
    )
    with pytest.raises(BenchmarkError) as caught:
        load(recordings, "t.csv", text)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    for line, number in zip(lines, (5, 6), strict=True):
        assert line.endswith(
            f"t.csv, line {number}: segment is 'one', as in line 2; accepted: each name for one "
            "segment of a clip"
        )
    again = "clip,segment,start_s,stop_s\na.wav,one,4,6\na.wav,one,4,6\n"
    assert len(load(recordings, "t.csv", again).by_clip["a.wav"]) == 2


def test_items_that_share_a_clip_may_each_name_its_segments(recordings):
    """Of a segment given twice the first is kept, so that relations lead to that one."""
    row = {"clip": "a.wav", "start": 0, "end": 1, "segment": "one"}
    other = {"clip": "a.wav", "start": 1, "end": 2, "segment": "two"}
    related = {**other, "relations": [{"to": "one", "kind": "answers"}]}
    rows = [row, related, row, related]
    given = load(recordings, "t.jsonl", "".join(json.dumps(one) + "\n" for one in rows))
    found = find_segments(
        Analysis(Signal.from_array(np.zeros(16_000), 8_000)), given.by_clip["a.wav"]
    )
    assert [[one.to for one in segment.relations] for segment in found.segments] == [[], [0]]


def test_at_most_five_rows_are_named(recordings):
    rows = "".join(f"a.wav,{second},{second}\n" for second in range(9))
    with pytest.raises(BenchmarkError) as caught:
        load(recordings, "t.csv", "clip,start_s,stop_s\n" + rows)
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (6, "and 4 more")


def test_a_table_about_other_recordings_is_refused(recordings):
    with pytest.raises(BenchmarkError, match="no row belongs"):
        load(recordings, "t.csv", "clip,start_s,stop_s\nother.wav,0,1\n")


@pytest.mark.parametrize(
    ("fields", "labels"),
    [
        ({}, None),
        ({"labels": []}, ()),
        ({"labels": ["dog", "rain"]}, ("dog", "rain")),
        ({"tags": "dog, rain"}, ("dog", "rain")),
        ({"events": [{"label": "dog", "start": 1.0}]}, ("dog",)),
    ],
)
def test_labels_are_what_an_item_says_is_heard(tmp_path, fields, labels):
    soundfile.write(tmp_path / "a.wav", np.zeros(800), 8_000)
    row = {"id": "1", "audio_id": "a.wav", "question": "?", "choices": ["x", "y"], "answer": "x"}
    path = tmp_path / "bench.json"
    path.write_text(json.dumps([{**row, **fields}]))
    benchmark = MmauReader().read(path)
    (item,) = main_items(benchmark.items).values()
    assert labels_of(benchmark, item) == labels
