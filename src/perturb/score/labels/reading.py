"""Labels from tables by item: CSV, TSV, JSON, JSON Lines, or the benchmark's own file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.findings import ScoreFinding, examples_of
from perturb.score.labels.audits import AUDIT_COLUMNS, read_audits
from perturb.score.labels.labels import Labels, no_labels
from perturb.score.labels.tones import is_tonal
from perturb.score.matching.normalising import normalise
from perturb.score.predictions.columns import ID_FIELDS, as_id, as_text, first_field, read_columns
from perturb.split.records.manifest import ItemRow

__all__ = ["LABEL_FILES", "read_labels"]

LABEL_FILES = ("labels.jsonl", "labels.json", "labels.csv", "labels.tsv")
"""What a file of labels is called that lies in the split's folder."""

_LINKS = {"perception": 0, "understanding": 1, "reasoning": 2}
_WORDS = {
    **dict.fromkeys(("yes", "true", "1", "1.0", "conflict", "tonal"), True),
    **dict.fromkeys(("no", "false", "0", "0.0", "consistent", "non-tonal"), False),
}
_COLUMNS = {
    "pair": ("pair", "twin"),
    "chain": ("chain", "chain_id"),
    "link": ("link", "level", "chain_level"),
    "axis": ("axis",),
    "trap": ("trap", "trap_answer", "mislead_answer"),
    "conflict": ("conflict", "is_conflict", "consistency"),
    "tonal": ("tonal", "is_tonal"),
}
_MEMBERS = ("_original", "_hallucinated")
"""How HEAR ends the ids of the two members of a pair."""


def read_labels(
    paths: Sequence[Path], items: Sequence[ItemRow]
) -> tuple[Labels, list[ScoreFinding]]:
    """Return the labels of the items, and what does not fit.

    A later file says more of an item than an earlier one, and may not say otherwise. Pairs follow
    from ids that end in ``_original`` and ``_hallucinated`` where no file names pairs, chains from
    the items' own fields, tonal languages from their languages.

    Parameters
    ----------
    paths : sequence of Path
        The files.
    items : sequence of ItemRow
        Of the split, in row order.

    Raises
    ------
    ScoreError
        A file cannot be read, has no id or no column of labels, or a label is none; with the row.
    """
    places = {item.item_id: place for place, item in reversed(list(enumerate(items)))}
    places.update({item.pair_id: place for place, item in enumerate(items)})
    found: dict[str, dict[int, Any]] = {name: {} for name in _COLUMNS}
    findings: list[ScoreFinding] = []
    audits: dict[tuple[str | None, str | None], Any] = {}
    for path in paths:
        names = [name for several in _COLUMNS.values() for name in several]
        columns = read_columns(path, (*ID_FIELDS, *names, *AUDIT_COLUMNS)).values
        key = first_field(columns, ID_FIELDS)
        where = printable_path(path)
        if key is None or not {*columns} & {*names, *AUDIT_COLUMNS}:
            raise ScoreError(
                f"{where}: labels have columns for an id ({', '.join(ID_FIELDS[:4])}, …) and for "
                f"labels ({', '.join(_COLUMNS)}, audit, failure); found "
                f"{', '.join(columns) or 'none of them'}"
            )
        rows = [places.get(as_id(value) or "", -1) for value in columns[key]]
        unknown = [value for value, place in zip(columns[key], rows, strict=True) if place < 0]
        if unknown:
            findings.append(
                ScoreFinding(
                    kind="labels",
                    message="labels of items that the split does not have",
                    count=len(unknown),
                    file=where,
                    examples=examples_of(unknown),
                )
            )
        for name, several in _COLUMNS.items():
            column = first_field(columns, several)
            if column is not None:
                _take(found[name], rows, columns[column], f"{where}: {column}")
        audits.update(read_audits(columns, rows, len(items), where))
    for place, item in enumerate(items):
        if item.chain is not None:
            found["chain"].setdefault(place, item.chain)
            found["link"].setdefault(place, item.chain_level)
    labels = _labels(found, items)
    return dataclasses.replace(
        labels, audits=audits, sources=tuple(printable_path(path) for path in paths)
    ), findings


