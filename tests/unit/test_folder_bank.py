"""Banks of clips in files: a folder per category, a table, and files that are no clips."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, read_audio, write_audio
from perturb.errors import ParameterError
from perturb.events.finishing import ACTIVE_LEVEL_DBFS
from perturb.events.folder_bank import FolderBank
from perturb.measure.level import gated_level_dbfs
from perturb.signal import Signal


def write_tone(path, rate=44_100, channels=1, pitch_hz=700.0, level=0.3):
    path.parent.mkdir(parents=True, exist_ok=True)
    tone = level * np.sin(2 * np.pi * pitch_hz * np.arange(rate // 2) / rate)
    samples = np.tile(tone, (channels, 1))
    write_audio(path, Signal.from_array(samples, rate, layout="channels_first"), OutputFormat())
    return path


@pytest.fixture
def bank(tmp_path):
    """Return a folder of three categories: one sound, one of several files, one of bad files."""
    write_tone(tmp_path / "bank" / "dog" / "a.wav")
    write_tone(tmp_path / "bank" / "dog" / "deep" / "b.wav", rate=8_000, channels=2)
    write_tone(tmp_path / "bank" / "door" / "c.wav", rate=96_000)
    write_tone(tmp_path / "bank" / "mute" / "zeros.wav", level=0.0)
    (tmp_path / "bank" / "mute" / "text.wav").write_text("no audio")
    write_tone(tmp_path / "bank" / "loose.wav")
    return tmp_path / "bank"


def test_folders_are_categories(bank):
    assert FolderBank(bank).categories() == ("dog", "door", "mute")


def test_a_seed_picks_a_file_round_and_round(bank):
    found = FolderBank(bank)
    names = [found.clip("dog", seed).path.name for seed in range(4)]
    assert names == ["a.wav", "b.wav", "a.wav", "b.wav"]


@pytest.mark.parametrize("rate", [8_000, 16_000, 48_000])
def test_clips_of_any_rate_come_at_the_rate_and_level_of_events(bank, rate):
    found = FolderBank(bank)
    for category, seed in (("dog", 0), ("dog", 1), ("door", 0)):
        event = found.render(category, seed, rate)
        assert (event.sample_rate_hz, event.channel_count) == (rate, 1)
        level = gated_level_dbfs(event.samples, rate).value
        assert level == pytest.approx(ACTIVE_LEVEL_DBFS, abs=0.05)
        spectrum = np.abs(np.fft.rfft(event.samples[0]))
        assert spectrum.argmax() * rate / event.sample_count == pytest.approx(700.0, abs=3.0)


def test_files_that_are_no_clips_are_passed_over_with_the_reason(bank):
    found = FolderBank(bank)
    with pytest.raises(ParameterError) as caught:
        found.render("mute", 0, 16_000)
    assert "no clip of category 'mute' can be used" in str(caught.value)
    assert "zeros.wav: digital silence" in str(caught.value)
    problems = FolderBank(bank).check()
    assert sorted(path.name for path in problems) == ["text.wav", "zeros.wav"]


def test_what_cannot_be_heard_is_no_clip(tmp_path):
    sounds = {"offset": np.full((1, 8_000), 0.5), "one": np.full((1, 1), 0.3)}
    (tmp_path / "bank" / "hum").mkdir(parents=True)
    for name, samples in sounds.items():
        signal = Signal.from_array(samples, 8_000, layout="channels_first")
        write_audio(tmp_path / "bank" / "hum" / f"{name}.wav", signal, OutputFormat())
    problems = {path.name: why for path, why in FolderBank(tmp_path / "bank").check().items()}
    assert problems["offset.wav"].endswith("offset.wav: a constant offset of 0.5 of full scale")
    assert problems["one.wav"].endswith("one.wav: 0.125 ms long, under 1 ms")


def test_one_good_file_carries_a_category(bank):
    write_tone(bank / "mute" / "good.wav")
    assert FolderBank(bank).clip("mute", 5).path.name == "good.wav"


def test_a_table_in_the_form_of_esc_50(tmp_path):
    write_tone(tmp_path / "audio" / "1-100-A-0.wav")
    write_tone(tmp_path / "audio" / "1-200-A-1.wav")
    table = tmp_path / "meta" / "esc50.csv"
    table.parent.mkdir()
    table.write_text(
        "filename,fold,target,category\n1-100-A-0.wav,1,0,dog\n1-200-A-1.wav,1,1,rain\n"
    )
    found = FolderBank(table)
    assert found.categories() == ("dog", "rain")
    assert found.clip("rain", 0).path.name == "1-200-A-1.wav"


def test_a_table_beside_its_files(tmp_path):
    write_tone(tmp_path / "x.wav")
    (tmp_path / "bank.csv").write_text("category,filename\ndog,x.wav\ndog,gone.wav\n")
    found = FolderBank(tmp_path / "bank.csv")
    assert found.clip("dog", 1).path == tmp_path / "x.wav"
    assert [path.name for path in found.check()] == ["gone.wav"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,label\nx.wav,dog\n", "has no column filename, category; its columns: file, label"),
        ("filename,category\nx.wav,\n", "line 2: an empty field"),
        ("filename,category\nx.wav,a#b\n", "category 'a#b' cannot be named"),
        ("filename,category\n", "is empty; accepted: a folder for each category"),
        ("", "has no column filename, category; its columns: none"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, message):
    (tmp_path / "bank.csv").write_text(text)
    with pytest.raises(ParameterError) as caught:
        FolderBank(tmp_path / "bank.csv")
    assert message in str(caught.value)


def test_no_bank_and_an_empty_bank_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="nothing there"):
        FolderBank(tmp_path / "gone")
    with pytest.raises(ParameterError, match="is empty"):
        FolderBank(tmp_path)
    (tmp_path / "bank.bin").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(ParameterError, match="no table of text"):
        FolderBank(tmp_path / "bank.bin")


def test_an_unknown_category_names_the_closest(bank):
    with pytest.raises(ParameterError, match="did you mean door"):
        FolderBank(bank).render("doors", 0, 16_000)


def test_a_reference_is_the_file_as_it_is(bank):
    found = FolderBank(bank).resolve("dog#1")
    assert found.signal.is_equal(read_audio(bank / "dog" / "deep" / "b.wav").signal)
