"""A manifest's line against two files: what it says that is not so is told, for every edit."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from perturb.anchors.edits import anchor_edit
from perturb.anchors.manifest import AnchorPosition, AnchorRow
from perturb.anchors.placement import ActiveShares
from perturb.audio_io import OutputFormat, quantise
from perturb.operators.event import Event
from perturb.operators.gain import Gain
from perturb.operators.obscure import Obscure
from perturb.operators.silence import Silence
from perturb.operators.speed import Speed
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.split.anchored.recording import traced_row
from perturb.split.anchored.remeasuring import disagreements
from perturb.testing.strategies import speech_like

RATE = 16_000
SPANS = (Span(2.0, 5.0), Span(9.0, 12.0))
EDITS = {
    "event": (anchor_edit("addition"), Event(ref="bank:door_knock#3", snr_db=8.0)),
    "silence": (anchor_edit("deletion"), Silence()),
    "smear": (anchor_edit("deletion", "smear"), Obscure()),
    "louder": (anchor_edit("modification"), Gain(gain_db=9.0)),
    "faster": (anchor_edit("modification", "speed", "up"), Speed(rate=2.0)),
    "slower": (anchor_edit("modification", "speed", "down"), Speed(rate=0.5)),
}
BEFORE = quantise(speech_like(15.0, RATE, level=0.1), OutputFormat())
STEREO = Signal.adopt(np.concatenate([BEFORE.samples, 0.5 * BEFORE.samples]), RATE)


def edited(name, before=BEFORE):
    """Return the line of an edit and the edited clip as a file of 16 bits holds it."""
    edit, operator = EDITS[name]
    placed = operator @ SPANS[0] @ SPANS[1]
    done = apply(before, placed)
    row = AnchorRow(
        chain="clip.wav",
        status=done.trace.status,
        edit=edit,
        recipe=edit.recipe,
        operator=msgspec.to_builtins(operator),
        duration_s=before.duration_s,
        positions=tuple(
            AnchorPosition(
                original=span,
                segment=number,
                segment_span=span,
                active=ActiveShares(level=1.0, voice=1.0),
            )
            for number, span in enumerate(SPANS)
        ),
    )
    return traced_row(row, done.trace), quantise(done.signal, OutputFormat())


@pytest.mark.parametrize("before", [BEFORE, STEREO], ids=["mono", "stereo"])
@pytest.mark.parametrize("name", EDITS)
def test_what_is_true_is_not_contradicted(name, before):
    row, after = edited(name, before)
    assert list(disagreements(row, before, after)) == []


@pytest.mark.parametrize("name", EDITS)
def test_a_place_that_is_left_out_is_found(name):
    row, after = edited(name)
    row = msgspec.structs.replace(row, positions=row.positions[1:])
    assert list(disagreements(row, BEFORE, after))


@pytest.mark.parametrize("name", EDITS)
def test_a_place_that_is_told_elsewhere_is_found(name):
    row, after = edited(name)
    first, second = row.positions
    later = Span(first.edited.start_s + 0.5, first.edited.end_s + 0.5)
    row = msgspec.structs.replace(
        row, positions=(msgspec.structs.replace(first, edited=later), second)
    )
    assert list(disagreements(row, BEFORE, after))


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_was_not_made_is_found(name):
    row, _ = edited(name)
    found = list(disagreements(row, BEFORE, BEFORE))
    assert found


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("event", "snr_db", 8.5),
        ("event", "over", "host"),
        ("louder", "gain_db", 9.3),
        ("faster", "rate", 2.1),
        ("slower", "rate", 0.48),
    ],
)
def test_another_value_than_was_used_is_found(name, field, value):
    row, after = edited(name)
    row = msgspec.structs.replace(row, operator={**row.operator, field: value})
    (first, *_) = disagreements(row, BEFORE, after)
    assert "position 1" in first
    assert "recorded" in first


def test_one_sample_that_is_changed_elsewhere_is_found():
    row, after = edited("silence")
    samples = np.array(after.samples)
    samples[0, 7 * RATE] += 0.01
    (found,) = disagreements(row, BEFORE, Signal.adopt(samples, RATE))
    assert "changed at 7.000 s" in found
