"""`perturb anchors`: real recordings edited at planned places, chains of questions, all true."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile
from examples.anchor_set import join_recordings

from tests.instruments.anchor_audit import EDITS
from tests.split.small import lines, mostly_slow, tree

EXAMPLES = Path(__file__).parents[2] / "examples"
CONDITIONS = ("original", "edited", "edited_sham", "question_only", "transcript", "oracle")


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    """Return recordings of two minutes, and the table of their segments."""
    return join_recordings(tmp_path_factory.mktemp("joined"), 3, (90.0, 120.0))


@pytest.fixture
def make(cli, folder, joined):
    """Return a function that makes a set of the recordings in `set`."""

    def made(*options, output="set", recordings=joined[0]):
        return cli("anchors", recordings, "-o", output, *options)

    return made


def with_words(joined):
    return ("--segments", str(joined[1]))


@pytest.mark.parametrize("edit", mostly_slow(EDITS, "event", "faster"))
def test_a_set_is_a_split_that_verifies(edit, make, cli, folder, joined):
    made = make(*EDITS[edit], *with_words(joined), "--seed", "3")
    assert made.code == 0, made.err
    verified = cli("verify", "set", "--replay", "all")
    assert verified.code == 0, verified.out
    rows = lines(folder / "set" / "anchors.jsonl")
    assert [row["status"] for row in rows] == ["ok"] * 3
    asked = [name for row in rows for name in row["questions"].values()]
    manifest = lines(folder / "set" / "manifest.jsonl")
    assert [(row["item_id"], row["condition"]) for row in manifest] == [
        (name, condition) for name in asked for condition in CONDITIONS
    ]
    assert {row["status"] for row in manifest} == {"ok"}
    for row in rows:
        for position in row["positions"]:
            assert {proof["verdict"] for proof in position["measured"]} == {"ok"}
            assert position["edited"][0] < position["edited"][1]
            assert position["words"]


def test_items_carry_chain_and_level_and_are_scored(make, cli, folder, joined):
    make(*EDITS["event"], *with_words(joined))
    items = lines(folder / "set" / "items.jsonl")
    chains = lines(folder / "set" / "chains.jsonl")
    for item, row in zip(items, chains, strict=True):
        assert item["chain"] == row["chain"] == row["audio_path"]
        assert item["chain_level"] == str(row["chain_level"])
        assert item["task"] == ("perception", "understanding", "reasoning")[row["chain_level"] - 1]
    answers = [
        {"id": row["id"], "condition": name, "prediction": row["choices"][0 - (name == "edited")]}
        for row in chains
        for name in CONDITIONS
    ]
    (folder / "listener.json").write_text(json.dumps(answers))
    scored = cli("score", "set", "listener.json", "--json")
    assert scored.code == 0, scored.err
    assert json.loads(scored.out)["ok"]


def test_golds_are_balanced_level_by_level(make, folder, joined):
    make(*EDITS["event"], *with_words(joined))
    places = {}
    for item in lines(folder / "set" / "items.jsonl"):
        places.setdefault(item["task"], []).append(item["answer_index"])
    for found in places.values():
        counts = [found.count(place) for place in range(4)]
        assert max(counts) - min(counts) <= 1


def test_the_oracle_tells_each_edit_where_the_manifest_has_it(make, folder, joined):
    make(*EDITS["louder"], *with_words(joined))
    asked = {
        (row["pair_id"], row["condition"]): row["question"]
        for row in lines(folder / "set" / "questions.jsonl")
    }
    for row in lines(folder / "set" / "anchors.jsonl"):
        told = asked[row["questions"]["perception"], "oracle"]
        assert told.count("dB louder") == len(row["positions"])
        plain = asked[row["questions"]["perception"], "transcript"]
        assert "dB louder" not in plain
        assert all(position["words"] in plain for position in row["positions"])


def test_the_oracle_calls_a_sound_as_the_questions_call_it(make, folder, joined):
    make(*EDITS["event"], *with_words(joined))
    asked = lines(folder / "set" / "questions.jsonl")
    for row in lines(folder / "set" / "anchors.jsonl"):
        told = [one for one in asked if one["pair_id"] == row["questions"]["perception"]]
        (oracle,) = [one["question"] for one in told if one["condition"] == "oracle"]
        assert oracle.count(row["sound"]) == len(row["positions"]) + 1


def test_without_segments_pauses_make_them_and_the_chain_is_perception(make, cli, folder):
    made = make(*EDITS["silence"], "--json")
    result = json.loads(made.out)["result"]
    assert {chain["links"] for chain in result["chains"]} == {1}
    assert "no text of the segments" in next(iter(result["missing_links"]["understanding"]))
    assert cli("verify", "set").code == 0
    conditions = {row["condition"] for row in lines(folder / "set" / "manifest.jsonl")}
    assert conditions == {"original", "edited", "edited_sham", "question_only"}


def test_a_dry_run_plans_and_writes_nothing(make, folder, joined):
    made = make(*EDITS["event"], *with_words(joined), "--dry-run", "--json")
    result = json.loads(made.out)["result"]
    assert sum(chain["chains"] for chain in result["chains"]) == 3
    assert result["forecast"]["items"] > 3
    impossible = {one["condition"]: one["impossible"] for one in result["forecast"]["conditions"]}
    assert impossible["oracle"] == impossible["edited"] == 0
    assert not (folder / "set").exists()


def test_a_published_set_is_made_again_from_its_records(make, cli, folder, joined):
    make(*EDITS["event"], *with_words(joined))
    again = cli("split", "--from", "set/manifest.jsonl", "--audio-root", joined[0], "-o", "again")
    assert again.code == 0, again.out
    assert cli("verify", "again").code == 0
    for name in ("anchors.jsonl", "chains.jsonl", "items.jsonl"):
        assert (folder / "again" / name).read_bytes() == (folder / "set" / name).read_bytes()


@pytest.mark.parametrize("writer", ["source", "parquet", "inspect"])
def test_writers_take_the_chains(writer, make, cli, folder, joined):
    assert make(*EDITS["softer"], *with_words(joined), "--writer", writer).code == 0
    assert cli("verify", "set").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 8])
def test_workers_change_no_byte(workers, make, folder, joined):
    make(*EDITS["event"], *with_words(joined), output="one")
    make(*EDITS["event"], *with_words(joined), "--jobs", str(workers), output="many")
    assert tree(folder / "many") == tree(folder / "one")


def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(make, folder, joined):
    make(*EDITS["event"], *with_words(joined))
    whole = tree(folder / "set")
    (folder / "set" / "split.json").unlink()
    (folder / "set" / "anchors.jsonl").unlink()
    shutil.rmtree(folder / "set" / "audio" / "edited")
    assert make(*EDITS["event"], *with_words(joined), "--resume").code == 0
    assert tree(folder / "set") == whole
    other = make(*EDITS["silence"], *with_words(joined), "--resume")
    assert other.code == 2
    assert "another request" in other.err


def test_other_seeds_give_other_places(make, folder, joined):
    places = []
    for seed in ("1", "2"):
        make(*EDITS["silence"], "--seed", seed, output=seed)
        rows = lines(folder / seed / "anchors.jsonl")
        places.append([[one["original"] for one in row["positions"]] for row in rows])
    assert places[0] != places[1]


def reseal(split):
    """Give ``split.json`` the hash that the manifest now has: a forger's care."""
    record = json.loads((split / "split.json").read_text())
    found = hashlib.sha256((split / "anchors.jsonl").read_bytes()).hexdigest()
    record["files"]["anchors.jsonl"] = found
    (split / "split.json").write_text(json.dumps(record))


