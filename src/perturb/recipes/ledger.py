"""What a whole recipe keeps and destroys: the ledgers of its steps together."""

from __future__ import annotations

from collections.abc import Sequence

from perturb.operators.ledger import PROPERTIES, Ledger
from perturb.plan.step import Role
from perturb.recipes.recipe import Recipe
from perturb.streams import Streams

__all__ = ["join_ledgers", "recipe_ledger", "step_ledgers"]


def recipe_ledger(recipe: Recipe) -> Ledger:
    """Return what every step keeps and what any step destroys."""
    return join_ledgers(step_ledgers(recipe))


def step_ledgers(recipe: Recipe, role: Role = "probe") -> list[Ledger]:
    """Return the ledger of each step of a recipe, or of its sham.

    Drawn numbers do not matter to a ledger, so any draw will do; values to be given get a
    placeholder.

    Raises
    ------
    RecipeError
        A sham is asked for, and some step has none.
    """
    given = dict.fromkeys(recipe.given_names, "file:given")
    steps = recipe.resolve(
        Streams(0, recipe.name, "ledger"), 60.0, role=role, given=given, place=lambda anchor: ()
    )
    return [
        step.operator.ledger() if role == "probe" else step.operator.sham_ledger() for step in steps
    ]


def join_ledgers(ledgers: Sequence[Ledger]) -> Ledger:
    """Return what all of the ledgers keep and what any of them destroys."""
    destroyed = {item for ledger in ledgers for item in ledger.destroys}
    kept = set(PROPERTIES).intersection(*(ledger.keeps for ledger in ledgers)) - destroyed
    return Ledger(
        keeps=tuple(item for item in PROPERTIES if item in kept),
        destroys=tuple(item for item in PROPERTIES if item in destroyed),
    )
