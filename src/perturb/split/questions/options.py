"""Fewer options: 10, 7, 4. The gold stays, each set lies within the larger one, order is kept.

One ranking per item decides for all sizes: the gold first, then what abstains ("cannot be
determined"), then the distractors in an order drawn from the stream of (seed, pair id), and last
whatever repeats the text of an option before it. A set of k options is the first k of the ranking,
in the order of the source. So sets are nested whichever sizes are asked for, and:

- an abstaining option stays as long as there is room, so that sizes differ in distractors alone;
- an option that says the same as the gold, or as another, goes before any other does: as soon as
  options are dropped, no two of those left read alike if there are others to keep.

Where the gold then stands is a result, reported for each condition; it is not balanced between
sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from perturb.benchmark.item import Item
from perturb.benchmark.variant import Question
from perturb.errors import InapplicableError
from perturb.streams import Streams

__all__ = [
    "gold_among",
    "gold_place",
    "keep_options",
    "rank_options",
    "reduced",
    "same_text",
]

_STREAM = "options"


def same_text(text: str) -> str:
    """Return what two options that read alike have in common: case and spaces left aside."""
    return " ".join(text.split()).casefold()


def gold_place(item: Item) -> int | None:
    """Return the place of the gold among an item's options; the first where several say the same.

    None where the gold is unknown.
    """
    if item.answer_index is not None:
        return item.answer_index
    if item.answer is None:
        return None
    gold = same_text(item.answer)
    return next((n for n, choice in enumerate(item.choices) if same_text(choice) == gold), None)


def gold_among(item: Item, kept: Sequence[int]) -> int | None:
    """Return where the gold stands among the options that are left.

    None where the source names its text alone and two of them read so: which is meant stays open.
    """
    gold = gold_place(item)
    if gold is None:
        return None
    text = same_text(item.choices[gold])
    alike = [place for place in kept if same_text(item.choices[place]) == text]
    is_open = item.answer_index is None and len(alike) > 1
    return None if is_open or gold not in kept else kept.index(gold)


def rank_options(
    choices: Sequence[str], gold: int, abstaining: Sequence[int], seed: int, pair_id: str
) -> tuple[int, ...]:
    """Return the places of all options, from the one that stays longest to the first to go.

    Parameters
    ----------
    choices : sequence of str
        Texts of the options.
    gold : int
        Place of the gold.
    abstaining : sequence of int
        Places of options that say "cannot be determined".
    seed : int
        Of the run.
    pair_id : str
        Of the item.

    Examples
    --------
    >>> choices = ["cat", "dog", "Dog", "cannot tell"]
    >>> rank_options(choices, gold=1, abstaining=[3], seed=0, pair_id="q1")
    (1, 3, 0, 2)
    """
    generator = Streams(seed, pair_id, _STREAM).generator("ranking")
    drawn: list[int] = generator.permutation(len(choices)).tolist()
    drawn.sort(key=lambda place: (place != gold, place not in abstaining))
    seen: set[str] = set()
    distinct: list[int] = []
    repeated: list[int] = []
    for place in drawn:
        text = same_text(choices[place])
        (repeated if text in seen else distinct).append(place)
        seen.add(text)
    return (*distinct, *repeated)


def keep_options(item: Item, size: int, abstaining: Sequence[int], seed: int) -> tuple[int, ...]:
    """Return the places of the options that are left, in the source's order.

    Parameters
    ----------
    item : Item
        With options and a gold.
    size : int
        How many are to be left.
    abstaining : sequence of int
        Places of options that say "cannot be determined".
    seed : int
        Of the run.

    Raises
    ------
    InapplicableError
        No options, fewer than asked for, or no gold to keep.
    """
    count = len(item.choices)
    if count == 0:
        raise InapplicableError("the question has no options")
    if count < size:
        raise InapplicableError(f"the question has {count} options; {size} were asked for")
    gold = gold_place(item)
    if gold is None:
        known = "unknown" if item.answer is None else f"{item.answer!r}, which is no option"
        raise InapplicableError(f"the gold answer is {known}: which option must stay is not known")
    ranking = rank_options(item.choices, gold, abstaining, seed, item.pair_id)
    return tuple(sorted(ranking[:size]))


def reduced(item: Item, question: Question, kept: Sequence[int]) -> Question:
    """Return a question with the options at some places left.

    Parameters
    ----------
    item : Item
        As in the source.
    question : Question
        With as many options as the item, possibly in another language.
    kept : sequence of int
        Places that stay, in order.
    """
    choices = tuple(question.choices[place] for place in kept)
    return msgspec.structs.replace(question, choices=choices, answer_index=gold_among(item, kept))
