"""`Step` and `Plan`: a recipe with every number drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from perturb.errors import ParameterError, PlanError
from perturb.operators.protocol import Operator, Placed
from perturb.operators.registry import operator_from_fields
from perturb.record import Record, bounds
from perturb.span import Span
from perturb.streams import SEED_RANGE

__all__ = ["MOST_STEPS", "Overflow", "Plan", "Role", "Step"]

MOST_STEPS = 100
"""A rendering holds what every step made; no edit that anyone could name has as many."""

Role = Literal["probe", "sham"]
Overflow = Literal["scale", "error", "limit"]


class Step(Record, frozen=True, kw_only=True):
    """An operator, where it acts, and whether it is the probe or its sham.

    Parameters
    ----------
    operator : Operator
        In a dump, a table whose field ``op`` names the operator.
    spans : tuple of Span
        In the **original** clip's time; empty for the whole clip.
    role : {'probe', 'sham'}
        A sham keeps its probe's parameters, spans and random stream.
    """

    operator: Any
    spans: tuple[Span, ...] = ()
    role: Role = "probe"

    def check(self) -> None:
        """Resolve a dumped operator, and refuse spans that it does not accept."""
        operator = self.operator
        if isinstance(operator, Mapping):
            operator = operator_from_fields(operator)
            msgspec.structs.force_setattr(self, "operator", operator)
        if not isinstance(operator, Operator):
            raise ParameterError(f"step: operator is {operator!r}; accepted: an operator")
        name = operator.op_name()
        if operator.needs_whole_clip and self.spans:
            raise ParameterError(
                f"{name}: these parameters are for the whole clip; leave out {self.spans[0]}"
            )
        for span in self.spans:
            if span.is_point and not operator.accepts_points:
                raise ParameterError(
                    f"{name}: span {span} has no stop; accepted: start-stop in seconds"
                )
        # A point has no stop to compare, so the spans' own order will not do.
        ordered = sorted(self.spans, key=lambda span: (span.start_s, span.end_s))
        for left, right in itertools.pairwise(ordered):
            if right.start_s < left.end_s:
                raise ParameterError(f"{name}: spans {left} and {right} overlap")
        if self.role == "sham" and not operator.sham_exists():
            raise ParameterError(f"{name} has no sham: {operator.sham_description}")

    @property
    def name(self) -> str:
        """The operator's name."""
        return str(self.operator.op_name())

    def with_role(self, role: Role) -> Step:
        """Return the same step in the other role."""
        return Step(operator=self.operator, spans=self.spans, role=role)


class Plan(Record, frozen=True, kw_only=True):
    """All that rendering needs but the audio: plain numbers, as JSON.

    Parameters
    ----------
    steps : tuple of Step
        In the order in which they act.
    seed : int
        Seed of every random stream.
    clip_id : str
        The benchmark's id, or the hash of the decoded audio.
    stream : str
        Name of the random streams: the condition's, or one shared by a dose series.
    overflow : {'scale', 'error', 'limit'}
        What happens where the result would pass the ceiling.
    """

    steps: tuple[Step, ...]
    seed: Annotated[int, bounds(*SEED_RANGE, "", "seed of every random stream")] = 0
    clip_id: str
    stream: str = "main"
    overflow: Overflow = "scale"

    def check(self) -> None:
        """Refuse more steps than memory is meant for."""
        if len(self.steps) > MOST_STEPS:
            raise ParameterError(
                f"plan: {len(self.steps)} steps; accepted: up to {MOST_STEPS}. Edit the result of "
                "the first ones again"
            )

    @classmethod
    def of(
        cls,
        placed: Iterable[Operator | Placed | Step],
        *,
        clip_id: str,
        seed: int = 0,
        stream: str = "main",
        role: Role = "probe",
        overflow: Overflow = "scale",
    ) -> Plan:
        """Build a plan from operators, operators on spans, or steps.

        The role is that of operators; a step that is a sham stays one in a plan of probes.
        """
        steps = []
        for item in placed:
            if isinstance(item, Step):
                steps.append(item.with_role(role) if role == "sham" else item)
            elif isinstance(item, Placed):
                steps.append(Step(operator=item.operator, spans=item.spans, role=role))
            else:
                steps.append(Step(operator=item, role=role))
        return cls(steps=tuple(steps), seed=seed, clip_id=clip_id, stream=stream, overflow=overflow)

    def counterpart(self) -> Plan | None:
        """Return the same plan with every role turned, or None where some step has no sham."""
        turned = []
        for step in self.steps:
            if step.role == "probe" and not step.operator.sham_exists():
                return None
            turned.append(step.with_role("sham" if step.role == "probe" else "probe"))
        return msgspec.structs.replace(self, steps=tuple(turned))

    def to_json(self) -> bytes:
        """Return the plan as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> Plan:
        """Read a plan back.

        Raises
        ------
        PlanError
            Not JSON, an unknown field, or a value out of range; the path is named.
        """
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, ParameterError) as error:
            raise PlanError(f"plan: {error}") from error
