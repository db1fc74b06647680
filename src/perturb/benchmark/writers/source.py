"""``source``: the source's own schema, types and row order, only the audio changed.

The one form in which the benchmark's own task and scorer run as they are: for each condition a
folder with the source's file and the audio at the paths that the source gives it, so that a harness
swaps its root. Further columns start with ``perturb_``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from perturb.benchmark.item import Benchmark
from perturb.benchmark.protocols import RowEdit, SplitSource
from perturb.benchmark.variant import VariantAudio, VariantRow
from perturb.benchmark.writers.checking import audio_problems, folder_problems
from perturb.benchmark.writers.linking import (
    can_be_read,
    copy_file,
    link_or_copy,
    sweep_unfinished,
)
from perturb.benchmark.writers.placing import AudioPlaces, express_path
from perturb.errors import BenchmarkError

__all__ = ["SourceWriter"]


class SourceWriter:
    """Writes ``<condition>/<source file>`` and the audio beside it, at the source's own paths.

    Where a path cannot stay (an mp3 became a WAV, it leads out of the folder or is absolute, two
    items of one clip got different audio), the row's audio field says the new one, relative to the
    condition's folder. A row whose audio could not be read keeps its field, and the file that
    could not be read goes along, so that a harness meets what it met before. A condition without
    audio has null in its audio fields.
    """

    name = "source"

    def check(self, source: SplitSource, conditions: Mapping[str, bool]) -> None:
        """Refuse a source that is one condition of a split.

        Raises
        ------
        BenchmarkError
            With the way out.
        """
        rows = source.benchmark.rows
        taken = [name for name in (rows.row(0) if len(rows) else ()) if name.startswith("perturb_")]
        if taken:
            raise BenchmarkError(
                f"{source.benchmark.path} has the fields {', '.join(taken)}, which a split adds: "
                "it is one condition of a split; start from the benchmark that it was made from"
            )

    def write(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> None:
        """Write each condition: its audio first, then the table that names it."""
        sweep_unfinished(folder)
        for condition, variants in rows.items():
            target = folder / condition
            places = AudioPlaces(source.benchmark, variants)
            for place, file in places.files.items():
                link_or_copy(file, target / place)
            # Copied: links to the user's own files would let whoever edits a split edit those.
            for place, file in _unread_files(source.benchmark, places, variants).items():
                copy_file(file, target / place)
            _write_table(target, source, places, variants)

    def verify(
        self, folder: Path, source: SplitSource, rows: Mapping[str, Sequence[VariantRow]]
    ) -> list[str]:
        """Compare audio with the canonical files, and each table with one written afresh."""
        problems = []
        for condition, variants in rows.items():
            target = folder / condition
            places = AudioPlaces(source.benchmark, variants)
            files = places.files | _unread_files(source.benchmark, places, variants)
            found = audio_problems(target, files)
            with tempfile.TemporaryDirectory() as scratch:
                if any(clip.embedded is not None for clip in source.benchmark.clips.values()):
                    _lay_out(Path(scratch), places.files)
                _write_table(Path(scratch), source, places, variants)
                found += folder_problems(target, Path(scratch))
            problems += [f"{self.name}/{condition}/{problem}" for problem in found]
        return problems


def _write_table(
    folder: Path, source: SplitSource, places: AudioPlaces, variants: Sequence[VariantRow]
) -> None:
    table = folder / source.benchmark.rows.file_name
    table.parent.mkdir(parents=True, exist_ok=True)
    edits = [_edit(source, places, variant) for variant in variants]
    source.benchmark.rows.write(table, edits)


def _lay_out(folder: Path, files: Mapping[str, Path]) -> None:
    """Put links to audio where a table that embeds it looks for it."""
    for place, file in files.items():
        link = folder / place
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file.absolute())


def _edit(source: SplitSource, places: AudioPlaces, variant: VariantRow) -> RowEdit:
    """Return the row of the source as this variant has it."""
    fields: dict[str, str | None]
    if variant.audios is None:
        fields = {audio.role: None for audio in variant.item.audios}
    else:
        fields = {audio.role: _field(places, audio) for audio in variant.audios}
    changed = source.reader.express(source.benchmark, variant, fields)
    return RowEdit(row=variant.item.row, changed=changed, added=variant.columns)


def _field(places: AudioPlaces, audio: VariantAudio) -> str:
    if audio.file is None:
        return audio.source
    return express_path(audio.source, audio.clip, places.of(audio.clip, audio.file))


def _unread_files(
    benchmark: Benchmark, places: AudioPlaces, variants: Sequence[VariantRow]
) -> dict[str, Path]:
    """Return the source's files that did not decode, by where their rows' fields lead."""
    found = {}
    for variant in variants:
        for audio in variant.audios or ():
            file = benchmark.clips[audio.clip].path
            place = places.own(audio.clip)
            stays = express_path(audio.source, audio.clip, place) == audio.source
            if audio.file is None and stays and file is not None and can_be_read(file):
                found[place] = file
    return found
