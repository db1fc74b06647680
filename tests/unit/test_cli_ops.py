"""`perturb ops`: everything that is known of an operator, from the registry alone."""

from __future__ import annotations

from perturb.operators.registry import all_operators


def test_a_line_for_each_operator(cli):
    answer = cli("ops")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].split() == ["operator", "what", "it", "does", "its", "sham"]
    assert [line.split()[0] for line in lines[1:]] == list(all_operators())
    assert answer.err == ""


def test_all_about_one(cli):
    answer = cli("ops", "gain")
    assert answer.code == 0
    assert answer.out.startswith("gain: Change the level of a span by `gain_db`")
    for text in (
        "gain_db",
        "a finite number, -60 to 60 dB or none",
        "keeps     words, segments, lexical_tone",
        "destroys  intensity",
        "sham      the unchanged clip",
        "proof     level change of each span's core",
        "source    AudioSpan",
    ):
        assert text in answer.out


def test_ledgers_by_parameters(cli):
    out = cli("ops", "silence").out
    assert "fill=zero, noise: keeps     nothing" in out
    assert "fill=room: keeps     background" in out


def test_an_empty_ledger_is_said_to_promise_nothing(cli):
    out = cli("ops", "audiomentations").out
    assert "ledger    nothing is promised: it depends on the transform\n" in out
    assert "keeps" not in out.split("ledger")[1].split("sham")[0]


def test_as_json(cli):
    envelope = cli("ops", "--json").envelope
    assert envelope["ok"]
    found = {one["name"]: one for one in envelope["result"]}
    assert list(found) == list(all_operators())
    gain = found["gain"]
    assert set(gain) == {
        *("name", "summary", "fields", "ledger", "sham_kind", "sham", "proof", "source", "schema"),
    }
    assert gain["fields"][0] == {
        "name": "gain_db",
        "unit": "dB",
        "accepted": "a finite number, -60 to 60 dB or none",
        "default": None,
        "required": False,
        "description": "Gain in dB, -60 to 60.",
    }
    assert [one["name"] for one in cli("ops", "gain", "--json").envelope["result"]] == ["gain"]


def test_an_operator_of_another_package_is_listed(cli, specimens):
    assert "squeeze" in cli("ops").out
    out = cli("ops", "overlay").out
    assert [line.split()[:2] for line in out.splitlines() if line.startswith("ref")] == [
        ["ref", "required"]
    ]
    tangle = cli("ops", "tangle", "--json").envelope["result"][0]
    assert tangle["fields"][0]["default"] == "plain"


def test_a_package_that_cannot_be_loaded_is_named(cli, install_operators):
    install_operators({"cut": "tests.unit.nowhere:Cut"})
    answer = cli("ops")
    assert answer.code == 2
    assert "entry point 'cut' of perturb-specimens cannot be loaded" in answer.error
