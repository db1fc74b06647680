"""Sounds for additions: absent from the clip, drawn by seed, called by how they sound."""

from __future__ import annotations

import numpy as np
import pytest
import soundfile

from perturb.anchors.sounds import SoundBank
from perturb.errors import InapplicableError, ParameterError
from perturb.events.registry import all_categories
from perturb.signal import Signal

SILENCE = Signal.from_array(np.zeros(16_000), 16_000)


def draw(bank, labels, seed=0, clip=SILENCE):
    return bank.choose(clip, labels, np.random.default_rng(seed))


def test_a_labelled_category_is_never_drawn():
    for seed in range(60):
        sound = draw(SoundBank(), ["church bells", "dog"], seed)
        assert not {"bell", "dog"} & set(sound.category.split("_"))
        assert sound.excluded > 0


def test_no_labels_said_is_not_the_same_as_none_heard():
    assert draw(SoundBank(), []).excluded == 0


def test_an_unvouched_sound_is_called_by_how_it_sounds():
    sound = draw(SoundBank(None, ("dog_bark",)), [])
    assert sound.category == "dog_bark"
    assert sound.reference.startswith("bank:dog_bark#")
    assert sound.words == all_categories()["dog_bark"].description
    assert "dog" not in sound.words


def test_the_same_generator_draws_the_same_sound_and_another_seed_another():
    sounds = [draw(SoundBank(), [], seed) for seed in (1, 1, 2)]
    assert sounds[0] == sounds[1] != sounds[2]


def test_where_every_category_may_be_there_already_none_is_drawn():
    with pytest.raises(InapplicableError, match="none of 1 categories of sound is absent"):
        draw(SoundBank(None, ("dog_bark",)), ["a barking dog"])


def test_a_folder_is_a_bank_of_names(tmp_path):
    for name in ("owl", "creaking door"):
        (tmp_path / name).mkdir()
        soundfile.write(tmp_path / name / "a.wav", 0.1 * np.sin(np.arange(800)), 8_000)
    bank = SoundBank(tmp_path)
    bank.check()
    assert draw(SoundBank(tmp_path, ("owl",)), None).words == "an owl"
    assert draw(SoundBank(tmp_path, ("creaking door",)), []).words == "a creaking door"
    only = draw(bank, ["doors"])
    assert only.words == "an owl"
    assert only.reference == f"file:{tmp_path / 'owl' / 'a.wav'}"


def test_an_unknown_category_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="did you mean dog_bark"):
        SoundBank(None, ("dog_barks",)).check()
    with pytest.raises(ParameterError, match="nothing there"):
        SoundBank(tmp_path / "no").check()
