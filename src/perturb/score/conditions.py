"""What the conditions of a split are, and what became of their rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from perturb.score.recorded_condition import kind_of, ledger_of
from perturb.score.records.condition import ConditionFacts
from perturb.score.split_table import STATUSES, ConditionTable

__all__ = ["condition_facts"]


def condition_facts(tables: Mapping[str, ConditionTable]) -> dict[str, ConditionFacts]:
    """Return the facts of each condition, in the order of the suite."""
    recorded = [table.recorded for table in tables.values()]
    facts = {}
    for name, table in tables.items():
        ledger = ledger_of(table.recorded, recorded)
        counts = np.bincount(table.status, minlength=len(STATUSES))
        facts[name] = ConditionFacts(
            condition=name,
            kind=kind_of(table.recorded, ledger),
            title=table.recorded.title,
            sham_of=table.sham_of,
            has_audio=table.has_audio,
            keeps=ledger.keeps,
            destroys=ledger.destroys,
            rows=int(table.status.size),
            statuses={
                status: int(count) for status, count in zip(STATUSES, counts, strict=False) if count
            },
        )
    return facts
