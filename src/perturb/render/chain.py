"""Running the steps of a plan, one after the other, without gain or file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from perturb.errors import InapplicableError, ParameterError, PlanError
from perturb.measure.analysis import Analysis
from perturb.operators.editing import Edited, SegmentRenderer
from perturb.plan.step import Plan, Step
from perturb.render.references import References
from perturb.render.splicer import splice
from perturb.signal import Signal
from perturb.span import Span, check_spans
from perturb.streams import Streams
from perturb.time_map import TimeMap

__all__ = ["Chain", "ChainStore", "Link", "StepContext", "run_chain"]


@dataclass(frozen=True)
class StepContext:
    """What rendering offers to an operator while it edits (see `EditContext`)."""

    analysis: Analysis
    streams: Streams
    references: References
    prefix: str

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random stream of one purpose of this step."""
        return self.streams.generator(f"{self.prefix}/{purpose}")

    def resolve(self, reference: str) -> Signal:
        """Return audio from outside the clip, recorded by its hash."""
        return self.references.resolve(reference)

    def splice(
        self,
        signal: Signal,
        spans: tuple[Span, ...],
        render: SegmentRenderer,
        *,
        join: Literal["crossfade", "none"] = "crossfade",
    ) -> Edited:
        """Render each span alone and put it back in place."""
        return splice(signal, spans, render, join=join)


@dataclass(frozen=True)
class Link:
    """One step that has run."""

    step: Step
    analysis: Analysis
    spans: tuple[Span, ...]
    edited: Edited
    stream_key: str

    @property
    def before(self) -> Signal:
        """The step's input."""
        return self.analysis.signal


@dataclass(frozen=True)
class Chain:
    """All steps of a plan, run on a clip."""

    links: tuple[Link, ...]
    result: Signal
    time_map: TimeMap


def run_chain(plan: Plan, clip: Analysis, references: References) -> Chain:
    """Run every step on the result of the one before.

    Parameters
    ----------
    plan : Plan
        Its spans are in the original clip's time and are mapped through the steps before.
    clip : Analysis
        The clip and its instruments, shared across conditions.
    references : References
        Where outside audio comes from.

    Raises
    ------
    InapplicableError
        A step could not act; the message names it.
    ParameterError
        A span that the clip does not have.
    PlanError
        An operator broke its contract.
    """
    streams = Streams(plan.seed, plan.clip_id, plan.stream)
    for index, step in enumerate(plan.steps):
        with _speaking_for(plan, index):
            check_spans(step.spans, clip.signal)
    analysis = clip
    maps = [TimeMap.identity(clip.signal.duration_s)]
    links: list[Link] = []
    for index, step in enumerate(plan.steps):
        prefix = f"{index}:{step.name}"
        context = StepContext(analysis, streams, references, prefix)
        with _speaking_for(plan, index):
            spans = _spans_now(plan, maps, index, analysis.signal)
            edited = _act(step, analysis.signal, spans, context)
        _check_contract(step, analysis.signal, edited)
        links.append(Link(step, analysis, spans, edited, streams.key(prefix)))
        maps.append(maps[-1].then(edited.time_map))
        if edited.signal is not analysis.signal:
            analysis = Analysis(edited.signal)
    return Chain(tuple(links), analysis.signal, maps[-1])


class ChainStore:
    """Runs plans on one clip and keeps the last chains: a probe and its sham need each other's.

    Parameters
    ----------
    clip : Analysis
        The clip.
    references : References
        Where outside audio comes from.
    """

    _KEPT = 2

    def __init__(self, clip: Analysis, references: References) -> None:
        self.clip = clip
        self.references = references
        self._chains: dict[bytes, Chain] = {}

    def run(self, plan: Plan) -> Chain:
        """Return the chain of a plan; raises as `run_chain`."""
        key = plan.to_json()
        if key not in self._chains:
            chain = run_chain(plan, self.clip, self.references)
            while len(self._chains) >= self._KEPT:
                self._chains.pop(next(iter(self._chains)))
            self._chains[key] = chain
        return self._chains[key]


