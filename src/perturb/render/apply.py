"""`apply`: one clip in memory, edited and proven. The Python face of ``perturb apply``."""

from __future__ import annotations

from pathlib import Path

from perturb.audio_io import read_audio
from perturb.errors import ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.protocol import Operator, Placed
from perturb.plan.step import Overflow, Plan, Step
from perturb.render.references import References
from perturb.render.rendering import Variant, describe_signal, prove, render, trace_of
from perturb.signal import Signal

__all__ = ["apply"]


def apply(
    clip: Signal | Analysis | str | Path,
    *steps: Operator | Placed | Step,
    seed: int = 0,
    sham: bool = False,
    clip_id: str | None = None,
    stream: str = "main",
    overflow: Overflow = "scale",
) -> Variant:
    """Edit a clip and measure what was achieved.

    Parameters
    ----------
    clip : Signal, Analysis or path
        The clip. Hand in an `Analysis` to share its instruments between several edits.
    *steps : Operator, Placed or Step
        What to do, in order; ``operator @ span`` places an operator.
    seed : int
        Seed of every random stream.
    sham : bool
        Render the sham of each step instead.
    clip_id : str, optional
        Identity of the clip in the random streams; by default the hash of its decoded audio.
    stream : str
        Name of the random streams.
    overflow : {'scale', 'error', 'limit'}
        What happens where the result would pass the ceiling of -1 dBTP (or the clip's own peak).

    Returns
    -------
    Variant
        `.signal` and `.trace`; the trace's status is 'ok' or 'off_target'.

    Raises
    ------
    InapplicableError
        An operator could not act on this clip; the message is the reason.
    ParameterError, AudioError
        A step or the clip is not acceptable.

    Examples
    --------
    >>> import numpy as np
    >>> import perturb as pt
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000) / 10
    >>> clip = pt.Signal.from_array(tone, 16_000)
    >>> variant = pt.apply(clip, pt.Gain(gain_db=6) @ pt.Span(0.25, 0.5))
    >>> proof = variant.trace.measured[0]
    >>> proof.name, proof.requested, round(proof.achieved, 2), proof.verdict
    ('level_change', 6.0, 6.0, 'ok')
    """
    if isinstance(clip, str | Path):
        clip = read_audio(Path(clip)).signal
    if not isinstance(clip, Signal | Analysis):
        raise ParameterError(
            f"clip is {type(clip).__name__}; accepted: a Signal, an Analysis or a path. "
            "Signal.from_array makes a signal of an array"
        )
    analysis = clip if isinstance(clip, Analysis) else Analysis(clip)
    source = describe_signal(analysis.signal)
    plan = Plan.of(
        steps,
        clip_id=clip_id if clip_id is not None else source.audio_sha256,
        seed=seed,
        stream=stream,
        role="sham" if sham else "probe",
        overflow=overflow,
    )
    references = References(Path.cwd())
    rendering = render(plan, analysis, references)
    signal = rendering.finished()
    proofs = prove(rendering, signal, references)
    trace = trace_of(rendering, proofs, source, describe_signal(signal), references)
    return Variant(signal, trace)
