"""The span splicer: an operator sees one span at a time, the rest stays bit-identical."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from perturb.errors import PlanError
from perturb.kernels.joins import join_into, join_lengths
from perturb.operators.editing import Edited, Segment, SegmentRenderer
from perturb.signal import FloatArray, Signal
from perturb.span import Span
from perturb.time_map import TimeMap

__all__ = ["splice"]


def splice(
    signal: Signal,
    spans: Iterable[Span],
    render: SegmentRenderer,
    *,
    join: Literal["crossfade", "none"] = "crossfade",
) -> Edited:
    """Replace each span by what `render` makes of it, joined over 10 ms inside the span.

    Parameters
    ----------
    signal : Signal
        The step's input.
    spans : iterable of Span
        In seconds of the step's input, apart from each other.
    render : callable
        From `Segment` to an array of the same shape.
    join : {'crossfade', 'none'}
        'none' where the renderer shapes its own edges by `Segment.ramp`.

    Returns
    -------
    Edited
        Same length, identity map.

    Raises
    ------
    PlanError
        The renderer returned another shape: a fault of the operator.
    """
    rate = signal.sample_rate_hz
    out: FloatArray | None = None
    for index, span in enumerate(spans):
        start, stop = span.to_samples(rate)
        rising, falling = join_lengths(start, stop, signal.sample_count, rate)
        segment = Segment(
            samples=signal.samples[:, start:stop],
            sample_rate_hz=rate,
            start=start,
            stop=stop,
            rising=rising,
            falling=falling,
            index=index,
        )
        edited = np.asarray(render(segment), dtype=np.float32)
        if edited.shape != segment.samples.shape:
            raise PlanError(
                f"the operator returned {edited.shape} for a span of {segment.samples.shape}; "
                "a spliced operator keeps channels and length"
            )
        if edited.shape == signal.samples.shape and not np.may_share_memory(edited, signal.samples):
            out = edited  # the whole clip, with no edge to join: nothing of the input is left
            break
        if out is None:
            out = np.array(signal.samples)
        if join == "none":
            rising = falling = 0
        join_into(edited, start, rising, falling, out)
    spliced = np.array(signal.samples) if out is None else out
    return Edited(Signal.adopt(spliced, rate), TimeMap.identity(signal.duration_s))
