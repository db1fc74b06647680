"""The manifest against items, conditions, donors and traces: every row there, every row true."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from perturb.render.findings import Finding, Kind
from perturb.split.donor_table import DonorTable
from perturb.split.manifest import AudioRow, ItemRow, ManifestRow, SplitRecord
from perturb.split.recording import DONORS_FILE, ITEMS_FILE, MANIFEST_FILE, SPLIT_FILE
from perturb.split.trace_check import TraceFacts

__all__ = ["ManifestCheck"]

_VARIED = ("ok", "off_target")


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
    """

    def __init__(
        self,
        record: SplitRecord,
        items: Sequence[ItemRow],
        facts: Mapping[str, TraceFacts],
        donors: Mapping[str, DonorTable],
    ) -> None:
        self._record = record
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
        self.paths: dict[str, str] = {}
        """Canonical files that rows carry, with the hash that the manifest records."""

    def run(self, rows: Iterable[ManifestRow]) -> Iterator[Finding]:
        """Yield every disagreement.

        Parameters
        ----------
        rows : iterable of ManifestRow
            All of them, in the order of the manifest.
        """
        counts: dict[str, Counter[str]] = {name: Counter() for name in self._conditions}
        seen: set[str] = set()
        for pair_id, group in itertools.groupby(rows, key=lambda row: row.pair_id):
            members = list(group)
            for row in members:
                if row.condition in counts:
                    counts[row.condition][row.status] += 1
            if pair_id in seen:
                yield _finding("trace", f"pair {pair_id!r}: its rows are not together")
            seen.add(pair_id)
            yield from self._check_pair(pair_id, members)
        for missing in self._items.keys() - seen:
            yield _finding("trace", f"pair {missing!r} of {ITEMS_FILE} has no rows")
        found = {name: dict(sorted(counter.items())) for name, counter in counts.items()}
        if found != self._record.counts:
            yield _finding(
                "trace", f"counts are {found}; {SPLIT_FILE} records {self._record.counts}"
            )

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
            for audio in row.audios:
                yield from self._check_audio(where, row, audio)
            yield from self._check_donor(where, row)
            if row.sham_of is not None and row.donor_id is None:
                yield from self._check_sham(where, by_name[row.sham_of], row)

    def _check_audio(self, where: str, row: ManifestRow, audio: AudioRow) -> Iterator[Finding]:
        if audio.path is not None:
            known = self.paths.setdefault(audio.path, str(audio.sha256_out))
            if known != audio.sha256_out:
                yield _finding("output", f"{where}: {audio.path} is recorded with two hashes")
        known_in = self._hashes.setdefault(audio.clip_id, audio.sha256_in)
        if known_in != audio.sha256_in:
            yield _finding("input", f"{where}: clip {audio.clip_id!r} has two hashes")
        if audio.trace is None:
            if row.status in _VARIED:
                yield _finding("trace", f"{where}: no trace, yet {row.status}")
            return
        facts = self._facts.get(audio.trace)
        if facts is None:
            yield _finding("trace", f"{where}: the trace {audio.trace} does not exist")
            return
        is_original = row.status not in _VARIED and facts.path is None
        same_file = is_original or facts.path == audio.path
        if not same_file or (facts.path == audio.path and facts.sha256_out != audio.sha256_out):
            yield _finding(
                "output", f"{where}: {audio.path} is not the file of the trace {audio.trace}"
            )
        if facts.sha256_in != audio.sha256_in:
            yield _finding("input", f"{where}: the trace {audio.trace} is of another source")
        if row.status == "ok" and facts.status != "ok":
            yield _finding("trace", f"{where}: is ok, its trace says {facts.status}")

    def _check_donor(self, where: str, row: ManifestRow) -> Iterator[Finding]:
        arm = self._conditions[row.condition].get("donor")
        if arm is None or row.status not in _VARIED:
            return
        host = self._donors.get(arm, {}).get(row.pair_id)
        draw = self._conditions[row.condition].get("draw", 1)
        chosen = None if host is None or len(host.donors) < draw else host.donors[draw - 1].clip
        if row.donor_id is None or row.donor_id != chosen:
            yield _finding(
                "trace", f"{where}: donor is {row.donor_id!r}; {DONORS_FILE} says {chosen!r}"
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
