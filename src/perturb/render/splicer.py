"""The span splicer: an operator sees one span at a time, the rest stays bit-identical."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from perturb.errors import PlanError
from perturb.kernels.joins import join_into, join_lengths, join_ramp
from perturb.operators.editing import Edited, Segment, SegmentRenderer
from perturb.signal import Signal
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
    out = np.array(signal.samples)
    for index, span in enumerate(spans):
        start, stop = span.to_samples(rate)
        rising, falling = join_lengths(start, stop, signal.sample_count, rate)
        segment = Segment(
            samples=signal.samples[:, start:stop],
            sample_rate_hz=rate,
            start=start,
            stop=stop,
            ramp=join_ramp(stop - start, rising, falling),
            index=index,
        )
        edited = np.asarray(render(segment), dtype=np.float32)
        if edited.shape != segment.samples.shape:
            raise PlanError(
                f"the operator returned {edited.shape} for a span of {segment.samples.shape}; "
                "a spliced operator keeps channels and length"
            )
        if join == "none":
            rising = falling = 0
        join_into(edited, start, rising, falling, out)
    return Edited(Signal.adopt(out, rate), TimeMap.identity(signal.duration_s))
