"""A split before its first write: clips scanned, donors assigned, work divided, all checked."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from perturb.benchmark.embedded import extracted_path
from perturb.benchmark.item import Benchmark, Item
from perturb.benchmark.protocols import Reader, SplitSource
from perturb.benchmark.sound_labels import labels_by_clip
from perturb.errors import BenchmarkError
from perturb.plan.step import Step
from perturb.recipes.suite import Condition, DonorArm, Suite
from perturb.split.donors.assigning import assign_donors
from perturb.split.donors.table import DonorTable
from perturb.split.folder import SOURCES_FOLDER
from perturb.split.joining.joins import Joins
from perturb.split.joining.planning import JoinPlanner
from perturb.split.presentation import ORIGINAL, Presentation, Substitute
from perturb.split.questions.asking import QuestionMaterial, ask, check_material
from perturb.split.rows import Expect, expect_nothing
from perturb.split.scan import ClipScan, scan_clips
from perturb.split.treatment import Treatment
from perturb.split.work.tasks import ClipResult, ShardTask, shards_of

__all__ = ["MakeRecords", "PreparedSplit", "SplitRequest", "prepare", "with_edits"]

MakeRecords = Callable[[Path, Mapping[str, ClipResult]], Iterable[msgspec.Struct]]
"""Returns the rows of a record, from the folder of the split and what became of each clip."""


@dataclass(frozen=True)
class SplitRequest:
    """What is asked of a split.

    Parameters
    ----------
    benchmark : Benchmark
        As it was read, whole.
    reader : Reader
        Which read it.
    items : tuple of Item
        Those that are presented, in row order.
    suite : Suite
        The conditions.
    treatments : dict of str to Treatment
        Of these conditions.
    folder : Path
        Where the split goes.
    seed : int
        Of every random stream.
    writers : tuple of str
        Forms to write.
    jobs : int
        Worker processes.
    selection : dict
        Sample, strata and limit, where only a part is presented.
    material : QuestionMaterial
        Transcripts, question table, abstaining options.
    expect : callable
        Returns expectation and expected answer of a planned row: by the task map.
    inputs : dict of str to str
        Hashes of what the questions are made of besides the benchmark.
    planned : mapping of str to mapping of str to tuple of Step
        By condition and clip, for conditions whose steps are planned clip by clip.
    called : mapping of str to str
        How outside sounds are called where edits are told, by reference.
    extra_records : mapping of str to callable
        Further records of the split by file name, each made once everything is rendered.
    """

    benchmark: Benchmark
    reader: Reader
    items: tuple[Item, ...]
    suite: Suite
    treatments: Mapping[str, Treatment]
    folder: Path
    seed: int = 0
    writers: tuple[str, ...] = ("source",)
    jobs: int = 1
    selection: Mapping[str, Any] = field(default_factory=dict)
    material: QuestionMaterial = field(default_factory=QuestionMaterial)
    expect: Expect = expect_nothing
    inputs: Mapping[str, str] = field(default_factory=dict)
    planned: Mapping[str, Mapping[str, tuple[Step, ...]]] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)
    extra_records: Mapping[str, MakeRecords] = field(default_factory=dict)

    @property
    def source(self) -> SplitSource:
        """What writers are given."""
        return SplitSource(self.benchmark, self.reader)


@dataclass(frozen=True)
class PreparedSplit:
    """A split that can be made: nothing has been written.

    Parameters
    ----------
    request : SplitRequest
        What is asked.
    files : dict of str to Path
        File of each clip; where audio is embedded, the file that it will be taken out into.
    scan : ClipScan
        What the headers say.
    donors : dict of str to DonorTable
        By arm.
    material : QuestionMaterial
        What questions are made of, the joined stimuli among it.
    presentation : Presentation
        How items appear in conditions.
    """

    request: SplitRequest
    files: Mapping[str, Path]
    scan: ClipScan
    donors: Mapping[DonorArm, DonorTable]
    material: QuestionMaterial
    presentation: Presentation

    @functools.cached_property
    def shards(self) -> tuple[ShardTask, ...]:
        """The work, divided."""
        request = self.request
        tasks = self.presentation.clip_tasks(request.items, self.files)
        if any(treatment.listens_to_labels for treatment in request.treatments.values()):
            labels = labels_by_clip(request.benchmark)
            tasks = [replace(task, labels=labels.get(task.key)) for task in tasks]
        original = Condition(name=ORIGINAL)
        treatments = {ORIGINAL: Treatment(original, original), **request.treatments}
        return tuple(
            shards_of(tasks, self.scan.durations_s, request.folder, treatments, request.seed)
        )

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the conditions, in order."""
        return tuple(self.request.treatments)


