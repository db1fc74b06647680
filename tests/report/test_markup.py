"""Markup holds any text, axes hold any value, texts fit the room they are given."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from perturb.report.svg.axis import dose_axis, points_axis
from perturb.report.svg.drawing import Drawing, stack, standalone
from perturb.report.svg.markup import element, escape, number
from perturb.report.svg.text import shorten, width_of

TEXTS = st.text(max_size=80)
DOSES = st.integers(-10_000, 10_000).map(lambda tenths: tenths / 10.0)
SHARES = st.floats(-1.0, 1.0)


@given(TEXTS)
def test_any_text_makes_a_well_formed_file(text):
    drawing = Drawing(100.0, 20.0, element("text", escape(text), x=1.0, data_name=text))
    encoded = standalone(drawing, "name", text, text).encode()
    tree = ElementTree.fromstring(encoded)
    assert tree.get("width") == "132"  # and its margins


def test_text_comes_back_as_it_was():
    text = "a < b & 'c' \"d\" \u202eمرحبا ไทย 你好 🎧"
    assert ElementTree.fromstring(element("t", escape(text), kind=text)).text == text
    assert ElementTree.fromstring(element("t", kind=text)).get("kind") == text


def test_what_no_file_can_hold_is_replaced():
    assert escape("a\x00b\x1b\ud800") == "a\ufffdb\ufffd\ufffd"


@given(TEXTS, st.floats(20.0, 400.0))
def test_a_shortened_text_fits(text, room):
    short = shorten(text, room, 12.0)
    assert width_of(short, 12.0) <= room
    assert short == text or "…" in short


@given(st.lists(SHARES, max_size=20), st.floats(0.001, 0.2))
def test_an_axis_of_points_holds_all_values_and_the_margin(values, margin):
    axis = points_axis(values, margin)
    assert axis.low <= min([*values, -margin]) + 1e-9
    assert axis.high >= max([*values, margin]) - 1e-9
    assert 3 <= len(axis.ticks) <= 13
    assert (0.0, "0") in axis.ticks


@given(st.lists(DOSES, min_size=1, max_size=12, unique=True))
def test_ticks_of_doses_never_meet(doses):
    axis = dose_axis(sorted(doses), "dose", 300.0)
    assert axis.low < min(doses)
    assert axis.high > max(doses)
    stop = -100.0
    for dose, label in axis.ticks:
        half = width_of(label, 11.5) / 2.0
        x = axis.place(dose, 0.0, 300.0)
        assert x - half >= stop
        stop = x + half


def test_drawings_are_stacked_without_touching():
    both = stack([Drawing(10.0, 5.0, "a"), Drawing(20.0, 7.0, "b")], gap=3.0)
    assert (both.width, both.height) == (20.0, 15.0)
    assert 'transform="translate(0 8)"' in both.body


def test_coordinates_are_short():
    assert [number(value) for value in (1 / 3, 2.0, -0.0, 100.0)] == ["0.33", "2", "0", "100"]
