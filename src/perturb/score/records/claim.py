"""`Claim`: what the answers show of a model, in words that never say more than the interval."""

from __future__ import annotations

from typing import Literal

from perturb.record import Record

__all__ = ["Claim", "ClaimVerdict"]

ClaimVerdict = Literal["yes", "no", "undecided", "not tested"]


class Claim(Record, frozen=True, kw_only=True):
    """One claim about one model, and whether the answers bear it out.

    Parameters
    ----------
    name : str
        Which claim, ``[a-z_]+``; with the condition it occurs once for a model.
    title : str
        The claim: "uses the audio".
    condition : str or None
        The condition that tests it; None where none does.
    against : str or None
        What that condition was compared with.
    verdict : {'yes', 'no', 'undecided', 'not tested'}
        `yes` and `no` only where the interval allows: `no` is a difference shown to lie within the
        margin, or an interval that lies below the bar; `not tested` where the split or the answers
        lack what it takes.
    role : {'primary', 'exploratory'}
        Whether it rests on the family of contrasts that Holm's method adjusts.
    sentence : str
        The verdict in words, with the numbers that it rests on.
    """

    name: str
    title: str
    condition: str | None = None
    against: str | None = None
    verdict: ClaimVerdict
    role: Literal["primary", "exploratory"] = "exploratory"
    sentence: str
