"""What an operator is: a frozen record of plain numbers that edits audio and proves what it did.

An operator knows nothing of files, plans or gains. It is handed its input, its spans and a
context; it returns the edited signal and the path that time took. What it achieved is measured
afterwards by `measure`, from the audio alone.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal, NamedTuple

from perturb.errors import InapplicableError, ParameterError
from perturb.operators.editing import EditContext, Edited, ProofContext, Segment
from perturb.operators.ledger import PROPERTIES, Ledger, Property
from perturb.operators.proof import Measured
from perturb.operators.unchanged import largest_difference
from perturb.record import Record, describe_fields
from perturb.signal import Signal
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = [
    "PROPERTIES",
    "EditContext",
    "Edited",
    "Ledger",
    "Measured",
    "Operator",
    "Placed",
    "ProofContext",
    "Property",
    "Segment",
    "ShamKind",
    "snake_case",
]


ShamKind = Literal["own", "identity", "none"]


class Placed(NamedTuple):
    """An operator on its spans; no spans is the whole clip. Written ``operator @ span``."""

    operator: Operator
    spans: tuple[Span, ...]

    def __matmul__(self, span: Span) -> Placed:
        return Placed(self.operator, (*self.spans, span))


def snake_case(class_name: str) -> str:
    """Return the tag of an operator class: ``NoiseVocode`` becomes ``noise_vocode``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()


class Operator(Record, frozen=True, tag_field="op", tag=snake_case):
    """Base of all operators: subclass, add fields, and write `apply` and `measure`.

    A subclass is one file named after its tag (``class NoiseVocode`` in ``noise_vocode.py`` has
    the tag ``noise_vocode``). Fields are plain numbers with their range and unit, never
    distributions: ranges live in recipes.

    Attributes
    ----------
    sham_kind : {'own', 'identity', 'none'}
        Whether the operator has a sham of its own (`apply_sham`), whether its sham is the
        unchanged clip, or whether it declares that there is none.
    sham_description : str
        What the sham does, for `perturb ops` and the docs.
    accepts_points : bool
        Whether a span without a stop is acceptable (events alone).
    needs_whole_clip : bool
        Whether the operator refuses spans.
    proof_description : str
        What `measure` proves, in one line.
    source : str
        The source of the method.
    """

    sham_kind: ClassVar[ShamKind] = "identity"
    sham_description: ClassVar[str] = "the unchanged clip"
    accepts_points: ClassVar[bool] = False
    proof_description: ClassVar[str] = ""
    source: ClassVar[str] = ""

    @classmethod
    def op_name(cls) -> str:
        """Return the name under which recipes and the command line know the operator."""
        return str(cls.__struct_config__.tag)

    @property
    def needs_whole_clip(self) -> bool:
        """Whether this operator, with these parameters, refuses spans."""
        return False

    @property
    def is_neutral(self) -> bool:
        """Whether these parameters ask for no change: the result is then the input, exactly."""
        return False

    def ledger(self) -> Ledger:
        """Return what the edit keeps and destroys with these parameters."""
        raise NotImplementedError

    @classmethod
    def examples(cls) -> tuple[Operator, ...]:
        """Return parameters worth showing and testing: every kind of behaviour once.

        An operator with fields that have no default has to say which.
        """
        if any(info.is_required for info in describe_fields(cls)):
            raise ParameterError(
                f"{cls.op_name()} has fields without a default: its class needs examples()"
            )
        return (cls(),)

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return the ledger by a label of the parameters it holds for; '' for all of them."""
        return {"": cls.examples()[0].ledger()}

    def references(self) -> tuple[str, ...]:
        """Return the names of the outside audio that these parameters need."""
        return ()

    def sham_exists(self) -> bool:
        """Whether a sham exists with these parameters."""
        return self.sham_kind != "none"

    def check_available(self) -> None:
        """Raise `ParameterError`, with the way out, where a package or program is missing.

        Batches ask before they begin; only operators that lean on others' software need it.
        """

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """Raise `InapplicableError` with the reason where the operator cannot act."""

    def sham_ledger(self) -> Ledger:
        """Return what the sham keeps and destroys.

        An unchanged clip keeps everything. A sham of its own does all that the probe does but the
        one thing: what survives the probe survives the sham. More is promised by operators that
        say so; that nothing is destroyed is not the same as that everything is kept.
        """
        return Ledger(keeps=PROPERTIES if self.sham_kind == "identity" else self.ledger().keeps)

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Edit `signal` on `spans`.

        Parameters
        ----------
        signal : Signal
            The step's input; never written to.
        spans : tuple of Span
            Where to act, in seconds of the step's input: in order, apart, at least one.
        ctx : EditContext
            Analysis, random streams, references, the splicer.

        Returns
        -------
        Edited

        Raises
        ------
        InapplicableError
            The operator could not act.
        """
        raise NotImplementedError

    def extent(
        self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext | ProofContext
    ) -> tuple[Span, ...]:
        """Return where the edit may change samples, probe and sham alike; by default the spans.

        An operator that acts beyond its spans (an event laid from a point on) says how far.
        Outside the extent samples are bit-identical where time stays in place, and that is proven.
        """
        return spans

    def result_duration_s(self, duration_s: float, spans: tuple[Span, ...] = ()) -> float:
        """Return how long the result of a clip will be, in seconds; by default as long.

        For plans and forecasts alone: what was made is measured.

        Parameters
        ----------
        duration_s : float
            Duration of the clip in seconds.
        spans : tuple of Span
            Where to act; empty for the whole clip.
        """
        return duration_s

    def apply_sham(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Do all that `apply` does but the one thing the probe is about."""
        if self.sham_kind != "identity":
            raise InapplicableError(f"{self.op_name()} has no sham")
        return Edited(signal, TimeMap.identity(signal.duration_s))

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure on the result what the edit promises. Pure: uses nothing `apply` remembered.

        Parameters
        ----------
        before, after : Signal
            Input and result of the step, the recorded gain undone.
        spans : tuple of Span
            As given to `apply`.
        ctx : ProofContext
            Instruments on both sides, and the recorded time map.
        """
        raise NotImplementedError

    def measure_sham(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure on the sham what the sham promises; by default: equal samples."""
        if before.samples.shape != after.samples.shape:
            return [
                Measured.within(
                    "length", before.sample_count, after.sample_count, 0.0, unit="samples"
                )
            ]
        whole = [(0, before.sample_count, 0)]
        difference = largest_difference(before, after, whole, ctx.as_written)
        return [Measured.within("largest_difference", 0.0, difference, 0.0)]

    def __matmul__(self, span: Span) -> Placed:
        return Placed(self, (span,))
