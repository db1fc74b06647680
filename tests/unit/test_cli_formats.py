"""`perturb apply` over every kind of file: what goes in comes out in the form it should."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.plan.trace import Trace

GAIN = ("--op", "gain:gain_db=6@0.1-0.2")


def tones(channels=1, rate_hz=16_000, duration_s=0.3, level=0.2):
    time_s = np.arange(round(duration_s * rate_hz)) / rate_hz
    return np.stack(
        [level * np.sin(2 * np.pi * (300 + 70 * i) * time_s + i) for i in range(channels)], axis=1
    )


def rms_db(samples):
    return 10 * np.log10(np.mean(samples**2, axis=0))


def is_gained(before, after, rate_hz):
    """Whether the core of the span is 6 dB louder in every channel, and the rest is as before."""
    core = slice(round(0.11 * rate_hz), round(0.19 * rate_hz))
    outside = slice(round(0.2 * rate_hz), None)
    change_db = rms_db(after[core]) - rms_db(before[core])
    return np.allclose(change_db, 6.0, atol=0.02) and np.allclose(
        after[outside], before[outside], rtol=0.0, atol=2**-16
    )


@pytest.mark.parametrize(
    ("name", "container", "subtype", "output", "expected"),
    [
        ("a.wav", "WAV", "ALAW", "o.wav", ("WAV", "PCM_16")),
        ("a.wav", "WAV", "ULAW", "o.wav", ("WAV", "PCM_16")),
        ("a.wav", "WAV", "PCM_U8", "o.wav", ("WAV", "PCM_16")),
        ("a.wav", "WAV", "MS_ADPCM", "o.wav", ("WAV", "PCM_16")),
        ("a.wav", "WAV", "PCM_16", "o.wav", ("WAV", "PCM_16")),
        ("a.wav", "WAV", "PCM_24", "o.wav", ("WAV", "PCM_24")),
        ("a.wav", "WAV", "PCM_32", "o.wav", ("WAV", "PCM_32")),
        ("a.wav", "WAV", "FLOAT", "o.wav", ("WAV", "FLOAT")),
        ("a.wav", "WAV", "DOUBLE", "o.wav", ("WAV", "DOUBLE")),
        ("a.wav", "WAVEX", "PCM_16", "o.wav", ("WAVEX", "PCM_16")),
        ("a.wav", "WAVEX", "FLOAT", "o.wav", ("WAVEX", "FLOAT")),
        ("a.wav", "RF64", "PCM_16", "o.wav", ("WAVEX", "PCM_16")),
        ("a.flac", "FLAC", "PCM_16", "o.flac", ("FLAC", "PCM_16")),
        ("a.flac", "FLAC", "PCM_24", "o.flac", ("FLAC", "PCM_24")),
        ("a.flac", "FLAC", "PCM_24", "o.wav", ("WAV", "PCM_24")),
        ("a.wav", "WAV", "FLOAT", "o.flac", ("FLAC", "PCM_24")),
        ("a.ogg", "OGG", "VORBIS", "o.wav", ("WAV", "PCM_16")),
        ("a.mp3", "MP3", "MPEG_LAYER_III", "o.wav", ("WAV", "PCM_16")),
        ("a.aiff", "AIFF", "PCM_24", "o.wav", ("WAV", "PCM_24")),
    ],
)
def test_the_form_follows_the_source(cli, folder, name, container, subtype, output, expected):
    soundfile.write(folder / name, tones(), 16_000, format=container, subtype=subtype)
    decoded = pt.read_audio(folder / name).signal
    assert cli("apply", name, "-o", output, *GAIN).code == 0
    info = soundfile.info(folder / output)
    assert (info.format, info.subtype) == expected
    assert (info.frames, info.samplerate) == (decoded.sample_count, 16_000)
    after, _ = soundfile.read(folder / output, always_2d=True)
    assert is_gained(decoded.samples.T, after, 16_000)
    assert cli("verify", output).code == 0
    # The sham has the form of its probe: a pair differs in the edit alone.
    (folder / "sham").mkdir()
    assert cli("apply", name, "-o", f"sham/{output}", *GAIN, "--sham").code == 0
    sham = soundfile.info(folder / "sham" / output)
    assert (sham.format, sham.subtype, sham.frames) == (*expected, decoded.sample_count)


@pytest.mark.parametrize("channels", range(1, 9))
@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_any_channel_count(cli, folder, channels, suffix):
    soundfile.write(folder / f"a.{suffix}", tones(channels), 16_000)
    assert cli("apply", f"a.{suffix}", "-o", f"o.{suffix}", *GAIN).code == 0
    before, _ = soundfile.read(folder / f"a.{suffix}", always_2d=True)
    after, _ = soundfile.read(folder / f"o.{suffix}", always_2d=True)
    assert after.shape == before.shape
    assert is_gained(before, after, 16_000)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000])
@pytest.mark.parametrize("step", ["gain:gain_db=6@0.1-0.2", "silence:fill=noise@0.1-0.2"])
def test_any_rate(cli, folder, rate_hz, step):
    soundfile.write(folder / "a.wav", tones(2, rate_hz), rate_hz, subtype="FLOAT")
    assert cli("apply", "a.wav", "-o", "o.wav", "--op", step).code == 0
    before, _ = soundfile.read(folder / "a.wav", always_2d=True)
    after, found_hz = soundfile.read(folder / "o.wav", always_2d=True)
    assert found_hz == rate_hz
    if step.startswith("gain"):
        assert is_gained(before, after, rate_hz)
    assert np.array_equal(after[: rate_hz // 10], before[: rate_hz // 10])
    assert cli("verify", "o.wav").code == 0


@pytest.mark.parametrize("rate_hz", [7_999, 4_000, 192_001])
def test_other_rates_are_refused(cli, folder, rate_hz):
    soundfile.write(folder / "a.wav", tones(1, rate_hz), rate_hz)
    answer = cli("apply", "a.wav", "-o", "o.wav", *GAIN)
    assert answer.code == 2
    assert f"{rate_hz}" in answer.error
    assert "8000 to 192000 Hz" in answer.error


def test_flac_holds_eight_channels(cli, folder):
    signal = pt.Signal.from_array(tones(9), 16_000, layout="samples_first")
    pt.write_audio(folder / "a.wav", signal, OutputFormat())
    answer = cli("apply", "a.wav", "-o", "o.flac", *GAIN)
    assert answer.code == 2
    assert answer.error == "9 channels; accepted in FLAC: 1 to 8. Use .wav"
    assert cli("apply", "a.wav", "-o", "o.wav", *GAIN).code == 0


@pytest.mark.parametrize("count", [1, 2, 300, 479])
@pytest.mark.parametrize("step", ["gain:gain_db=6", "silence", "silence:fill=noise", "identity"])
def test_clips_of_next_to_nothing(cli, folder, count, step):
    soundfile.write(folder / "a.wav", np.full(count, 0.25), 16_000)
    assert cli("apply", "a.wav", "-o", "o.wav", "--op", step).code == 0
    after, _ = soundfile.read(folder / "o.wav")
    assert after.shape == (count,)
    if step == "gain:gain_db=6":
        assert np.allclose(after, 0.25 * 10**0.3, atol=2**-15)


def test_pairs_keep_their_channel_count_and_equal_channels_stay_equal(cli, folder):
    mono = tones()
    soundfile.write(folder / "a.wav", np.repeat(mono, 2, axis=1), 16_000)
    cli("apply", "a.wav", "-o", "o.wav", "--op", "silence:fill=noise@0.1-0.2")
    after, _ = soundfile.read(folder / "o.wav")
    assert after.shape == (4_800, 2)
    assert np.array_equal(after[:, 0], after[:, 1])


def test_what_the_reader_has_to_say_is_recorded_and_shown(cli, folder):
    soundfile.write(folder / "a.wav", 2.0 * np.ones(4_800), 16_000, subtype="FLOAT")
    answer = cli("apply", "a.wav", "-o", "o.wav", "--op", "identity")
    trace = Trace.from_json((folder / "o.json").read_bytes())
    assert trace.input.notes
    for note in trace.input.notes:
        assert f"note: a.wav: {note}" in answer.out
