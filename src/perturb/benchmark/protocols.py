"""What readers, stores of rows and writers promise each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from perturb.benchmark.item import Benchmark
from perturb.benchmark.variant import VariantRow

__all__ = ["Reader", "RowEdit", "RowStore", "SplitSource", "Writer"]


@dataclass(frozen=True)
class RowEdit:
    """A row of the source, changed.

    Parameters
    ----------
    row : int
        Which row, from 0.
    changed : mapping of str to object
        New values of fields that the row has. A field that is not named stays as it is, byte for
        byte where the store is text.
    added : mapping of str to object
        Further fields, at the end of the row; the same ones in every row.
    """

    row: int
    changed: Mapping[str, Any]
    added: Mapping[str, Any]


class RowStore(Protocol):
    """The rows of a source: everything that is in them, in their order."""

    @property
    def file_name(self) -> str:
        """Name that a copy of the source gets: the source's own, where it is one file."""
        ...

    def __len__(self) -> int: ...

    def row(self, index: int) -> Mapping[str, Any]:
        """Return one row, decoded; audio bytes left out."""
        ...

    def write(self, target: Path, edits: Sequence[RowEdit]) -> None:
        """Write rows as a source of the same kind, atomically, in the order given.

        Parameters
        ----------
        target : Path
            The file (for a store of one file).
        edits : sequence of RowEdit
            One for each row to write.
        """
        ...


class Reader(Protocol):
    """One family of formats."""

    name: str
    """As in ``--reader NAME``."""

    def recognise(self, path: Path) -> str | None:
        """Return in one line what of this family is seen at `path`, or None; reads a few rows."""
        ...

    def read(self, path: Path, audio_root: Path | None = None) -> Benchmark:
        """Read everything but the audio.

        Parameters
        ----------
        path : Path
            File or folder.
        audio_root : Path, optional
            What audio paths are relative to; by default the folder of the file, where they fit.

        Raises
        ------
        BenchmarkError
            Not this format, or rows that contradict it: every problem with file and row.
        """
        ...

    def express(
        self, benchmark: Benchmark, variant: VariantRow, audio_fields: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """Return the fields of the source that differ in this variant, in the source's own schema.

        Parameters
        ----------
        benchmark : Benchmark
            As this reader read it.
        variant : VariantRow
            What to express; an unchanged question changes no field.
        audio_fields : mapping of str to (str or None)
            For each role, what the source's audio field is to say; None for no audio.
        """
        ...


@dataclass(frozen=True)
class SplitSource:
    """What every writer is given besides rows.

    Parameters
    ----------
    benchmark : Benchmark
        As it was read.
    reader : Reader
        Which read it.
    """

    benchmark: Benchmark
    reader: Reader


class Writer(Protocol):
    """One form in which a split is handed on."""

    name: str
    """As in ``--writer NAME``; also the name of its folder in the split."""

    def check(self, source: SplitSource, conditions: Mapping[str, bool]) -> None:
        """Refuse, before anything is written, what this form cannot hold.

        Parameters
        ----------
        source : SplitSource
            The benchmark and its reader.
        conditions : mapping of str to bool
            Name of each condition, and whether it has audio.

        Raises
        ------
        BenchmarkError
            With the way out.
        """
        ...

    def write(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> None:
        """Write every condition below `folder`.

        Canonical files are linked (hard links, else copies) or embedded, never re-encoded. The
        same rows give the same bytes. What an interrupted run left there is replaced.

        Parameters
        ----------
        folder : Path
            Empty or not there yet.
        source : SplitSource
            The benchmark and its reader.
        rows : mapping of str to sequence of VariantRow
            By condition, each in row order.
        """
        ...

    def verify(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> list[str]:
        """Compare what `write` left in `folder` with the records that it was written from.

        Nothing is changed. Every file that `write` makes must be there and say what the rows say:
        audio is the canonical file's (the same file, or the same bytes; where the form had to
        change, the same samples), each condition has its rows, all of them and in order, and
        every column of `PERTURB_COLUMNS` holds what the row holds. The canonical files themselves
        are checked elsewhere, against the hashes of the manifest.

        Parameters
        ----------
        folder : Path
            As given to `write`.
        source : SplitSource
            The benchmark and its reader.
        rows : mapping of str to sequence of VariantRow
            As given to `write`.

        Returns
        -------
        list of str
            One line for each disagreement, which starts with the file's path from the folder that
            holds `folder` (``source/silence/test.json: …``); empty where there is none. Files
            that cannot be read are disagreements, not errors.
        """
        ...