def forge(split, change):
    rows = lines(split / "anchors.jsonl")
    change(rows[0])
    text = "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    )
    (split / "anchors.jsonl").write_text(text)
    reseal(split)


def shift(row):
    row["positions"][0]["edited"] = [time_s + 1.0 for time_s in row["positions"][0]["edited"]]


def overstate(row):
    row["operator"]["gain_db"] -= 1.0


def lengthen(row):
    row["edited_duration_s"] += 0.5


def hide(row):
    row["positions"] = row["positions"][1:]


@pytest.mark.parametrize("change", [shift, overstate, lengthen, hide])
def test_a_manifest_that_is_not_true_is_found(change, make, cli, folder, joined):
    make(*EDITS["softer"], "--positions", "2-3", *with_words(joined))
    assert cli("verify", "set").code == 0
    forge(folder / "set", change)
    verified = cli("verify", "set", "--json")
    assert verified.code == 1
    kinds = {(found["kind"], found["path"]) for found in json.loads(verified.out)["findings"]}
    assert ("proof", "anchors.jsonl") in kinds


@pytest.mark.slow
def test_an_edit_that_misses_is_recorded_as_it_is_and_verifies(make, cli, folder, joined):
    """So quiet a recording is a few steps of its file high: a level between two is missed."""
    quiet = folder / "quiet"
    quiet.mkdir()
    name = sorted(path.name for path in joined[0].iterdir())[0]
    samples, rate = soundfile.read(joined[0] / name)
    soundfile.write(quiet / name, 1e-3 * samples, rate, subtype="PCM_16")
    assert make(*EDITS["softer"], recordings=quiet).code == 1
    (row,) = lines(folder / "set" / "anchors.jsonl")
    (proof,) = row["positions"][0]["measured"]
    assert proof["verdict"] == "off_target"
    verified = cli("verify", "set", "--replay", "all")
    assert verified.code == 0, verified.out
    forge(folder / "set", overachieve)
    assert cli("verify", "set").code == 1


