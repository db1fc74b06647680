"""perturb: find out whether an audio-language model listens.

Edits audio in controlled, measured ways, and proves each edit. The names below are the public
face; they are loaded on first use, so that ``import perturb`` stays quick.

>>> import perturb as pt
>>> pt.Span(1.0, 2.5).duration_s
1.5
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from perturb._version import __version__

if TYPE_CHECKING:
    from perturb.audio_io import output_format_for, read_audio, write_audio
    from perturb.errors import (
        AudioError,
        InapplicableError,
        ParameterError,
        PerturbError,
        PlanError,
        RecipeError,
    )
    from perturb.measure.analysis import Analysis
    from perturb.operators.audiomentations import Audiomentations
    from perturb.operators.contour import Contour
    from perturb.operators.crop import Crop
    from perturb.operators.event import Event
    from perturb.operators.exaggerate import Exaggerate
    from perturb.operators.flat_intensity import FlatIntensity
    from perturb.operators.gain import Gain
    from perturb.operators.identity import Identity
    from perturb.operators.join import Join
    from perturb.operators.mismatch import Mismatch
    from perturb.operators.monotone import Monotone
    from perturb.operators.noise_vocode import NoiseVocode
    from perturb.operators.obscure import Obscure
    from perturb.operators.protocol import Operator
    from perturb.operators.retime import Retime
    from perturb.operators.reverse import Reverse
    from perturb.operators.rotate import Rotate
    from perturb.operators.shuffle import Shuffle
    from perturb.operators.silence import Silence
    from perturb.operators.speed import Speed
    from perturb.operators.vocode import Vocode
    from perturb.operators.voice import Voice
    from perturb.operators.voice_file import VoiceFile
    from perturb.operators.whisper import Whisper
    from perturb.plan.step import Plan, Step
    from perturb.plan.trace import Trace
    from perturb.render.apply import apply
    from perturb.render.rendering import Variant
    from perturb.signal import Signal
    from perturb.span import Span
    from perturb.time_map import TimeMap

__all__ = [
    "Analysis",
    "AudioError",
    "Audiomentations",
    "Contour",
    "Crop",
    "Event",
    "Exaggerate",
    "FlatIntensity",
    "Gain",
    "Identity",
    "InapplicableError",
    "Join",
    "Mismatch",
    "Monotone",
    "NoiseVocode",
    "Obscure",
    "Operator",
    "ParameterError",
    "PerturbError",
    "Plan",
    "PlanError",
    "RecipeError",
    "Retime",
    "Reverse",
    "Rotate",
    "Shuffle",
    "Signal",
    "Silence",
    "Span",
    "Speed",
    "Step",
    "TimeMap",
    "Trace",
    "Variant",
    "Vocode",
    "Voice",
    "VoiceFile",
    "Whisper",
    "__version__",
    "apply",
    "output_format_for",
    "read_audio",
    "write_audio",
]

_HOMES = {
    "Analysis": "measure.analysis",
    "AudioError": "errors",
    "InapplicableError": "errors",
    "Operator": "operators.protocol",
    "ParameterError": "errors",
    "PerturbError": "errors",
    "Plan": "plan.step",
    "PlanError": "errors",
    "RecipeError": "errors",
    "Signal": "signal",
    "Span": "span",
    "Step": "plan.step",
    "TimeMap": "time_map",
    "Trace": "plan.trace",
    "Variant": "render.rendering",
    "apply": "render.apply",
    "output_format_for": "audio_io",
    "read_audio": "audio_io",
    "write_audio": "audio_io",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"perturb.{_HOMES[name]}"), name)
    elif name[:1].isupper():
        # Every operator is here under its class name, other packages' operators included.
        from perturb.operators.registry import operator_by_class_name

        value = operator_by_class_name(name)
        if value is None:
            raise AttributeError(f"module 'perturb' has no attribute {name!r}")
    else:
        raise AttributeError(f"module 'perturb' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