def prepare(request: SplitRequest, advance: Callable[[], None] = lambda: None) -> PreparedSplit:
    """Scan the clips and assign donors.

    Parameters
    ----------
    request : SplitRequest
        What is asked.
    advance : callable
        Called once for each clip that was scanned.

    Raises
    ------
    BenchmarkError
        Not one clip can be read, or conditions lack what they ask with.
    """
    conditions = request.suite.conditions
    for treatment in request.treatments.values():
        treatment.check_ready()
    check_material(conditions, request.items, request.material)
    benchmark = request.benchmark
    arms = _arms(request.suite)
    has_others = bool(arms) or any(condition.join for condition in conditions)
    items = benchmark.items if has_others else request.items
    wanted = {audio.clip for item in items for audio in item.audios}
    clips = [clip for key, clip in benchmark.clips.items() if key in wanted]
    scan = scan_clips(clips, advance, is_decoded=has_others)
    if wanted and not scan.infos:
        key, reason = next(iter(sorted(scan.unreadable.items())))
        raise BenchmarkError(
            f"{benchmark.path}: none of its {len(wanted)} clips can be read, {key!r} for one: "
            f"{reason}; --audio-root names the folder that the paths are relative to"
        )
    donors = {
        arm: assign_donors(
            benchmark,
            scan.durations_s,
            scan.equal_audio,
            arm,
            draws,
            request.seed,
            silent=scan.silent,
        )
        for arm, draws in arms.items()
    }
    joins = Joins(
        functools.cache(
            lambda: JoinPlanner(
                benchmark, scan.durations_s, request.seed, scan.equal_audio, scan.silent
            )
        ),
        request.treatments,
        {item.pair_id: item for item in request.items},
    )
    material = replace(request.material, joins=joins)
    presentation = Presentation(
        request.treatments,
        functools.partial(ask, material=replace(request.material, joins=joins), seed=request.seed),
        {
            condition.name: functools.partial(_donor_of, donors[condition.donor], condition.draw)
            for condition in conditions
            if condition.donor is not None
        },
        {
            name: functools.partial(joins.stimulus, name)
            for name, treatment in request.treatments.items()
            if treatment.probe.join is not None
        },
        {name: functools.partial(_planned_for, steps) for name, steps in request.planned.items()},
    )
    files = _files(benchmark, request.folder)
    return PreparedSplit(request, files, scan, donors, material, presentation)


def with_edits(prepared: PreparedSplit, edits: Mapping[tuple[str, str], str]) -> Presentation:
    """Return the presentation once it is known what was done to the audio, for oracles."""
    told = replace(prepared.material, edits=edits)
    asking = functools.partial(ask, material=told, seed=prepared.request.seed)
    return replace(prepared.presentation, ask=asking)


def _arms(suite: Suite) -> dict[DonorArm, int]:
    """Return how many draws each arm of donors needs."""
    draws: dict[DonorArm, int] = {}
    for condition in suite.conditions:
        if condition.donor is not None:
            draws[condition.donor] = max(draws.get(condition.donor, 1), condition.draw)
    return draws


def _files(benchmark: Benchmark, folder: Path) -> dict[str, Path]:
    return {
        key: extracted_path(clip, folder / SOURCES_FOLDER) if clip.path is None else clip.path
        for key, clip in benchmark.clips.items()
    }


def _planned_for(steps: Mapping[str, tuple[Step, ...]], item: Item) -> tuple[Step, ...] | str:
    audio = item.audio()
    found = None if audio is None else steps.get(audio.clip)
    return "no edit was planned for this clip" if found is None else found


def _donor_of(table: DonorTable, draw: int, item: Item) -> Substitute | str:
    choice = table.donor_for(item, draw)
    return choice if isinstance(choice, str) else Substitute(choice.clip, choice.answer)