def overachieve(row):
    for position in row["positions"]:
        position["measured"][0]["achieved"] -= 0.5


def test_what_carries_no_edit_is_a_line_with_the_reason_and_the_run_goes_on(cli, folder, joined):
    bad = folder / "bad"
    shutil.copytree(joined[0], bad)
    random = np.random.default_rng(0)
    time_s = np.arange(60 * 16_000) / 16_000
    chord = sum(np.sin(2 * np.pi * hz * time_s) for hz in (220.0, 277.2, 329.6)) / 6
    soundfile.write(bad / "music.wav", chord, 16_000)
    soundfile.write(bad / "silence.wav", np.zeros(60 * 16_000), 16_000)
    soundfile.write(bad / "short.wav", random.normal(0, 0.1, 4_000), 16_000)
    (bad / "text.wav").write_text("no audio")
    made = cli("anchors", bad, "-o", "set", *EDITS["event"], "--json")
    assert made.code == 1
    rows = {row["chain"]: row for row in lines(folder / "set" / "anchors.jsonl")}
    assert [row["status"] for row in rows.values()].count("ok") == 3
    for name in ("music.wav", "silence.wav", "short.wav"):
        assert rows[name]["status"] == "inapplicable", name
        assert rows[name]["reason"]
        assert rows[name]["constraint"]
    assert rows["text.wav"]["status"] == "failed"
    findings = json.loads(made.out)["findings"]
    assert {found["clip"] for found in findings} == set(rows) - {
        path.name for path in joined[0].iterdir()
    }
    assert cli("verify", "set").code == 0


def test_a_benchmark_where_nothing_can_be_edited_is_refused_with_the_reasons(cli, folder):
    (folder / "bad").mkdir()
    soundfile.write(folder / "bad" / "silence.wav", np.zeros(32_000), 16_000)
    made = cli("anchors", "bad", "-o", "set", *EDITS["event"])
    assert made.code == 2
    assert "no clip can carry the edit: 1 × " in made.err
    assert not (folder / "set").exists()


def test_transcripts_that_overlap_or_run_past_the_end_are_mended_and_said(
    make, cli, folder, joined
):
    rows = lines(joined[1])
    name = rows[0]["clip"]
    own = [row for row in rows if row["clip"] == name]
    own[1]["start_s"] = own[0]["stop_s"] - 0.2
    own[-1]["stop_s"] += 100.0
    for row in rows:
        row["relations"] = []
    (folder / "odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = make(*EDITS["event"], "--segments", "odd.jsonl")
    assert made.code in (0, 1), made.err
    found = {row["chain"]: row for row in lines(folder / "set" / "anchors.jsonl")}
    assert found[name]["notes"] or found[name]["reason"]
    assert [row["status"] for row in found.values()].count("ok") >= 2
    assert cli("verify", "set").code == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"start_s": 5, "stop_s": 2}, "start_s before stop_s"),
        ({"start_s": 1, "stop_s": 2, "weight": "heavy"}, "weight"),
        ({"start_s": 1, "stop_s": 2, "relation_to": "nobody", "relation": "x"}, "a segment of"),
    ],
)
def test_a_row_that_is_no_segment_is_named(row, message, make, folder, joined):
    (folder / "odd.jsonl").write_text(json.dumps({"clip": "recording-00.wav", **row}) + "\n")
    made = make(*EDITS["event"], "--segments", "odd.jsonl")
    assert made.code == 2
    assert "odd.jsonl, line 1" in made.err
    assert message in made.err


