"""Files of predictions sorted into runs: one model, in one condition, once.

A model may lie in one file or in several: parts of a condition, all conditions, repeats. An item
answered again is a second run where a field says so or another file does, and a finding within one
run of one file, however many items it is of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.findings import ScoreFinding, examples_of
from perturb.score.joining import Joiner
from perturb.score.predictions.detection import READERS, find_form
from perturb.score.predictions.naming import PredictionSource, find_condition, find_model
from perturb.score.predictions.protocol import PredictionRows
from perturb.score.split_table import SplitTable

__all__ = ["Given", "Run", "RunSorter"]


class Given(msgspec.Struct, frozen=True, gc=False):
    """What a file gives for one item.

    Parameters
    ----------
    said : str or None
        What the model said.
    parsed : str or None
        What the harness took it for, where the file has that beside it.
    is_parsed_read : bool
        Whether that is what the benchmark scores, and so what is read.
    """

    said: str | None
    parsed: str | None = None
    is_parsed_read: bool = False


@dataclass
class Run:
    """The answers of one model in one condition, once.

    Parameters
    ----------
    model, condition : str
        Whose, and where.
    repeat : int
        From 0.
    given : dict of int to Given
        By item.
    """

    model: str
    condition: str
    repeat: int
    given: dict[int, Given] = field(default_factory=dict)


class _Part(NamedTuple):
    """The rows of one file that belong to one model, condition and named repeat."""

    file: str
    repeat: object
    given: dict[int, Given]


class RunSorter:
    """Takes files one by one, then gives the runs.

    Parameters
    ----------
    split : SplitTable
        What the predictions belong to.
    """

    def __init__(self, split: SplitTable) -> None:
        self._split = split
        self._joiner = Joiner(split.items)
        self._parts: dict[tuple[str, str], list[_Part]] = defaultdict(list)
        self.findings: list[ScoreFinding] = []
        self.notes: list[str] = []

    def take(self, source: PredictionSource) -> None:
        """Read a file and sort its rows.

        A file of a folder that holds no predictions is passed over, which is a finding.

        Raises
        ------
        ScoreError
            It cannot be read or joined, or nothing tells its condition.
        """
        try:
            reader = find_form(source.path)
            reason = "holds no predictions of a known form"
        except ScoreError as error:
            if source.folder is None:
                raise
            reader, reason = None, str(error)
        if reader is None and source.folder is not None:
            self._find("skipped", source, reason)
            return
        if reader is None:
            raise ScoreError(
                f"{printable_path(source.path)}: no predictions of a known form; looked for "
                f"{'; '.join(one.looked_for for one in READERS)}"
            )
        rows = reader.read(source.path)
        conditions = self._conditions(rows, source)
        models = self._models(rows, source)
        repeats = rows.repeats or [None] * len(rows.answers)
        groups = list(zip(models, conditions, map(_number, repeats), strict=True))
        joined = self._joiner.join(rows, groups)
        shown = sorted({(model, condition) for model, condition, _ in groups}, key=str)
        self.notes.append(
            f"{printable_path(source.path)}: {rows.form}, {rows.described}; "
            f"{_listed([model for model, _ in shown])} in "
            f"{_listed([condition for _, condition in shown])}, joined by {joined.by}"
        )
        self._sort(rows, groups, joined.places, joined.keys, source)
        if rows.failed:
            self._find(
                "error", source, "samples that ended in an error count as empty", rows.failed
            )

    def _conditions(self, rows: PredictionRows, source: PredictionSource) -> list[str]:
        """Return the condition of each row: as said, as the row says, or by the path."""
        known = self._split.conditions
        count = len(rows.answers)
        own: list[Any] = rows.conditions or [None] * count
        if source.condition is not None:
            others = [name for name in own if name not in (None, "", source.condition)]
            if others:
                message = f"said to be {source.condition}, which counts; the rows say {others[0]}"
                self._find("condition", source, message, len(others))
            return [source.condition] * count
        named = find_condition(source, known)
        if named is None and len(known) == 1:
            named = next(iter(known))
        if named is not None and not any(name in known for name in own):
            own = [None] * count  # a field of the benchmark's own
        if named is None and any(value in (None, "") for value in own):
            raise ScoreError(
                f"{printable_path(source.path)}: neither its rows nor its path name a condition; "
                f"say it: CONDITION={source.path.name}, with one of {', '.join(known)}"
            )
        conditions = [str(named) if value in (None, "") else str(value) for value in own]
        if named is not None and len(set(conditions)) == 1 and conditions[0] != named:
            message = f"the path says {named}; the rows say {conditions[0]}, which counts"
            self._find("condition", source, message, count)
        return conditions

    def _models(self, rows: PredictionRows, source: PredictionSource) -> list[str]:
        """Return the model of each row: as said, as the file says, or by the path."""
        count = len(rows.answers)
        if source.model is not None:
            return [source.model] * count
        if rows.model is not None:
            return [rows.model] * count
        named = find_model(source, self._split.conditions, self._split.benchmark)
        if rows.models is None:
            return [named] * count
        return [named if value in (None, "") else str(value) for value in rows.models]

    def _sort(
        self,
        rows: PredictionRows,
        groups: Sequence[tuple[str, str, object]],
        places: Sequence[int],
        keys: Sequence[str],
        source: PredictionSource,
    ) -> None:
        parsed = rows.parsed or [None] * len(rows.answers)
        runs: dict[tuple[str, str, object], dict[int, Given]] = {}
        again: dict[tuple[str, str, object], list[tuple[int, Given]]] = defaultdict(list)
        extra: list[str] = []
        unknown: list[str] = []
        for group, place, said, took, key in zip(
            groups, places, rows.answers, parsed, keys, strict=True
        ):
            if group[1] not in self._split.conditions:
                unknown.append(group[1])
                continue
            if place < 0:
                extra.append(key)
                continue
            run = runs.setdefault(group, {})
            one = Given(said, took, rows.is_parsed_read)
            if place in run:
                again[group].append((place, one))
            else:
                run[place] = one
        if unknown:
            names = ", ".join(sorted(set(unknown))[:5])
            self._find(
                "extra",
                source,
                f"rows of conditions that the split does not have ({names}) are left out",
                len(unknown),
            )
        if extra:
            self._find(
                "extra", source, "rows of no item of the split are left out", len(extra), extra
            )
        for group, run in runs.items():
            model, condition, repeat = group
            self._parts[model, condition].append(_Part(str(source.path), repeat, run))
            self._find_again(run, again[group], source, model, condition)

    def _find_again(
        self,
        run: dict[int, Given],
        again: Sequence[tuple[int, Given]],
        source: PredictionSource,
        model: str,
        condition: str,
    ) -> None:
        """Find the rows of items that the same run of the file has answered before."""
        differing = [place for place, one in again if one != run[place]]
        same = [place for place, one in again if one == run[place]]
        is_whole = len({place for place, _ in again}) == len(run)
        hint = "; a second run needs a field repeat, or a file of its own" if is_whole else ""
        for kind, how, places in (
            ("duplicate", "word for word", same),
            ("conflict", "with another answer", differing),
        ):
            if places:
                names = [self._split.items[place].pair_id for place in places]
                message = f"rows given again {how}; the first counts{hint}"
                where = {"model": model, "condition": condition}
                self._find(kind, source, message, len(places), names, **where)

    def runs(self) -> list[Run]:
        """Return the runs of every model, conditions in the order of the suite."""
        order = {name: number for number, name in enumerate(self._split.conditions)}
        found = []
        for (model, condition), parts in sorted(
            self._parts.items(), key=lambda one: (one[0][0], order[one[0][1]])
        ):
            runs = _merge(parts)
            if len(runs) > 1:
                self.notes.append(f"{model}, {condition}: {len(runs)} repeats")
            found += [Run(model, condition, number, answers) for number, answers in enumerate(runs)]
        return found

    def _find(
        self,
        kind: str,
        source: PredictionSource,
        message: str,
        count: int = 1,
        rows: Sequence[str] = (),
        **where: str,
    ) -> None:
        self.findings.append(
            ScoreFinding(
                kind=kind,  # type: ignore[arg-type]
                message=message,
                count=count,
                file=printable_path(source.path),
                examples=examples_of(rows),
                model=where.get("model"),
                condition=where.get("condition"),
            )
        )


def _merge(parts: Sequence[_Part]) -> list[dict[int, Given]]:
    """Return the runs that parts make up: those of one named repeat, or of no item in common."""
    runs: list[tuple[object, dict[int, Given]]] = []
    for part in sorted(parts, key=lambda one: (one.repeat is None, str(one.repeat).zfill(9))):
        for repeat, run in runs:
            if repeat == part.repeat and not run.keys() & part.given.keys():
                run.update(part.given)
                break
        else:
            runs.append((part.repeat, dict(part.given)))
    return [run for _, run in runs]


def _number(value: object) -> object:
    return None if value in (None, "") else str(value)


def _listed(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    return ", ".join(different[:8]) + (", …" if len(different) > 8 else "")
