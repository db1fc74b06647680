"""Laws of reading and writing, over any shape, rate and form."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from perturb.audio_io import OutputFormat, quantise, read_audio, write_audio
from perturb.errors import AudioError
from perturb.signal import Signal

RATES_HZ = st.sampled_from(
    [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 192_000]
)
FORMS = st.one_of(
    st.builds(
        OutputFormat,
        container=st.sampled_from(["WAV", "WAVEX"]),
        subtype=st.sampled_from(["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]),
    ),
    st.builds(
        OutputFormat, container=st.just("FLAC"), subtype=st.sampled_from(["PCM_16", "PCM_24"])
    ),
)
SHAPES = st.tuples(st.integers(1, 8), st.integers(1, 400))


def signals(elements):
    arrays = SHAPES.flatmap(lambda shape: hnp.arrays(np.float32, shape, elements=elements))
    return st.builds(Signal.adopt, arrays, RATES_HZ)


def written_to(folder, signal, form):
    path = Path(folder) / ("x.flac" if form.container == "FLAC" else "x.wav")
    return write_audio(path, signal, form)


@settings(deadline=None, max_examples=60)
@given(signal=signals(st.floats(-1.5, 1.5, width=32)), form=FORMS)
def test_written_read_and_quantised_agree_to_the_bit(signal, form):
    with tempfile.TemporaryDirectory() as folder:
        written = written_to(folder, signal, form)
        again = read_audio(written.path)
        assert again.signal.is_equal(written.signal)
        assert again.file_sha256 == written.file_sha256
        assert quantise(signal, form).is_equal(written.signal)
        second = written_to(folder, written.signal, form)
        assert second.signal.is_equal(written.signal)
        assert second.file_sha256 == written.file_sha256
        assert second.clipped_samples == 0
    over = np.abs(signal.samples) > 1
    assert written.clipped_samples == (0 if form.full_scale_bits is None else over.sum())
    inside = np.abs(signal.samples) <= 1 - 2.0**-15
    error = np.abs(written.signal.samples.astype(np.float64) - signal.samples)[inside]
    half_step = 2.0 ** -(form.full_scale_bits or 64)
    assert not error.size or error.max() <= half_step


@settings(deadline=None, max_examples=40)
@given(
    codes=hnp.arrays(np.int16, SHAPES, elements=st.integers(-32_768, 32_767)),
    rate_hz=RATES_HZ,
    form=FORMS,
)
def test_16_bit_audio_passes_unchanged_through_every_form(codes, rate_hz, form):
    signal = Signal.from_array(codes, rate_hz, layout="channels_first")
    with tempfile.TemporaryDirectory() as folder:
        assert written_to(folder, signal, form).signal.is_equal(signal)


@settings(deadline=None, max_examples=40)
@given(data=st.data(), form=FORMS)
def test_no_cut_passes_as_a_shorter_clip(data, form):
    samples = np.random.default_rng(1).uniform(-1, 1, (2, 300))
    signal = Signal.from_array(samples, 16_000, layout="channels_first")
    with tempfile.TemporaryDirectory() as folder:
        path = written_to(folder, signal, form).path
        content = path.read_bytes()
        path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
        with pytest.raises(AudioError, match=path.name):
            read_audio(path)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), form=FORMS)
def test_damage_never_crashes_and_never_invents(data, form):
    samples = np.random.default_rng(1).uniform(-1, 1, (2, 300))
    signal = Signal.from_array(samples, 16_000, layout="channels_first")
    with tempfile.TemporaryDirectory() as folder:
        path = written_to(folder, signal, form).path
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, 90))] = data.draw(st.integers(0, 255))
        path.write_bytes(content)
        try:
            file = read_audio(path)
        except AudioError:
            return
        assert np.isfinite(file.signal.samples).all()
        assert file.signal.samples.nbytes <= 8 * len(content)
