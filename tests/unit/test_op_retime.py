from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import read_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.measure.quiet_run import QuietMeter
from perturb.operators.retime import Retime
from perturb.operators.retime_proof import nearest_nuclei
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.synthesis.pauses import find_pauses, pause_tempo
from perturb.synthesis.syllables import even_tempo, find_nuclei, log_interval_sd
from perturb.testing.strategies import RATES_HZ, speech_like
from perturb.time_map import TimeMap

RATE = 16_000


def speech(rate=RATE, channels=1, pauses_s=(0.15, 0.3, 0.5)):
    """Return stretches of three syllables and a half, with faint hiss for pauses between."""
    rng = np.random.default_rng(0)
    parts = []
    for number in range(len(pauses_s) + 1):
        spoken = speech_like(0.9, rate, seed=number, level=0.05).samples[0]
        time_s = np.arange(spoken.size) / rate
        phase = 2 * np.pi * np.cumsum(120 + 20 * np.sin(2 * np.pi * time_s + number)) / rate
        buzz = sum(np.sin(k * phase) / k for k in range(1, 21))
        parts.append(0.1 * buzz * (0.6 - 0.4 * np.cos(2 * np.pi * 4 * time_s)) + 0.02 * spoken)
        if number < len(pauses_s):
            parts.append(1e-4 * rng.standard_normal(round(pauses_s[number] * rate)))
    return Signal.from_array(
        np.tile(np.concatenate(parts), (channels, 1)), rate, layout="channels_first"
    )


CLIP = speech(channels=2)


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


@pytest.mark.parametrize("rate", RATES_HZ)
@pytest.mark.parametrize("operator", [Retime(), Retime(what="tempo")], ids=["pauses", "tempo"])
def test_any_rate(rate, operator):
    variant = apply(speech(rate), operator)
    missed = {proof.name for proof in variant.trace.measured if proof.verdict != "ok"}
    # Pauses that begin and end at once: where one moves by 8 ms, its level does by 40 dB.
    assert missed <= ({"level_correlation"} if operator.what == "tempo" else set())


@pytest.mark.parametrize("pause_s", [0.05, 0.2, 0.6, 2.0])
def test_every_pause_gets_its_length_and_speech_is_copied(pause_s):
    pauses = find_pauses(CLIP.samples[0], RATE)
    variant = apply(CLIP, Retime(pause_s=pause_s))
    assert variant.trace.status == "ok", variant.trace.reason
    length = round(pause_s * RATE)
    tempo = pause_tempo(pauses, length, CLIP.sample_count)
    assert variant.signal.sample_count == tempo.target_length
    at = new_at = 0
    for start, stop in [*pauses, (CLIP.sample_count, None)]:
        old, new = (
            one.samples[:, place : place + start - at]
            for one, place in ((CLIP, at), (variant.signal, new_at))
        )
        assert np.array_equal(old, new)
        new_at += start - at + length
        at = stop


def test_the_map_says_where_everything_went():
    variant = apply(CLIP, Retime(pause_s=0.6))
    pauses = find_pauses(CLIP.samples[0], RATE)
    time_map = variant.trace.time_map
    gained = 0.0
    for start, stop in pauses:
        gained += 0.6 - (stop - start) / RATE
        (after,) = time_map.map_span(Span(stop / RATE + 0.1, stop / RATE + 0.2))
        assert after.start_s == pytest.approx(stop / RATE + 0.1 + gained, abs=1e-4)


def test_pauses_within_a_span_alone_change():
    variant = apply(CLIP, Retime(pause_s=0.6) @ Span(0.0, 1.5))
    assert variant.trace.status == "ok", variant.trace.reason
    changed = variant.signal.sample_count - CLIP.sample_count
    (start, stop) = find_pauses(CLIP.samples[0], RATE)[0]
    assert changed == round(0.6 * RATE) - (stop - start)


def test_syllables_follow_each_other_more_evenly_and_the_whole_lasts_as_long():
    # Syllables of three lengths.
    order = [0.5, 1.0, 0.7, 1.3, 0.6, 1.0, 1.4, 0.8, 0.5, 1.2]
    parts = []
    for number, factor in enumerate(order):
        time_s = np.arange(round(0.25 * factor * RATE)) / RATE
        rise = np.sin(np.pi * np.arange(time_s.size) / time_s.size)
        buzz = sum(np.sin(2 * np.pi * 120 * k * time_s + number) / k for k in range(1, 20))
        parts.append(rise * buzz)
    clip = Signal.from_array(0.05 * np.concatenate(parts), RATE)
    nuclei_s = find_nuclei(clip.samples[0], RATE, Analysis(clip).f0)
    assert nuclei_s.size == len(order)
    tempo = even_tempo(nuclei_s, clip.sample_count, RATE)
    assert tempo.target_length == clip.sample_count
    even = log_interval_sd(tempo.to_target(nuclei_s * RATE) / RATE)
    assert even < 0.3 * log_interval_sd(nuclei_s)


