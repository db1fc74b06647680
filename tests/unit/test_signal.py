from __future__ import annotations

import pickle

import numpy as np
import pytest

from perturb.errors import AudioError, ParameterError
from perturb.signal import Signal
from perturb.span import Span, check_spans, seconds_to_sample


def test_layout_is_never_guessed():
    with pytest.raises(AudioError, match=r"layout of a \(2, 1000\) array is ambiguous"):
        Signal.from_array(np.zeros((2, 1000)), 16_000)
    assert Signal.from_array(np.zeros((1000, 2)), 16_000, layout="samples_first").channel_count == 2


def test_a_thousand_channels_are_refused():
    with pytest.raises(AudioError, match=r"1000 channels; accepted: 1 to 64.*samples_first"):
        Signal.from_array(np.zeros((1000, 2)), 16_000, layout="channels_first")


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (np.int16, -32768, -1.0),
        (np.int16, 16384, 0.5),
        (np.int32, -(2**31), -1.0),
        (np.int8, 64, 0.5),
        (">i2", 16384, 0.5),
        (">f4", 0.25, 0.25),
        (np.float64, 0.1, np.float32(0.1)),
        (np.float16, 0.5, 0.5),
    ],
)
def test_dtypes_are_scaled_by_their_type(dtype, value, expected):
    signal = Signal.from_array(np.array([0, value], dtype=dtype), 8_000)
    assert signal.samples.dtype == np.float32
    assert signal.samples[0, 1] == expected


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, bool, complex, "U1", object])
def test_other_dtypes_are_refused(dtype):
    with pytest.raises(AudioError, match="is not audio; accepted: floats"):
        Signal.from_array(np.zeros(10).astype(dtype), 8_000)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", ">f4", "<f4"])
def test_input_arrays_are_left_alone(order, dtype):
    array = np.array(np.arange(12).reshape(2, 6) / 16, dtype=dtype, order=order)
    array.setflags(write=False)
    before = array.tobytes(order="A")
    signal = Signal.from_array(array, 8_000, layout="channels_first")
    assert array.tobytes(order="A") == before
    assert np.array_equal(signal.samples, np.arange(12).reshape(2, 6) / 16)
    assert signal.samples.flags.c_contiguous
    assert not signal.samples.flags.writeable


def test_the_constructor_copies_what_could_still_be_written_to():
    array = np.ones((1, 4), dtype=np.float32)
    signal = Signal(array, 8_000)
    array[:] = 0.0
    assert np.array_equal(signal.samples, [[1, 1, 1, 1]])
    with pytest.raises(ValueError, match="read-only"):
        signal.samples[0, 0] = 2.0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e29, -1001.0])
def test_bad_samples_are_refused_with_their_position(bad):
    array = np.zeros((2, 100))
    array[1, 42] = bad
    with pytest.raises(AudioError, match="sample 42 of channel 1 is"):
        Signal.from_array(array, 8_000, layout="channels_first")


def test_peaks_above_full_scale_are_kept():
    assert Signal.from_array([0.0, 3.5], 8_000).samples[0, 1] == 3.5


@pytest.mark.parametrize("shape", [(0,), (0, 10), (1, 0)])
def test_empty_audio_is_refused(shape):
    with pytest.raises(AudioError, match="the audio is empty"):
        Signal.from_array(np.zeros(shape), 8_000, layout="channels_first")


@pytest.mark.parametrize("rate", [0, 7_999, 192_001, -8_000])
def test_rates_out_of_range_are_refused(rate):
    with pytest.raises(AudioError, match="accepted: 8000 to 192000 Hz"):
        Signal.from_array(np.zeros(10), rate)


@pytest.mark.parametrize("rate", [16_000.0, True, "16000"])
def test_rates_are_whole_numbers(rate):
    with pytest.raises(AudioError, match="whole number"):
        Signal.from_array(np.zeros(10), rate)


def test_identity_of_audio():
    one = Signal.from_array([0.0, 0.5], 8_000)
    assert one.audio_sha256 == Signal.from_array([0.0, 0.5], 8_000).audio_sha256
    assert one.audio_sha256 != Signal.from_array([0.0, 0.5], 16_000).audio_sha256
    assert one.audio_sha256 != Signal.from_array([0.0, 0.25], 8_000).audio_sha256
    assert not one.is_equal(Signal.from_array([-0.0, 0.5], 8_000))  # the very bits


def test_signals_travel_to_workers():
    signal = Signal.from_array([0.0, 0.5], 8_000)
    assert pickle.loads(pickle.dumps(signal)).is_equal(signal)


@pytest.mark.parametrize(
    ("start", "stop", "message"),
    [
        (-1.0, 2.0, "start_s is -1"),
        (2.0, 2.0, "has no length"),
        (3.0, 2.0, "has no length"),
        (float("nan"), 2.0, "start_s is nan"),
        (0.0, float("inf"), "stop_s is inf"),
    ],
)
def test_bad_spans_are_refused(start, stop, message):
    with pytest.raises(ParameterError, match=message):
        Span(start, stop)


def test_spans_and_the_clip():
    clip = Signal.from_array(np.zeros(16_000), 16_000)
    with pytest.raises(ParameterError, match=r"span @0.5-1.5 runs past the end.*0 to 1 s"):
        check_spans([Span(0.5, 1.5)], clip)
    with pytest.raises(ParameterError, match=r"spans @0.1-0.3 and @0.2-0.4 overlap"):
        check_spans([Span(0.2, 0.4), Span(0.1, 0.3)], clip)
    with pytest.raises(ParameterError, match="holds no sample at 16000 Hz"):
        check_spans([Span(0.1, 0.10001)], clip)
    with pytest.raises(ParameterError, match="runs past the end"):
        check_spans([Span(1.0)], clip)
    # The last sample belongs to the clip, whatever its duration is as a decimal.
    odd = Signal.from_array(np.zeros(10_001), 44_100)
    assert check_spans([Span(0.0, odd.duration_s)], odd)
    assert [str(span) for span in check_spans([Span(0.5, 0.6), Span(0.1, 0.2)], clip)] == [
        "@0.1-0.2",
        "@0.5-0.6",
    ]


def test_seconds_become_samples_in_one_way():
    assert seconds_to_sample(1.0, 44_100) == 44_100
    assert seconds_to_sample(0.00005, 8_000) == 0
    assert seconds_to_sample(0.0000625, 8_000) == 1  # halves round up
