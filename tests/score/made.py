"""Splits that are records alone, and predictions for them: scoring reads no audio."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from perturb.recipes.catalogue import load_recipe
from perturb.split.records.manifest import ItemRow, ManifestRow
from perturb.split.records.recording import ITEMS_FILE, MANIFEST_FILE, SPLIT_FILE, write_lines

LABELS = ("happy", "sad", "angry", "calm")


def make_item(row: int, gold: int, per_clip: int = 4, choices=LABELS, **fields) -> ItemRow:
    """Return an item with these options; `fields` replace what it has by default."""
    known = {
        "item_id": f"item-{row:03d}",
        "audios": (("main", f"clips/{row // per_clip:03d}.wav"),),
        "question": f"How does speaker {row} sound?",
        "choices": tuple(choices),
        "answer": choices[gold] if choices else "a sigh",
        "answer_index": gold if choices else None,
        **fields,
    }
    return ItemRow(row=row, pair_id=known["item_id"], **known)


def describe(name: str, sham_of: str | None = None, recipe: str | None = None, **fields) -> dict:
    """Return a condition as ``split.json`` has it."""
    condition = {"name": name, **fields}
    if sham_of is not None:
        condition["sham_of"] = sham_of
    elif recipe is not None:
        condition["recipe"] = recipe
    loaded = None if recipe is None else msgspec.to_builtins(load_recipe(recipe))
    return {"condition": condition, "recipe": loaded}


def make_split(
    folder: Path,
    items: Sequence[ItemRow],
    conditions: Sequence[dict],
    rows: Callable[[ItemRow, str], Mapping[str, object]] = lambda item, name: {},
) -> Path:
    """Write a split; `rows` gives fields of a row that are not as usual."""
    folder.mkdir()
    write_lines(folder / ITEMS_FILE, items)
    made = []
    for item in items:
        for described in conditions:
            condition = described["condition"]
            known = {"status": "ok", "gold_index": item.answer_index}
            made.append(
                ManifestRow(
                    row=item.row,
                    item_id=item.item_id,
                    pair_id=item.pair_id,
                    condition=condition["name"],
                    sham_of=condition.get("sham_of"),
                    **{**known, **rows(item, condition["name"])},
                )
            )
    write_lines(folder / MANIFEST_FILE, made)
    record = {
        "conditions": list(conditions),
        "source": {"path": "made.json"},
        "suite": "made",
        "seed": 3,
        "environment": {"versions": {"perturb": "0.1.0"}},
    }
    (folder / SPLIT_FILE).write_text(json.dumps(record))
    return folder


def write_answers(
    folder: Path,
    items: Sequence[ItemRow],
    conditions: Sequence[str],
    answer: Callable[[ItemRow, str], str],
) -> Path:
    """Write what a model says, a file for each condition."""
    folder.mkdir(parents=True)
    for name in conditions:
        lines = [
            json.dumps({"id": item.item_id, "prediction": answer(item, name)}) for item in items
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    return folder
