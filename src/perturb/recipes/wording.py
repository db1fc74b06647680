"""`Wording`: the sentences that a condition puts around a question."""

from __future__ import annotations

import string

from perturb.errors import ParameterError
from perturb.record import Record

__all__ = ["Wording"]

_PLACES = {
    "transcript": ("transcript", "question"),
    "oracle": ("transcript", "edits", "question"),
    "joined": ("position", "count", "question"),
}


class Wording(Record, frozen=True, kw_only=True):
    """What is written around a question, with places in braces for what goes in.

    The same sentence stands whether the transcript comes with the audio or in its place, so that
    the audio is all that differs.

    Parameters
    ----------
    transcript : str
        Around a transcript and a question: ``{transcript}``, ``{question}``.
    oracle : str
        Around a transcript, the edits and a question: ``{transcript}``, ``{edits}``,
        ``{question}``.
    joined : str
        Tells which of several joined clips is meant: ``{position}`` from 1, ``{count}``,
        ``{question}``.

    Examples
    --------
    >>> Wording().joined.format(position=2, count=4, question="Who speaks?").splitlines()[0]
    'The audio holds 4 utterances, one after the other. The question is about utterance 2.'
    """

    transcript: str = "Transcript of the audio:\n{transcript}\n\n{question}"
    oracle: str = (
        "Transcript of the audio before it was edited:\n{transcript}\n\n"
        "Edits made to the audio:\n{edits}\n\n{question}"
    )
    joined: str = (
        "The audio holds {count} utterances, one after the other. "
        "The question is about utterance {position}.\n\n{question}"
    )

    def check(self) -> None:
        """Every place is there, and no other."""
        for name, places in _PLACES.items():
            template = getattr(self, name)
            accepted = "text with " + ", ".join(f"{{{place}}}" for place in places)
            try:
                parts = list(string.Formatter().parse(template))
            except ValueError as error:
                raise ParameterError(f"{name} is {template!r}: {error}; {accepted}") from None
            found = [part for _, part, _, _ in parts if part is not None]
            is_plain = all(not spec and not turned for _, _, spec, turned in parts)
            if not is_plain or sorted(found) != sorted(places):
                raise ParameterError(f"{name} is {template!r}; accepted: {accepted}, each once")
