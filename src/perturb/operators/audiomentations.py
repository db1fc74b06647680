"""`audiomentations`: a transform of that library as a step, proven to be reproducible, no more.

Codecs, reverberation, filters, clipping, bit crushing: what they keep and destroy is not known
here, so the ledger promises nothing and there is no sham. What is known: the length stays, the
global random generators are left alone, and what was drawn stands in the trace, so that the same
plan gives the same bytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from perturb.audio_io import OutputFormat, write_audio
from perturb.errors import InapplicableError, ParameterError
from perturb.operators.proof import Measured
from perturb.operators.protocol import (
    EditContext,
    Edited,
    Ledger,
    Operator,
    ProofContext,
    Segment,
)
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.synthesis.foreign_library import find_transform, library_version
from perturb.synthesis.foreign_transform import ForeignResult, make_transform, run_transform
from perturb.time_map import TimeMap
from perturb.time_piece import Piece

__all__ = ["Audiomentations"]

_MOVES_TIME = frozenset({"AdjustDuration", "RepeatPart", "Reverse", "Shift", "TimeStretch", "Trim"})
_WAY_OUT = {
    "AdjustDuration": "the operator crop",
    "Resample": "Aliasing or LowPassFilter, or resample the file",
    "TimeStretch": "the operator speed, or params.leave_length_unchanged=true",
    "Trim": "the operator crop",
}
_SCHEMES = ("file:", "bank:", "item:")


class Audiomentations(Operator, frozen=True, kw_only=True):
    """Run a transform of the audiomentations library on each span.

    Parameters
    ----------
    transform : str
        Class name in that library, e.g. Mp3Compression.
    params : table, optional
        Arguments of the transform's constructor, e.g. `params.min_bitrate=8`. A step always acts,
        so `p` is not among them. Outside audio is named as a reference (`file:PATH`).
    frozen : table, optional
        Parameters that the transform drew in an earlier run, from its trace, to act the same again
        instead of drawing.
    """

    transform: str
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    frozen: dict[str, Any] = msgspec.field(default_factory=dict)

    sham_kind = "none"
    sham_description = "none: what a sham of a foreign transform would be is not known"
    proof_description = (
        "length exact; samples differ from the clip's; outside bit-equal. What it does to the "
        "sound is the library's word"
    )
    source = "audiomentations (Iver Jordal and others), version in the trace"

    def check(self) -> None:
        """Plain values only: they go into the plan."""
        for field, table in (("params", self.params), ("frozen", self.frozen)):
            _check_plain(table, field)
        for key, value in self.params.items():
            if key.endswith("_path") and not all(map(_is_reference, _listed(value))):
                raise ParameterError(
                    f"audiomentations: params.{key} is {value!r}; accepted: references, as "
                    f"params.{key}='file:PATH', so that the trace can name their audio"
                )

    def references(self) -> tuple[str, ...]:
        """Every reference among the parameters."""
        texts = [*_texts(self.params), *_texts(self.frozen)]
        return tuple(dict.fromkeys(text for text in texts if _is_reference(text)))

    def ledger(self) -> Ledger:
        """Nothing is promised."""
        return Ledger()

    @classmethod
    def ledger_table(cls) -> dict[str, Ledger]:
        """Return an empty ledger, and why it is empty."""
        return {"it depends on the transform": Ledger()}

    @classmethod
    def examples(cls) -> tuple[Audiomentations, ...]:
        """A codec, a filter, a distortion."""
        return (
            cls(transform="Mp3Compression", params={"min_bitrate": 8, "max_bitrate": 64}),
            cls(transform="BandPassFilter"),
            cls(transform="TanhDistortion", params={"min_distortion": 0.3}),
        )

    def check_available(self) -> None:
        """The library must be installed and have the transform, with these parameters."""
        find_transform(self.transform, self.params)

    def check_applicable(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> None:
        """The transform must accept the values of its parameters."""
        with self._prepared(ctx) as (make, _):
            make()

    def apply(self, signal: Signal, spans: tuple[Span, ...], ctx: EditContext) -> Edited:
        """Run the transform on each span, with a draw of its own."""
        drawn: list[dict[str, Any]] = []
        trimmed: list[int] = []
        warned: list[str] = []
        with self._prepared(ctx) as (make, named):

            def render(segment: Segment) -> FloatArray:
                seed = int(ctx.generator(f"transform/{segment.index}").integers(2**32))
                frozen = named(self.frozen, True)
                result = run_transform(
                    make(), segment.samples, segment.sample_rate_hz, seed, frozen
                )
                samples = self._fitted(result, segment)
                drawn.append(named(result.parameters, False))
                trimmed.append(result.samples.shape[1] - samples.shape[1])
                warned.extend(named(list(result.warnings), False))
                return samples

            edited = ctx.splice(signal, spans, render)
        notes: dict[str, Any] = {
            "library": f"audiomentations {library_version()}",
            "parameters": drawn,
            "trimmed_samples": trimmed,
            "warnings": list(dict.fromkeys(warned)),
        }
        return Edited(edited.signal, self._time_map(signal, spans), notes)

    def _time_map(self, signal: Signal, spans: tuple[Span, ...]) -> TimeMap:
        """Return the map: where the transform moves time, no moment of a span is found again."""
        if not self._moves_time:
            return TimeMap.identity(signal.duration_s)
        rate = signal.sample_rate_hz
        edges = [span.to_samples(rate) for span in spans]
        lost = [Piece(start / rate, stop / rate) for start, stop in edges]
        return TimeMap.in_place(signal.duration_s, lost)

    @property
    def _moves_time(self) -> bool:
        return self.transform in _MOVES_TIME or bool(self.params.get("preserve_delay"))

    def _fitted(self, result: ForeignResult, segment: Segment) -> FloatArray:
        """Return the result at the span's length: a tail is cut off, anything else refused."""
        wanted, found = segment.samples.shape[1], result.samples.shape[1]
        is_rate = self.transform == "Resample"
        if is_rate or found < wanted or (found > wanted and self._moves_time):
            what = "the sampling rate" if is_rate else f"{wanted} samples into {found}"
            way_out = _WAY_OUT.get(self.transform)
            raise ParameterError(
                f"audiomentations: {self.transform} changes {what}; accepted: transforms and "
                "parameters that keep rate and length" + (f". Use {way_out}" if way_out else "")
            )
        samples = result.samples[:, :wanted]
        if np.array_equal(samples, segment.samples):
            raise InapplicableError(
                f"{self.transform} changed nothing in {segment.start_s:.6g} to "
                f"{segment.stop_s:.6g} s"
            )
        return samples

    @contextmanager
    def _prepared(
        self, ctx: EditContext
    ) -> Iterator[tuple[Callable[[], Any], Callable[[Any, bool], Any]]]:
        """Yield how to build the transform, and how to turn references into files and back.

        The library reads outside audio from disk, so references are written to a temporary folder.
        """
        with tempfile.TemporaryDirectory() as folder:
            paths: dict[str, str] = {}
            for index, reference in enumerate(self.references()):
                path = Path(folder) / f"{index}.wav"
                audio = ctx.resolve(reference)
                write_audio(path, audio, OutputFormat(subtype="FLOAT"))
                paths[reference] = str(path)
            back = {path: reference for reference, path in paths.items()}

            def named(value: Any, to_paths: bool) -> Any:
                return _replaced(value, paths if to_paths else back)

            yield lambda: make_transform(self.transform, named(self.params, True)), named

    def measure(
        self, before: Signal, after: Signal, spans: tuple[Span, ...], ctx: ProofContext
    ) -> list[Measured]:
        """Measure the length, and how many samples of each span are others than the clip's."""
        found = [
            Measured.within("length", before.sample_count, after.sample_count, 0.0, unit="samples")
        ]
        if before.sample_count != after.sample_count:
            return found
        expected = ctx.as_written(before).samples
        for index, span in enumerate(spans):
            start, stop = span.to_samples(before.sample_rate_hz)
            changed = expected[:, start:stop] != after.samples[:, start:stop]
            found.append(Measured.at_least("changed_samples", 1, int(changed.sum()), span=index))
        return found


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(_SCHEMES)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a table, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _replaced(value: Any, names: dict[str, str]) -> Any:
    """Return a table with texts replaced, however deep; inside a longer text as well."""
    if isinstance(value, dict):
        return {key: _replaced(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, names) for part in value]
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
    return value


def _check_plain(value: Any, where: str) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _check_plain(part, f"{where}.{key}")
    elif isinstance(value, list):
        for part in value:
            _check_plain(part, where)
    elif not (value is None or isinstance(value, bool | int | str)) and not (
        isinstance(value, float) and np.isfinite(value)
    ):
        raise ParameterError(
            f"audiomentations: {where} is {value!r}; accepted: finite numbers, text, true, false, "
            "lists and tables"
        )
