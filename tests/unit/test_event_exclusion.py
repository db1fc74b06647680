"""What must not be laid over a clip: by labels, and by ear."""

from __future__ import annotations

import numpy as np
import pytest

from perturb.events import resemblance
from perturb.events.exclusion import excluded_categories
from perturb.events.fingerprint import bank_fingerprint
from perturb.events.label_words import labelled_categories
from perturb.events.registry import all_categories
from perturb.signal import Signal


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("Dogs barking", "dog_bark"),
        ("Bark", "dog_bark"),
        ("Meow", "cat_meow"),
        ("church_bells", "church_bell"),
        ("Rain on a roof", "rain"),
        ("Police car (siren)", "siren_wail"),
        ("Clapping", "applause"),
        ("crying_baby", "baby_cry"),
        ("snoring", "snore"),
        ("Vehicle", "car_engine"),
        ("Animal", "owl_hoot"),
        ("footsteps", "footsteps"),
        ("Keyboard typing", "keyboard_typing"),
        ("door-wood-knock", "door_knock"),
        ("Chainsaw", "chainsaw"),
        ("mouse_click", "mouse_squeak"),
    ],
)
def test_a_label_excludes_what_it_speaks_of(label, category):
    assert labelled_categories([label])[category] == label


def test_every_category_is_excluded_by_its_own_name():
    for name in all_categories():
        assert name in labelled_categories([name])
        assert name in labelled_categories([name.replace("_", " ").title()])


@pytest.mark.parametrize("label", ["speech", "man speaking English", "silence", ""])
def test_labels_of_speech_exclude_nothing(label):
    assert labelled_categories([label]) == {}


def test_labels_are_believed_and_their_absence_is_not_an_answer():
    noise = np.random.default_rng(0).normal(0, 0.1, 32_000)
    clip = Signal.from_array(noise, 16_000)
    assert excluded_categories(clip, labels=[]) == {}
    assert "dog_bark" in excluded_categories(clip, labels=["dog"])
    assert "the item is labelled 'dog'" in excluded_categories(labels=["dog"])["dog_bark"]
    assert excluded_categories(clip)
    assert excluded_categories() == {}


def test_digital_silence_holds_nothing():
    assert excluded_categories(Signal.from_array(np.zeros(32_000), 16_000)) == {}


def test_a_clip_shorter_than_a_window_is_heard():
    tone = 0.1 * np.sin(2 * np.pi * 1_000 * np.arange(1_600) / 16_000)
    assert excluded_categories(Signal.from_array(tone, 16_000))


def test_the_level_of_a_clip_does_not_matter():
    noise = np.random.default_rng(0).normal(0, 0.1, 32_000)
    loud, soft = (Signal.from_array(gain * noise, 16_000) for gain in (1.0, 0.01))
    assert list(excluded_categories(loud)) == list(excluded_categories(soft))


@pytest.mark.slow
def test_the_table_knows_the_sounds_as_they_are():
    message = "sounds changed: run python benchmarks/train_resemblance.py --write"
    table = resemblance.shipped_table()
    assert set(table.categories) == set(all_categories()), message
    assert table.fingerprint == bank_fingerprint(), message
