"""`perturb events`: the list, one event as a file, all in a picture."""

from __future__ import annotations

import pytest

from perturb.audio_io import read_audio
from perturb.events.bank import render
from perturb.events.registry import all_categories
from tests.unit.test_folder_bank import write_tone


def test_a_line_for_each_category(cli):
    done = cli("events", "list")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].split()[:2] == ["category", "family"]
    for name in all_categories():
        assert any(line.startswith(name) for line in lines)


def test_the_list_as_json(cli):
    envelope = cli("events", "list", "--json").envelope
    assert envelope["ok"]
    categories = envelope["result"]["categories"]
    assert [one["name"] for one in categories] == list(all_categories())
    assert {"name", "family", "description", "recognised_by"} <= set(categories[0])
    assert categories[0]["recognised_by"] == []


def test_the_list_of_a_bank_of_files_tells_what_is_passed_over(cli, folder):
    write_tone(folder / "bank" / "dog" / "a.wav")
    write_tone(folder / "bank" / "dog" / "mute.wav", level=0.0)
    done = cli("events", "list", "--bank", "bank", "--json")
    assert done.code == 1
    assert [one["name"] for one in done.envelope["result"]["categories"]] == ["dog"]
    assert "digital silence" in done.envelope["findings"][0]["message"]


def test_an_event_as_a_file(cli, folder):
    done = cli("events", "render", "owl_hoot", "--seed", "5", "-o", "x.wav", "--rate", "16000")
    assert done.code == 0
    assert "owl_hoot#5" in done.out
    assert read_audio(folder / "x.wav").signal.is_equal(render("owl_hoot", 5, 16_000))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("owl", "-o", "x.wav"), "not in the bank"),
        (("owl_hoot", "-o", "x.mp3"), "accepted: a name that ends in .wav"),
        (("owl_hoot", "-o", "x.wav", "--rate", "4000"), "accepted: 8000 to 48000 Hz"),
        (("owl_hoot", "-o", "x.wav", "--seed", "-2"), "seed is -2"),
    ],
)
def test_mistakes_are_told_in_a_line(cli, folder, arguments, message):
    done = cli("events", "render", *arguments)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.slow
def test_the_sheet_is_a_picture_of_every_category(cli, folder):
    write_tone(folder / "bank" / "dog" / "a.wav")
    write_tone(folder / "bank" / "door" / "b.wav")
    done = cli("events", "sheet", "-o", "sheet.png", "--bank", "bank")
    assert done.code == 0
    assert "2 categories" in done.out
    assert (folder / "sheet.png").read_bytes()[:4] == b"\x89PNG"
    assert cli("events", "sheet", "-o", "sheet.txt").code == 2
