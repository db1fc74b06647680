"""How a condition asks an item's question: options, transcript, another language, which utterance.

The steps, in this order: the question (the source's, or the table's), fewer options or none, which
of several joined clips is meant, the transcript. Options that stand in the question's own text are
taken out, or written anew in its style, together with the list of options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from perturb.benchmark.item import Item
from perturb.benchmark.variant import Question
from perturb.errors import BenchmarkError, InapplicableError
from perturb.recipes.suite import Condition
from perturb.split.joining.planning import JoinPlan
from perturb.split.questions.inline import (
    find_inline,
    names_every_option,
    tells_to_choose,
    without_inline,
)
from perturb.split.questions.options import keep_options, reduced
from perturb.split.questions.transcripts import GivenQuestion

__all__ = ["QuestionMaterial", "ask", "check_material"]


@dataclass(frozen=True)
class QuestionMaterial:
    """What questions are made of besides the item.

    Parameters
    ----------
    transcripts : mapping of str to str
        By pair id; an item's own transcript stands where there is none.
    table : mapping of str to GivenQuestion or None
        Questions in other words, by pair id; None where no table was given.
    abstaining : mapping of str to sequence of int
        Places of options that say "cannot be determined", by pair id.
    joins : mapping of (str, str) to JoinPlan
        Joined stimuli, by condition and pair id.
    edits : mapping of (str, str) to str
        What was done to the audio in plain words (`questions.edits.describe_edits`), by condition
        and pair id.
    """

    transcripts: Mapping[str, str] = field(default_factory=dict)
    table: Mapping[str, GivenQuestion] | None = None
    abstaining: Mapping[str, Sequence[int]] = field(default_factory=dict)
    joins: Mapping[tuple[str, str], JoinPlan] = field(default_factory=dict)
    edits: Mapping[tuple[str, str], str] = field(default_factory=dict)


def check_material(
    conditions: Iterable[Condition], items: Iterable[Item], material: QuestionMaterial
) -> None:
    """Refuse, before anything is written, conditions for which there is no material at all.

    Raises
    ------
    BenchmarkError
        Every condition that lacks its table or its transcripts, with the way out.
    """
    problems = []
    has_transcripts = bool(material.transcripts) or any(item.transcript for item in items)
    for condition in conditions:
        if condition.table and material.table is None:
            problems.append(f"condition {condition.name!r} needs a question table; give one")
        if condition.transcript != "none" and not has_transcripts:
            problems.append(
                f"condition {condition.name!r} needs transcripts: the benchmark has none; give a "
                "table of them"
            )
    if problems:
        raise BenchmarkError("\n".join(problems))


def ask(item: Item, condition: Condition, material: QuestionMaterial, seed: int) -> Question:
    """Return an item's question as a condition asks it.

    Parameters
    ----------
    item : Item
        As it was read.
    condition : Condition
        Of the suite.
    material : QuestionMaterial
        Transcripts, question table, joined stimuli, edits.
    seed : int
        Of the run: it decides which options are left.

    Returns
    -------
    Question
        The source's own where the condition changes nothing about it.

    Raises
    ------
    InapplicableError
        The condition cannot be had for this item; the message is the reason.

    Examples
    --------
    >>> item = Item(
    ...     row=0, item_id="7", pair_id="7", audios=(), question="What barks?",
    ...     choices=("dog", "cat"), answer="dog", answer_index=0,
    ... )
    >>> ask(item, Condition(name="open_ended", open_ended=True), QuestionMaterial(), seed=0)
    Question(question='What barks?', choices=(), answer='dog', answer_index=None)
    """
    question = Question.of(item)
    if condition.table:
        question = _from_table(item, material.table)
    if condition.options is not None:
        abstaining = material.abstaining.get(item.pair_id, ())
        kept = keep_options(item, condition.options, abstaining, seed)
        question = _with_options(item, question, kept)
    if condition.open_ended:
        question = _without_options(question)
    text = question.question
    if condition.join is not None:
        plan = material.joins.get((condition.name, item.pair_id))
        if plan is None:
            raise InapplicableError("there is no joined stimulus for this item")
        text = condition.wording.joined.format(
            position=plan.position, count=len(plan.clips), question=text
        )
    if condition.transcript != "none":
        text = _with_transcript(item, condition, material, text)
    return msgspec.structs.replace(question, question=text)


def _from_table(item: Item, table: Mapping[str, GivenQuestion] | None) -> Question:
    """Return the table's question; options go into its text where the source has them there."""
    given = None if table is None else table.get(item.pair_id)
    if given is None:
        raise InapplicableError("the question table has no question for this item")
    text = given.question
    inline = find_inline(item.question, item.choices)
    if inline is not None and find_inline(text, given.choices) is None:
        text = inline.compose(text, given.choices)
    return Question(
        question=text,
        choices=given.choices,
        answer=given.answer,
        answer_index=given.answer_index,
    )


def _with_options(item: Item, question: Question, kept: Sequence[int]) -> Question:
    left = reduced(item, question, kept)
    if len(kept) == len(question.choices):
        return left
    inline = find_inline(question.question, question.choices)
    if inline is not None:
        text = inline.compose(inline.question, left.choices)
        return msgspec.structs.replace(left, question=text)
    _refuse_named(question)
    return left


def _without_options(question: Question) -> Question:
    if not question.choices:
        raise InapplicableError("the question has no options to take away")
    if question.answer is None:
        raise InapplicableError("the gold answer is unknown: an open answer could not be judged")
    inline = find_inline(question.question, question.choices)
    if inline is None:
        _refuse_named(question)
    text = question.question if inline is None else without_inline(inline)
    if not text:
        raise InapplicableError("the question consists of its options: nothing is left to ask")
    told = tells_to_choose(text)
    if told is not None:
        raise InapplicableError(f"the question tells to answer by an option: {told!r}")
    return Question(question=text, answer=question.answer)


def _refuse_named(question: Question) -> None:
    if names_every_option(question.question, question.choices):
        raise InapplicableError("the question names its options in its own words: they cannot go")


def _with_transcript(
    item: Item, condition: Condition, material: QuestionMaterial, text: str
) -> str:
    transcript = material.transcripts.get(item.pair_id) or item.transcript
    if not transcript or not transcript.strip():
        raise InapplicableError("there is no transcript for this item")
    if condition.edits_of is None:
        return condition.wording.transcript.format(transcript=transcript.strip(), question=text)
    edits = material.edits.get((condition.edits_of, item.pair_id))
    if edits is None:
        raise InapplicableError(f"{condition.edits_of!r} has no edit of this item to tell")
    return condition.wording.oracle.format(
        transcript=transcript.strip(), edits=edits, question=text
    )
