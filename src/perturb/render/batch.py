"""Many files into one folder: the tree is mirrored, collisions are found before the first write."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from perturb.audio_io import OUTPUT_SUFFIXES, find_audio
from perturb.errors import ParameterError
from perturb.plan.step import Plan
from perturb.render.files import FileJob, StepMaker, check_output, trace_path_for

__all__ = ["plan_batch"]


def plan_batch(
    inputs: Sequence[Path], folder: Path, plan: Plan, make_steps: StepMaker | None = None
) -> list[FileJob]:
    """Return one job for each audio file, in order of path.

    Parameters
    ----------
    inputs : sequence of Path
        Files, or folders that are searched for audio (litter and hidden folders left out).
    folder : Path
        Where the outputs go, mirroring the tree below the inputs' common folder.
    plan : Plan
        Steps, seed, stream and overflow for every file.
    make_steps : callable, optional
        Makes the steps for each clip, instead of the plan's.

    Raises
    ------
    ParameterError
        An input is missing, a folder holds no audio, two inputs share an output, or an output
        would replace an input or a foreign file.
    """
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"output {folder} is a file; several inputs need a folder")
    if not folder.exists() and folder.suffix.lower() in OUTPUT_SUFFIXES:
        raise ParameterError(
            f"output {folder} is named like a file; several inputs need a folder, which need not "
            "exist yet"
        )
    sources: dict[Path, Path] = {}
    roots = []
    for given in inputs:
        found, root = _search(given, folder)
        roots.append(root)
        sources.update({_absolute(path): path for path in found})
    root = Path(os.path.commonpath(roots))
    jobs = []
    taken: dict[str, Path] = {}
    for absolute, source in sorted(sources.items()):
        suffix = ".flac" if absolute.suffix.lower() == ".flac" else ".wav"
        output = folder / absolute.relative_to(root).with_suffix(suffix)
        key = _key(trace_path_for(output))
        if key in taken:
            raise ParameterError(
                f"{taken[key]} and {source} would both be written to {output.with_suffix('')}; "
                "rename one, or edit them into two folders"
            )
        taken[key] = source
        if os.path.lexists(output) and _absolute(output) in sources:
            raise ParameterError(f"output {output} is an input; name another folder")
        check_output(source, output)
        jobs.append(
            FileJob(source, output, plan.steps, plan.seed, plan.stream, plan.overflow, make_steps)
        )
    _check_folders(jobs)
    return jobs


def _search(given: Path, folder: Path) -> tuple[list[Path], Path]:
    """Return the audio that an input stands for, and the folder below which it is mirrored."""
    if given.is_dir():
        root = given.resolve()
        output_root = folder.resolve()
        if output_root == root:
            raise ParameterError(f"output {folder} is the input folder itself; name another")
        # What an earlier run left in an output folder inside the input is no input.
        is_within = output_root.is_relative_to(root)
        found = [
            path
            for path in find_audio(given)
            if not (is_within and _absolute(path).is_relative_to(output_root))
        ]
        if not found:
            raise ParameterError(f"{given}: no audio in this folder")
        return found, root
    if not os.path.lexists(given):
        raise ParameterError(f"{given}: no such file or folder")
    return [given], _absolute(given).parent


def _key(path: Path) -> str:
    """Return a name as the least particular file system tells names apart.

    That one ignores case, and how accents are composed.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def _check_folders(jobs: Sequence[FileJob]) -> None:
    """Refuse an output that has the name of a folder of another."""
    files = {_key(path): job for job in jobs for path in (job.output, trace_path_for(job.output))}
    for job in jobs:
        for folder in job.output.parents:
            other = files.get(_key(folder))
            if other is not None:
                raise ParameterError(
                    f"{other.source} would be written to {other.output}, which is a folder for "
                    f"{job.source}; rename one, or edit them into two folders"
                )


def _absolute(path: Path) -> Path:
    # The folder is resolved, the file is not: a linked file keeps its place in the tree.
    return path.parent.resolve() / path.name
