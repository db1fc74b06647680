"""What is wrong with predictions, through the command: shown, counted, never repaired silently."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.score.made import describe, make_item, make_split, write_answers
from tests.score.test_cli_score import check_reasons

N = 120
NAMES = ("original", "repeat", "silence")


@pytest.fixture
def damaged(cli, tmp_path):
    """Return a function that writes the answers of a listener, damages them, and scores them."""
    items = [make_item(row, row % 4) for row in range(N)]
    conditions = [
        describe("original"),
        describe("repeat"),
        describe("silence", recipe="seabed/silence"),
    ]
    split = make_split(tmp_path / "split", items, conditions)
    folder = write_answers(tmp_path / "model", items, NAMES, lambda item, name: item.answer)

    def score(condition, damage):
        path = folder / f"{condition}.jsonl"
        rows = damage([json.loads(line) for line in path.read_text().splitlines()])
        if rows is None:
            path.unlink()
        else:
            path.write_text("\n".join(map(json.dumps, rows)))
        done = cli("score", split, folder, "--samples", "200", "--json")
        assert done.code == 1
        assert not done.envelope["ok"]
        check_reasons(done.envelope["result"])
        return done.envelope

    return score


def finding(envelope, kind):
    return next(one for one in envelope["findings"] if one["kind"] == kind)


def condition_of(envelope, name):
    (model,) = envelope["result"]["models"]
    return next(one for one in model["conditions"] if one["condition"] == name)


def test_the_first_of_duplicates_counts_and_contradictions_are_told_apart(damaged):
    envelope = damaged(
        "silence", lambda rows: [*rows, rows[0], {**rows[1], "prediction": "sad and angry"}]
    )
    assert finding(envelope, "duplicate")["count"] == 1
    assert finding(envelope, "conflict")["count"] == 1
    assert condition_of(envelope, "silence")["accuracy"]["value"] == 1.0
    assert condition_of(envelope, "silence")["accuracy"]["n"] == N


def test_a_missing_condition_is_named_and_nothing_is_made_of_it(damaged):
    envelope = damaged("silence", lambda rows: None)
    assert "silence" in finding(envelope, "missing_condition")["message"]
    (model,) = envelope["result"]["models"]
    assert [one["condition"] for one in model["conditions"]] == ["original", "repeat"]
    claims = {one["name"]: one for one in model["claims"]}
    assert claims["uses_audio"]["verdict"] == "not tested"
    assert any(one["family"] == "contribution" for one in envelope["result"]["not_applicable"])


def test_rows_of_no_item_are_counted_and_left_out(damaged):
    envelope = damaged("silence", lambda rows: [*rows, {"id": "stranger", "prediction": "sad"}])
    assert finding(envelope, "extra")["count"] == 1
    assert finding(envelope, "extra")["examples"] == ["stranger"]
    assert condition_of(envelope, "silence")["accuracy"]["n"] == N


def test_empty_answers_count_as_wrong_and_are_shown_apart(damaged):
    envelope = damaged(
        "silence",
        lambda rows: [{**row, "prediction": ""} if at < 30 else row for at, row in enumerate(rows)],
    )
    assert finding(envelope, "empty")["count"] == 30
    assert finding(envelope, "failing")["count"] == 30
    silence = condition_of(envelope, "silence")
    assert silence["states"] == {"answered": 90, "empty": 30}
    assert silence["accuracy"]["value"] == pytest.approx(0.75)
    (model,) = envelope["result"]["models"]
    (claim,) = [one for one in model["claims"] if one["name"] == "uses_audio"]
    assert claim["verdict"] == "undecided"
    assert "25 % of the answers name no option" in claim["sentence"]


def test_answers_drawn_where_nothing_was_said_are_found_and_do_not_count(damaged):
    """What the harness parsed stands beside what the model said, which was nothing of the kind."""
    random = np.random.default_rng(0)

    def fill(rows):
        return [
            {
                "id": row["id"],
                "model_output": "I cannot hear anything",
                "model_prediction": ("happy", "sad", "angry", "calm")[random.integers(4)],
            }
            for row in rows
        ]

    envelope = damaged("silence", fill)
    assert finding(envelope, "filled")["count"] == N
    silence = condition_of(envelope, "silence")
    assert "answered" not in silence["states"]
    assert silence["accuracy"]["value"] == 0.0


def test_options_alone_that_look_drawn_are_pointed_out(damaged):
    random = np.random.default_rng(1)
    draws = iter(random.permutation(np.repeat(np.arange(4), N // 4)).tolist())
    options = ("happy", "sad", "angry", "calm")
    envelope = damaged(
        "silence", lambda rows: [{**row, "prediction": options[next(draws)]} for row in rows]
    )
    assert "right as often as chance" in finding(envelope, "filled")["message"]


def test_unequal_denominators_are_told_and_contrasts_take_what_counts_in_both(damaged):
    envelope = damaged("silence", lambda rows: rows[:100])
    assert finding(envelope, "missing")["count"] == 20
    message = finding(envelope, "denominators")["message"]
    assert "120 in original" in message
    assert "100 in silence" in message
    (model,) = envelope["result"]["models"]
    pair = next(one for one in model["comparisons"] if one["first"] == "silence")
    assert pair["contrast"]["difference"]["n"] == 100
    assert pair["worst_case"]["n_missing_first"] == 20
    assert pair["worst_case"]["low"] == pytest.approx(-20 / N)