def test_a_category_that_is_not_in_the_bank_is_refused_with_the_closest(make):
    made = make(*EDITS["event"], "--category", "dog_bork")
    assert made.code == 2
    assert "did you mean dog_bark" in made.err


def test_an_empty_bank_is_refused(make, folder):
    (folder / "bank").mkdir()
    made = make(*EDITS["event"], "--bank", "bank")
    assert made.code == 2
    assert "bank is empty" in made.err


def test_a_bank_of_zeros_leaves_clips_without_an_edit_and_another_rate_is_no_matter(
    make, cli, folder
):
    for name, rate_hz, level in (("hum", 44_100, 0.1), ("nothing", 16_000, 0.0)):
        (folder / "bank" / name).mkdir(parents=True)
        tone = level * np.sin(2 * np.pi * 300.0 * np.arange(rate_hz) / rate_hz)
        soundfile.write(folder / "bank" / name / "a.wav", tone, rate_hz)
    made = make(*EDITS["event"], "--bank", "bank", "--category", "hum", output="hum")
    assert made.code == 0, made.err
    assert cli("verify", "hum", "--replay", "all").code == 0
    made = make(*EDITS["event"], "--bank", "bank", "--category", "nothing")
    assert made.code == 2
    assert "digital silence" in made.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--operation", "subtraction"), "accepted: addition"),
        (("--operation", "deletion", "--bank", "x"), "go with --operation addition"),
        ((*EDITS["event"], "--positions", "4"), "accepted"),
        ((*EDITS["event"], "--positions", "few"), "accepted: a number or FEWEST-MOST"),
        ((*EDITS["event"], "--resume", "--overwrite"), "exclude each other"),
        ((*EDITS["event"], "--jobs", "0"), "at least 1"),
        ((*EDITS["event"], "--seed", "-1"), "seed is -1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options, message, make):
    made = make(*options)
    assert made.code == 2
    assert message in made.err
    assert made.err.count("\n") == 1


def test_what_is_not_heard_is_not_edited(make, folder, joined):
    make(*EDITS["slower"], "--heard-limit-s", "60", "--positions", "1-2")
    rows = lines(folder / "set" / "anchors.jsonl")
    assert [row["status"] for row in rows] == ["ok"] * 3
    for row in rows:
        assert all(position["edited"][1] <= 60.0 for position in row["positions"])
        assert all(decoy["original"][1] <= 60.0 for decoy in row["decoys"])


def test_a_benchmark_gives_its_clips_with_what_it_knows_of_them(cli, folder):
    bench = EXAMPLES / "benchmark" / "small-mmau.json"
    options = ("--audio-root", EXAMPLES / "audio", "--positions", "1")
    made = cli("anchors", bench, "-o", "set", *EDITS["louder"], *options, "--json")
    assert made.code == 1, made.err
    rows = lines(folder / "set" / "anchors.jsonl")
    assert len(rows) == 14  # clips, not questions
    asked = lines(folder / "set" / "chains.jsonl")
    assert {one["language"] for one in asked} <= {"en", "it"}
    assert all(one["transcript"] for one in asked)
    assert cli("verify", "set").code == 0


def test_a_dry_run_knows_how_long_an_edit_makes_a_clip(make, folder):
    made = make(*EDITS["slower"], "--dry-run", "--json")
    planned = {
        one["condition"]: one["file_s"]
        for one in json.loads(made.out)["result"]["forecast"]["conditions"]
    }
    make(*EDITS["slower"])
    rows = lines(folder / "set" / "anchors.jsonl")
    assert planned["edited"] == pytest.approx(
        sum(row["edited_duration_s"] for row in rows), abs=0.1
    )
    assert planned["edited_sham"] == pytest.approx(sum(row["duration_s"] for row in rows), abs=0.1)


@pytest.mark.parametrize("edit", ["faster", "slower"])
def test_times_are_true_at_rates_at_which_hundredths_end_amid_samples(cli, folder, joined, edit):
    (folder / "recordings").mkdir()
    for path in joined[0].glob("*.wav"):
        samples, rate = soundfile.read(path)
        soundfile.write(folder / "recordings" / path.name, samples[::2], 11_025)
        assert rate > 11_025
    for seed in range(3):
        words = (*EDITS[edit], "--positions", "3", "--seed", seed)
        assert cli("anchors", "recordings", "-o", f"set-{seed}", *words).code == 0
        verified = cli("verify", f"set-{seed}")
        assert verified.code == 0, verified.out
