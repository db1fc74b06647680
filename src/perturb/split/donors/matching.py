"""Constrained assignment: a donor for each host, close in duration, each once where possible.

Hosts and donors carry sets of whole numbers, their ties (same audio, recording, speaker, answer).
A pair that shares one is forbidden. The cost of a pair is the distance of its durations,
abs(ln(a / b)), plus a fine where the donor's answer is none of the host's options. The most hosts
that can be served are served, at the least cost (Jonker and Volgenant 1987, in SciPy's form:
Crouse 2016).

Up to `BLOCK` donors are solved exactly. More are cut into blocks of neighbours in duration, and
what is left over is solved again in blocks drawn at random, which are as mixed as the whole, with
served pairs that may swap. A host that is then still without a donor shares one, and donors are
used as evenly as ties allow.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["BLOCK", "OUTSIDE_OPTIONS", "Matching", "Side", "match_donors"]

BLOCK = 512
"""Donors that are assigned together."""

OUTSIDE_OPTIONS = math.log(2.0)
"""Fine for a donor whose answer the host does not offer: as much as twice the duration."""

_FORBIDDEN = 1e6  # more than any sum of costs in a block, so the most hosts are served first
_COMMON = 0.01  # share of donors, and at least `_MANY`, above which a tie decides who may serve
_MANY = 8
_MOST_ROUNDS = 32
_LITTLE = 0.01  # of those left over

Indices = npt.NDArray[np.int64]
Costs = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """The hosts, or the donors, in order of duration; equal durations in a drawn order.

    Parameters
    ----------
    log_durations : ndarray, shape (n,), float64
        Natural logarithms of seconds, rising.
    positions : ndarray, shape (n,), int64
        Places of the clips in the order that hosts and donors share.
    groups : ndarray, shape (n,), int64
        Hosts take donors of their own group; small groups are solved together.
    ties : sequence of sequence of int
        What each is tied to; no pair shares a tie.
    labels : sequence of sequence of int
        Options that a host offers; answers of a donor. A host without any accepts all.
    """

    log_durations: Costs
    positions: Indices
    groups: Indices
    ties: Sequence[Sequence[int]]
    labels: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Matching:
    """Who serves whom.

    Parameters
    ----------
    donors : ndarray, shape (hosts,), int64
        Index of each host's donor, -1 where nobody may serve it.
    is_shared : ndarray, shape (hosts,), bool
        Whether the donor serves another host too.
    """

    donors: Indices
    is_shared: npt.NDArray[np.bool_]


def match_donors(hosts: Side, donors: Side, generator: np.random.Generator) -> Matching:
    """Assign a donor to every host that can have one.

    Parameters
    ----------
    hosts, donors : Side
        In order.
    generator : numpy.random.Generator
        Draws the mixed blocks.

    Returns
    -------
    Matching
    """
    chosen = _Assignment(hosts, donors, generator).solve()
    uses = np.bincount(chosen[chosen >= 0], minlength=len(donors.positions))
    return Matching(donors=chosen, is_shared=(chosen >= 0) & (uses[chosen] > 1))


class _Assignment:
    """One run: `chosen` is the donor of each host so far, -1 for none."""

    def __init__(self, hosts: Side, donors: Side, generator: np.random.Generator) -> None:
        self.hosts, self.donors, self.generator = hosts, donors, generator
        ties = 1 + max(
            (tie for side in (hosts, donors) for row in side.ties for tie in row), default=0
        )
        labels = 1 + max(
            (label for side in (hosts, donors) for row in side.labels for label in row), default=0
        )
        self.host_ties, self.donor_ties = _sparse(hosts.ties, ties), _sparse(donors.ties, ties)
        self.options, self.answers = _sparse(hosts.labels, labels), _sparse(donors.labels, labels)
        self.has_options = np.diff(self.options.indptr) > 0
        self.answer_counts = np.diff(self.answers.indptr)
        self.chosen = np.full(len(hosts.positions), -1, dtype=np.int64)

    def solve(self) -> Indices:
        pools = self._pools()
        servable = np.sort(np.concatenate([rows for rows, _ in pools] or [self.chosen[:0]]))
        if servable.size:
            self._match_neighbours(servable)
            self._match_leftovers(servable)
            for rows, pool in pools:
                self._share(rows[self.chosen[rows] < 0], pool)
        return self.chosen

    def _pools(self) -> list[tuple[Indices, Indices]]:
        """Return hosts of one group and like ties with the donors that these leave, if any.

        Only ties that many donors have are looked at: they decide how many can be served.
        """
        counts = np.bincount(self.donor_ties.indices, minlength=self.donor_ties.shape[1])
        many = max(_MANY, _COMMON * len(self.donors.positions))
        common = {int(tie) for tie in np.flatnonzero(counts > many)}
        alike: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for row, group in enumerate(self.hosts.groups.tolist()):
            ties = tuple(sorted(common.intersection(self.hosts.ties[row])))
            alike.setdefault((group, ties), []).append(row)
        pools = []
        for (group, ties), rows in alike.items():
            held = self.donor_ties[:, list(ties)]
            pool = np.flatnonzero((np.diff(held.indptr) == 0) & (self.donors.groups == group))
            if pool.size:
                pools.append((np.array(rows, dtype=np.int64), pool))
        return pools

    def _match_neighbours(self, rows: Indices) -> None:
        """Serve hosts within blocks of neighbours in duration."""
        columns = np.arange(len(self.donors.positions))
        starts = _block_starts(columns.size)
        cuts = np.searchsorted(self.hosts.positions[rows], self.donors.positions[starts[1:]])
        blocks = zip(np.split(rows, cuts), np.split(columns, starts[1:]), strict=True)
        for block_rows, block_columns in blocks:
            self._match_block(block_rows, block_columns)

    def _match_leftovers(self, servable: Indices) -> None:
        """Serve who is left together with served pairs that may have to swap, in mixed blocks.

        Rounds end when all are served, or when one more serves hardly any more.
        """
        if len(self.donors.positions) <= BLOCK:
            return
        for _ in range(_MOST_ROUNDS):
            rows = servable[self.chosen[servable] < 0]
            served = np.flatnonzero(self.chosen >= 0)
            is_free = np.ones(len(self.donors.positions), dtype=bool)
            is_free[self.chosen[served]] = False
            columns = np.flatnonzero(is_free)
            if not rows.size or not columns.size:
                return
            count = math.ceil(max(rows.size, columns.size) / (BLOCK // 2))
            parts = [
                np.array_split(self.generator.permutation(part), count)
                for part in (rows, columns, served)
            ]
            for block_rows, block_columns, company in zip(*parts, strict=True):
                pairs = company[: BLOCK // 2]
                block_columns = np.sort(np.append(block_columns, self.chosen[pairs]))
                self.chosen[pairs] = -1
                self._match_block(np.sort(np.append(block_rows, pairs)), block_columns)
            gained = np.count_nonzero(self.chosen >= 0) - served.size
            if gained <= _LITTLE * (rows.size if count > 1 else 0):
                return

    def _share(self, rows: Indices, pool: Indices) -> None:
        """Serve hosts with donors that serve already, as evenly as their ties allow."""
        while rows.size:
            copies = self._copies(pool, rows.size)
            count = math.ceil(rows.size / BLOCK)
            blocks = zip(np.array_split(rows, count), np.array_split(copies, count), strict=True)
            for block_rows, block_columns in blocks:
                self._match_block(block_rows, block_columns)
            left = rows[self.chosen[rows] < 0]
            if left.size == rows.size:
                break
            rows = left
        for row in rows:
            self._match_block(np.array([row]), pool)

    def _copies(self, pool: Indices, count: int) -> Indices:
        """Return donors once for each further use, `count` or a few more: the least used first."""
        uses = np.bincount(self.chosen[self.chosen >= 0], minlength=len(self.donors.positions))[
            pool
        ]

        def left_below(level: int) -> int:
            return int(np.maximum(level - uses, 0).sum())

        levels = range(int(uses.min()) + count + 1)
        return np.repeat(pool, np.maximum(bisect_left(levels, count, key=left_below) - uses, 0))

    def _match_block(self, rows: Indices, columns: Indices) -> None:
        if not rows.size or not columns.size:
            return
        from scipy.optimize import linear_sum_assignment

        costs = self._costs(rows, columns)
        at_row, at_column = linear_sum_assignment(costs)
        is_allowed = costs[at_row, at_column] < _FORBIDDEN
        self.chosen[rows[at_row[is_allowed]]] = columns[at_column[is_allowed]]

    def _costs(self, rows: Indices, columns: Indices) -> Costs:
        costs = np.abs(
            self.hosts.log_durations[rows, np.newaxis] - self.donors.log_durations[columns]
        )
        if self.has_options[rows].any():
            offered = (self.options[rows] @ self.answers[columns].T).toarray()
            is_outside = (offered < np.maximum(self.answer_counts[columns], 1)).astype(np.float64)
            costs += OUTSIDE_OPTIONS * is_outside * self.has_options[rows, np.newaxis]
        shared = self.host_ties[rows] @ self.donor_ties[columns].T
        costs[shared.nonzero()] = _FORBIDDEN
        costs[self.hosts.groups[rows, np.newaxis] != self.donors.groups[columns]] = _FORBIDDEN
        return costs


def _block_starts(count: int) -> Indices:
    """Return where blocks of near equal size start, none larger than `BLOCK`."""
    blocks = max(1, math.ceil(count / BLOCK))
    return np.linspace(0, count, blocks, endpoint=False).astype(np.int64)


def _sparse(rows: Sequence[Sequence[int]], width: int) -> csr_matrix[Any]:
    """Return rows of whole numbers as a matrix with a one at each."""
    from scipy.sparse import csr_matrix

    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    indices = np.fromiter((item for row in rows for item in row), dtype=np.int64)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    ones = np.ones(indices.size, dtype=np.int32)
    return csr_matrix((ones, indices, pointers), shape=(len(rows), width))
