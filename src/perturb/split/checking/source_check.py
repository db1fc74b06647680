"""The recordings that a split was made from: are they what they were?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from perturb.audio_io import file_sha256
from perturb.errors import AudioError
from perturb.execution.local import run_jobs
from perturb.render.findings import Finding
from perturb.split.records.manifest import ClipRow
from perturb.split.records.recording import CLIPS_FILE

__all__ = ["check_sources"]

_SHOWN = 3
_BLOCK_CLIPS = 256

_Block = tuple[Path, tuple[ClipRow, ...]]
_Report = tuple[tuple[str, ...], tuple[str, ...]]


def check_sources(folder: Path, clips: Sequence[ClipRow], workers: int = 1) -> Iterator[Finding]:
    """Yield every clip whose file has other bytes, and in one line those whose file is not there.

    Parameters
    ----------
    folder : Path
        The split.
    clips : sequence of ClipRow
        Its clips; those that could not be read are passed over.
    workers : int
        Processes.
    """
    readable = [clip for clip in clips if clip.file_sha256 is not None]
    blocks = [
        (folder, tuple(readable[start : start + _BLOCK_CLIPS]))
        for start in range(0, len(readable), _BLOCK_CLIPS)
    ]
    missing: list[str] = []
    for outcome in run_jobs(_compare, blocks, workers, is_warm=True):
        if outcome.result is None:
            yield _finding(f"clips cannot be checked: {outcome.reason}")
            continue
        changed, absent = outcome.result
        missing.extend(absent)
        for key in changed:
            yield _finding(f"clip {key!r} has changed since the split was made")
    if missing:
        listed = ", ".join(sorted(missing)[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
        yield _finding(f"the files of {len(missing)} of {len(readable)} clips are gone: {listed}")


def _compare(block: _Block) -> _Report:
    """Return the keys of clips that have changed, and of those that cannot be read."""
    folder, clips = block
    changed, absent = [], []
    for clip in clips:
        try:
            found = file_sha256(folder / str(clip.path))
        except AudioError:
            absent.append(clip.clip_id)
            continue
        if found != clip.file_sha256:
            changed.append(clip.clip_id)
    return tuple(changed), tuple(absent)


def _finding(message: str) -> Finding:
    return Finding(kind="input", path=CLIPS_FILE, message=message)
