"""The manifest against items, conditions, donors and traces: every row there, every row true."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from perturb.benchmark.variant import Question
from perturb.plan.trace import Status
from perturb.render.findings import Finding, Kind
from perturb.split.checking.trace_check import TraceFacts
from perturb.split.donors.table import DonorTable
from perturb.split.records.manifest import AudioRow, ClipRow, ItemRow, ManifestRow, SplitRecord
from perturb.split.records.recording import (
    CLIPS_FILE,
    DONORS_FILE,
    ITEMS_FILE,
    MANIFEST_FILE,
    SPLIT_FILE,
    StatusCounter,
)
from perturb.split.work.tasks import AUDIO_FOLDER

__all__ = ["ManifestCheck"]

_FROM_BEST: tuple[Status, ...] = ("ok", "off_target", "inapplicable", "failed")
_VARIED = _FROM_BEST[:2]


class ManifestCheck:
    """Compares the rows of a manifest with everything else that is recorded.

    Parameters
    ----------
    record : SplitRecord
        Conditions and counts.
    items : sequence of ItemRow
        In row order.
    facts : mapping of str to TraceFacts
        By pointer.
    donors : mapping of str to DonorTable
        By arm.
    questions : mapping of (str, str) to Question
        By pair and condition, where they are asked otherwise than in the source.
    """

    def __init__(
        self,
        record: SplitRecord,
        items: Sequence[ItemRow],
        facts: Mapping[str, TraceFacts],
        donors: Mapping[str, DonorTable],
        questions: Mapping[tuple[str, str], Question],
    ) -> None:
        self._record = record
        self._questions = questions
        self._counter = StatusCounter(entry["condition"]["name"] for entry in record.conditions)
        self._by_path = {fact.path: fact for fact in facts.values() if fact.path is not None}
        self._items = {item.pair_id: item for item in items}
        self._facts = facts
        self._donors = {
            arm: {pair: host for host in table.hosts for pair in host.pair_ids}
            for arm, table in donors.items()
        }
        self._conditions: dict[str, dict[str, Any]] = {
            entry["condition"]["name"]: entry["condition"] for entry in record.conditions
        }
        self._hashes: dict[str, str | None] = {}
        self._strangers: list[tuple[str, str]] = []
        self.paths: dict[str, str] = {}
        """Canonical files that rows carry, with the hash that the manifest records."""

    def run(self, rows: Iterable[ManifestRow]) -> Iterator[Finding]:
        """Yield every disagreement.

        Parameters
        ----------
        rows : iterable of ManifestRow
            All of them, in the order of the manifest.
        """
        seen: set[str] = set()
        known = (row for row in rows if row.condition in self._conditions or self._note(row))
        grouped = itertools.groupby(self._counter.watch(known), key=lambda row: row.pair_id)
        for pair_id, group in grouped:
            members = list(group)
            if pair_id in seen:
                yield _finding("trace", f"pair {pair_id!r}: its rows are not together")
            seen.add(pair_id)
            yield from self._check_pair(pair_id, members)
        for missing in sorted(self._items.keys() - seen):
            yield _finding("trace", f"pair {missing!r} of {ITEMS_FILE} has no rows")
        for pair_id, condition in self._strangers:
            yield _finding("trace", f"pair {pair_id!r}: no condition is called {condition!r}")
        yield from self._check_counts()
        yield from self._check_seeds()

    def _note(self, row: ManifestRow) -> bool:
        self._strangers.append((row.pair_id, row.condition))
        return False

    def _check_counts(self) -> Iterator[Finding]:
        for name, found, recorded in (
            ("counts", self._counter.as_dict(), self._record.counts),
            ("gold_positions", self._counter.gold_positions(), self._record.gold_positions),
        ):
            if found != recorded:
                message = f"{name} is {recorded}; the rows of {MANIFEST_FILE} give {found}"
                yield Finding(kind="trace", path=SPLIT_FILE, message=message)

    def _check_seeds(self) -> Iterator[Finding]:
        for pointer, fact in self._facts.items():
            if fact.seed != self._record.seed:
                message = f"seed is {fact.seed}; {SPLIT_FILE} records {self._record.seed}"
                yield Finding(kind="trace", path=pointer, message=message)

    def compare_clips(self, clips: Iterable[ClipRow]) -> Iterator[Finding]:
        """Yield clips that are recorded otherwise than in the manifest, after `run`."""
        recorded = {clip.clip_id: clip.audio_sha256 for clip in clips}
        for key, audio_sha256 in self._hashes.items():
            if key not in recorded:
                yield _finding("input", f"clip {key!r} is not in {CLIPS_FILE}")
            elif recorded[key] != audio_sha256:
                yield _finding("input", f"clip {key!r} has another hash than in {CLIPS_FILE}")

    def _check_pair(self, pair_id: str, members: list[ManifestRow]) -> Iterator[Finding]:
        item = self._items.get(pair_id)
        names = [row.condition for row in members]
        if item is None:
            yield _finding("trace", f"pair {pair_id!r} is not in {ITEMS_FILE}")
            return
        if names != list(self._conditions):
            yield _finding(
                "trace",
                f"pair {pair_id!r} has the conditions {', '.join(names)}; accepted: each of "
                f"{', '.join(self._conditions)} once, in this order",
            )
            return
        by_name = {row.condition: row for row in members}
        for row in members:
            where = f"pair {pair_id!r}, {row.condition}"
            if (row.row, row.item_id) != (item.row, item.item_id):
                yield _finding("trace", f"{where}: row or id differ from {ITEMS_FILE}")
            if row.sham_of != self._conditions[row.condition].get("sham_of"):
                yield _finding("trace", f"{where}: sham_of is {row.sham_of!r}")
            has_audio = self._conditions[row.condition].get("audio", "own") == "own"
            heard = tuple((audio.role, audio.clip_id) for audio in row.audios)
            if heard != (item.audios if has_audio else ()):
                yield _finding("trace", f"{where}: its audios are not those of {ITEMS_FILE}")
            yield from self._check_question(where, row, item)
            for audio in row.audios:
                yield from self._check_audio(where, row, audio)
            yield from self._check_status(where, row)
            yield from self._check_donor(where, row)
            probe = None if row.sham_of is None else by_name.get(row.sham_of)
            if probe is not None and row.donor_id is None:
                yield from self._check_sham(where, probe, row)

    def _check_audio(self, where: str, row: ManifestRow, audio: AudioRow) -> Iterator[Finding]:
        if audio.path is not None:
            known = self.paths.setdefault(audio.path, str(audio.sha256_out))
            if known != audio.sha256_out:
                yield _finding("output", f"{where}: {audio.path} is recorded with two hashes")
        known_in = self._hashes.setdefault(audio.clip_id, audio.sha256_in)
        if known_in != audio.sha256_in:
            yield _finding("input", f"{where}: clip {audio.clip_id!r} has two hashes")
        there = None if audio.path is None else self._by_path.get(audio.path)
        if there is not None and there.sha256_out != audio.sha256_out:
            yield _finding("output", f"{where}: {audio.path} is another file than was recorded")
        if there is not None and there.sha256_in != audio.sha256_in:
            yield _finding("output", f"{where}: {audio.path} was made from another source")
        if audio.trace is None:
            if row.status in _VARIED:
                yield _finding("trace", f"{where}: no trace, yet {row.status}")
            return
        facts = self._facts.get(audio.trace)
        if facts is None:
            yield _finding("trace", f"{where}: the trace {audio.trace} does not exist")
            return
        is_original = row.status not in _VARIED and facts.path is None
        if not (is_original or facts.path == audio.path):
            yield _finding(
                "output", f"{where}: {audio.path} is not the file of the trace {audio.trace}"
            )
        if facts.sha256_in != audio.sha256_in:
            yield _finding("input", f"{where}: the trace {audio.trace} is of another source")

    def _check_question(self, where: str, row: ManifestRow, item: ItemRow) -> Iterator[Finding]:
        """The place of the gold is that of the question as this condition asks it."""
        question = self._questions.get((row.pair_id, row.condition))
        index = item.answer_index if question is None else question.answer_index
        if row.gold_index != index:
            yield _finding("trace", f"{where}: gold_index is {row.gold_index}; asked was {index}")

    def _check_status(self, where: str, row: ManifestRow) -> Iterator[Finding]:
        """A row is as good as the worst of its variants; one without an edit carries originals."""
        pointers = [audio.trace for audio in row.audios]
        facts = [self._facts[name] for name in pointers if name is not None and name in self._facts]
        if not facts or len(facts) < len(pointers):
            return
        worst = max((fact.status for fact in facts), key=_FROM_BEST.index)
        own = f"{AUDIO_FOLDER}/{row.condition}/"
        is_varied = any(str(fact.path).startswith(own) for fact in facts)
        if row.status != worst and (row.status in _VARIED or is_varied):
            yield _finding("trace", f"{where}: is {row.status}, its traces say {worst}")

    def _check_donor(self, where: str, row: ManifestRow) -> Iterator[Finding]:
        arm = self._conditions[row.condition].get("donor")
        if arm is None or row.status not in _VARIED:
            return
        host = self._donors.get(arm, {}).get(row.pair_id)
        draw = self._conditions[row.condition].get("draw", 1)
        choice = None if host is None or len(host.donors) < draw else host.donors[draw - 1]
        chosen = None if choice is None else (choice.clip, choice.answer)
        recorded = (row.donor_id, row.donor_answer)
        if row.donor_id is None or recorded != chosen:
            yield _finding(
                "trace", f"{where}: donor and its answer are {recorded}; {DONORS_FILE}: {chosen}"
            )
        for audio in row.audios:
            if row.donor_id == audio.clip_id:
                yield _finding("trace", f"{where}: the donor is the clip itself")
            facts = None if audio.trace is None else self._facts.get(audio.trace)
            if facts is not None and facts.references not in ((), (f"item:{row.donor_id}",)):
                yield _finding("trace", f"{where}: its trace took {', '.join(facts.references)}")

    def _check_sham(self, where: str, probe: ManifestRow, sham: ManifestRow) -> Iterator[Finding]:
        """Probe and sham differ in their role alone: parameters, spans, streams, gain."""
        if probe.status not in _VARIED or sham.status not in _VARIED:
            return
        for one, other in zip(probe.audios, sham.audios, strict=False):
            left, right = self._facts.get(str(one.trace)), self._facts.get(str(other.trace))
            if left is None or right is None:
                continue
            if left.shared != right.shared:
                yield _finding("trace", f"{where}: plan differs from {probe.condition}'s")
            if left.gain_db != right.gain_db:
                yield _finding("trace", f"{where}: headroom differs from {probe.condition}'s")


def _finding(kind: Kind, message: str) -> Finding:
    return Finding(kind=kind, path=MANIFEST_FILE, message=message)
