"""One file in, one file and its trace out: nothing half-written, nothing foreign overwritten."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from perturb.audio_io import (
    output_format_for,
    prepare_bytes,
    read_audio,
    write_audio,
    write_bytes_atomic,
)
from perturb.audio_io.paths import errors_named
from perturb.errors import InapplicableError, ParameterError, PlanError
from perturb.measure.analysis import Analysis
from perturb.plan.step import Overflow, Plan, Step
from perturb.plan.trace import AudioRecord, Trace
from perturb.render.headroom import apply_gain
from perturb.render.references import References, SchemeResolver
from perturb.render.rendering import Rendering, inapplicable_trace, render
from perturb.render.variant_file import (
    check_recordable,
    describe_file,
    prepare_variant,
    with_relative_references,
)
from perturb.signal import Signal

__all__ = [
    "FileJob",
    "StepMaker",
    "apply_to_file",
    "check_output",
    "check_references",
    "is_same_file",
    "trace_path_for",
]


def trace_path_for(output: Path) -> Path:
    """Return where the trace of an output lies: beside it, with the suffix .json."""
    return output.with_suffix(".json")


def is_same_file(left: Path, right: Path) -> bool:
    """Whether two paths lead to one file, through whatever links; False where either is missing."""
    with suppress(OSError):
        return left.samefile(right)
    return False


StepMaker = Callable[[str, float, Analysis], tuple[Step, ...]]
"""Makes the steps for one clip from its id, its duration in seconds and what is measured of it."""


@dataclass(frozen=True)
class FileJob:
    """One file to edit: everything that a worker needs, and nothing that it shares.

    Parameters
    ----------
    source, output : Path
        The file to read and the file to write.
    steps : tuple of Step
        What to do.
    seed, stream, overflow
        As in `Plan`.
    make_steps : callable, optional
        Makes the steps once the clip is known (a recipe does); then `steps` is not looked at.
    stems : bool
        Whether the parts that add up to the variant are written beside it, as
        ``OUTPUT.NAME.wav``, under the same gain.
    bank : Path, optional
        A bank of clips that ``bank:CATEGORY#SEED`` is taken from, instead of the generated one.
    """

    source: Path
    output: Path
    steps: tuple[Step, ...]
    seed: int = 0
    stream: str = "main"
    overflow: Overflow = "scale"
    make_steps: StepMaker | None = None
    stems: bool = False
    bank: Path | None = None

    def plan_for(self, clip: Analysis) -> tuple[Plan, str | None]:
        """Return the plan for the clip that `source` holds; without steps, why there are none."""
        signal = clip.signal
        steps, reason = self.steps, None
        if self.make_steps is not None:
            try:
                steps = self.make_steps(signal.audio_sha256, signal.duration_s, clip)
            except InapplicableError as error:
                steps, reason = (), str(error)
        plan = Plan(
            steps=steps,
            seed=self.seed,
            clip_id=signal.audio_sha256,
            stream=self.stream,
            overflow=self.overflow,
        )
        return plan, reason


def check_output(source: Path, output: Path) -> None:
    """Refuse an output that would replace the input or somebody else's file.

    Raises
    ------
    ParameterError
        The output or its trace is the input, a JSON file there is not a trace, or it is the trace
        of another file that lies beside it.
    """
    trace_path = trace_path_for(output)
    for path in (output, trace_path):
        if is_same_file(path, source):
            raise ParameterError(f"output {path} is the input itself; name another")
        if path.is_dir():
            raise ParameterError(f"output {path} is a folder; name a file in it")
    if not os.path.lexists(trace_path):
        return
    try:
        trace = Trace.from_json(trace_path.read_bytes())
    except (PlanError, OSError):
        raise ParameterError(
            f"{trace_path} exists and is not a trace of this program, or one that was altered; it "
            "stays as it is. Name another output"
        ) from None
    described = None if trace.output is None else str(trace.output.path)
    if described not in (None, output.name) and (trace_path.parent / str(described)).exists():
        raise ParameterError(
            f"{trace_path} is the trace of {described}, which would be left without one; "
            "name another output"
        )


def check_references(references: Mapping[str, AudioRecord], output: Path) -> None:
    """Refuse an output that would replace audio that the edit is made from.

    Raises
    ------
    ParameterError
        The output or its trace is a reference.
    """
    for name, record in references.items():
        for path in (output, trace_path_for(output)):
            if record.path is not None and is_same_file(path, Path(record.path)):
                raise ParameterError(f"output {path} is the reference {name!r}; name another")


def apply_to_file(job: FileJob) -> Trace:
    """Edit one file, prove the edit on the samples as written, and write both.

    Parameters
    ----------
    job : FileJob
        Source, output, steps and seed. An existing output is replaced, the input never.

    Returns
    -------
    Trace
        As written to ``OUTPUT.json``. With status 'inapplicable' there is no audio.

    Raises
    ------
    ParameterError, AudioError, PlanError
        Nothing is written.
    """
    source = read_audio(job.source)
    check_output(job.source, job.output)
    check_recordable(job.output.name)
    file_format = output_format_for(source, job.output.suffix)
    clip = Analysis(source.signal)
    plan, missing = job.plan_for(clip)
    trace_path = trace_path_for(job.output)
    folder = trace_path.parent
    input_record = describe_file(source, folder)
    references = References(Path.cwd(), schemes=_schemes_of(job))
    try:
        if missing is not None:
            raise InapplicableError(missing)
        rendering = render(plan, clip, references)
    except InapplicableError as error:
        trace = inapplicable_trace(plan, input_record, str(error), references)
        trace = with_relative_references(trace, folder)
        _make_folder(folder)
        write_bytes_atomic(trace_path, trace.to_json())
        with errors_named(job.output):
            # An older variant beside a trace that says "no edit" would be a lie.
            job.output.unlink(missing_ok=True)
        return trace
    check_references(references.used, job.output)
    stems = _stems_of(rendering, job.output) if job.stems else {}
    for path in stems:
        _check_stem(path, job.source, references)
    _make_folder(folder)

    with (
        prepare_variant(rendering, job.output, file_format, input_record, references, folder) as (
            audio,
            trace,
        ),
        prepare_bytes(trace_path, trace.to_json()) as record,
    ):
        for path, stem in stems.items():
            write_audio(path, stem, file_format)
        audio.commit()
        record.commit()
    return trace


def _schemes_of(job: FileJob) -> dict[str, SchemeResolver]:
    if job.bank is None:
        return {}
    from perturb.events.folder_bank import FolderBank

    return {"bank": FolderBank(job.bank).resolve}


def _stems_of(rendering: Rendering, output: Path) -> dict[Path, Signal]:
    """Return the parts of the last step's sum, the recorded gain applied, by where they go.

    Raises
    ------
    ParameterError
        The last step is no sum.
    """
    link = rendering.chain.links[-1]
    stems = link.edited.stems
    if not stems:
        raise ParameterError(f"{link.step.name} has no stems: its result is no sum of parts")
    return {
        output.with_suffix(f".{name}{output.suffix}"): apply_gain(stem, rendering.headroom.gain_db)
        for name, stem in stems.items()
    }


def _check_stem(path: Path, source: Path, references: References) -> None:
    """Refuse a stem that would replace the input, a reference, or another variant."""
    check_output(source, path)
    check_references(references.used, path)
    if os.path.lexists(trace_path_for(path)):
        raise ParameterError(
            f"stem {path} would replace a variant, which {trace_path_for(path)} is the trace of; "
            "name another output"
        )


def _make_folder(folder: Path) -> None:
    with errors_named(folder):
        folder.mkdir(parents=True, exist_ok=True)
