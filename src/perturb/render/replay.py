"""Replay: a trace and its input give the variant again, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perturb.audio_io import AudioFile, OutputFormat, quantise, read_audio, write_audio
from perturb.errors import AudioError, PlanError
from perturb.measure.analysis import Analysis
from perturb.plan.trace import Trace
from perturb.render.files import check_references, is_same_file
from perturb.render.references import References
from perturb.render.rendering import Rendering, render
from perturb.signal import Signal

__all__ = ["Replay", "load_trace", "rebuild", "replay_to_file"]


def load_trace(path: Path) -> Trace:
    """Read the trace at `path`, or the one that lies beside an audio file.

    Raises
    ------
    PlanError
        There is none, or it is not a trace; the path is named.
    """
    trace_path = path if path.suffix.lower() == ".json" else path.with_suffix(".json")
    try:
        return Trace.from_json(trace_path.read_bytes())
    except FileNotFoundError:
        raise PlanError(f"{trace_path}: no trace there") from None
    except OSError as error:
        raise PlanError(f"{trace_path}: cannot be read: {error.strerror}") from None
    except PlanError as error:
        raise PlanError(f"{trace_path}: {error}") from None


@dataclass(frozen=True)
class Replay:
    """A trace's plan, rendered again from its input.

    Parameters
    ----------
    rendering : Rendering
        The chain, and the recorded gain.
    references : References
        Outside audio, as recorded.
    file_format : OutputFormat
        Format of the variant.
    """

    rendering: Rendering
    references: References
    file_format: OutputFormat

    @property
    def as_written(self) -> Callable[[Signal], Signal]:
        """Rounds a signal as the variant's file does."""
        return lambda signal: quantise(signal, self.file_format)


def find_input(trace: Trace, folder: Path, instead: Path | None = None) -> AudioFile:
    """Read the input of a trace and refuse any other audio.

    Parameters
    ----------
    trace : Trace
        The record.
    folder : Path
        Where the trace lies.
    instead : Path, optional
        Where the input is now, if it moved.

    Raises
    ------
    PlanError
        The input is missing, or is other audio than was recorded.
    """
    recorded = trace.input.path
    if instead is None and recorded is None:
        raise PlanError("the trace names no input file; point to it with --input")
    path = instead if instead is not None else folder / str(recorded)
    try:
        source = read_audio(path)
    except AudioError as error:
        raise PlanError(f"input: {error}") from None
    if source.signal.audio_sha256 != trace.input.audio_sha256:
        raise PlanError(
            f"input {path} is other audio than the trace recorded (sha256 "
            f"{source.signal.audio_sha256[:12]}…, recorded {trace.input.audio_sha256[:12]}…)"
        )
    return source


def rebuild(trace: Trace, folder: Path, source: AudioFile) -> Replay:
    """Render a trace's plan again.

    Raises
    ------
    PlanError
        The trace records no variant, or its plan renders otherwise here.
    """
    if trace.output is None or trace.headroom is None:
        raise PlanError(f"the trace records no variant: {trace.status}: {trace.reason}")
    if trace.output_format is None:
        raise PlanError("the trace records a variant that was never a file")
    references = References(folder, expected=trace.references)
    rendering = render(trace.plan, Analysis(source.signal), references)
    return Replay(rendering, references, trace.output_format)


def replay_to_file(trace_path: Path, output: Path, instead: Path | None = None) -> Trace:
    """Write the variant of a trace again.

    Parameters
    ----------
    trace_path : Path
        The trace.
    output : Path
        The file to write; the same bytes as the recorded variant on one package set and
        processor type.
    instead : Path, optional
        Where the input is now, if it moved.

    Raises
    ------
    PlanError, AudioError
        Nothing is written.
    """
    trace = load_trace(trace_path)
    trace_path = trace_path.with_suffix(".json")
    source = find_input(trace, trace_path.parent, instead)
    for path in (source.path, trace_path):
        if is_same_file(output, path):
            raise PlanError(f"output {output} is {path} itself; name another")
    replay = rebuild(trace, trace_path.parent, source)
    check_references(replay.references.used, output)
    write_audio(output, replay.rendering.finished(), replay.file_format)
    return trace
