r"""Answers as they are compared: thinking, markup and a lead taken off, case and space evened out.

An answer loses what stands before the last ``</think>``, and a lead such as ``Answer:`` or "the
correct answer is". Then, as options do, it loses emphasis (``**``), quotes and full stops around
it, a ``\boxed{}``, case, surplus space and the difference between composed and decomposed
characters. Nothing inside a text is changed.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["normalise", "normalise_answer"]

_AROUND = " \t\r\n*_`\"'“”‘’«»「」.,;:!。，！"
_THINKING = re.compile(r".*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}{1,2}")
_LEAD = re.compile(
    r"(?:(?:so|therefore|thus|hence),? )?(?:"
    r"(?:the |my )?(?:final |correct |best )*(?:answer|option|choice)"
    r"(?:\*\*)?(?: (?:is|would be|should be)\b\s*[:=]?|\s*[:=])"
    r"|i (?:would |will )?(?:choose|pick|select)\b\s*:?)\s*"
)


def normalise(text: str) -> str:
    """Return a text as options are compared.

    Examples
    --------
    >>> normalise(" **A  Dog.** ")
    'a dog'
    """
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    plain = " ".join(composed.casefold().split())
    return plain.strip(_AROUND) or plain


def normalise_answer(text: str) -> str:
    """Return an answer as it is compared with options.

    Examples
    --------
    >>> normalise_answer("<think>A or B?</think> The correct answer is: **B**")
    'b'
    """
    if "<" in text:
        text = _THINKING.sub("", text, count=1)
        tagged = _ANSWER_TAG.findall(text)
        text = tagged[-1] if tagged else text
    if "\\boxed" in text:
        boxed = _BOXED.findall(text)
        text = boxed[-1] if boxed else text
    plain = normalise(text)
    lead = _LEAD.match(plain)
    return plain if lead is None else normalise(plain[lead.end() :]) or plain