@contextmanager
def _speaking_for(plan: Plan, index: int) -> Iterator[None]:
    """Put the name of the step in front of what goes wrong in it, where a plan has several."""
    try:
        yield
    except (InapplicableError, ParameterError) as error:
        if len(plan.steps) == 1:
            raise
        name = plan.steps[index].name
        raise type(error)(f"step {index + 1} ({name}): {error}") from error


def _spans_now(plan: Plan, maps: list[TimeMap], index: int, signal: Signal) -> tuple[Span, ...]:
    """Return where the spans of a step lie in the time of its input, from sample to sample.

    `maps` lead from the original clip to the input of each step so far.
    """
    spans = plan.steps[index].spans
    if not spans:
        return (Span(0.0, signal.duration_s),)
    if not maps[index].is_identity:
        spans = _mapped(plan, maps, index, signal)
    return tuple(span.on_samples(signal.sample_rate_hz) for span in check_spans(spans, signal))


def _mapped(plan: Plan, maps: list[TimeMap], index: int, signal: Signal) -> tuple[Span, ...]:
    """Return where the spans of a step are heard after the steps before."""
    spans = plan.steps[index].spans
    found: list[Span] = []
    for span in spans:
        parts = _heard(maps[index], span, signal.sample_rate_hz)
        if not parts:
            culprit = next(
                earlier
                for earlier in range(index)
                if not _heard(maps[earlier + 1], span, signal.sample_rate_hz)
            )
            raise InapplicableError(
                f"span {span} removed by step {culprit + 1} ({plan.steps[culprit].name})"
            )
        found.extend(parts)
    return tuple(_apart(found, signal))


def _heard(time_map: TimeMap, span: Span, sample_rate_hz: int) -> list[Span]:
    """Return where a span of the original is heard, leaving out what holds no sample."""
    parts = []
    for part in time_map.map_span(span):
        start, stop = part.to_samples(sample_rate_hz)
        if part.is_point or start < stop:
            parts.append(part)
    return parts


def _apart(spans: list[Span], signal: Signal) -> list[Span]:
    """Return mapped spans in order, without what rounding put past the end or into each other."""
    last_s = (signal.sample_count - 1) / signal.sample_rate_hz
    apart: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start_s, span.end_s)):
        if span.stop_s is None:
            apart.append(Span(min(span.start_s, last_s)))
            continue
        start_s = max(span.start_s, apart[-1].end_s) if apart else span.start_s
        stop_s = min(span.stop_s, signal.duration_s)
        if start_s < stop_s:
            apart.append(Span(start_s, stop_s))
    return apart


def _act(step: Step, signal: Signal, spans: tuple[Span, ...], context: StepContext) -> Edited:
    operator = step.operator
    if operator.is_neutral:
        return Edited(signal, TimeMap.identity(signal.duration_s))
    operator.check_applicable(signal, spans, context)
    act = operator.apply_sham if step.role == "sham" else operator.apply
    edited: Edited = act(signal, spans, context)
    return edited


def _check_contract(step: Step, before: Signal, edited: Edited) -> None:
    after = edited.signal
    half_sample_s = 0.5 / before.sample_rate_hz
    problem = None
    if after.sample_rate_hz != before.sample_rate_hz:
        problem = f"changed the rate to {after.sample_rate_hz} Hz"
    elif after.channel_count != before.channel_count:
        problem = f"changed the channels to {after.channel_count}"
    elif abs(edited.time_map.source_duration_s - before.duration_s) > half_sample_s:
        problem = "returned a time map of another source duration"
    elif abs(edited.time_map.target_duration_s - after.duration_s) > 3 * half_sample_s:
        problem = "returned a time map that does not fit its result"
    if problem is not None:
        raise PlanError(f"operator {step.name} {problem}; this is a fault of the operator")
