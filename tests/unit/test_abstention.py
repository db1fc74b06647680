from __future__ import annotations

import pytest

from perturb.split.expectations.abstention import LANGUAGES, abstaining_options

ABSTAINING = {
    "en": [
        "Cannot be determined from the audio",
        "It cannot be determined from the given audio.",
        "The answer can't be determined",
        "The speaker's emotion cannot be determined from the audio alone",
        "(Cannot be inferred based on the conversation)",
        "CANNOT  BE DETERMINED",
        "can not be told from this recording",
        "Cannot tell",
        "Not enough information",
        "Not enough information to determine",
        "Insufficient information in the audio",
        "There is not enough context",
        "Impossible to tell from the clip",
        "Unable to determine",
        "The information is insufficient",
        "Unclear",
        "Unknown",
    ],
    "id": [
        "Tidak dapat ditentukan dari audio",
        "Tidak bisa ditentukan",
        "Jawaban tidak dapat dipastikan berdasarkan rekaman ini",
        "Informasi tidak cukup",
        "Tidak cukup informasi",
        "Informasi tidak memadai.",
    ],
    "ms": [
        "Tidak dapat ditentukan daripada audio",
        "Tidak boleh ditentukan",
        "Maklumat tidak mencukupi",
        "Tiada maklumat yang mencukupi",
        "Jawapan tidak dapat dipastikan daripada rakaman ini",
    ],
    "th": [
        "ไม่สามารถระบุได้จากเสียง",
        "ไม่สามารถระบุได้",
        "ไม่สามารถสรุปได้จากข้อมูลที่ให้มา",
        "ระบุไม่ได้",
        "ข้อมูลไม่เพียงพอ",
        "มีข้อมูลไม่เพียงพอ",
        "ไม่มีข้อมูลเพียงพอ",
    ],
}

NEAR_MISSES = [
    "None of the above",
    "No clear relation",
    "Other",
    "Not mentioned",
    "Neutral",
    "Uncertain",
    "The speaker is uncertain",
    "I don't know",
    "Determined",
    "She is determined to finish",
    "It can be determined from the audio",
    "The doctors say that the cause cannot be determined",
    "The cause of the fire cannot be determined without an expert",
    "It cannot be determined because the lab is closed",
    "Cannot be told to the children",
    "There is not enough information in the brochure, she complains",
    "Not enough water",
    "An unknown man",
    "Unknown number",
    "Ia tidak dapat datang",
    "Harga tidak dapat ditentukan oleh penjual",
    "Dia tidak boleh masuk",
    "Maklumat mencukupi",
    "Uang tidak cukup",
    "ผู้พูดบอกไม่ได้ว่าใครมา",
    "ไม่สามารถมาได้",
    "เสียงไม่ดัง",
    "",
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_that_abstain_are_found_in_their_language(language):
    phrases = ABSTAINING[language]
    found = abstaining_options(phrases, languages=[language])
    assert [phrases[at] for at in found] == phrases


def test_near_misses_are_content():
    assert [NEAR_MISSES[at] for at in abstaining_options(NEAR_MISSES)] == []


def test_places_are_those_among_the_options():
    choices = ["happy", "Cannot be determined", "sad", "ข้อมูลไม่เพียงพอ"]
    assert abstaining_options(choices) == (1, 3)
    assert abstaining_options(choices, languages=["en"]) == (1,)
    assert abstaining_options([]) == ()


def test_declared_texts_count_alone():
    choices = ["Cannot be determined", "none of  The Above", "sad"]
    assert abstaining_options(choices, declared=["None of the above"]) == (1,)
