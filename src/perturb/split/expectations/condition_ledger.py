"""What a condition as a whole promises to keep and to destroy of the audio that is asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from perturb.benchmark.item import MAIN_ROLE
from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.recipes.ledger import join_ledgers, step_ledgers
from perturb.recipes.recipe import Recipe
from perturb.recipes.suite import Condition

__all__ = ["condition_ledger"]

_NOT_PROMISED = Ledger()


def condition_ledger(
    condition: Condition, conditions: Iterable[Condition], load: Callable[[str], Recipe]
) -> Ledger:
    """Return the ledger of one condition of a suite.

    Unedited audio keeps everything, no audio destroys everything. A recipe's ledger is that of its
    steps. Of these, less is promised where less is known:

    - A step on spans leaves the rest of the clip as it is, so it destroys nothing for certain.
    - A sham promises what its operator says: an unchanged clip keeps all, a sham of its own keeps
      what its probe keeps.
    - A donor with the host's own answer may answer the question as well as the host: nothing is
      promised.
    - A transcript gives the words back, whatever became of the audio: they are not destroyed.
    - Joined stimuli, and edits of other roles than `main`, promise nothing.

    Parameters
    ----------
    condition : Condition
        One of the suite's.
    conditions : iterable of Condition
        All of the suite: a sham's probe is among them.
    load : callable
        Finds a recipe by its name.
    """
    ledger = _audio_ledger(condition, {other.name: other for other in conditions}, load)
    if condition.transcript == "none":
        return ledger
    return Ledger(
        keeps=ledger.keeps, destroys=tuple(name for name in ledger.destroys if name != "words")
    )


def _audio_ledger(
    condition: Condition, by_name: dict[str, Condition], load: Callable[[str], Recipe]
) -> Ledger:
    if not condition.has_audio:
        return Ledger(destroys=PROPERTIES)
    if not condition.is_edited:
        return Ledger(keeps=PROPERTIES)
    if condition.join is not None or MAIN_ROLE not in condition.roles:
        return _NOT_PROMISED
    if condition.donor == "same_answer":
        return _NOT_PROMISED
    probe = condition if condition.sham_of is None else by_name[condition.sham_of]
    if MAIN_ROLE not in probe.roles:
        return _NOT_PROMISED
    recipe = load(str(probe.recipe))
    ledgers = step_ledgers(recipe, "probe" if condition.sham_of is None else "sham")
    return join_ledgers(
        [
            Ledger(keeps=ledger.keeps) if step.at else ledger
            for step, ledger in zip(recipe.steps, ledgers, strict=True)
        ]
    )
