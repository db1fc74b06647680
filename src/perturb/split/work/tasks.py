"""The work of a split as plain values: variants, clips, shards; what a worker gets and returns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perturb.plan.step import Step
from perturb.plan.trace import Status
from perturb.split.records.manifest import ClipRow
from perturb.split.treatment import Treatment

__all__ = [
    "AUDIO_FOLDER",
    "TRACE_FOLDER",
    "ClipResult",
    "ClipTask",
    "ShardResult",
    "ShardTask",
    "VariantResult",
    "VariantTask",
    "audio_name",
    "shards_of",
    "trace_file_name",
]

AUDIO_FOLDER = "audio"
TRACE_FOLDER = "traces"

_CLIPS = (4, 32)
_SHARDS = 16
"""Enough of them for a handful of workers to end together."""
_MAX_SECONDS = 600.0
_SLUG_LENGTH = 40


@dataclass(frozen=True)
class VariantTask:
    """One clip in one condition.

    Parameters
    ----------
    condition : str
        Its name.
    extra : str
        What tells variants of one clip in one condition apart: the donor's key, or the task
        that others were joined for. Empty where there is one for all items.
    output : str
        The canonical file, relative to the split.
    ref : str or None
        The donor as a reference, where the condition takes one.
    steps : tuple of Step or None
        Where the driver made them (a join); else the treatment makes them.
    references : dict of str to Path
        Files of the clips that references name.
    """

    condition: str
    extra: str
    output: str
    ref: str | None = None
    steps: tuple[Step, ...] | None = None
    references: Mapping[str, Path] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the clip's other variants."""
        return self.condition, self.extra


@dataclass(frozen=True)
class ClipTask:
    """One clip in all its conditions: decoded once, analysed once.

    Parameters
    ----------
    key : str
        Key of the clip.
    path : Path
        Its file.
    variants : tuple of VariantTask
        In the order of the suite.
    labels : tuple of str or None
        What the benchmark says is heard in it; None where it says nothing, or nobody asks.
    """

    key: str
    path: Path
    variants: tuple[VariantTask, ...]
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ShardTask:
    """Some clips: the unit that a worker takes, and that a run resumes from.

    Parameters
    ----------
    index : int
        Its number.
    folder : Path
        The split.
    treatments : dict of str to Treatment
        By condition.
    seed : int
        The user's seed.
    clips : tuple of ClipTask
        In order of their keys.
    lost : mapping of str to str
        Clips that cannot be worked on here, with the reason: no worker survived them.
    """

    index: int
    folder: Path
    treatments: Mapping[str, Treatment]
    seed: int
    clips: tuple[ClipTask, ...]
    lost: Mapping[str, str] = field(default_factory=dict)


class VariantResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a variant; `path` and `trace` are relative to the split, as in the manifest.

    `samples` counts samples per channel at `ClipRow.sample_rate_hz`; `extra` is the task's.
    """

    condition: str
    extra: str
    status: Status
    reason: str | None = None
    path: str | None = None
    sha256_out: str | None = None
    trace: str | None = None
    samples: int = 0
    is_fault: bool = False


class ClipResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a clip, and of every variant that was asked for."""

    clip: ClipRow
    variants: tuple[VariantResult, ...]


class ShardResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a shard.

    Parameters
    ----------
    index : int
        Its number.
    clips : tuple of ClipResult
        In the order of the task.
    trace_sha256 : str
        Hash of its file of traces.
    sources : dict of str to (str or None)
        Files that were read, relative to the split, with the hash of their bytes; None for what
        could not be read.
    stopped : str or None
        Why the run cannot go on (a full disk); the shard then counts as not done.
    """

    index: int
    clips: tuple[ClipResult, ...] = ()
    trace_sha256: str = ""
    sources: dict[str, str | None] = {}
    stopped: str | None = None


def trace_file_name(index: int) -> str:
    """Return the name of a shard's file of traces, relative to the split."""
    return f"{TRACE_FOLDER}/shard-{index:05d}.jsonl"


def audio_name(key: str, condition: str, extra: str) -> str:
    """Return the name of a canonical file, relative to the split: the same on every machine.

    A slug of the clip's name for people, and a hash that tells ``a/x.wav`` from ``b/x.wav``.

    Examples
    --------
    >>> audio_name("talks/Début 1.wav", "silence", "")
    'audio/silence/debut-1-8e59b0ef.wav'
    """
    import unicodedata

    stem = key.rsplit("/", 1)[-1].rpartition(".")[0] or key
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:_SLUG_LENGTH].strip("-") or "clip"
    name = f"{slug}-{_short_hash(key)}" + (f"-{_short_hash(extra)}" if extra else "")
    return f"{AUDIO_FOLDER}/{condition}/{name}.wav"


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:8]


def shards_of(
    clips: Sequence[ClipTask],
    durations_s: Mapping[str, float],
    folder: Path,
    treatments: Mapping[str, Treatment],
    seed: int,
) -> list[ShardTask]:
    """Divide clips into shards of at most 32 clips and ten minutes; a longer clip is one by itself.

    Few clips make small shards. The division depends on the clips alone, never on workers or on
    the order of items.
    """
    fewest, most = _CLIPS
    size = min(max(len(clips) // _SHARDS, fewest), most)
    shards: list[ShardTask] = []
    current: list[ClipTask] = []
    seconds = 0.0

    def close() -> None:
        if current:
            shards.append(ShardTask(len(shards), folder, treatments, seed, tuple(current)))
            current.clear()

    for clip in sorted(clips, key=lambda clip: clip.key):
        duration_s = durations_s.get(clip.key, 0.0)
        if current and (len(current) >= size or seconds + duration_s > _MAX_SECONDS):
            close()
            seconds = 0.0
        current.append(clip)
        seconds += duration_s
    close()
    return shards
