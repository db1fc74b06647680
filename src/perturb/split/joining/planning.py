"""Joined stimuli: which other clips stand around an item's, in what order, how far apart.

Others come from the same task and the same language; where labels are known they have another
gold than the clip, and where recordings are known all come from different ones. Where the answer
follows from the language (as where the task asks for it) another answer is another language, so
there others are of the same task in any language.

A stimulus belongs to a clip and a task, and questions of one task share it: those of another task
need others that differ in another answer. It is drawn from the stream of (seed, clip, condition)
and the task. Like donors it depends on the set of items, never on their order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from perturb.benchmark.item import Benchmark, Item
from perturb.errors import InapplicableError
from perturb.operators.join import Join
from perturb.record import Record
from perturb.split.donors.strata import answered_by_language, as_label
from perturb.streams import Streams

if TYPE_CHECKING:
    import numpy as np

    from perturb.recipes.suite import Condition

__all__ = ["JoinPlan", "JoinPlanner", "JoinedClip"]


class JoinedClip(Record, frozen=True, kw_only=True):
    """One clip of a joined stimulus.

    Parameters
    ----------
    clip : str
        Its key in the benchmark.
    label : str or None
        Its gold in the item's task; None where it is unknown or its questions differ.
    start_s, stop_s : float
        Where it lies in the stimulus, in seconds, by the durations given; the trace has the place
        to the sample.
    other_language : bool
        Whether it is of another language than the item's own, where the answer follows from it.
    """

    clip: str
    label: str | None = None
    other_language: bool = False
    start_s: float
    stop_s: float


class JoinPlan(Record, frozen=True, kw_only=True):
    """A joined stimulus.

    Parameters
    ----------
    clips : tuple of JoinedClip
        In the order in which they are heard, the item's own among them.
    position : int
        Place of the item's own clip, from 1.
    gaps_s : tuple of float
        Silence between each clip and the next.
    """

    clips: tuple[JoinedClip, ...]
    position: int
    gaps_s: tuple[float, ...]

    def operator(self) -> Join:
        """Return the step that joins them; others are named ``item:CLIP``."""
        names = [f"item:{clip.clip}" for clip in self.clips]
        own = self.position - 1
        return Join(before=tuple(names[:own]), after=tuple(names[own + 1 :]), gaps_s=self.gaps_s)


class _Pool(NamedTuple):
    """Clips of a task in one language, or in the same ones where a clip's items differ.

    In all that are known, where it is None.
    """

    task: str | None
    languages: frozenset[str | None] | None

    def __str__(self) -> str:
        task = f"of task {self.task or 'unknown'}"
        if self.languages is None:
            return f"{task} in any language"
        languages = sorted(language or "unknown" for language in self.languages)
        return f"{task} and language {' and '.join(languages)}"


class _Part(NamedTuple):
    """What the items of one clip and task say: answers as they stand, and as they are compared."""

    languages: frozenset[str | None]
    labels: frozenset[str]
    golds: frozenset[str]


class JoinPlanner:
    """Plans joined stimuli for the items of one benchmark.

    Parameters
    ----------
    benchmark : Benchmark
        All of it, whatever part is generated.
    durations_s : mapping of str to float
        Length of each clip by its key, in seconds; a clip that is missing here cannot be used.
    seed : int
        Of the run.
    equal_audio : mapping of str to str, optional
        For clips that hold the same audio, the key of one that stands for all.
    silent : collection of str
        Clips without a sound, which stand around no other.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        durations_s: Mapping[str, float],
        seed: int,
        equal_audio: Mapping[str, str] | None = None,
        silent: Collection[str] = (),
    ) -> None:
        self._durations_s = durations_s
        self._seed = seed
        self._equal_audio = dict(equal_audio or {})
        self._silent = frozenset(silent)
        self._recordings: dict[str, frozenset[str]] = {}
        self._parts: dict[tuple[str, str | None], _Part] = {}
        self._take_in(benchmark)
        items = (item for item in benchmark.items if _clip_of(item) in durations_s)
        self._by_language = answered_by_language(items)
        self._pools = self._gather()
        self._golds = {
            pool: Counter(gold for clip in clips for gold in self._parts[clip, pool.task].golds)
            for pool, clips in self._pools.items()
        }
        self._without: dict[tuple[_Pool, frozenset[str]], list[str]] = {}

    def plan(self, item: Item, condition: Condition) -> JoinPlan:
        """Return the stimulus of an item's clip and task in a condition that joins.

        Raises
        ------
        InapplicableError
            No main audio, an unreadable clip, or too few others that suit it.
        """
        audio, join = item.audio(), condition.join
        if join is None:
            raise InapplicableError(f"the condition {condition.name!r} joins nothing")
        if audio is None:
            raise InapplicableError("the item has no main audio to join with others")
        own = audio.clip
        if own not in self._durations_s:
            raise InapplicableError(f"the clip {own!r} could not be read")
        generator = Streams(self._seed, own, condition.name).generator(f"join/{item.task or ''}")
        order = generator.permutation(join.utterances).tolist()
        gaps = generator.uniform(*join.gap_s, size=join.utterances - 1)
        gaps_s = tuple(round(float(gap), 3) for gap in gaps)
        others = self._draw_others(own, item.task, join.utterances - 1, generator)
        clips = [[own, *others][place] for place in order]
        return JoinPlan(
            clips=self._laid_out(clips, gaps_s, own, item.task),
            position=order.index(0) + 1,
            gaps_s=gaps_s,
        )

    def _take_in(self, benchmark: Benchmark) -> None:
        """Take in what is known of each clip that is some item's main audio."""
        items_of: dict[tuple[str, str | None], list[Item]] = defaultdict(list)
        recordings: dict[str, set[str]] = defaultdict(set)
        for item in benchmark.items:
            clip = _clip_of(item)
            if clip is not None:
                items_of[clip, item.task].append(item)
                recordings[clip].update([] if item.recording is None else [item.recording])
        self._recordings = {clip: frozenset(known) for clip, known in recordings.items()}
        self._parts = {key: _part(items) for key, items in items_of.items()}

    def _gather(self) -> dict[_Pool, list[str]]:
        """Return the clips of each pool in order."""
        wide_tasks = {task for task, _ in self._by_language}
        pools: dict[_Pool, list[str]] = defaultdict(list)
        for (clip, task), part in self._parts.items():
            if clip in self._durations_s and clip not in self._silent:
                pools[_Pool(task, part.languages)].append(clip)
                if task in wide_tasks and all(part.languages):
                    pools[_Pool(task, None)].append(clip)
        return {pool: sorted(clips) for pool, clips in pools.items()}

    def _audio(self, clip: str) -> str:
        return self._equal_audio.get(clip, clip)

    def _draw_others(
        self, own: str, task: str | None, count: int, generator: np.random.Generator
    ) -> list[str]:
        """Return clips that suit the own one and each other, in drawn order."""
        part = self._parts[own, task]
        follows = self._by_language.keys() >= {(task, language) for language in part.languages}
        pool = _Pool(task, None if follows else part.languages)
        candidates = self._candidates(pool, part.golds)
        chosen: list[str] = []
        heard = {self._audio(own)}
        recordings = set(self._recordings[own])
        for place in _shuffled(len(candidates), generator):
            other = candidates[place]
            theirs = self._recordings[other]
            is_heard = self._audio(other) in heard
            if is_heard or theirs & recordings or part.golds & self._parts[other, task].golds:
                continue
            chosen.append(other)
            heard.add(self._audio(other))
            recordings |= theirs
            if len(chosen) == count:
                return chosen
        raise InapplicableError(
            f"only {len(chosen)} other clips {pool} have another answer and different recordings; "
            f"{count} are needed"
        )

    def _candidates(self, pool: _Pool, golds: frozenset[str]) -> list[str]:
        """Return clips to draw from: a pool, or what is left of it beside a gold of its most.

        Where a gold is rare, drawing until one suits costs less than sorting out beforehand.
        """
        clips = self._pools.get(pool, [])
        if not clips or all(2 * self._golds[pool][gold] <= len(clips) for gold in golds):
            return clips
        if (pool, golds) not in self._without:
            self._without[pool, golds] = [
                clip for clip in clips if not golds & self._parts[clip, pool.task].golds
            ]
        return self._without[pool, golds]

    def _laid_out(
        self, clips: list[str], gaps_s: tuple[float, ...], own: str, task: str | None
    ) -> tuple[JoinedClip, ...]:
        laid = []
        at_s = 0.0
        languages = self._parts[own, task].languages
        for clip, gap_s in zip(clips, (*gaps_s, 0.0), strict=True):
            stop_s = at_s + self._durations_s[clip]
            part = self._parts[clip, task]
            laid.append(
                JoinedClip(
                    clip=clip,
                    label=next(iter(part.labels)) if len(part.labels) == 1 else None,
                    start_s=at_s,
                    stop_s=stop_s,
                    other_language=not part.languages & languages,
                )
            )
            at_s = stop_s + gap_s
        return tuple(laid)


def _clip_of(item: Item) -> str | None:
    audio = item.audio()
    return None if audio is None else audio.clip


def _part(items: list[Item]) -> _Part:
    labels = frozenset(item.answer for item in items if item.answer)
    return _Part(
        languages=frozenset(item.language for item in items),
        labels=labels,
        golds=frozenset(map(as_label, labels)),
    )


def _shuffled(count: int, generator: np.random.Generator) -> Iterator[int]:
    """Yield 0 … count - 1 in drawn order, at the cost of those that are taken."""
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        pick = int(generator.integers(last + 1))
        yield moved.get(pick, pick)
        moved[pick] = moved.get(last, last)
