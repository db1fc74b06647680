"""``perturb score`` tells known models apart: 500 items, four a clip, predictions as files."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from perturb.cli.app import run
from tests.score.simulated import CLAIMS, EXPECTED, MODELS, verdicts, write_models


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Return what the command says of one draw of all models."""
    split, predictions = write_models(tmp_path_factory.mktemp("simulated"), seed=0)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run(["score", str(split), str(predictions), "--json"])
    assert code == 1  # the crasher's answers are findings
    return json.loads(out.getvalue())


@pytest.mark.parametrize("model", MODELS)
def test_each_model_gets_the_claims_that_tell_it_apart(scored, model):
    found = verdicts(scored["result"])[model]
    for heading, verdict, accepted in zip(CLAIMS.values(), found, EXPECTED[model], strict=True):
        assert verdict in accepted.split("|"), heading


def test_no_two_models_get_the_same_claims(scored):
    found = verdicts(scored["result"])
    assert len({*found.values()}) == len(MODELS)


def test_a_crasher_is_reported_as_failing_not_as_guessing(scored):
    claims = claims_of(scored, "crasher")
    fails = claims["fails", "silence"]
    assert fails["verdict"] == "yes"
    assert "100.0 %" in fails["sentence"]
    # Its accuracy on silence is 0, which would else be the clearest sign of listening there is.
    assert claims["uses_audio", "silence"]["verdict"] == "undecided"
    assert "fails rather than answers" in claims["uses_audio", "silence"]["sentence"]
    assert claims["uses_audio", "mismatched"]["verdict"] == "yes"
    findings = [one for one in scored["findings"] if one["model"] == "crasher"]
    assert {one["kind"] for one in findings} >= {"failing", "empty", "unparsed"}
    assert not any(one["kind"] == "failing" for one in scored["findings"] if one not in findings)


def test_the_sham_exposes_the_model_that_is_sensitive_to_artefacts(scored):
    for name in ("prosody_only_sham", "words_only_sham"):
        assert claims_of(scored, "artefact")["artefacts", name]["verdict"] == "yes"
    others = [model for model in MODELS if model != "artefact"]
    for model in others:
        assert claims_of(scored, model)["artefacts", "prosody_only_sham"]["verdict"] != "yes"


def test_claims_say_no_more_than_their_intervals(scored):
    """Yes and no need an interval that excludes the other; the numbers stand in the sentence."""
    for model in scored["result"]["models"]:
        for claim in model["claims"]:
            if claim["verdict"] in ("yes", "no"):
                assert "% interval" in claim["sentence"]
            comparison = next(
                (
                    one
                    for one in model["comparisons"]
                    if (one["first"], one["second"]) == (claim["condition"], claim["against"])
                ),
                None,
            )
            if claim["name"] in ("uses_audio", "needs") and claim["verdict"] == "yes":
                assert comparison["contrast"]["difference"]["high"] < 0.0
                assert comparison["verdict"]["p_adjusted"] <= 0.05
            if claim["name"] in ("uses_audio", "needs", "artefacts") and claim["verdict"] == "no":
                contrast = comparison["contrast"]
                assert -contrast["margin"] < contrast["inner_low"]
                assert contrast["inner_high"] < contrast["margin"]


def claims_of(scored, model):
    found = next(one for one in scored["result"]["models"] if one["model"] == model)
    return {(one["name"], one["condition"]): one for one in found["claims"]}