def _take(known: dict[int, Any], rows: Sequence[int], values: Sequence[Any], where: str) -> None:
    for number, (place, value) in enumerate(zip(rows, values, strict=True)):
        if place < 0 or value is None or value == "":
            continue
        if known.setdefault(place, value) != value:
            raise ScoreError(
                f"{where}: row {number} says {value!r} of an item that is {known[place]!r} "
                "elsewhere; accepted: one label for each item"
            )


def _labels(found: Mapping[str, Mapping[int, Any]], items: Sequence[ItemRow]) -> Labels:
    labels = no_labels(len(items))
    for place, value in found["link"].items():
        labels.link[place] = _link(value, items[place])
    for place, value in found["trap"].items():
        labels.trap[place] = _option(value, items[place])
    labels.conflict[labels.trap >= 0] = 1
    for name, array in (("conflict", labels.conflict), ("tonal", labels.tonal)):
        for place, value in found[name].items():
            array[place] = _is(name, value, items[place])
    if not found["tonal"]:
        for place, item in enumerate(items):
            known = is_tonal(item.language)
            labels.tonal[place] = -1 if known is None else known
    labels = dataclasses.replace(
        labels,
        pair=_texts(found["pair"], items) if found["pair"] else _pairs_by_id(items),
        chain=_texts(found["chain"], items),
        axis=_texts(found["axis"], items),
    )
    _check_chains(labels, items)
    return labels


def _texts(found: Mapping[int, Any], items: Sequence[ItemRow]) -> tuple[str | None, ...]:
    return tuple(as_text(found.get(place)) for place in range(len(items)))


def _pairs_by_id(items: Sequence[ItemRow]) -> tuple[str | None, ...]:
    ids = {item.item_id for item in items}
    stems: list[str | None] = []
    for item in items:
        end = next((end for end in _MEMBERS if item.item_id.endswith(end)), None)
        stem = None if end is None else item.item_id.removesuffix(end)
        stems.append(stem if stem and all(f"{stem}{one}" in ids for one in _MEMBERS) else None)
    return tuple(stems)


def _link(value: Any, item: ItemRow) -> int:
    word = str(value).strip().casefold()
    if word in _LINKS:
        return _LINKS[word]
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if number < 1 or not number.is_integer():
        raise ScoreError(
            f"labels: link of {item.pair_id!r} is {value!r}; accepted: {', '.join(_LINKS)}, or 1, "
            "2, …"
        )
    return int(number) - 1


def _option(value: Any, item: ItemRow) -> int:
    label = normalise(str(value))
    for place, choice in enumerate(item.choices):
        if normalise(choice) == label:
            return place
    letters = [chr(ord("a") + place) for place in range(len(item.choices))]
    if label in letters:
        return letters.index(label)
    raise ScoreError(
        f"labels: trap of {item.pair_id!r} is {value!r}; accepted: the text or the letter of one "
        f"of its {len(item.choices)} options"
    )


def _is(name: str, value: Any, item: ItemRow) -> bool:
    word = str(value).strip().casefold()
    if word not in _WORDS:
        raise ScoreError(f"labels: {name} of {item.pair_id!r} is {value!r}; accepted: yes or no")
    return _WORDS[word]


def _check_chains(labels: Labels, items: Sequence[ItemRow]) -> None:
    seen: set[tuple[str, int]] = set()
    for place, name in enumerate(labels.chain):
        if name is None:
            continue
        link = int(labels.link[place])
        if link < 0 or (name, link) in seen:
            reason = "has no link" if link < 0 else f"is another link {link + 1}"
            raise ScoreError(
                f"labels: {items[place].pair_id!r} of the chain {name!r} {reason}; accepted: each "
                "link once"
            )
        seen.add((name, link))
