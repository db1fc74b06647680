"""The edits that an anchor can be: three operations, their kinds, directions and words."""

from __future__ import annotations

from typing import Literal

from perturb.anchors.questions.wording import EditWords
from perturb.errors import ParameterError
from perturb.record import Record

__all__ = ["AnchorEdit", "Direction", "EditKind", "Operation", "anchor_edit"]

Operation = Literal["addition", "deletion", "modification"]
EditKind = Literal["event", "silence", "smear", "gain", "speed"]
Direction = Literal["up", "down"]

_KINDS: dict[Operation, tuple[EditKind, ...]] = {
    "addition": ("event",),
    "deletion": ("silence", "smear"),
    "modification": ("gain", "speed"),
}
_RECIPES: dict[tuple[EditKind, Direction | None], str] = {
    ("event", None): "audiospan/addition",
    ("silence", None): "audiospan/deletion_silence",
    ("smear", None): "audiospan/deletion_smear",
    ("gain", "up"): "audiospan/loudness_up",
    ("gain", "down"): "audiospan/loudness_down",
    ("speed", "up"): "audiospan/speed_up",
    ("speed", "down"): "audiospan/speed_down",
}
_WORDS: dict[tuple[EditKind, Direction | None], EditWords] = {
    ("silence", None): EditWords(
        "the sound of this recording drops out for a short time", hides_words=True
    ),
    ("smear", None): EditWords(
        "this recording is muffled for a short time, so that it cannot be made out",
        hides_words=True,
    ),
    ("gain", "up"): EditWords("this recording becomes louder all at once, for a short time"),
    ("gain", "down"): EditWords("this recording becomes softer all at once, for a short time"),
    ("speed", "up"): EditWords("this recording runs faster all at once, for a short time"),
    ("speed", "down"): EditWords("this recording runs slower all at once, for a short time"),
}
_LONGEST_FACTOR = 3.0
"""How many times as long ``audiospan/speed_down`` makes a span, at most."""


class AnchorEdit(Record, frozen=True, kw_only=True):
    """What is done at every position of a set.

    Parameters
    ----------
    operation : {'addition', 'deletion', 'modification'}
        Something is laid over, taken away, or changed.
    edit : {'event', 'silence', 'smear', 'gain', 'speed'}
        How.
    direction : {'up', 'down'}, optional
        Of a modification: louder or faster, softer or slower.
    """

    operation: Operation
    edit: EditKind
    direction: Direction | None = None

    def check(self) -> None:
        """Kind and direction go with the operation."""
        kinds = _KINDS[self.operation]
        if self.edit not in kinds:
            raise ParameterError(
                f"edit is {self.edit!r}; accepted with {self.operation}: {', '.join(kinds)}"
            )
        if (self.direction is not None) != (self.operation == "modification"):
            raise ParameterError(
                f"direction is {self.direction!r}; accepted with modification: up or down, with "
                "other operations none"
            )

    @property
    def recipe(self) -> str:
        """Name of its recipe in the catalogue."""
        return _RECIPES[self.edit, self.direction]

    @property
    def lengthening(self) -> float:
        """How many times as long as it was a window may become."""
        return _LONGEST_FACTOR if (self.edit, self.direction) == ("speed", "down") else 1.0

    def words(self, sound: str | None = None) -> EditWords:
        """Return how it is called in questions.

        Parameters
        ----------
        sound : str, optional
            What is laid over, with its article.
        """
        if self.edit != "event":
            return _WORDS[self.edit, self.direction]
        return EditWords(f"a sound is laid over this recording: {sound}")


def anchor_edit(
    operation: Operation, edit: EditKind | None = None, direction: Direction | None = None
) -> AnchorEdit:
    """Return an edit, with what is left out filled in: the first kind, and for a modification up.

    Raises
    ------
    ParameterError
        Operation, edit and direction do not go together.

    Examples
    --------
    >>> anchor_edit("modification").recipe
    'audiospan/loudness_up'
    """
    if operation not in _KINDS:
        raise ParameterError(f"operation is {operation!r}; accepted: {', '.join(_KINDS)}")
    if direction is None and operation == "modification":
        direction = "up"
    return AnchorEdit(
        operation=operation,
        edit=_KINDS[operation][0] if edit is None else edit,
        direction=direction,
    )
