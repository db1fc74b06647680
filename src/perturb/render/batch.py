"""Many files into one folder: the tree is mirrored, collisions are found before the first write."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from perturb.audio_io import find_audio
from perturb.errors import ParameterError
from perturb.plan.step import Plan
from perturb.render.files import FileJob, check_output, trace_path_for

__all__ = ["plan_batch"]


def plan_batch(inputs: Sequence[Path], folder: Path, plan: Plan) -> list[FileJob]:
    """Return one job for each audio file, in order of path.

    Parameters
    ----------
    inputs : sequence of Path
        Files, or folders that are searched for audio (litter and hidden folders left out).
    folder : Path
        Where the outputs go, mirroring the tree below the inputs' common folder.
    plan : Plan
        Steps, seed, stream and overflow for every file.

    Raises
    ------
    ParameterError
        An input is missing, a folder holds no audio, two inputs share an output, or an output
        would replace an input or a foreign file.
    """
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"output {folder} is a file; several inputs need a folder")
    sources: dict[Path, Path] = {}
    roots = []
    for given in inputs:
        if given.is_dir():
            roots.append(given.resolve())
            found = [path for path in find_audio(given) if not _is_inside(path, folder)]
            if not found:
                raise ParameterError(f"{given}: no audio in this folder")
        elif given.exists():
            roots.append(given.resolve().parent)
            found = [given]
        else:
            raise ParameterError(f"{given}: no such file or folder")
        sources.update({_absolute(path): path for path in found})
    root = Path(os.path.commonpath(roots))
    jobs = []
    taken: dict[str, Path] = {}
    for absolute, source in sorted(sources.items()):
        suffix = ".flac" if absolute.suffix.lower() == ".flac" else ".wav"
        output = folder / absolute.relative_to(root).with_suffix(suffix)
        key = str(trace_path_for(output)).casefold()
        if key in taken:
            raise ParameterError(
                f"{taken[key]} and {source} would both be written to {output.with_suffix('')}; "
                "rename one, or edit them into two folders"
            )
        taken[key] = source
        if _absolute_or_none(output) in sources:
            raise ParameterError(f"output {output} is an input; name another folder")
        check_output(source, output)
        jobs.append(FileJob(source, output, plan.steps, plan.seed, plan.stream, plan.overflow))
    return jobs


def _absolute_or_none(path: Path) -> Path | None:
    return _absolute(path) if path.exists() else None


def _absolute(path: Path) -> Path:
    # The folder is resolved, the file is not: a linked file keeps its place in the tree.
    return path.parent.resolve() / path.name


def _is_inside(path: Path, folder: Path) -> bool:
    return _absolute(path).is_relative_to(folder.resolve())
