"""`noise_vocode` on signals of which it is known what each band holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.noise_vocode import NoiseVocode
from perturb.plan.step import Plan, Step
from perturb.render.apply import apply
from perturb.render.chain import run_chain
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import RATES_HZ, speech_like

RATE = 16_000
CLIP = speech_like(2.0, RATE, seed=1, level=0.05)


def _noise(seconds, rate=RATE, level=0.05, seed=0):
    random = np.random.default_rng(seed)
    return Signal.from_array(level * random.standard_normal(round(seconds * rate)), rate)


def _render(clip, operator, *spans, role="probe"):
    """Return the result without headroom, from the streams of one clip id."""
    step = Step(operator=operator, spans=spans, role=role)
    plan = Plan(steps=(step,), clip_id="clip")
    return run_chain(plan, Analysis(clip), References(Path.cwd())).result.samples


def _proofs(variant):
    return {proof.name: proof for proof in variant.trace.measured}


def _level_db(samples):
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-30)


@pytest.mark.parametrize("rate", RATES_HZ)
def test_any_rate(rate):
    clip = speech_like(0.8, rate, channels=2, seed=2, level=0.05)
    variant = apply(clip, NoiseVocode())
    assert variant.trace.status == "ok", variant.trace.reason
    assert variant.signal.samples.shape == clip.samples.shape


@pytest.mark.parametrize("bands", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
def test_white_noise_keeps_its_level_within_the_bands(bands):
    variant = apply(_noise(2.0), NoiseVocode(bands=bands))
    proof = _proofs(variant)["band_level_deviation"]
    assert proof.verdict == "ok"
    assert proof.reason is None, "a band was left out"
    spectrum = np.abs(np.fft.rfft(variant.signal.samples[0])) ** 2
    frequencies = np.fft.rfftfreq(variant.signal.sample_count, 1 / RATE)
    inside = spectrum[(frequencies > 100) & (frequencies < 6_500)].mean()
    assert spectrum[(frequencies < 40) | (frequencies > 7_900)].mean() < 0.02 * inside


def test_a_tone_becomes_noise_of_its_band():
    tone = Signal.from_array(0.1 * np.sin(2 * np.pi * 700 * np.arange(2 * RATE) / RATE), RATE)
    result = apply(tone, NoiseVocode(bands=4)).signal.samples[0]
    spectrum = np.abs(np.fft.rfft(result)) ** 2
    frequencies = np.fft.rfftfreq(result.size, 1 / RATE)
    is_band = (frequencies > 390) & (frequencies < 1_124)
    assert spectrum[is_band].sum() > 0.9 * spectrum.sum()
    # No line is left: the strongest tenth of a per cent of the band holds little.
    strongest = np.sort(spectrum[is_band])[-max(1, is_band.sum() // 1_000) :]
    assert strongest.sum() < 0.05 * spectrum.sum()
    assert _level_db(result) == pytest.approx(_level_db(tone.samples), abs=1.0)


def test_each_band_keeps_its_own_envelope():
    time_s = np.arange(3 * RATE) / RATE
    low = (1 + np.sin(2 * np.pi * 3 * time_s)) * np.sin(2 * np.pi * 250 * time_s)
    high = (1 - np.sin(2 * np.pi * 3 * time_s)) * np.sin(2 * np.pi * 4_500 * time_s)
    clip = Signal.from_array(0.1 * (low + high), RATE)
    result = apply(clip, NoiseVocode(bands=4)).signal.samples[0]
    spectra = np.abs(np.fft.rfft(result.reshape(-1, 160), axis=1)) ** 2
    rising = np.sin(2 * np.pi * 3 * (np.arange(spectra.shape[0]) + 0.5) * 0.01)
    assert np.corrcoef(np.sqrt(spectra[:, 1:5].sum(axis=1)), rising)[0, 1] > 0.8
    assert np.corrcoef(np.sqrt(spectra[:, 33:70].sum(axis=1)), rising)[0, 1] < -0.8


def test_silence_within_a_clip_stays_silence():
    samples = np.array(CLIP.samples)
    samples[:, 12_000:20_000] = 0.0
    result = apply(Signal.adopt(samples, RATE), NoiseVocode(bands=4)).signal.samples[0]
    assert _level_db(result[14_000:18_000]) < _level_db(result) - 100.0


@pytest.mark.parametrize("sham", [False, True])
def test_a_channel_does_not_depend_on_the_others(sham):
    pair = speech_like(1.0, RATE, channels=2, seed=3, level=0.05)
    alone = Signal.adopt(pair.samples[:1].copy(), RATE)
    role = "sham" if sham else "probe"
    together, single = (_render(clip, NoiseVocode(), role=role) for clip in (pair, alone))
    assert np.array_equal(together[0], single[0])
    assert not np.array_equal(together[0], together[1])


def test_a_silent_channel_stays_silent():
    samples = np.stack([CLIP.samples[0], np.zeros(CLIP.sample_count, dtype=np.float32)])
    variant = apply(Signal.adopt(samples, RATE), NoiseVocode())
    assert not variant.signal.samples[1].any()
    assert variant.trace.status == "ok"


def test_what_lies_outside_a_span_has_no_say_in_it():
    span = Span(0.5, 1.2)
    other = np.array(CLIP.samples)
    other[:, : RATE // 2] *= np.float32(0.1)
    one, two = (_render(clip, NoiseVocode(), span) for clip in (CLIP, Signal.adopt(other, RATE)))
    inside = slice(*span.to_samples(RATE))
    assert np.array_equal(one[:, inside], two[:, inside])


@pytest.mark.parametrize("count", [2, 160, 320, 479, 800])
@pytest.mark.parametrize("bands", [1, 8, 32])
def test_very_short_clips(count, bands):
    clip = _noise(count / RATE)
    variant = apply(clip, NoiseVocode(bands=bands))
    assert np.isfinite(variant.signal.samples).all()
    assert variant.signal.sample_count == count
    assert _level_db(variant.signal.samples) < _level_db(clip.samples) + 6.0


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(RATE), "digital silence"),
        (np.full(RATE, 0.5), "nothing between 80 and 7000 Hz"),
        (np.full(1, 0.5), "nothing between 80 and 7000 Hz"),
    ],
)
@pytest.mark.parametrize("sham", [False, True])
def test_where_there_is_nothing_to_vocode(samples, reason, sham):
    with pytest.raises(InapplicableError, match=reason):
        apply(Signal.from_array(samples, RATE), NoiseVocode(), sham=sham)


def test_one_silent_span_among_others_is_named():
    samples = np.array(CLIP.samples)
    samples[:, 8_000:16_000] = 0.0
    placed = NoiseVocode() @ Span(0.0, 0.4) @ Span(0.5, 1.0)
    with pytest.raises(InapplicableError, match=r"@0\.5-1 is digital silence"):
        apply(Signal.adopt(samples, RATE), placed)


@pytest.mark.parametrize("bands", [0, 33, 2.5, "many"])
def test_bands_are_whole_numbers_from_1_to_32(bands):
    with pytest.raises(ParameterError, match=r"bands is .*accepted: a whole number, 1 to 32"):
        NoiseVocode(bands=bands)


@pytest.mark.parametrize(("bands", "exists"), [(1, True), (23, True), (24, False), (32, False)])
def test_the_sham_ends_where_the_probe_nears_it(bands, exists):
    operator = NoiseVocode(bands=bands)
    assert operator.sham_exists() is exists
    if not exists:
        with pytest.raises(ParameterError, match="no sham"):
            apply(CLIP, operator, sham=True)


def test_the_sham_is_the_32_band_vocoder():
    sham = _render(CLIP, NoiseVocode(bands=4), role="sham")
    assert np.array_equal(sham, _render(CLIP, NoiseVocode(bands=32)))


def test_the_ledger_follows_the_dose():
    words = [
        "words" in getattr(NoiseVocode(bands=bands).ledger(), side)
        for side in ("destroys", "keeps")
        for bands in (1, 4, 16)
    ]
    assert words == [True, False, False, False, False, True]
    assert "intonation" in NoiseVocode(bands=4).ledger().destroys
    assert "intonation" not in NoiseVocode(bands=16).ledger().destroys


class _Context:
    """What `measure` may use, for results that the operator did not make."""

    def __init__(self, before, after):
        self.before, self.after = Analysis(before), Analysis(after)


@pytest.mark.parametrize(
    ("result", "missed"),
    [
        (CLIP, {"voicing_lost"}),
        (
            Signal.adopt(CLIP.samples * np.float32(0.8), RATE),
            {"band_level_deviation", "voicing_lost"},
        ),
        (_noise(2.0), {"band_level_deviation", "envelope_correlation"}),
    ],
    ids=["untouched", "scaled", "unrelated"],
)
def test_proofs_find_what_is_wrong(result, missed):
    found = NoiseVocode().measure(CLIP, result, (Span(0.0, 2.0),), _Context(CLIP, result))
    off = {proof.name for proof in found if proof.verdict == "off_target"}
    assert off == missed