def test_the_proof_catches_syllables_that_did_not_move(prompt):
    clip = read_audio(prompt).signal

    class Context:
        before, after = Analysis(clip), Analysis(clip)
        time_map = TimeMap.identity(clip.duration_s)

        def as_written(self, signal):
            return signal

    spans = (Span(0.0, clip.duration_s),)
    found = {p.name: p for p in Retime(what="tempo").measure(clip, clip, spans, Context())}
    assert found["syllables_in_place"].verdict == "off_target"
    moved = _proofs(apply(clip, Retime(what="tempo")))
    assert moved["syllables_in_place"].achieved > 1.2 * found["syllables_in_place"].achieved
    assert found["interval_sd"].verdict == "off_target"
    assert moved["interval_sd"].achieved < 0.7 * log_interval_sd(
        find_nuclei(clip.samples[0], clip.sample_rate_hz, Analysis(clip).f0)
    )


def test_each_nucleus_is_matched_once_and_strays_are_left_out():
    asked_s = np.array([0.2, 0.4, 0.6, 0.8])
    # One drawn-out vowel has two peaks, one syllable has lost its own.
    found_s = np.array([0.21, 0.39, 0.48, 0.79])
    np.testing.assert_equal(nearest_nuclei(asked_s, found_s), [0.21, 0.39, np.nan, 0.79])
    assert np.isnan(nearest_nuclei(asked_s, np.zeros(0))).all()
    assert log_interval_sd(asked_s, np.array([0.2, np.nan, 0.6, 0.8])) is None
    assert log_interval_sd(asked_s, asked_s) == pytest.approx(0.0, abs=1e-9)


def test_a_syllable_that_is_cut_has_no_nucleus():
    whole = np.cumsum(np.full(8, 0.2))
    time_s = np.arange(round(1.8 * RATE)) / RATE
    level = 0.6 - 0.4 * np.cos(2 * np.pi * (time_s - 0.1) / 0.2)
    buzz = sum(np.sin(2 * np.pi * 120 * k * time_s) / k for k in range(1, 20))
    clip = Signal.from_array(0.05 * level * buzz, RATE)
    f0 = Analysis(clip).f0
    found_s = find_nuclei(clip.samples[0], RATE, f0)
    np.testing.assert_allclose(found_s, whole, atol=0.01)
    # From the middle of one vowel to that of another.
    start, stop = round(0.205 * RATE), round(1.395 * RATE)
    inner_s = find_nuclei(clip.samples[0, start:stop], RATE, f0.slice(0.205, 1.395))
    np.testing.assert_allclose(inner_s + 0.205, [0.4, 0.6, 0.8, 1.0, 1.2], atol=0.01)


def test_no_interval_changes_by_more_than_a_factor_of_two_or_so():
    nuclei_s = np.cumsum([0.1, 0.05, 0.4, 0.05, 0.4, 0.2, 0.2])
    tempo = even_tempo(nuclei_s, 32_000, RATE)
    rates = np.diff(tempo.source) / np.diff(tempo.target)
    assert rates.max() < 2.2
    assert rates.min() > 0.45
    assert np.all(np.diff(tempo.target) > 0)


def test_breaks_keep_their_time():
    nuclei_s = np.array([0.2, 0.35, 0.6, 1.4, 1.5, 1.8])
    tempo = even_tempo(nuclei_s, 32_000, RATE)
    after_s = tempo.to_target(nuclei_s * RATE) / RATE
    assert after_s[3] - after_s[2] == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize("operator", [Retime(), Retime(what="tempo")], ids=["pauses", "tempo"])
def test_its_sham_moves_nothing_and_is_no_copy(operator):
    variant = apply(CLIP, operator, sham=True)
    assert variant.trace.status == "ok", variant.trace.reason
    assert variant.trace.time_map.is_identity
    assert variant.signal.sample_count == CLIP.sample_count
    assert not variant.signal.is_equal(CLIP)


def test_speech_without_pauses_and_without_syllables_is_inapplicable():
    with pytest.raises(InapplicableError, match="no pause of 120 ms"):
        apply(CLIP, Retime() @ Span(0.0, 0.8))
    with pytest.raises(InapplicableError, match="syllables"):
        apply(CLIP, Retime(what="tempo") @ Span(0.2, 0.75))
    with pytest.raises(InapplicableError, match="no speech"):
        apply(Signal.from_array(np.zeros(RATE), RATE), Retime())


@pytest.mark.parametrize("pause_s", [0.04, 2.1])
def test_pauses_out_of_range_are_refused(pause_s):
    with pytest.raises(ParameterError, match=r"0\.05 to 2 s"):
        Retime(pause_s=pause_s)


def test_quiet_at_the_edges_is_no_pause():
    quiet = np.zeros((2, RATE // 2), dtype=np.float32)
    clip = np.concatenate([quiet, CLIP.samples, quiet], axis=1)
    moved = [(start - RATE // 2, stop - RATE // 2) for start, stop in find_pauses(clip[0], RATE)]
    assert len(moved) == len(find_pauses(CLIP.samples[0], RATE)) == 3


def test_the_meter_of_quiet_says_where_it_is_not():
    meter = QuietMeter(CLIP.samples[0], RATE)
    assert 0.1 < meter.run_s(0.97).value < 0.35
    assert "not quiet" in QuietMeter(np.ones(800, np.float32) * 0.5, 8_000, 0.0).run_s(0.05).reason
