"""Options that abstain: "cannot be determined from the audio", in the languages that are known.

An option abstains where it says that the question cannot be answered, and nothing else. "None of
the above", "other", "no clear relation" and "not mentioned" do not: they are claims about what is
heard, and wrong where nothing is. "Uncertain" and "I don't know" do not either: they may be what a
speaker feels or says. A phrase inside a longer statement ("the doctors say that the cause cannot be
determined") is content.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from perturb.split.donors.strata import as_label

__all__ = ["LANGUAGES", "abstaining_options"]

_SOURCES_EN = r"audio|recording|clip|speech|sound|information|context|passage|conversation|dialogue"
_SUBJECTS_EN = (
    r"(?:it|this|that|(?:the )?(?:correct )?answer|(?:the |this )?question|"
    r"(?:the )?(?:speakers? ?|speaker['’]s )?(?:emotion|mood|feeling|language|dialect|accent|"
    r"intent|intention|meaning|identity|attitude|gender|age|number|order|relation(?:ship)?))"
)
_VERBS_EN = (
    r"(?:determined|inferred|told|identified|known|answered|judged|concluded|decided|established|"
    r"deduced|ascertained)"
)
_ENGLISH = (
    rf"(?:{_SUBJECTS_EN} )?(?:can ?not|can['’]?t|could not|couldn['’]t) be {_VERBS_EN}",
    r"(?:(?:i|you|we|one) )?(?:can ?not|can['’]?t) (?:tell|determine|say for (?:sure|certain))",
    r"(?:it is |it['’]s )?(?:impossible|not possible) to "
    r"(?:tell|determine|say|know|identify|infer)",
    r"(?:there is |there['’]s )?no way to (?:tell|determine|know)",
    r"(?:there is |there['’]s )?(?:not enough|insufficient) "
    r"(?:information|evidence|context|data|audio)"
    r"(?: to (?:tell|determine|say|know|answer|decide))?",
    r"(?:the )?(?:information|evidence|context|data) is (?:insufficient|not (?:enough|sufficient))",
    r"unable to (?:tell|determine|say|identify)",
    r"(?:indeterminate|undeterminable|indeterminable|not determinable)",
    r"(?:unknown|unclear)",
)
_ENGLISH_TAIL = (
    rf"(?: (?:from|based on|with|by|given|in|using|on the basis of)"
    rf"(?: (?!because|unless|without)\w+){{0,4}}? (?:{_SOURCES_EN})"
    rf"(?: (?:alone|only|given|provided|available|itself))?)?"
)
# Indonesian and Malay share their grammar: "dari" or "berdasarkan" names the source.
_MALAY_TAIL = (
    r"(?: (?:dari|daripada|berdasarkan|melalui|dengan|hanya dari)(?: \w+){0,2}? "
    r"(?:audio|rekaman|rakaman|suara|klip|informasi|maklumat|percakapan|konteks)"
    r"(?: (?:ini|itu|saja|sahaja|tersebut|berkenaan|yang (?:diberikan|tersedia|ada)))*)?"
)
_MALAY_VERBS = (
    r"(?:ditentukan|dipastikan|diketahui|disimpulkan|dikenal pasti|diidentifikasi|dijawab|dikenali)"
)
_MALAY_SUBJECTS = (
    r"(?:(?:ini|hal ini|jawaban(?:nya)?|jawapan(?:nya)?|emosi(?:nya)?|dialek(?:nya)?|"
    r"bahasa(?:nya)?) )?"
)
_INDONESIAN = (
    rf"{_MALAY_SUBJECTS}(?:tidak|tak) (?:dapat|bisa|mungkin) {_MALAY_VERBS}",
    r"(?:informasi|data|bukti|konteks)(?:nya)? (?:tidak|kurang) (?:cukup|memadai|mencukupi)",
    r"(?:tidak|tak) (?:ada )?cukup (?:informasi|data|bukti|konteks)",
)
_MALAY = (
    rf"{_MALAY_SUBJECTS}(?:tidak|tak) (?:dapat|boleh|mungkin) {_MALAY_VERBS}",
    r"(?:maklumat|data|bukti|konteks)(?:nya)? (?:tidak|kurang) (?:cukup|memadai|mencukupi)",
    r"(?:tidak|tak) (?:ada )?cukup (?:maklumat|data|bukti|konteks)",
    r"tiada (?:cukup )?(?:maklumat|data|bukti)(?: yang)? (?:cukup|mencukupi|memadai)",
)
_THAI_VERBS = r"(?:ระบุ|บอก|ตัดสิน|สรุป|กำหนด|ทราบ|ตอบ|แยก|วินิจฉัย)"
_THAI = (
    rf"(?:คำตอบ)?(?:ไม่สามารถ|ไม่อาจ){_THAI_VERBS}(?:ได้)?",
    rf"{_THAI_VERBS}ไม่ได้",
    r"(?:มี)?ข้อมูล(?:ที่ให้มา)?ไม่(?:เพียงพอ|พอ)",
    r"ไม่มีข้อมูล(?:ที่)?(?:เพียงพอ|พอ)",
)
_THAI_TAIL = (
    r"(?: ?(?:จาก|โดย|ตาม)(?:ไฟล์|คลิป|การฟัง|แค่)?(?:เสียง|ข้อมูล|คลิป|บทสนทนา|บริบท|ออดิโอ)"
    r"(?:พูด|นี้|ที่ให้มา|ที่มี|ที่ได้ยิน|อย่างเดียว|เท่านั้น)*)?"
)
_PATTERNS: dict[str, tuple[tuple[str, ...], str]] = {
    "en": (_ENGLISH, _ENGLISH_TAIL),
    "id": (_INDONESIAN, _MALAY_TAIL),
    "ms": (_MALAY, _MALAY_TAIL),
    "th": (_THAI, _THAI_TAIL),
}
LANGUAGES = tuple(_PATTERNS)
"""Languages, by code, whose phrases are known."""

_AROUND = " .。!()[]\"'“”‘’*-–—:;,"


@functools.cache
def _pattern(language: str) -> re.Pattern[str]:
    phrases, tail = _PATTERNS[language]
    return re.compile(rf"(?:{'|'.join(phrases)}){tail}")


def abstaining_options(
    choices: Sequence[str],
    declared: Sequence[str] = (),
    languages: Sequence[str] = LANGUAGES,
) -> tuple[int, ...]:
    """Return the places of the options that abstain, from 0.

    Parameters
    ----------
    choices : sequence of str
        Options without letters.
    declared : sequence of str
        Texts of abstaining options. Where some are declared these alone count, compared without
        case and surplus space; otherwise they are detected.
    languages : sequence of str
        Codes from `LANGUAGES` whose phrases are looked for.
    """
    if declared:
        known = {as_label(text) for text in declared}
        return tuple(place for place, choice in enumerate(choices) if as_label(choice) in known)
    return tuple(
        place
        for place, choice in enumerate(choices)
        if any(_pattern(code).fullmatch(as_label(choice).strip(_AROUND)) for code in languages)
    )
