"""`perturb anchors` from what a person says: a benchmark planned, its chains a split to be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from perturb.anchors.clip_plan import EDITED, ClipJob, ClipPlan
from perturb.anchors.edits import AnchorEdit
from perturb.anchors.manifest import AnchorRow
from perturb.anchors.placement import PlacementRules
from perturb.anchors.planned_row import planned_row
from perturb.anchors.segment import Segmentation
from perturb.anchors.sounds import SoundBank
from perturb.audio_io import file_sha256
from perturb.benchmark.item import Benchmark, Item
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.sound_labels import labels_of
from perturb.benchmark.writers.registry import find_writer
from perturb.errors import BenchmarkError, ParameterError
from perturb.recipes.catalogue import load_recipe
from perturb.split.alike import alike
from perturb.split.anchored.chains import chain_rows, read_chains, with_questions
from perturb.split.anchored.planning import main_items, plan_clips
from perturb.split.anchored.recording import finished_rows
from perturb.split.anchored.segment_table import load_segments
from perturb.split.anchored.suite import (
    SHAM,
    anchored_suite,
    anchored_treatments,
    expect_anchored,
)
from perturb.split.folder import check_apart
from perturb.split.preparation import SplitRequest
from perturb.split.records.recording import ANCHORS_FILE, CHAINS_FILE, items_sha256
from perturb.streams import SEED_RANGE

__all__ = ["AnchoredSet", "assemble_anchors"]

_SHOWN_REASONS = 3


@dataclass(frozen=True)
class AnchoredSet:
    """An anchored split that can be made; nothing is written yet.

    Parameters
    ----------
    request : SplitRequest
        The split.
    rows : tuple of AnchorRow
        The edit manifest as planned, a line for each clip in order of keys.
    notes : tuple of str
        What is odd about the segments that were given.
    """

    request: SplitRequest
    rows: tuple[AnchorRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def chains(self) -> dict[tuple[int, int], int]:
        """Number of chains by positions and links."""
        found = Counter(
            (len(row.positions), len(row.questions)) for row in self.rows if row.questions
        )
        return dict(sorted(found.items()))

    @property
    def reasons(self) -> dict[str, int]:
        """Why clips carry no edit, and how many."""
        return dict(Counter(str(row.reason) for row in self.rows if not row.questions))


def assemble_anchors(
    path: Path,
    folder: Path,
    edit: AnchorEdit,
    *,
    rules: PlacementRules,
    bank: SoundBank,
    segments: Path | None = None,
    audio_root: Path | None = None,
    reader: str = "auto",
    writers: Sequence[str] = ("source",),
    seed: int = 0,
    jobs: int = 1,
    advance: Callable[[], None] = lambda: None,
    start: Callable[[int], None] = lambda clips: None,
) -> AnchoredSet:
    """Plan every clip of a benchmark and return the split that its chains make.

    Parameters
    ----------
    path : Path
        The benchmark, or a folder of audio: its clips are edited, its questions are not asked.
    folder : Path
        Where the split goes.
    edit : AnchorEdit
        What is done.
    rules : PlacementRules
        Where it may be done.
    bank : SoundBank
        Where sounds come from, for additions.
    segments : Path, optional
        Table of segments with times, words, speakers, relations.
    audio_root, reader, writers, seed, jobs
        As for a split.
    advance, start : callable
        For progress: a clip more is planned; how many there are.

    Raises
    ------
    ParameterError, RecipeError, BenchmarkError
        Whatever is wrong with what was asked, or no clip can carry an edit: the reasons.
    """
    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}; accepted: at least 1")
    if not SEED_RANGE[0] <= seed <= SEED_RANGE[1]:
        raise ParameterError(f"seed is {seed}; accepted: {SEED_RANGE[0]} to {SEED_RANGE[1]}")
    for name in writers:
        find_writer(name)
    if edit.edit == "event":
        bank.check()
    found, _ = find_reader(path, reader)
    benchmark = found.read(path, audio_root)
    check_apart(folder, benchmark)
    given = None if segments is None else load_segments(segments, benchmark)
    items = main_items(benchmark.items)
    ready = msgspec.structs.replace(rules, lengthening=max(rules.lengthening, edit.lengthening))
    start(len(items))
    recipe = load_recipe(edit.recipe)
    waiting = [
        ClipJob(
            key=key,
            path=file,
            edit=edit,
            recipe=recipe,
            rules=ready,
            bank=bank,
            seed=seed,
            segments=None if given is None else given.by_clip.get(key),
            labels=labels_of(benchmark, items[key]),
        )
        for key, file in sorted(_files(benchmark, items).items())
    ]
    plans = plan_clips(waiting, jobs, advance)
    planned = [planned_row(plan, edit, rules.floor_s) for plan in plans]
    rows, questions = with_questions(planned, seed)
    transcripts = _transcripts(plans, items)
    links = chain_rows(rows, questions, items, transcripts)
    if not links:
        raise BenchmarkError(f"{path}: no clip can carry the edit: {_reasons(rows)}")
    chains, chain_reader = read_chains(links, benchmark, folder)
    suite = anchored_suite(edit, has_text=bool(transcripts))
    steps = {plan.key: plan.steps for plan in plans if plan.steps}
    asked: dict[str, Any] = {
        "edit": edit,
        "rules": rules,
        "categories": bank.names,
        "source": items_sha256(benchmark),
    }
    inputs = {name: msgspec.json.encode(value).decode() for name, value in asked.items()}
    if segments is not None:
        inputs["segments"] = file_sha256(segments)
    request = SplitRequest(
        benchmark=chains,
        reader=chain_reader,
        items=chains.items,
        suite=suite,
        treatments=anchored_treatments(suite),
        folder=folder,
        seed=seed,
        writers=tuple(dict.fromkeys(writers)),
        jobs=jobs,
        expect=expect_anchored,
        inputs=inputs,
        planned={
            EDITED: steps,
            SHAM: {
                key: tuple(step.with_role("sham") for step in found) for key, found in steps.items()
            },
        },
        called={plan.sound.reference: plan.sound.words for plan in plans if plan.sound is not None},
        extra_records={
            CHAINS_FILE: lambda folder, clips: links,
            ANCHORS_FILE: lambda folder, clips: finished_rows(rows, folder, clips),
        },
    )
    return AnchoredSet(request, tuple(rows), () if given is None else given.notes)


def _files(benchmark: Benchmark, items: Mapping[str, Item]) -> dict[str, Path]:
    """Return the file of each clip; refuse audio that lies inside tables."""
    files = {key: benchmark.clips[key].path for key in items}
    found = {key: path for key, path in files.items() if path is not None}
    if len(found) < len(files):
        raise BenchmarkError(
            f"{benchmark.path}: its audio lies inside tables, where anchors cannot name it; write "
            "it out as files first (perturb split --writer audiofolder does)"
        )
    return found


def _transcripts(plans: Sequence[ClipPlan], items: Mapping[str, Item]) -> dict[str, str]:
    """Return the transcript of each clip: its segments' lines, else the source's own."""
    found = {}
    for plan in plans:
        text = _lines(plan.segmentation) or (items[plan.key].transcript or "").strip()
        if text:
            found[plan.key] = text
    return found


def _lines(segmentation: Segmentation | None) -> str:
    if segmentation is None or not any(segment.text for segment in segmentation.segments):
        return ""
    lines = []
    for segment in segmentation.segments:
        speaker = f"{segment.speaker}: " if segment.speaker else ""
        lines.append(
            f"[{segment.start_s:g}-{segment.stop_s:g} s] {speaker}{segment.text or '(no text)'}"
        )
    return "\n".join(lines)


def _reasons(rows: Sequence[AnchorRow]) -> str:
    kinds = alike(Counter(str(row.reason) for row in rows))
    more = len(kinds) - _SHOWN_REASONS
    return "; ".join(kinds[:_SHOWN_REASONS] + ([f"and {more} reasons more"] if more > 0 else []))
