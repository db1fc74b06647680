"""Laws of the synthesis behind `vocode`: what must hold for any input, by arithmetic alone."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.measure.f0_track import F0Track
from perturb.synthesis import vocode
from perturb.synthesis.block_filter import filter_blocks
from perturb.synthesis.vocode import METHODS, vocode_segment, vocode_sham_segment
from perturb.synthesis.vocode_responses import flat_table, lowpass_response, vowel_table

BOTH = pytest.mark.parametrize("make", [vocode_segment, vocode_sham_segment])
ALL_METHODS = pytest.mark.parametrize("method", METHODS)
HOP_S = 0.005


def normals(seed=0):
    rng = np.random.default_rng(seed)
    return lambda count: rng.standard_normal(count, dtype=np.float32)


def track(f0_hz, first_time_s=0.0):
    f0_hz = np.asarray(f0_hz, dtype=np.float32)
    times_s = first_time_s + np.arange(f0_hz.size) * HOP_S
    return F0Track(times_s, f0_hz, (f0_hz > 0).astype(np.float32), HOP_S)


def half_voiced(duration_s, pitch_hz=150.0):
    """A pitch in the first half, none in the second."""
    frames = 1 + int(duration_s / HOP_S)
    return track(np.where(np.arange(frames) < frames // 2, pitch_hz, 0.0))


def hiss(duration_s, rate_hz, channels=1, seed=3):
    count = round(duration_s * rate_hz)
    noise = np.random.default_rng(seed).standard_normal((channels, count))
    return (0.1 * noise).astype(np.float32)


def level_db(samples):
    return 20 * np.log10(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))


@BOTH
@ALL_METHODS
@pytest.mark.parametrize(
    ("rate_hz", "duration_s"),
    [(8_000, 0.1), (11_025, 0.06), (16_000, 0.1), (44_100, 0.02), (192_000, 0.004)],
)
def test_any_rate(make, method, rate_hz, duration_s):
    samples = hiss(duration_s, rate_hz, channels=2)
    before = samples.copy()
    result = make(samples, rate_hz, half_voiced(duration_s), method, normals())
    assert result.shape == samples.shape
    assert result.dtype == np.float32
    assert np.isfinite(result).all()
    np.testing.assert_array_equal(samples, before)


@BOTH
@ALL_METHODS
@pytest.mark.parametrize("count", [1, 2, 20, 479])
def test_any_length(make, method, count):
    samples = hiss(0.1, 16_000)[:, :count]
    for f0 in (track([]), track([0.0]), track([120.0]), half_voiced(0.03)):
        result = make(samples, 16_000, f0, method, normals())
        assert result.shape == (1, count)
        assert np.isfinite(result).all()


@BOTH
@ALL_METHODS
def test_silence_stays_silence(make, method):
    samples = np.zeros((2, 1_600), dtype=np.float32)
    assert not make(samples, 16_000, half_voiced(0.1), method, normals()).any()
    samples[0] = hiss(0.1, 16_000)[0]
    result = make(samples, 16_000, half_voiced(0.1), method, normals())
    assert result[0].any()
    assert not result[1].any()


@BOTH
@pytest.mark.parametrize("method", ["pulse", "hum", "interpolated", "envelope"])
def test_a_gap_of_silence_is_silent(make, method):
    samples = hiss(0.2, 16_000)
    samples[:, 1_200:2_000] = 0.0
    result = make(samples, 16_000, half_voiced(0.2), method, normals())
    # The level window is 25 ms wide: 12.5 ms and a block on either side of the gap.
    assert not result[:, 1_480:1_720].any()


@BOTH
@pytest.mark.parametrize("method", ["pulse", "hum", "interpolated", "envelope"])
def test_an_offset_is_not_resynthesised(make, method):
    samples = np.full((1, 1_600), 0.5, dtype=np.float32)
    assert not make(samples, 16_000, half_voiced(0.1), method, normals()).any()


@BOTH
@ALL_METHODS
@pytest.mark.parametrize("level", [1e-4, 1.0, 30.0])
def test_level_follows_at_any_scale(make, method, level):
    samples = (level * hiss(0.2, 8_000)).astype(np.float32)
    voiced = track(np.full(41, 150.0))
    result = make(samples, 8_000, voiced, method, normals())
    if method == "lowpass" and make is vocode_segment:
        assert level_db(result) < level_db(samples) - 5
    else:
        assert level_db(result) == pytest.approx(level_db(samples), abs=0.5)


@BOTH
@ALL_METHODS
def test_a_click_does_not_explode(make, method):
    samples = np.zeros((1, 1_600), dtype=np.float32)
    samples[0, 700] = 1.0
    result = make(samples, 16_000, half_voiced(0.1), method, normals())
    assert np.abs(result).max() <= 1.0 + 1e-6


@BOTH
@ALL_METHODS
def test_same_noise_same_bytes(make, method):
    samples = hiss(0.1, 16_000)
    arguments = (samples, 16_000, half_voiced(0.1), method)
    one, again, other = (make(*arguments, normals(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert np.array_equal(one, other) == (method == "lowpass")


@ALL_METHODS
def test_probe_and_sham_draw_the_same_noise_once_per_sample(method):
    drawn = []
    for make in (vocode_segment, vocode_sham_segment):
        source, counts = normals(), []

        def counting(count, source=source, counts=counts):
            counts.append(count)
            return source(count)

        make(hiss(0.1, 16_000, channels=2), 16_000, half_voiced(0.1), method, counting)
        drawn.append(sum(counts))
    assert drawn[0] == drawn[1] == (0 if method == "lowpass" else 1_600)


@BOTH
@ALL_METHODS
def test_the_size_of_pieces_changes_rounding_alone(make, method, monkeypatch):
    arguments = (hiss(0.1, 16_000), 16_000, half_voiced(0.1), method)
    whole = make(*arguments, normals())
    monkeypatch.setattr(vocode, "BLOCK_SAMPLES", 501)
    pieces = make(*arguments, normals())
    np.testing.assert_allclose(pieces, whole, atol=1e-5)


@BOTH
@pytest.mark.parametrize("method", ["pulse", "hum", "interpolated", "envelope"])
def test_channels_share_the_excitation_and_keep_their_levels(make, method):
    samples = np.repeat(hiss(0.1, 16_000), 3, axis=0)
    samples[2] *= 0.25
    result = make(samples, 16_000, half_voiced(0.1), method, normals())
    alone = make(samples[:1], 16_000, half_voiced(0.1), method, normals())
    np.testing.assert_array_equal(result[0], alone[0])
    np.testing.assert_array_equal(result[1], result[0])
    np.testing.assert_allclose(result[2], 0.25 * result[0], atol=1e-5)


def spectrum(samples, rate_hz):
    window = np.hanning(samples.size)
    return np.fft.rfftfreq(samples.size, 1 / rate_hz), np.abs(np.fft.rfft(samples * window)) ** 2


def power_near_harmonics(samples, rate_hz, pitch_hz, top_hz=2_000):
    """Share of the power under `top_hz` that lies within a fifth of a period of a harmonic."""
    frequencies_hz, power = spectrum(samples, rate_hz)
    inside = (frequencies_hz > pitch_hz / 2) & (frequencies_hz < top_hz)
    place = frequencies_hz / pitch_hz
    near = np.abs(place - np.round(place)) < 0.2
    return power[inside & near].sum() / power[inside].sum()


def test_pulses_have_the_pitch_asked_for():
    samples = hiss(0.3, 8_000)
    result = vocode_segment(samples, 8_000, track(np.full(61, 170.0)), "pulse", normals())[0]
    assert power_near_harmonics(result, 8_000, 170.0) > 0.9
    # A semitone off, the harmonics are not there.
    assert power_near_harmonics(result, 8_000, 180.0) < 0.75


def test_times_of_the_track_count():
    # The same contour, said with frames that start late, puts the pulses late by as much.
    samples = hiss(0.2, 16_000)
    late_samples = 51
    early, late = (
        vocode_segment(samples, 16_000, track([0, 0, 100, 100, 100, 0], t), "hum", normals())[0]
        for t in (0.02, 0.02 + late_samples / 16_000)
    )
    lags = np.arange(0, 120)
    match = [np.dot(early[: -lag or None], late[lag:]) for lag in lags]
    assert lags[int(np.argmax(match))] == pytest.approx(late_samples, abs=1)


@BOTH
def test_hum_is_silent_where_there_is_no_voice(make):
    result = make(hiss(0.2, 16_000), 16_000, half_voiced(0.2), "hum", normals())[0]
    boundary = round((20 - 0.5) * HOP_S * 16_000)
    # Gains are linear between the centres of 2.5 ms blocks.
    assert not result[boundary + 60 :].any()
    assert level_db(result[: boundary - 60]) == pytest.approx(-20.0, abs=1.0)


def test_interpolated_is_voiced_throughout():
    f0 = track([0] * 5 + [150] * 10 + [0] * 30 + [150] * 10 + [0] * 6)
    samples = hiss(0.3, 8_000)
    result = vocode_segment(samples, 8_000, f0, "interpolated", normals())[0]
    assert power_near_harmonics(result[640:1_760], 8_000, 150.0) > 0.85
    plain = vocode_segment(samples, 8_000, f0, "pulse", normals())[0]
    assert power_near_harmonics(plain[640:1_760], 8_000, 150.0) < 0.65


@BOTH
@pytest.mark.parametrize("method", ["interpolated", "pulse"])
def test_without_a_pitch_all_methods_but_hum_are_noise(make, method):
    arguments = (hiss(0.1, 16_000), 16_000, track(np.zeros(21)))
    expected = make(*arguments, "envelope", normals())
    np.testing.assert_array_equal(make(*arguments, method, normals()), expected)
    assert not make(*arguments, "hum", normals()).any()


@BOTH
def test_envelope_knows_nothing_of_pitch(make):
    samples = hiss(0.1, 16_000)
    one = make(samples, 16_000, half_voiced(0.1), "envelope", normals())
    other = make(samples, 16_000, track(np.zeros(21)), "envelope", normals())
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rate_hz", [8_000, 44_100])
def test_lowpass_passes_and_stops_without_delay(rate_hz):
    times_s = np.arange(round(0.3 * rate_hz)) / rate_hz
    inner = slice(round(0.1 * rate_hz), round(0.2 * rate_hz))
    for frequency_hz, gain in ((100, 1.0), (300, 1.0), (500, 0.0), (1_500, 0.0)):
        tone = np.sin(2 * np.pi * frequency_hz * times_s).astype(np.float32)
        result = vocode_segment(tone[np.newaxis], rate_hz, track([]), "lowpass", normals())[0]
        np.testing.assert_allclose(result[inner], gain * tone[inner], atol=2e-3)


def test_the_sham_of_lowpass_is_the_clip():
    samples = hiss(0.1, 16_000, channels=2)
    result = vocode_sham_segment(samples, 16_000, track([]), "lowpass", normals())
    np.testing.assert_allclose(result, samples, atol=1e-6)


def test_the_probe_keeps_no_envelope_and_the_sham_does():
    # White noise turns into a tone-like band half-way: only the sham follows.
    rate_hz, count = 8_000, 2_400
    samples = hiss(0.3, rate_hz)
    band = np.fft.rfft(samples[0])
    frequencies_hz = np.fft.rfftfreq(count, 1 / rate_hz)
    band[np.abs(frequencies_hz - 3_000) > 200] = 0
    samples[0, count // 2 :] = 3 * np.fft.irfft(band)[count // 2 :]

    def share_of_band(result):
        shares = []
        for part in (result[: count // 2], result[count // 2 :]):
            frequencies_hz, power = spectrum(part, rate_hz)
            shares.append(power[np.abs(frequencies_hz - 3_000) < 300].sum() / power.sum())
        return shares

    arguments = (samples, rate_hz, track(np.full(61, 150.0)), "pulse")
    before, after = share_of_band(vocode_segment(*arguments, normals())[0])
    assert after == pytest.approx(before, abs=0.05)
    before, after = share_of_band(vocode_sham_segment(*arguments, normals())[0])
    assert before < 0.25
    assert after > 0.8


def test_an_unknown_method_is_refused():
    for make in (vocode_segment, vocode_sham_segment):
        with pytest.raises(ParameterError, match="method is 'buzz'; accepted: pulse, hum, interp"):
            make(hiss(0.01, 8_000), 8_000, track([]), "buzz", normals())


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 48_000, 192_000])
@pytest.mark.parametrize("table_of", [vowel_table, flat_table])
def test_pulse_tables(table_of, rate_hz):
    table, centre = table_of(rate_hz)
    assert not table.flags.writeable
    energy = np.sum(np.square(table, dtype=np.float64), axis=1)
    np.testing.assert_allclose(energy, 1.0, rtol=2e-3)
    # Each row comes a 32nd of a sample later than the one before.
    spectra = np.fft.rfft(table, axis=1)
    strong = np.abs(spectra[0]) > 0.1 * np.abs(spectra[0]).max()
    turn = np.angle(spectra[16] / spectra[0])[strong]
    expected = -2 * np.pi * np.flatnonzero(strong) / table.shape[1] * 0.5
    np.testing.assert_allclose(turn, expected, atol=0.02)
    # All but nothing at the ends of the response.
    power = np.square(table[0], dtype=np.float64)
    assert power[: centre // 4].sum() + power[-centre // 4 :].sum() < 1e-4
    if table_of is vowel_table:
        # The energy is spread over 5 ms: a crest of 12 dB at most over that time.
        loudest = np.sort(power)[-round(0.005 * rate_hz) :]
        assert power.max() < 16 * loudest.mean()


def test_the_vowel_is_the_same_at_every_rate_and_rolls_off():
    shapes = {}
    for rate_hz in (16_000, 48_000):
        table, _ = vowel_table(rate_hz)
        power = np.abs(np.fft.rfft(table[0], rate_hz)) ** 2  # bins of 1 Hz
        shapes[rate_hz] = 10 * np.log10(power[200:7_000:100] / power[500])
        peaks = [500 + 1_000 * k for k in range(6)]
        assert all(power[peak] > 3 * power[peak + 500] for peak in peaks)
        if rate_hz > 16_000:
            assert power[12_000:].max() < 1e-5 * power[500]
    np.testing.assert_allclose(shapes[16_000], shapes[48_000], atol=0.1)


@pytest.mark.parametrize("sizes", [[1], [3, 3, 2], [40, 40, 7], [100], [5, 60]])
@pytest.mark.parametrize("centre", [0, 9, 20])
def test_blocks_are_filtered_as_a_whole(sizes, centre):
    rng = np.random.default_rng(1)
    response = rng.standard_normal(21).astype(np.float32)
    blocks = [rng.standard_normal(size).astype(np.float32) for size in sizes]
    signal = np.concatenate(blocks).astype(np.float64)
    result = np.full(signal.size, np.nan)
    reached = 0
    for start, piece in filter_blocks(blocks, response, centre):
        assert start == reached or piece.size == 0
        result[start : start + piece.size] = piece
        reached = start + piece.size if piece.size else reached
    expected = np.convolve(signal, response)[centre : centre + signal.size]
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_lowpass_response_is_symmetric():
    response, centre = lowpass_response(16_000)
    np.testing.assert_array_equal(response, response[::-1])
    assert response.size == 2 * centre + 1
    assert response.sum() == pytest.approx(1.0)
