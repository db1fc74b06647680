"""Hypothesis strategies: signals of every kind that has broken such software, spans, maps, steps.

Needs `hypothesis`, which the test extra brings: ``pip install 'perturb-audio[test]'``.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from perturb.operators.protocol import Operator
from perturb.operators.registry import all_operators
from perturb.plan.step import Step
from perturb.recipes.draws import Choice, Uniform
from perturb.recipes.recipe import Recipe, RecipeStep, RelativeSpans
from perturb.signal import Signal
from perturb.span import Span
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = [
    "RATES_HZ",
    "operators",
    "recipes",
    "signals",
    "spans_of",
    "speech_like",
    "steps_for",
    "time_maps",
]

RATES_HZ = (8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000)


def speech_like(
    duration_s: float, sample_rate_hz: int, *, channels: int = 1, seed: int = 0, level: float = 0.1
) -> Signal:
    """Return syllables: a gliding voice with two formants, pauses, and hiss between.

    Enough of a voice for the speech gate and the pitch trackers; never evidence of anything about
    real speech.
    """
    rng = np.random.default_rng(seed)
    count = max(1, round(duration_s * sample_rate_hz))
    time_s = np.arange(count) / sample_rate_hz
    f0 = 120.0 + 30.0 * np.sin(2 * np.pi * 0.7 * time_s + rng.uniform(0, 6))
    phase = 2 * np.pi * np.cumsum(f0) / sample_rate_hz
    voice = np.zeros(count)
    for harmonic in range(1, 1 + int(min(3500.0, 0.45 * sample_rate_hz) // 160)):
        frequency = harmonic * f0
        formants = sum(
            gain / (1.0 + ((frequency - centre) / width) ** 2)
            for centre, width, gain in ((600.0, 120.0, 1.0), (1400.0, 200.0, 0.5))
        )
        voice += formants * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 2.5 * time_s + rng.uniform(0, 6)) * 2.0, 0.0, 1.0)
    voice = voice * syllables + 0.01 * rng.standard_normal(count)
    voice *= level / max(1e-9, float(np.sqrt(np.mean(voice**2))))
    mix = np.stack([voice * 0.8**channel for channel in range(channels)])
    return Signal.from_array(np.clip(mix, -1.0, 1.0), sample_rate_hz, layout="channels_first")


@st.composite
def signals(
    draw: st.DrawFn,
    *,
    max_duration_s: float = 0.3,
    max_channels: int = 3,
    kinds: tuple[str, ...] = ("speech", "silence", "noise", "dc", "clipped", "tiny", "click"),
) -> Signal:
    """Return signals of every kind that has broken such software."""
    rate = draw(st.sampled_from(RATES_HZ))
    channels = draw(st.integers(1, max_channels))
    kind = draw(st.sampled_from(kinds))
    seed = draw(st.integers(0, 2**16))
    if kind == "tiny":
        count = draw(st.integers(1, 64))
    else:
        count = draw(st.integers(1, max(1, round(max_duration_s * rate))))
    if kind == "speech":
        return speech_like(count / rate, rate, channels=channels, seed=seed)
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((channels, count))
    made = noise * 0.1
    if kind == "silence":
        made = np.zeros((channels, count))
    elif kind == "noise":
        made = noise * draw(st.sampled_from([1e-5, 0.01, 0.2]))
    elif kind == "dc":
        made = np.full((channels, count), 0.5)
    elif kind == "clipped":
        made = np.clip(noise * 4.0, -1.0, 1.0)
    elif kind == "click":
        made = np.zeros((channels, count))
        made[:, draw(st.integers(0, count - 1))] = 1.0
    return Signal.from_array(made, rate, layout="channels_first")


@st.composite
def spans_of(draw: st.DrawFn, signal: Signal, *, max_count: int = 3) -> tuple[Span, ...]:
    """Return spans that lie in the signal, in order and apart; possibly none (the whole clip)."""
    count = draw(st.integers(0, max_count))
    places = sorted(
        draw(
            st.lists(
                st.integers(0, signal.sample_count),
                min_size=2 * count,
                max_size=2 * count,
                unique=True,
            )
            if signal.sample_count >= 2 * count
            else st.just([])
        )
    )
    rate = signal.sample_rate_hz
    pairs = zip(places[::2], places[1::2], strict=True)
    return tuple(Span(start / rate, stop / rate) for start, stop in pairs)


@st.composite
def time_maps(draw: st.DrawFn, duration_s: float, *, max_pieces: int = 5) -> TimeMap:
    """Return maps of every shape: removal, insertion, repetition, reversal, any rate."""
    count = draw(st.integers(1, max_pieces))
    at = 0.0
    pieces = []
    for _ in range(count):
        length = draw(st.floats(0.01, 3.0))
        if draw(st.booleans()) or count == 1:
            start = draw(st.floats(0.0, 0.9)) * duration_s
            stop = start + draw(st.floats(0.01, 1.0)) * (duration_s - start)
            if stop - start > 1e-3:
                pieces.append(Piece(at, at + length, start, stop, draw(st.booleans())))
                at += length
                continue
        pieces.append(Piece(at, at + length))
        at += length
    return TimeMap(source_duration_s=duration_s, pieces=tuple(pieces))


def operators() -> st.SearchStrategy[Operator]:
    """Return every example of every registered operator that needs no audio from outside."""
    examples = [
        example
        for kind in all_operators().values()
        for example in kind.examples()
        if not example.references()
    ]
    return st.sampled_from(examples)


@st.composite
def steps_for(draw: st.DrawFn, signal: Signal) -> Step:
    """Return steps of any operator, on spans of the signal or on the whole clip, probe or sham."""
    operator = draw(operators())
    spans = () if operator.needs_whole_clip else draw(spans_of(signal))
    roles = ("probe", "sham") if operator.sham_exists() else ("probe",)
    return Step(operator=operator, spans=spans, role=draw(st.sampled_from(roles)))


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Return recipes of one to three steps with ranges, choices and plain values, on any part."""
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        low = draw(st.floats(-20.0, 10.0).map(lambda value: round(value, 3)))
        gain_db = draw(
            st.sampled_from(
                [low, Uniform(uniform=(low, low + 5.0)), Choice(choice=(low, low + 1.0))]
            )
        )
        fill = draw(st.sampled_from(["zero", "noise", Choice(choice=("zero", "room"))]))
        op, fields = draw(
            st.sampled_from([("gain", {"gain_db": gain_db}), ("silence", {"fill": fill})])
        )
        start = draw(st.floats(0.0, 0.8).map(lambda value: round(value, 3)))
        part = RelativeSpans(relative=((start, round(start + 0.2, 3)),))
        at = draw(st.sampled_from([(), part]))
        steps.append(RecipeStep(op=op, fields=fields, at=at))
    return Recipe(name="drawn", title="A drawn recipe", source="a test", steps=tuple(steps))
