"""HEAR: who said what. Pairs of the original and a variant in which another voice speaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from perturb.benchmark.layout import Layout
from perturb.benchmark.readers.inline import InlineReader

__all__ = ["HearReader"]

_MEMBER = re.compile(r"_(?:original|hallucinated)$")


class HearReader(InlineReader):
    """Reads rows with `id`, `instruction`, `audio_path` and `ground_truth`.

    The two members of a pair, ids that end in ``_original`` and ``_hallucinated``, count as one
    recording, so that neither is taken for an unrelated clip of the other.
    """

    name = "hear"
    looked_for = "JSON rows with id, instruction, ground_truth and audio in audio_path"
    prescribed: ClassVar = {"item_id": "id", "question": "instruction", "answer": "ground_truth"}

    def details(self, row: Mapping[str, Any], layout: Layout) -> dict[str, Any]:
        """Return the further fields of an item; see `FlatReader`."""
        found = super().details(row, layout)
        pair = _MEMBER.sub("", str(row.get("id")))
        return found if found.get("recording") else {**found, "recording": pair}
