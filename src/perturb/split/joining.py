"""Joined stimuli: which other clips stand around an item's, in what order, how far apart.

Others come from the same tasks and the same language; where labels are known they have another
gold than the clip, and where recordings are known all come from different ones. Everything is
drawn from the stream of (seed, clip, condition), so that a stimulus belongs to a clip and its
questions share it. Like donors it depends on the set of items, never on their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from perturb.benchmark.item import Benchmark, Item
from perturb.errors import InapplicableError
from perturb.operators.join import Join
from perturb.record import Record
from perturb.split.options import same_text
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
    """

    clip: str
    label: str | None = None
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


class _Stratum(NamedTuple):
    """Clips of a task in one language (or in the same ones, where a clip's items differ)."""

    task: str | None
    languages: frozenset[str | None]


class _Profile(NamedTuple):
    """What the items of one clip say of it together."""

    languages: frozenset[str | None]
    recordings: frozenset[str]
    golds: dict[str | None, frozenset[str]]
    labels: dict[str | None, frozenset[str]]

    def strata(self) -> list[_Stratum]:
        """Return where the clip is found, in order of the tasks."""
        tasks = sorted(self.golds, key=lambda task: (task is not None, task or ""))
        return [_Stratum(task, self.languages) for task in tasks]


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
    """

    def __init__(self, benchmark: Benchmark, durations_s: Mapping[str, float], seed: int) -> None:
        self._durations_s = durations_s
        self._seed = seed
        self._profiles = _profiles(benchmark)
        self._pools: dict[_Stratum, list[str]] = {}
        for clip in sorted(set(self._profiles) & set(durations_s)):
            for stratum in self._profiles[clip].strata():
                self._pools.setdefault(stratum, []).append(clip)
        self._golds = {
            stratum: Counter(gold for clip in pool for gold in self._golds_of(clip, stratum))
            for stratum, pool in self._pools.items()
        }
        self._without: dict[tuple[_Stratum, frozenset[str]], list[str]] = {}

    def plan(self, item: Item, condition: Condition) -> JoinPlan:
        """Return the stimulus of an item's clip in a condition that joins.

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
        generator = Streams(self._seed, own, condition.name).generator("join")
        order = generator.permutation(join.utterances).tolist()
        gaps = generator.uniform(*join.gap_s, size=join.utterances - 1)
        gaps_s = tuple(round(float(gap), 3) for gap in gaps)
        others = self._draw_others(own, join.utterances - 1, generator)
        clips = [[own, *others][place] for place in order]
        return JoinPlan(
            clips=self._laid_out(clips, gaps_s, item.task),
            position=order.index(0) + 1,
            gaps_s=gaps_s,
        )

    def _draw_others(self, own: str, count: int, generator: np.random.Generator) -> list[str]:
        """Return clips that suit the own one and each other, in drawn order."""
        profile = self._profiles[own]
        pool = self._pool_of(profile)
        chosen: list[str] = []
        recordings = set(profile.recordings)
        for place in _shuffled(len(pool), generator):
            other = pool[place]
            theirs = self._profiles[other].recordings
            if other == own or theirs & recordings or not _suits(profile, self._profiles[other]):
                continue
            chosen.append(other)
            recordings |= theirs
            if len(chosen) == count:
                return chosen
        raise InapplicableError(
            f"{len(chosen)} other clips suit {own!r}; {count} are needed (same task and language, "
            "another answer, other recordings)"
        )

    def _golds_of(self, clip: str, stratum: _Stratum) -> frozenset[str]:
        return self._profiles[clip].golds[stratum.task]

    def _pool_of(self, profile: _Profile) -> list[str]:
        """Return clips to draw from: a stratum, or what is left of it beside a gold of its most.

        Where a gold is rare, drawing until one suits costs less than sorting out beforehand.
        """
        stratum = min(profile.strata(), key=lambda each: len(self._pools[each]))
        pool, golds = self._pools[stratum], profile.golds[stratum.task]
        if all(2 * self._golds[stratum][gold] <= len(pool) for gold in golds):
            return pool
        key = stratum, golds
        if key not in self._without:
            self._without[key] = [
                clip for clip in pool if not golds & self._golds_of(clip, stratum)
            ]
        return self._without[key]

    def _laid_out(
        self, clips: list[str], gaps_s: tuple[float, ...], task: str | None
    ) -> tuple[JoinedClip, ...]:
        laid = []
        at_s = 0.0
        for clip, gap_s in zip(clips, (*gaps_s, 0.0), strict=True):
            stop_s = at_s + self._durations_s[clip]
            labels = self._profiles[clip].labels.get(task, frozenset())
            label = next(iter(labels)) if len(labels) == 1 else None
            laid.append(JoinedClip(clip=clip, label=label, start_s=at_s, stop_s=stop_s))
            at_s = stop_s + gap_s
        return tuple(laid)


def _profiles(benchmark: Benchmark) -> dict[str, _Profile]:
    """Return what is known of each clip that is some item's main audio."""
    items_of: dict[str, list[Item]] = {}
    for item in benchmark.items:
        audio = item.audio()
        if audio is not None:
            items_of.setdefault(audio.clip, []).append(item)
    return {clip: _profile(items) for clip, items in items_of.items()}


def _profile(items: list[Item]) -> _Profile:
    labels = {
        task: frozenset(item.answer for item in items if item.task == task and item.answer)
        for task in {item.task for item in items}
    }
    return _Profile(
        languages=frozenset(item.language for item in items),
        recordings=frozenset(item.recording for item in items if item.recording is not None),
        golds={task: frozenset(map(same_text, known)) for task, known in labels.items()},
        labels=labels,
    )


def _suits(own: _Profile, other: _Profile) -> bool:
    """Whether a clip of the same language has the same tasks, and no gold of this one in them."""
    return all(
        task in other.golds and not golds & other.golds[task] for task, golds in own.golds.items()
    )


def _shuffled(count: int, generator: np.random.Generator) -> Iterator[int]:
    """Yield 0 … count - 1 in drawn order, at the cost of those that are taken."""
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        pick = int(generator.integers(last + 1))
        yield moved.get(pick, pick)
        moved[pick] = moved.get(last, last)
