"""Events of the bank in edits: applied, verified, replayed, and refused where they changed."""

from __future__ import annotations

import json

import pytest

from perturb.errors import PlanError
from perturb.events import bank as bank_module
from perturb.events.bank import render
from perturb.render.references import References
from perturb.render.replay import load_trace
from tests.unit.test_folder_bank import write_tone

STEP = "event:ref='bank:dog_bark#3',snr_db=8@0.1"


def test_an_event_of_the_bank_is_laid_proven_verified_and_replayed(cli, clip):
    assert cli("apply", "in.wav", "-o", "out.wav", "--op", STEP).code == 0
    trace = load_trace(clip.parent / "out.json")
    record = trace.references["bank:dog_bark#3"]
    assert record.audio_sha256 == render("dog_bark", 3, 48_000).audio_sha256
    assert (record.path, record.sample_rate_hz) == (None, 48_000)
    assert cli("verify", "out.json").code == 0
    assert cli("replay", "out.json", "-o", "again.wav").code == 0
    assert (clip.parent / "again.wav").read_bytes() == (clip.parent / "out.wav").read_bytes()


def test_a_recipe_takes_an_event_of_the_bank(cli, clip):
    done = cli(
        "apply", "in.wav", "-o", "out.wav", "--recipe", "audiospan/addition", "--at", "0.1-0.4",
        "--set", "ref=bank:door_knock#2", "--json",
    )  # fmt: skip
    assert done.code == 0
    trace = done.envelope["result"]["trace"]
    assert list(trace["references"]) == ["bank:door_knock#2"]


def test_another_sound_than_was_recorded_is_refused(cli, clip, monkeypatch):
    assert cli("apply", "in.wav", "-o", "out.wav", "--op", STEP).code == 0
    monkeypatch.setattr(bank_module, "render_reference", lambda name: render("dog_bark", 4, 48_000))
    recorded = load_trace(clip.parent / "out.json").references
    with pytest.raises(PlanError, match="is other audio than the trace recorded"):
        References(clip.parent, expected=recorded).resolve("bank:dog_bark#3")
    findings = cli("verify", "out.json", "--json").envelope["findings"]
    assert [finding["kind"] for finding in findings] == ["replay"]
    assert cli("replay", "out.json", "-o", "again.wav").code == 2


def test_a_bank_of_files_is_recorded_by_its_file(cli, clip):
    write_tone(clip.parent / "bank" / "dog" / "a.wav")
    step = "event:ref='bank:dog#7',snr_db=8@0.1"
    done = cli("apply", "in.wav", "-o", "out.wav", "--op", step, "--bank", "bank")
    assert done.code == 0
    assert load_trace(clip.parent / "out.json").references["bank:dog#7"].path == "bank/dog/a.wav"
    # The trace alone leads to the file.
    assert cli("verify", "out.json").code == 0
    assert cli("replay", "out.json", "-o", "again.wav").code == 0
    assert (clip.parent / "again.wav").read_bytes() == (clip.parent / "out.wav").read_bytes()


def test_unknown_events_are_a_user_s_mistake(cli, clip):
    done = cli("apply", "in.wav", "-o", "o.wav", "--op", STEP.replace("dog_bark", "dog_brak"))
    assert done.code == 2
    assert "did you mean dog_bark" in done.err


def test_a_split_lays_an_event_of_the_bank(cli, clip):
    items = clip.parent / "items.jsonl"
    items.write_text(
        json.dumps({"id": "1", "audio": "in.wav", "question": "What?", "answer": "A"}) + "\n"
    )
    (clip.parent / "laid.toml").write_text(
        'title = "One event"\nsource = "test"\n\n[[step]]\nop = "event"\n'
        'ref = "bank:dog_bark#3"\nsnr_db = 8.0\nat = [0.1, 0.4]\n'
    )
    (clip.parent / "suite.toml").write_text(
        'title = "One"\nsource = "test"\n\n[[condition]]\nname = "original"\n\n'
        '[[condition]]\nname = "laid"\nrecipe = "laid.toml"\n'
    )
    done = cli("split", "items.jsonl", "-o", "split", "--suite", "suite.toml", "--json")
    assert done.code == 0, done.err + done.out
    assert cli("verify", "split", "--replay", "all").code == 0
