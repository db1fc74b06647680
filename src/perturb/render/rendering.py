"""Rendering a plan: the chain, the shared gain, and the proof measured on what was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from perturb.audio_io import OutputFormat
from perturb.measure.analysis import Analysis
from perturb.operators.proof import Measured
from perturb.operators.protocol import Operator
from perturb.operators.unchanged import largest_difference
from perturb.plan.step import Plan
from perturb.plan.trace import OUTSIDE_PROOF, AudioRecord, Headroom, StepTrace, Trace, missed_proofs
from perturb.render.chain import Chain, ChainStore, Link
from perturb.render.environment import current_environment
from perturb.render.headroom import (
    apply_gain,
    find_headroom,
    full_scale_of,
    limit,
    undo_gain,
)
from perturb.render.references import References
from perturb.signal import Signal
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = [
    "AsWritten",
    "Rendering",
    "Variant",
    "describe_signal",
    "inapplicable_trace",
    "prove",
    "render",
    "trace_of",
]

AsWritten = Callable[[Signal], Signal]
"""Rounds and clips a signal as the output file does."""


@dataclass(frozen=True)
class Variant:
    """An edited clip and its proof. `signal` is None where there is no edit (see the status)."""

    signal: Signal | None
    trace: Trace


@dataclass(frozen=True)
class Rendering:
    """A plan that has been rendered and not yet proven.

    Parameters
    ----------
    chain : Chain
        Every step's input and result, without the gain.
    headroom : Headroom
        The gain that goes over the whole file.
    clip : Analysis
        The clip.
    """

    plan: Plan
    chain: Chain
    headroom: Headroom
    clip: Analysis

    def finished(self) -> Signal:
        """Return what is to be written, the gain applied: made anew, so that nobody holds it."""
        signal = apply_gain(self.chain.result, self.headroom.gain_db)
        if self.headroom.limited:
            full_scale = full_scale_of(self.clip.signal)
            signal = limit(signal, self.headroom.ceiling_dbtp, full_scale)
        if signal is self.clip.signal:
            # Equal samples, as a copy: a variant is never the clip itself.
            signal = signal.slice(0, signal.sample_count)
        return signal


def render(
    plan: Plan, clip: Analysis, references: References, chains: ChainStore | None = None
) -> Rendering:
    """Render a plan, and its counterpart as far as the shared gain needs it.

    Parameters
    ----------
    plan : Plan
        What to do.
    clip : Analysis
        The clip.
    references : References
        Where outside audio comes from.
    chains : ChainStore, optional
        Of the same clip and references, where a probe and its sham are both to be rendered.

    Raises
    ------
    InapplicableError
        A step could not act.
    ParameterError, PlanError, AudioError
        The plan does not fit the clip, an operator broke its contract, or `overflow="error"`.
    """
    chains = ChainStore(clip, references) if chains is None else chains
    chain = chains.run(plan)
    headroom = find_headroom(clip, chain.result, _counterpart(plan, chains), plan.overflow)
    return Rendering(plan, chain, headroom, clip)


def _counterpart(plan: Plan, chains: ChainStore) -> Signal | None:
    counterpart = plan.counterpart()
    if counterpart is None:
        return None
    if all(_leaves_unchanged(step.operator, step.role) for step in counterpart.steps):
        return chains.clip.signal
    return chains.run(counterpart).result


def _leaves_unchanged(operator: object, role: str) -> bool:
    is_identity = role == "sham" and getattr(operator, "sham_kind", None) == "identity"
    return is_identity or bool(getattr(operator, "is_neutral", False))


@dataclass(frozen=True)
class _Proof:
    """What a proof may use (see `ProofContext`)."""

    before: Analysis
    after: Analysis
    time_map: TimeMap
    references: References
    rewrite: AsWritten

    def as_written(self, signal: Signal) -> Signal:
        return self.rewrite(signal)

    def resolve(self, reference: str) -> Signal:
        return self.references.resolve(reference)


def prove(
    rendering: Rendering,
    written: Signal,
    references: References,
    as_written: AsWritten | None = None,
) -> tuple[StepTrace, ...]:
    """Measure every step of a rendering: the last on the samples as written, the gain undone.

    Parameters
    ----------
    rendering : Rendering
        What was rendered.
    written : Signal
        What is on disk: `rendering.finished()`, rounded to the file's format.
    references : References
        Where outside audio comes from.
    as_written : callable, optional
        Rounds a signal as the file does; None where nothing is rounded.
    """
    gain_db = rendering.headroom.gain_db

    def rewrite(signal: Signal) -> Signal:
        scaled = apply_gain(signal, gain_db)
        return undo_gain(scaled if as_written is None else as_written(scaled), gain_db)

    traces = []
    links = rendering.chain.links
    for index, link in enumerate(links):
        is_last = index == len(links) - 1
        if is_last:
            after = Analysis(undo_gain(written, gain_db))
            context = _Proof(link.analysis, after, link.edited.time_map, references, rewrite)
        else:
            after = links[index + 1].analysis
            context = _Proof(link.analysis, after, link.edited.time_map, references, _unrounded)
        later = [other.edited.time_map for other in links[index:]]
        traces.append(
            StepTrace(
                spans_original=link.step.spans,
                spans_before=link.spans,
                spans_after=_spans_through(link.spans, later),
                time_map=link.edited.time_map,
                stream_key=link.stream_key,
                measured=tuple(_measure(link, after.signal, context)),
                notes=dict(link.edited.notes),
            )
        )
    return tuple(traces)


def _unrounded(signal: Signal) -> Signal:
    return signal


def _measure(link: Link, after: Signal, context: _Proof) -> list[Measured]:
    operator: Operator = link.step.operator
    is_sham = link.step.role == "sham"
    if operator.is_neutral or (is_sham and operator.sham_kind == "identity"):
        # Whatever the operator would measure of an edit: equal samples are what was asked for.
        return Operator.measure_sham(operator, link.before, after, link.spans, context)
    measure = operator.measure_sham if is_sham else operator.measure
    found: list[Measured] = list(measure(link.before, after, link.spans, context))
    if link.before.samples.shape == after.samples.shape:
        outside = _outside_difference(link, after, context)
        if outside is not None:
            found.append(Measured.within(OUTSIDE_PROOF, 0.0, outside, 0.0))
    return found


def _outside_difference(link: Link, after: Signal, context: _Proof) -> float | None:
    """Return the largest difference outside the edit's extent, as far as time stays in place there.

    None where nothing lies outside.
    """
    rate = after.sample_rate_hz
    extent = link.step.operator.extent(link.before, link.spans, context)
    inside = [span.to_samples(rate) for span in (*extent, *context.time_map.moved())]
    at = 0
    stretches = []
    for start, stop in [*sorted(inside), (after.sample_count, after.sample_count)]:
        stretches.append((at, max(at, start), at))
        at = max(at, stop)
    return largest_difference(link.before, after, stretches, context.as_written)


def _spans_through(spans: tuple[Span, ...], maps: list[TimeMap]) -> tuple[Span, ...]:
    for time_map in maps:
        spans = tuple(mapped for span in spans for mapped in time_map.map_span(span))
    return spans


def describe_signal(signal: Signal) -> AudioRecord:
    """Return the record of audio that is not (or not yet) a file."""
    return AudioRecord(
        audio_sha256=signal.audio_sha256,
        sample_rate_hz=signal.sample_rate_hz,
        channels=signal.channel_count,
        samples=signal.sample_count,
    )


def trace_of(
    rendering: Rendering,
    steps: tuple[StepTrace, ...],
    source: AudioRecord,
    output: AudioRecord,
    references: References,
    output_format: OutputFormat | None = None,
) -> Trace:
    """Put together the trace of a variant that was rendered and proven."""
    missed = missed_proofs(steps)
    reason = None
    if missed:
        reason = "off target: " + ", ".join(dict.fromkeys(proof.name for proof in missed))
    return Trace(
        status="off_target" if missed else "ok",
        reason=reason,
        plan=rendering.plan,
        input=source,
        output=output,
        output_format=output_format,
        headroom=rendering.headroom,
        time_map=rendering.chain.time_map,
        steps=steps,
        references=dict(sorted(references.used.items())),
        environment=current_environment(),
    )


def inapplicable_trace(
    plan: Plan, source: AudioRecord, reason: str, references: References
) -> Trace:
    """Return the trace of a clip on which a step could not act."""
    return Trace(
        status="inapplicable",
        reason=reason,
        plan=plan,
        input=source,
        references=dict(sorted(references.used.items())),
        environment=current_environment(),
    )
