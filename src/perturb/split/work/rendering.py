"""One clip in all its conditions: decode once, analyse once, render, write, prove."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

from perturb.audio_io import (
    AudioFile,
    OutputFormat,
    output_format_for,
    read_audio,
)
from perturb.audio_io.paths import printable_path
from perturb.errors import InapplicableError, OutputError, PerturbError
from perturb.measure.analysis import Analysis
from perturb.plan.step import Plan, Step
from perturb.plan.trace import AudioRecord, Trace
from perturb.render.chain import ChainStore
from perturb.render.references import References
from perturb.render.rendering import inapplicable_trace, render
from perturb.render.variant_file import (
    describe_file,
    prepare_variant,
    relative_to_trace,
    with_relative_references,
)
from perturb.split.records.manifest import ClipRow
from perturb.split.treatment import Treatment
from perturb.split.work.tasks import TRACE_FOLDER, ClipResult, ClipTask, VariantResult, VariantTask

__all__ = ["failed_clip", "render_clip"]

_Done = tuple[VariantResult, Trace | None]


def render_clip(
    task: ClipTask, folder: Path, treatments: Mapping[str, Treatment], seed: int
) -> tuple[ClipResult, list[Trace | None]]:
    """Render every variant of one clip and write each under its name.

    Parameters
    ----------
    task : ClipTask
        The clip and its variants.
    folder : Path
        The split; the folders of its conditions exist.
    treatments : mapping of str to Treatment
        By condition.
    seed : int
        The user's seed.

    Returns
    -------
    result : ClipResult
        One result for each variant, in the order of the task.
    traces : list of Trace or None
        Likewise; None for what failed.

    Raises
    ------
    OutputError
        The split cannot be written to: nothing is wrong with the clip.
    """
    try:
        source = read_audio(task.path)
        path = relative_to_trace(task.path, folder)
    except PerturbError as error:
        reason = _by_key(str(error), {task.key: task.path})
        return failed_clip(task, reason), [None] * len(task.variants)
    renderer = _ClipRenderer(task, source, folder, treatments, seed)
    done: dict[tuple[str, str], _Done] = {}
    for family in _families(task, treatments):
        done.update(renderer.render_family(family))
    row = ClipRow(
        clip_id=task.key,
        path=path,
        file_sha256=source.file_sha256,
        audio_sha256=source.signal.audio_sha256,
        duration_s=source.signal.duration_s,
        sample_rate_hz=source.signal.sample_rate_hz,
        channels=source.signal.channel_count,
    )
    results = [done[variant.key] for variant in task.variants]
    return (
        ClipResult(clip=row, variants=tuple(result for result, _ in results)),
        [trace for _, trace in results],
    )


def failed_clip(task: ClipTask, reason: str, *, is_fault: bool = False) -> ClipResult:
    """Return the result of a clip that cannot be worked on: a row with the reason, each time."""
    return ClipResult(
        clip=ClipRow(clip_id=task.key, reason=reason),
        variants=tuple(_failed(variant, reason, is_fault=is_fault) for variant in task.variants),
    )


def _by_key(text: str, files: Mapping[str, Path]) -> str:
    """Return a reason that calls files by the keys of their clips: the same on every machine."""
    for key, path in files.items():
        text = text.replace(printable_path(path), key)
    return text


def _families(
    task: ClipTask, treatments: Mapping[str, Treatment]
) -> Iterator[tuple[VariantTask, ...]]:
    """Yield the variants that need each other's chains together: a probe with its sham."""

    def family(variant: VariantTask) -> tuple[str, str]:
        return treatments[variant.condition].stream, variant.extra

    for _, members in itertools.groupby(sorted(task.variants, key=family), key=family):
        yield tuple(members)


class _ClipRenderer:
    """What all variants of a clip share: its audio, its analysis, the form they are written in."""

    def __init__(
        self,
        task: ClipTask,
        source: AudioFile,
        folder: Path,
        treatments: Mapping[str, Treatment],
        seed: int,
    ) -> None:
        self.task = task
        self.folder = folder
        self.trace_folder = folder / TRACE_FOLDER
        self.treatments = treatments
        self.seed = seed
        self.analysis = Analysis(source.signal)
        self.form: OutputFormat = output_format_for(source, ".wav")
        self.record: AudioRecord = describe_file(source, self.trace_folder)

    def render_family(
        self, family: tuple[VariantTask, ...]
    ) -> Iterator[tuple[tuple[str, str], _Done]]:
        """Yield each variant's key and what became of it."""
        files = {key: path for variant in family for key, path in variant.references.items()}
        references = References(Path.cwd(), schemes={"item": lambda key: read_audio(files[key])})
        # A probe without its sham here has nobody to share its counterpart's chain with.
        chains = ChainStore(self.analysis, references) if len(family) > 1 else None
        for variant in family:
            yield variant.key, self._render(variant, references, chains)

    def _render(
        self, variant: VariantTask, references: References, chains: ChainStore | None
    ) -> _Done:
        plan = self._plan(variant, ())
        try:
            plan = self._plan(variant, self._steps(variant))
            return self._write(variant, plan, references, chains)
        except InapplicableError as error:
            trace = inapplicable_trace(plan, self.record, str(error), references)
            trace = with_relative_references(trace, self.trace_folder)
            return self._result(variant, trace), trace
        except OutputError:
            raise
        except PerturbError as error:
            return _failed(variant, _by_key(str(error), variant.references)), None
        except Exception as error:  # a fault of an operator costs one row, not the run
            reason = f"{type(error).__name__}: {error}"
            return _failed(variant, reason, is_fault=True), None

    def _steps(self, variant: VariantTask) -> tuple[Step, ...]:
        if variant.steps is not None:
            return variant.steps
        treatment = self.treatments[variant.condition]
        return treatment.steps(self.analysis, variant.ref, self.task.labels)

    def _plan(self, variant: VariantTask, steps: tuple[Step, ...]) -> Plan:
        return Plan(
            steps=steps,
            seed=self.seed,
            clip_id=self.analysis.signal.audio_sha256,
            stream=self.treatments[variant.condition].stream,
        )

    def _write(
        self,
        variant: VariantTask,
        plan: Plan,
        references: References,
        chains: ChainStore | None,
    ) -> _Done:
        rendering = render(plan, self.analysis, references, chains)
        output = self.folder / variant.output
        with prepare_variant(
            rendering, output, self.form, self.record, references, self.trace_folder
        ) as (audio, trace):
            audio.commit()
        return self._result(variant, trace), trace

    def _result(self, variant: VariantTask, trace: Trace) -> VariantResult:
        output = trace.output
        return VariantResult(
            condition=variant.condition,
            extra=variant.extra,
            status=trace.status,
            reason=trace.reason,
            path=None if output is None else variant.output,
            sha256_out=None if output is None else output.file_sha256,
            samples=0 if output is None else output.samples,
        )


def _failed(variant: VariantTask, reason: str, *, is_fault: bool = False) -> VariantResult:
    return VariantResult(
        condition=variant.condition,
        extra=variant.extra,
        status="failed",
        reason=" ".join(reason.split()),
        is_fault=is_fault,
    )
