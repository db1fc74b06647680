"""`check_operator`: the whole property suite for somebody else's operator, in one line."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.ledger import PROPERTIES
from perturb.operators.protocol import Operator
from perturb.operators.registry import operator_class, operator_schema
from perturb.plan.step import Step
from perturb.plan.trace import OUTSIDE_PROOF, Trace, missed_proofs
from perturb.record import describe_fields
from perturb.render.apply import apply
from perturb.render.rendering import Variant
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import signals, spans_of, speech_like

__all__ = ["check_operator"]

_SPAN = Span(0.6, 2.0)


def check_operator(
    operator: Operator, *, clip: Signal | None = None, max_examples: int = 50
) -> None:
    """Check everything that an operator owes, whoever wrote it.

    Its description; dump, load and schema; determinism; the input, global random states and
    everything outside the spans left alone; an effect, the same on equal channels; seeds; its sham
    and their shared gain; proofs that are there, pure and met on a clip that suits it; and, on
    signals of every kind that has broken such software, a result that keeps the contract or a
    refusal with a reason.

    Parameters
    ----------
    operator : Operator
        With parameters that do something.
    clip : Signal, optional
        A clip of 2 s or more that suits it, so that its proofs have to be met there; without one,
        speech-like sound in two channels serves for all but that.
    max_examples : int
        How many signals Hypothesis tries.

    Raises
    ------
    AssertionError
        A promise is broken; the message says which.

    Examples
    --------
    >>> from perturb.operators.gain import Gain
    >>> check_operator(Gain(gain_db=6.0), max_examples=5)
    """
    suitable = clip if clip is not None else speech_like(2.4, 16_000, channels=2, level=0.05)
    checks: tuple[Callable[[Operator, Signal], None], ...] = (
        _check_description,
        _check_records,
        _check_repeatable,
        _check_effect,
        _check_equal_channels,
        _check_seeds,
        _check_sham,
        _check_proof,
    )
    for check in checks:
        check(operator, suitable)
    if clip is not None:
        _check_proofs_hold(operator, clip)
    _check_any_signal(operator, max_examples)


def _require(is_kept: bool, operator: Operator, promise: str) -> None:
    if not is_kept:
        raise AssertionError(f"{operator.op_name()}: {promise}")


def _step(operator: Operator, *, is_sham: bool = False) -> Step:
    spans = () if operator.needs_whole_clip else (_SPAN,)
    return Step(operator=operator, spans=spans, role="sham" if is_sham else "probe")


def _check_description(operator: Operator, clip: Signal) -> None:
    kind = type(operator)
    lines = (kind.__doc__ or "").strip().splitlines()
    _require(
        bool(lines) and lines[0].endswith("."), operator, "the docstring opens with a sentence"
    )
    for name in ("sham_description", "proof_description", "source"):
        _require(bool(getattr(kind, name)), operator, f"{name} says something")
    for info in describe_fields(kind):
        _require(bool(info.description), operator, f"the docstring says what {info.name} means")
    for ledger in kind.ledger_table().values():
        known = set(ledger.keeps) | set(ledger.destroys) <= set(PROPERTIES)
        _require(known, operator, "the ledger uses the known properties")


def _check_records(operator: Operator, clip: Signal) -> None:
    dumped = msgspec.to_builtins(operator)
    _require(
        msgspec.convert(dumped, type(operator)) == operator, operator, "dump and load are inverse"
    )
    properties = next(iter(operator_schema(type(operator))["$defs"].values()))["properties"]
    fields = {"op", *(info.name for info in describe_fields(type(operator)))}
    _require(set(properties) == fields, operator, "the schema names every field")


def _check_repeatable(operator: Operator, clip: Signal) -> None:
    before = clip.samples.copy()
    state = _global_state()
    for is_sham in (False, True) if operator.sham_exists() else (False,):
        one, two = (apply(clip, _step(operator, is_sham=is_sham), seed=1) for _ in range(2))
        _require(_is_equal(one, two), operator, "the same seed gives the same bytes and trace")
        _check_outside(operator, clip, one)
    _require(np.array_equal(clip.samples, before), operator, "the input is left alone")
    _require(_global_state() == state, operator, "global random states are left alone")


def _global_state() -> tuple[str, str]:
    return str(random.getstate()), str(np.random.get_state())  # noqa: NPY002


def _is_equal(one: Variant, two: Variant) -> bool:
    return (
        one.signal is not None
        and two.signal is not None
        and one.signal.is_equal(two.signal)
        and one.trace == two.trace
    )


def _check_outside(operator: Operator, clip: Signal, variant: Variant) -> None:
    for proof in variant.trace.measured:
        if proof.name == OUTSIDE_PROOF:
            _require(proof.achieved == 0.0, operator, "outside the spans nothing changes")
    signal = variant.signal
    if signal is None:
        raise AssertionError(f"{operator.op_name()}: a result is rendered")
    _require(signal.channel_count == clip.channel_count, operator, "channels are kept")
    _require(signal.sample_rate_hz == clip.sample_rate_hz, operator, "the rate is kept")


def _check_effect(operator: Operator, clip: Signal) -> None:
    found = apply(clip, _step(operator), seed=1).signal
    is_changed = found is not None and not found.is_equal(clip)
    _require(is_changed or operator.is_neutral, operator, "the clip is changed")


def _check_equal_channels(operator: Operator, clip: Signal) -> None:
    both = Signal.adopt(np.repeat(clip.samples[:1], 2, axis=0), clip.sample_rate_hz)
    found = apply(both, _step(operator), seed=1).signal
    is_kept = found is not None and np.array_equal(found.samples[0], found.samples[1])
    _require(is_kept, operator, "equal channels stay equal")


def _check_seeds(operator: Operator, clip: Signal) -> None:
    one, two = (apply(clip, _step(operator), seed=seed).signal for seed in (1, 2))
    keys = {apply(clip, _step(operator), seed=seed).trace.steps[0].stream_key for seed in (1, 2)}
    _require(len(keys) == 2, operator, "each seed has its own stream")
    _require(one is not None and two is not None, operator, "a result is rendered")


def _check_sham(operator: Operator, clip: Signal) -> None:
    if not operator.sham_exists():
        return
    peak = np.float32(0.98 / np.max(np.abs(clip.samples)))
    loud = Signal.adopt(clip.samples * peak, clip.sample_rate_hz)
    gains = set()
    for is_sham in (False, True):
        trace = apply(loud, _step(operator, is_sham=is_sham)).trace
        gains.add(trace.headroom.gain_db if trace.headroom is not None else None)
    _require(len(gains) == 1, operator, "probe and sham share one gain")


def _check_proof(operator: Operator, clip: Signal) -> None:
    variant = apply(clip, _step(operator), seed=1)
    trace = variant.trace
    own = [proof for proof in trace.measured if proof.name != OUTSIDE_PROOF]
    _require(bool(own), operator, "something is proven")
    if _is_registered(operator):
        again = Trace.from_json(trace.to_json())
        _require(again == trace, operator, "the trace survives its file")


def _is_registered(operator: Operator) -> bool:
    """Whether a trace finds the operator by its name: one in the making has no entry point."""
    try:
        return operator_class(operator.op_name()) is type(operator)
    except ParameterError:
        return False


def _check_proofs_hold(operator: Operator, clip: Signal) -> None:
    trace = apply(clip, _step(operator), seed=1).trace
    missed = [proof.name for proof in missed_proofs(trace.steps)]
    _require(not missed, operator, f"its proofs hold on a clip that suits it; missed: {missed}")


def _check_any_signal(operator: Operator, max_examples: int) -> None:
    quiet = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

    @settings(
        max_examples=max_examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=quiet,
    )
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        signal = data.draw(signals())
        spans = () if operator.needs_whole_clip else data.draw(spans_of(signal))
        before = signal.samples.copy()
        try:
            variant = apply(Analysis(signal), Step(operator=operator, spans=spans), seed=3)
        except (InapplicableError, ParameterError) as error:
            _require(len(str(error)) > 10, operator, "a refusal gives its reason")
            return
        finally:
            _require(np.array_equal(signal.samples, before), operator, "the input is left alone")
        _check_outside(operator, signal, variant)

    holds()
