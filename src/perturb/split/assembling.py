"""A request for a split from what a person says: names and paths, each checked and loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io import file_sha256
from perturb.benchmark.item import Benchmark
from perturb.benchmark.readers.detection import find_reader
from perturb.benchmark.writers.registry import find_writer
from perturb.errors import ParameterError
from perturb.recipes.catalogue import load_recipe, load_suite
from perturb.recipes.suite import Suite
from perturb.split.expectations.abstention import abstaining_options
from perturb.split.expectations.condition_ledger import condition_ledger
from perturb.split.expectations.expectation import expect
from perturb.split.expectations.task_map import TaskMap, load_task_map
from perturb.split.folder import check_apart
from perturb.split.preparation import SplitRequest
from perturb.split.presentation import RowPlan
from perturb.split.questions.asking import QuestionMaterial
from perturb.split.questions.transcripts import load_question_table, load_transcripts
from perturb.split.records.manifest import Expectation
from perturb.split.rows import Expect, expect_nothing
from perturb.split.sampling import parse_share, parse_strata, sample_items
from perturb.split.treatment import treatments_of
from perturb.streams import SEED_RANGE

__all__ = ["assemble"]


def assemble(
    path: Path,
    folder: Path,
    *,
    suite: str = "seabed/controls",
    audio_root: Path | None = None,
    reader: str = "auto",
    writers: Sequence[str] = ("source",),
    seed: int = 0,
    given: Mapping[str, Any] | None = None,
    jobs: int = 1,
    sample: str | None = None,
    stratify: Sequence[str] = (),
    limit: int | None = None,
    transcripts: Path | None = None,
    questions: Path | None = None,
    task_map: str | None = None,
    abstain: Sequence[str] = (),
) -> SplitRequest:
    """Return the request, everything that it names loaded; nothing is written.

    Parameters
    ----------
    path : Path
        The benchmark.
    folder : Path
        Where the split goes.
    suite : str
        A suite of the catalogue, or a file.
    audio_root : Path, optional
        Folder that audio paths are relative to.
    reader : str
        Name of a reader, or 'auto'.
    writers : sequence of str
        Names of writers.
    seed : int
        Of every random stream.
    given : mapping, optional
        Values that recipes ask for.
    jobs : int
        Worker processes.
    sample : str, optional
        ``10%`` or a number of items.
    stratify : sequence of str
        Fields of the items that make the strata of the sample.
    limit : int, optional
        The first items alone.
    transcripts, questions : Path, optional
        Tables of transcripts, and of questions in other words.
    task_map : str, optional
        Which tasks need what: the name of a map, or a file.
    abstain : sequence of str
        Texts of options that say that it cannot be told.

    Raises
    ------
    ParameterError, RecipeError, BenchmarkError
        Whatever is wrong, in one message.
    """
    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}; accepted: at least 1")
    if not SEED_RANGE[0] <= seed <= SEED_RANGE[1]:
        raise ParameterError(f"seed is {seed}; accepted: {SEED_RANGE[0]} to {SEED_RANGE[1]}")
    if stratify and sample is None:
        raise ParameterError("--stratify goes with --sample")
    for name in writers:
        find_writer(name)
    loaded = load_suite(suite)
    treatments = treatments_of(loaded, load_recipe, seed=seed, given=given)
    found, _ = find_reader(path, reader)
    benchmark = found.read(path, audio_root)
    check_apart(folder, benchmark)
    items = sample_items(
        benchmark.items,
        None if sample is None else parse_share(sample),
        parse_strata(",".join(stratify)) if stratify else (),
        seed,
        limit,
    )
    inputs = {}
    notes = list(benchmark.notes)
    by_pair: Mapping[str, str] = {}
    table = None
    if transcripts is not None:
        given_texts = load_transcripts(transcripts, benchmark)
        by_pair = given_texts.by_pair
        notes.extend(given_texts.notes)
        inputs["transcripts"] = file_sha256(transcripts)
    if questions is not None:
        given_questions = load_question_table(questions, benchmark)
        table = given_questions.by_pair
        notes.extend(given_questions.notes)
        inputs["questions"] = file_sha256(questions)
    tasks = None
    if task_map is not None:
        tasks = load_task_map(task_map)
        inputs["task_map"] = hashlib.sha256(msgspec.json.encode(tasks)).hexdigest()
    abstaining = _abstaining(benchmark, tasks, tuple(abstain))
    if abstain:
        inputs["abstain"] = "\n".join(abstain)
    selection = {"sample": sample, "stratify": list(stratify), "limit": limit}
    return SplitRequest(
        benchmark=msgspec.structs.replace(benchmark, notes=tuple(notes)),
        reader=found,
        items=items,
        suite=loaded,
        treatments=treatments,
        folder=folder,
        seed=seed,
        writers=tuple(dict.fromkeys(writers)),
        jobs=jobs,
        selection={key: value for key, value in selection.items() if value},
        material=QuestionMaterial(transcripts=by_pair, table=table, abstaining=abstaining),
        expect=_expectations(loaded, tasks),
        inputs=inputs,
    )


def _abstaining(
    benchmark: Benchmark, tasks: TaskMap | None, declared: tuple[str, ...]
) -> dict[str, tuple[int, ...]]:
    """Return the places of abstaining options by pair id, of items that have some."""
    found: dict[str, tuple[int, ...]] = {}
    known: dict[tuple[str, ...], tuple[int, ...]] = {}
    for item in benchmark.items:
        if item.choices not in known:
            if declared or tasks is None:
                known[item.choices] = abstaining_options(item.choices, declared)
            else:
                known[item.choices] = tasks.abstaining(item.choices)
        if known[item.choices]:
            found[item.pair_id] = known[item.choices]
    return found


def _expectations(suite: Suite, tasks: TaskMap | None) -> Expect:
    """Return what tells the expectation of a planned row."""
    if tasks is None:
        return expect_nothing
    ledgers = {
        condition.name: condition_ledger(condition, suite.conditions, load_recipe)
        for condition in suite.conditions
    }

    def expectation_of(plan: RowPlan) -> tuple[Expectation, str | None]:
        return expect(
            plan.item,
            plan.condition,
            ledgers[plan.condition.name],
            tasks,
            question=plan.question,
            donor_answer=None if plan.donor is None else plan.donor.answer,
        )

    return expectation_of
