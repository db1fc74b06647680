"""What a whole recipe keeps and destroys: the ledgers of its steps together."""

from __future__ import annotations

from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.recipes.recipe import Recipe
from perturb.streams import Streams

__all__ = ["recipe_ledger"]


def recipe_ledger(recipe: Recipe) -> Ledger:
    """Return what every step keeps and what any step destroys.

    Drawn numbers do not matter to a ledger, so any draw will do; values to be given get a
    placeholder.
    """
    given = dict.fromkeys(recipe.given_names, "file:given")
    steps = recipe.resolve(
        Streams(0, recipe.name, "ledger"), 60.0, given=given, place=lambda anchor: ()
    )
    ledgers = [step.operator.ledger() for step in steps]
    destroyed = {item for ledger in ledgers for item in ledger.destroys}
    kept = set(PROPERTIES).intersection(*(ledger.keeps for ledger in ledgers)) - destroyed
    return Ledger(
        keeps=tuple(item for item in PROPERTIES if item in kept),
        destroys=tuple(item for item in PROPERTIES if item in destroyed),
    )
