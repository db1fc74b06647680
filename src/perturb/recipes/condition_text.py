"""A condition in a few words, for lists."""

from __future__ import annotations

from perturb.recipes.suite import Condition

__all__ = ["describe_condition"]

_DONORS = {
    "hard": "donor of the same kind, another answer",
    "easy": "donor of another kind",
    "same_answer": "donor with the same answer",
}


def describe_condition(condition: Condition) -> str:
    """Return what becomes of the audio and how the question is asked.

    Examples
    --------
    >>> describe_condition(Condition(name="blind_7", audio="none", options=7))
    'no audio, 7 options'
    """
    parts = [_describe_audio(condition)]
    if condition.donor is not None:
        draw = f", draw {condition.draw}" if condition.draw > 1 else ""
        parts.append(_DONORS[condition.donor] + draw)
    if condition.transcript == "plain":
        parts.append("transcript")
    if condition.edits_of is not None:
        parts.append(f"transcript and the edits of {condition.edits_of}")
    if condition.table:
        parts.append("questions from the table given")
    if condition.open_ended:
        parts.append("options taken away")
    if condition.options is not None:
        parts.append(f"{condition.options} options")
    return ", ".join(parts)


def _describe_audio(condition: Condition) -> str:
    if condition.sham_of is not None:
        return f"sham of {condition.sham_of}"
    if condition.recipe is not None:
        return condition.recipe
    if condition.join is not None:
        low, high = condition.join.gap_s
        return f"one of {condition.join.utterances} clips in a row, {low:g} to {high:g} s apart"
    return "the clip itself" if condition.has_audio else "no audio"
