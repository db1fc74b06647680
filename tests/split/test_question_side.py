"""Whole splits of the conditions that change the question: text, options, joined stimuli."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from perturb.audio_io import read_audio
from perturb.cli.app import run
from perturb.plan.trace import Trace
from perturb.span import Span
from tests.split.small import cuttings, lines, rows_of, write_benchmark

EXAMPLES = Path(__file__).parents[2] / "examples"
CLIPS = 16
TEN = [f"option {n}" for n in range(9)] + ["cannot be determined"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def names(folder):
    return cuttings(folder, CLIPS, seconds=0.8)


def _split(bench, name, suite, *options):
    output = bench.parent / name
    code = run(["split", str(bench), "-o", str(output), "--suite", suite, *map(str, options)])
    assert code in (0, 1)
    return output


def _source(output, condition, bench):
    return json.loads((output / "source" / condition / bench.name).read_text())


@pytest.fixture(scope="module")
def options(folder, names):
    rows = rows_of(names)
    for index, row in enumerate(rows):
        row.update(choices=TEN, answer=TEN[index % 9])
    bench = write_benchmark(folder, rows, "ten.json")
    return bench, _split(bench, "options", "seabed/options")


def test_ten_seven_four_are_nested_in_the_sources_own_schema(options):
    bench, output = options
    whole = json.loads(bench.read_text())
    sets = {size: _source(output, f"options_{size}", bench) for size in (10, 7, 4)}
    assert [row["choices"] for row in sets[10]] == [row["choices"] for row in whole]
    for ten, seven, four in zip(sets[10], sets[7], sets[4], strict=True):
        assert (len(seven["choices"]), len(four["choices"])) == (7, 4)
        assert set(four["choices"]) < set(seven["choices"]) < set(ten["choices"])
        assert four["answer"] == seven["answer"] == ten["answer"]
        assert four["answer"] in four["choices"]
        for fewer in (seven, four):
            kept = [choice for choice in TEN if choice in fewer["choices"]]
            assert fewer["choices"] == kept


def test_the_same_options_are_left_without_the_audio(options):
    bench, output = options
    for size in (10, 7, 4):
        with_audio = _source(output, f"options_{size}", bench)
        without = _source(output, f"options_{size}_question_only", bench)
        assert [row["choices"] for row in with_audio] == [row["choices"] for row in without]
        assert all(row["audio_id"] is None for row in without)
        assert all(row["audio_id"] for row in with_audio)


def test_places_of_the_gold_are_reported(options):
    _, output = options
    record = json.loads((output / "split.json").read_text())
    rows = lines(output / "manifest.jsonl")
    for name, counts in record["gold_positions"].items():
        found = [row["gold_index"] for row in rows if row["condition"] == name]
        assert sum(counts) == CLIPS
        assert counts == [found.count(place) for place in range(len(counts))]
    assert len(record["gold_positions"]["options_4"]) <= 4


def test_text_conditions_hold_the_transcripts_of_a_table(folder, names):
    bench = write_benchmark(folder, rows_of(names), "text.json")
    table = folder / "transcripts.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "transcript"])
        writer.writerows([f"./{name}", f"Words of {name}."] for name in names[1:])
    output = _split(bench, "text", "seabed/text", "--transcripts", table)
    asked = {
        name: _source(output, name, bench)
        for name in ("original", "question_only", "transcript", "audio_transcript", "open_ended")
    }
    question = "How does the speaker sound?"
    for index, name in enumerate(names):
        told = f"Transcript of the audio:\nWords of {name}.\n\n{question}"
        expected = question if index == 0 else told
        assert asked["transcript"][index]["question"] == expected
        assert asked["audio_transcript"][index]["question"] == expected
        assert asked["question_only"][index]["question"] == question
        assert asked["open_ended"][index]["choices"] in ([], None)
        assert asked["open_ended"][index]["answer"] == asked["original"][index]["answer"]
    assert {row["audio_id"] for row in asked["transcript"]} == {None}
    lacking = [row for row in lines(output / "manifest.jsonl") if row["status"] == "inapplicable"]
    assert {row["condition"] for row in lacking} == {"transcript", "audio_transcript"}
    assert {row["reason"] for row in lacking} == {"there is no transcript for this item"}
    assert len(lacking) == 2


def test_an_oracle_tells_the_edits_that_its_condition_recorded(folder, names):
    rows = [row | {"transcript": "Words."} for row in rows_of(names)]
    bench = write_benchmark(folder, rows, "oracle.json")
    suite = folder / "oracle.toml"
    suite.write_text(
        'title = "An edit, and the edit told"\n'
        '[[condition]]\nname = "louder"\nrecipe = "audiospan/loudness_up"\nat = "0.2-0.5"\n'
        '[[condition]]\nname = "oracle"\naudio = "none"\ntranscript = "oracle"\n'
        'edits_of = "louder"\n'
    )
    output = _split(bench, "oracle", suite)
    traces = {
        row["row"]: _trace(output, row["audios"][0]["trace"])
        for row in lines(output / "manifest.jsonl")
        if row["condition"] == "louder"
    }
    for index, row in enumerate(_source(output, "oracle", bench)):
        gain_db = traces[index].plan.steps[0].operator.gain_db
        assert row["question"] == (
            "Transcript of the audio before it was edited:\nWords.\n\n"
            f"Edits made to the audio:\n- From 0.2 to 0.5 s: {round(gain_db, 1):g} dB louder.\n\n"
            "How does the speaker sound?"
        )


@pytest.fixture(scope="module")
def joined(folder, names):
    bench = write_benchmark(folder, rows_of(names), "joined.json")
    return bench, _split(bench, "joined", "seabed/joined")


def test_joined_stimuli_hold_the_clip_where_the_manifest_says(joined):
    bench, output = joined
    golds = {row["audio_id"].removeprefix("./"): row["answer"] for row in _source_rows(bench)}
    rows = [row for row in lines(output / "manifest.jsonl") if row["condition"] == "joined"]
    assert len(rows) == CLIPS
    gains = []
    for row in rows:
        assert row["status"] == "ok", row["reason"]
        plan, audio = row["joined"], row["audios"][0]
        own = plan["clips"][plan["position"] - 1]
        assert own["clip"] == audio["clip_id"]
        assert [clip["label"] for clip in plan["clips"]] == [
            golds[clip["clip"]] for clip in plan["clips"]
        ]
        assert [clip["label"] for clip in plan["clips"]].count(own["label"]) == 1
        trace = _trace(output, audio["trace"])
        heard = read_audio(output / audio["path"]).signal
        source = read_audio(bench.parent / audio["clip_id"]).signal
        (span,) = trace.time_map.map_span(_whole(source))
        start, stop = span.to_samples(source.sample_rate_hz)
        assert start / source.sample_rate_hz == pytest.approx(own["start_s"], abs=2e-3)
        gains.append(trace.headroom.gain_db)
        if gains[-1] == 0.0:
            assert (heard.samples[:, start:stop] == source.samples).all()
    assert gains.count(0.0) > CLIPS / 2


def test_the_sham_holds_the_clip_at_the_same_place_in_silence(joined):
    _, output = joined
    rows = {(row["condition"], row["row"]): row for row in lines(output / "manifest.jsonl")}
    for row in range(CLIPS):
        probe, sham = rows["joined", row], rows["joined_sham", row]
        assert sham["status"] == "ok", sham["reason"]
        heard = [read_audio(output / each["audios"][0]["path"]).signal for each in (probe, sham)]
        assert heard[0].sample_count == heard[1].sample_count
        place = _trace(output, sham["audios"][0]["trace"]).steps[0].notes["places_s"]
        rate = heard[0].sample_rate_hz
        start, stop = (round(edge * rate) for edge in place[probe["joined"]["position"] - 1])
        assert (heard[0].samples[:, start:stop] == heard[1].samples[:, start:stop]).all()
        assert not heard[1].samples[:, :start].any()
        assert not heard[1].samples[:, stop:].any()


@pytest.mark.parametrize("made", ["options", "joined"])
def test_such_splits_verify(made, request):
    _, output = request.getfixturevalue(made)
    assert run(["verify", str(output)]) == 0


def test_the_question_says_which_utterance_is_meant(joined):
    bench, output = joined
    places = {
        row["row"]: row["joined"]["position"]
        for row in lines(output / "manifest.jsonl")
        if row["condition"] == "joined"
    }
    for index, row in enumerate(_source(output, "joined", bench)):
        assert row["question"] == (
            "The audio holds 4 utterances, one after the other. The question is about utterance "
            f"{places[index]}.\n\nHow does the speaker sound?"
        )


def _source_rows(bench):
    return json.loads(bench.read_text())


def _trace(output, pointer):
    name, _, number = pointer.partition("#")
    return Trace.from_json((output / name).read_text().splitlines()[int(number) - 1])


def _whole(signal):
    return Span(0.0, signal.duration_s)


@pytest.mark.slow
def test_the_example_is_joined_by_clip_and_task_where_there_are_clips_enough(tmp_path):
    bench = EXAMPLES / "benchmark" / "small-mmau.json"
    items = {row["id"]: row for row in json.loads(bench.read_text())}
    of = {(row["audio_id"].removeprefix("./"), row["task"]): row for row in items.values()}
    output = tmp_path / "joined"
    options = ["--suite", "seabed/joined", "--audio-root", EXAMPLES / "audio"]
    assert run(["split", str(bench), "-o", str(output), *map(str, options)]) == 1
    rows = [row for row in lines(output / "manifest.jsonl") if row["condition"] == "joined"]
    assert len(rows) == len(items) == 42
    assert {
        (items[row["item_id"]]["task"], items[row["item_id"]]["language"])
        for row in rows
        if row["status"] != "ok"
    } == {("speech content", "it")}  # three clips, so two others
    made = [row for row in rows if row["status"] == "ok"]
    assert len({row["audios"][0]["path"] for row in made}) == len(made) == 39
    for row in made:
        item, plan = items[row["item_id"]], row["joined"]
        own = plan["clips"].pop(plan["position"] - 1)
        assert own["label"] == item["answer"]
        is_language = item["task"] == "language identification"
        for other in plan["clips"]:
            source = of[other["clip"], item["task"]]
            assert source["answer"] == other["label"] != item["answer"]
            assert other["other_language"] == (source["language"] != item["language"])
            assert other["other_language"] or not is_language
    assert run(["verify", str(output)]) == 0
