"""The conditions of an anchored split."""

from __future__ import annotations

from perturb.anchors.clip_plan import EDITED
from perturb.anchors.edits import AnchorEdit
from perturb.recipes.suite import Condition, Suite
from perturb.split.presentation import ORIGINAL, RowPlan
from perturb.split.records.manifest import Expectation
from perturb.split.treatment import Treatment

__all__ = ["SHAM", "anchored_suite", "anchored_treatments", "expect_anchored"]

SHAM = "edited_sham"
"""Condition in which the same windows go through the edit's sham."""

_ANSWERABLE = frozenset({EDITED, "oracle"})
"""Conditions in which the edit is heard or told."""


def anchored_suite(edit: AnchorEdit, *, has_text: bool) -> Suite:
    """Return the suite of an edit.

    Parameters
    ----------
    edit : AnchorEdit
        What is done.
    has_text : bool
        Whether some clip's words are known; without them there are no conditions of text.
    """
    conditions = [
        Condition(name=ORIGINAL),
        Condition(name=EDITED, recipe=edit.recipe),
        Condition(name=SHAM, sham_of=EDITED),
        Condition(name="question_only", audio="none"),
    ]
    if has_text:
        conditions += [
            Condition(name="transcript", audio="none", transcript="plain"),
            Condition(name="oracle", audio="none", transcript="oracle", edits_of=EDITED),
        ]
    return Suite(
        name="anchors",
        title="One edit at one to three planned places, and chain questions about it",
        source="AudioSpan, anchor questions",
        conditions=tuple(conditions),
    )


def anchored_treatments(suite: Suite) -> dict[str, Treatment]:
    """Return the treatments: the edits' steps are planned clip by clip, not made from a recipe."""
    by_name = {condition.name: condition for condition in suite.conditions}
    return {
        name: Treatment(condition, by_name[condition.sham_of or name])
        for name, condition in by_name.items()
    }


def expect_anchored(plan: RowPlan) -> tuple[Expectation, str | None]:
    """Return what a listener would do: without the edit there is nothing to answer from."""
    return ("unknown" if plan.condition.name in _ANSWERABLE else "unanswerable"), None
