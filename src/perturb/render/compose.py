"""Our operators inside a composition of the audiomentations library.

`AsTransform` looks like one of that library's transforms, and needs it neither to be imported nor
to be installed::

    augment = Compose([AsTransform(Vocode(), p=0.5), TanhDistortion(p=0.3)])
    augment(samples, sample_rate=16_000)
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perturb.errors import InapplicableError, ParameterError
from perturb.measure.analysis import Analysis
from perturb.operators.protocol import Operator, Placed
from perturb.plan.step import Plan, Step
from perturb.plan.step_text import format_step
from perturb.render.references import References
from perturb.render.rendering import render
from perturb.signal import Signal
from perturb.span import Span
from perturb.streams import SEED_RANGE

__all__ = ["AsTransform"]


class AsTransform:
    """An operator, callable as a transform of the audiomentations library.

    As that library's users expect, whether it acts and the seed of what it draws come from the
    global `random`: ``random.seed(0)`` makes a composition reproducible. Nothing is proven here and
    no trace is kept; use `perturb.apply` for that.

    Parameters
    ----------
    operator : Operator
        What to apply.
    *spans : Span
        Where; the whole clip by default.
    p : float
        Probability that it acts, 0 to 1.
    skip_inapplicable : bool
        Whether a clip on which the operator cannot act passes unchanged, with the reason in
        `parameters`; otherwise `InapplicableError` is raised.

    Attributes
    ----------
    parameters : dict
        Of the last call: ``should_apply``, ``seed``, and ``reason`` where it could not act.

    Examples
    --------
    >>> from perturb.operators.gain import Gain
    >>> louder = AsTransform(Gain(gain_db=6.0))
    >>> louder(np.full(4, 0.1, dtype=np.float32), 16_000).round(2)
    array([0.2, 0.2, 0.2, 0.2], dtype=float32)
    """

    supports_mono = True
    supports_multichannel = True

    def __init__(
        self,
        operator: Operator | Placed,
        *spans: Span,
        p: float = 1.0,
        skip_inapplicable: bool = False,
    ) -> None:
        if not 0.0 <= p <= 1.0:
            raise ParameterError(f"p is {p!r}; accepted: 0 to 1")
        placed = operator if isinstance(operator, Placed) else Placed(operator, ())
        self.step = Step(operator=placed.operator, spans=(*placed.spans, *spans))
        self.p = p
        self.skip_inapplicable = skip_inapplicable
        self.parameters: dict[str, Any] = {"should_apply": None}
        self.are_parameters_frozen = False

    def __call__(self, samples: npt.NDArray[Any], sample_rate: int) -> npt.NDArray[Any]:
        """Apply the operator.

        Parameters
        ----------
        samples : ndarray of float, shape (samples,) or (channels, samples)
            Not written to.
        sample_rate : int
            Sampling rate in Hz.

        Returns
        -------
        ndarray
            Of the same dtype, dimensions and channels; of another length where the operator changes
            it. Brought down as a whole where it would pass −1 dBTP.

        Raises
        ------
        InapplicableError
            The operator cannot act on this clip, and `skip_inapplicable` is off.
        ParameterError, AudioError
            The spans do not fit the clip, or the array is not audio.
        """
        if not self.are_parameters_frozen or self.parameters["should_apply"] is None:
            self.randomize_parameters(samples, sample_rate)
        if not self.parameters["should_apply"]:
            return samples
        array = np.asarray(samples)
        layout = None if array.ndim == 1 else "channels_first"
        clip = Signal.from_array(array, sample_rate, layout=layout)  # type: ignore[arg-type]
        plan = Plan(steps=(self.step,), clip_id="compose", seed=self.parameters["seed"])
        self.parameters.pop("reason", None)
        try:
            edited = render(plan, Analysis(clip), References(Path.cwd())).finished().samples
        except InapplicableError as error:
            if not self.skip_inapplicable:
                raise
            self.parameters["reason"] = str(error)
            return samples
        edited = edited[0] if array.ndim == 1 else edited
        # A copy: what a signal holds is read-only, what the next transform gets is not.
        return np.array(edited, dtype=array.dtype)

    def randomize_parameters(self, samples: npt.NDArray[Any], sample_rate: int) -> None:
        """Draw whether to act, and the seed, from the global `random`."""
        self.parameters = {
            "should_apply": random.random() < self.p,
            "seed": random.randint(*SEED_RANGE),
        }

    def freeze_parameters(self) -> None:
        """Keep the last draw for the calls that follow."""
        self.are_parameters_frozen = True

    def unfreeze_parameters(self) -> None:
        """Draw for each call again."""
        self.are_parameters_frozen = False

    def serialize_parameters(self) -> dict[str, Any]:
        """Return the parameters of the last call."""
        return self.parameters

    def to_dict_private(self) -> dict[str, Any]:
        """Return what the library writes down of a transform."""
        return {
            "__class_fullname__": f"{type(self).__module__}.{type(self).__name__}",
            "step": format_step(self.step),
            "p": self.p,
        }

    def __repr__(self) -> str:
        return f"AsTransform({format_step(self.step)!r}, p={self.p!r})"
