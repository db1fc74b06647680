"""Answers that say that they will not or cannot answer.

Asked of unparsed answers alone: what names an option has answered. The phrases are those that
models open with, in the languages that are known; an answer that only mentions one is not refused.
"""

from __future__ import annotations

import re

from perturb.score.matching.normalising import normalise_answer
from perturb.split.expectations.abstention import abstaining_options

__all__ = ["is_refusal"]

_NOT_ABLE = (
    r"(?:can ?not|can['’]?t|(?:am |['’]m )(?:unable|not able) to|do not|don['’]t|won['’]t|will not)"
)
_VERBS = (
    r"(?:answer|hear|listen|process|analy[sz]e|access|assist|help|determine|provide|play|detect|"
    r"identify|tell|perceive|have (?:access|the ability|enough|any audio))"
)
_OPENINGS = (
    r"(?:i['’]?m |i am |we['’]re )?(?:very |really )?sorry\b",
    r"(?:i )?apologi[sz]e\b",
    r"unfortunately\b",
    rf"(?:as an? [\w ,-]{{2,60}}?,? )?i {_NOT_ABLE}\b[\w ,'’]{{0,40}}?\b{_VERBS}",
    rf"i{_NOT_ABLE}\b[\w ,'’]{{0,40}}?\b{_VERBS}",
    r"(?:there (?:is|was|seems to be|appears to be)|i (?:hear|heard|detect(?:ed)?)) no "
    r"(?:audio|sound|speech|recording|file|voice)",
    r"no (?:audio|sound|speech|recording|file)(?: file| clip)? (?:is|was|has been|could be) "
    r"(?:provided|attached|given|detected|found|heard|uploaded)",
    r"(?:the )?(?:audio|recording|clip|file)(?: file| clip)? (?:is|was|seems|appears)(?: to be)? "
    r"(?:silent|empty|missing|blank|inaudible|corrupted|not (?:provided|attached|audible))",
    r"(?:please )?(?:provide|upload|attach) (?:the|an|your) (?:audio|recording|file)",
    r"maaf\b",
    r"(?:ขออภัย|ขอโทษ|ไม่สามารถ)",
    r"(?:抱歉|对不起|很抱歉)",
)
_OPENING = re.compile(rf"(?:{'|'.join(_OPENINGS)})")


def is_refusal(text: str) -> bool:
    """Whether an answer that names no option refuses, or says that it cannot be told.

    Examples
    --------
    >>> is_refusal("I'm sorry, but I can't hear the audio."), is_refusal("Two dogs.")
    (True, False)
    """
    label = normalise_answer(text)
    return _OPENING.match(label) is not None or bool(abstaining_options((label,)))
