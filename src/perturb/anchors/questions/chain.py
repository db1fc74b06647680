"""The links of a chain that can be made, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from perturb.anchors.questions.facts import LEVELS, ChainFacts, ChainQuestion, Level
from perturb.anchors.questions.hearings import hearings_of
from perturb.anchors.questions.perception import ask_perception
from perturb.anchors.questions.reasoning import ask_reasoning
from perturb.anchors.questions.understanding import ask_understanding
from perturb.errors import InapplicableError
from perturb.streams import Streams

__all__ = ["ask_chain"]

_STREAM = "anchors"
_ASK: Mapping[Level, Callable[..., ChainQuestion]] = {
    "perception": ask_perception,
    "understanding": ask_understanding,
    "reasoning": ask_reasoning,
}


def ask_chain(
    facts: ChainFacts, golds: Mapping[Level, int], seed: int
) -> tuple[dict[Level, ChainQuestion], dict[Level, str]]:
    """Return the questions of a chain, and for each link that cannot be made the reason.

    Parameters
    ----------
    facts : ChainFacts
        What they are made of.
    golds : mapping of str to int
        Place of the gold by level; 0 where it is not given.
    seed : int
        Of the run.

    Returns
    -------
    questions : dict of str to ChainQuestion
        By level, in order. A chain goes as far as its links can be made: none stands without the
        one before it.
    reasons : dict of str to str
        By level, of the links that are missing.
    """
    streams = Streams(seed, facts.chain, _STREAM)
    questions: dict[Level, ChainQuestion] = {}
    reasons: dict[Level, str] = {}
    try:
        hearings = hearings_of(facts, streams.generator("hearings"))
    except InapplicableError as error:
        return {}, dict.fromkeys(LEVELS, str(error))
    for level in LEVELS:
        if reasons:
            reasons[level] = f"the link before it, {next(iter(reasons))}, is missing"
            continue
        generator = streams.generator(f"options/{level}")
        try:
            questions[level] = _ASK[level](facts, hearings, golds.get(level, 0), generator)
        except InapplicableError as error:
            reasons[level] = str(error)
    return questions, reasons
