"""Events over every real clip, read back from the files and measured by instruments of others.

The ratio is taken by least squares and pyloudnorm, the onset by cross-correlation, the rest of the
mixture sample by sample from the 16-bit files. Nothing here imports the package's own measures.
"""

from __future__ import annotations

import numpy as np
import parselmouth
import pyloudnorm
import pytest
import scipy.signal
import soundfile

from perturb.operators.event import Event
from perturb.plan.step import Step
from perturb.render.files import FileJob, apply_to_file
from perturb.span import Span
from tests.conftest import CLIPS
from tests.strategies.sounds import burst, click, store, tone

each_clip = pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)


def _loudest_second(path):
    """Return where a second of the clip lies that is speech."""
    samples, rate = soundfile.read(path)
    energy = np.concatenate([[0.0], np.cumsum(samples**2)])
    return round(float(np.argmax(energy[rate:] - energy[:-rate])) / rate + 0.25, 3)


def _mix(path, folder, event, rate, role="probe", **fields):
    """Lay an event of .5 s over a clip's loudest second; return files as arrays, and the trace."""
    at_s = _loudest_second(path)
    ref = store(folder, event, rate)
    step = Step(operator=Event(ref=ref, **fields), spans=(Span(at_s),), role=role)
    trace = apply_to_file(FileJob(path, folder / f"{role}.wav", (step,)))
    before, host_rate = soundfile.read(path)
    after, _ = soundfile.read(folder / f"{role}.wav")
    return before, after / 10 ** (trace.headroom.gain_db / 20), host_rate, at_s, trace


def _power_db(samples):
    return 10 * np.log10(np.mean(samples**2))


@each_clip
@pytest.mark.parametrize("snr_db", [-10.0, 0.0, 8.0, 20.0])
def test_a_steady_tone_has_its_ratio_by_least_squares(path, snr_db, tmp_path):
    rate = soundfile.info(path).samplerate
    event = tone(0.5, rate, 1000.0)
    fields = {"snr_db": snr_db, "fade_in_s": 0.0, "fade_out_s": 0.0}
    before, after, _, at_s, trace = _mix(path, tmp_path, event, rate, **fields)
    start, count = round(at_s * rate), event.size
    added = (after - before)[start : start + count]
    scale = np.dot(added, event) / np.dot(event, event)
    middle = start + count // 2
    window = before[max(0, middle - rate // 2) : middle + rate // 2]
    ratio = _power_db(scale * event) - _power_db(window)
    assert ratio == pytest.approx(snr_db, abs=0.02)
    assert trace.status == "ok"
    # Host and event are all there is: the rest is what 16 bits round away.
    step = 2**-15 / 10 ** (trace.headroom.gain_db / 20)
    assert np.abs(added - scale * event).max() <= step
    outside = np.delete(after - before, slice(start, start + count))
    assert np.abs(outside).max() <= (0.0 if trace.headroom.gain_db == 0 else step)


@each_clip
def test_a_knock_from_44100_hz_begins_when_the_trace_says(path, tmp_path):
    knock = click(44_100, at_s=0.03, duration_s=0.2)
    before, after, rate, at_s, trace = _mix(path, tmp_path, knock, 44_100, snr_db=20.0)
    added = after - before
    shape = scipy.signal.resample_poly(knock, rate, 44_100)
    match = np.abs(scipy.signal.correlate(added, shape, mode="full", method="fft"))
    lag_s = (np.argmax(match) - (shape.size - 1)) / rate
    assert lag_s == pytest.approx(at_s, abs=0.001)
    assert trace.steps[0].notes["events"][0]["onset_s"] == pytest.approx(lag_s + 0.03, abs=0.001)


@each_clip
def test_the_noted_loudness_ratio_is_pyloudnorms(path, tmp_path):
    rate = soundfile.info(path).samplerate
    before, after, _, at_s, trace = _mix(
        path, tmp_path, burst(0.5, rate), rate, snr_db=8.0, fade_in_s=0.0, fade_out_s=0.0
    )
    note = trace.steps[0].notes["events"][0]
    low, high = (round(edge * rate) for edge in note["window_s"])
    start = round(at_s * rate)
    meter = pyloudnorm.Meter(rate)
    event = (after - before)[start : start + rate // 2]
    ratio = meter.integrated_loudness(event) - meter.integrated_loudness(before[low:high])
    assert note["snr_lufs"] == pytest.approx(ratio, abs=0.1)


@each_clip
def test_praat_sees_the_level_of_the_mixture(path, tmp_path):
    rate = soundfile.info(path).samplerate
    fields = {"snr_db": 20.0, "fade_in_s": 0.0, "fade_out_s": 0.0}
    before, after, _, at_s, _ = _mix(path, tmp_path, tone(0.5, rate, 440.0), rate, **fields)
    middle = at_s + 0.25
    window = parselmouth.Sound(before, rate).extract_part(
        max(0.0, middle - 0.5), min(before.size / rate, middle + 0.5)
    )
    place = parselmouth.Sound(after, rate).extract_part(at_s, at_s + 0.5)
    # A tone 20 dB over the host is the mixture, but for the host's own hundredth.
    wanted = window.get_intensity() + 20.0
    assert place.get_intensity() == pytest.approx(wanted, abs=0.4)


@each_clip
def test_the_sham_is_not_heard(path, tmp_path):
    rate = soundfile.info(path).samplerate
    before, after, _, at_s, trace = _mix(
        path, tmp_path, burst(0.5, rate), rate, role="sham", snr_db=8.0
    )
    start = round(at_s * rate)
    difference = (after - before)[start : start + rate // 2]
    middle = start + rate // 4
    window = before[max(0, middle - rate // 2) : middle + rate // 2]
    assert _power_db(difference + 1e-12) - _power_db(window) < -50.0
    assert trace.status == "ok"
