"""For those who write operators: strategies and `check_operator`. Needs `hypothesis`.

>>> from perturb.testing import speech_like
>>> speech_like(0.5, 16_000).duration_s
0.5
"""

from perturb.testing.check import check_operator
from perturb.testing.recogniser import Recogniser
from perturb.testing.strategies import (
    RATES_HZ,
    operators,
    recipes,
    signals,
    spans_of,
    speech_like,
    steps_for,
    time_maps,
)

__all__ = [
    "RATES_HZ",
    "Recogniser",
    "check_operator",
    "operators",
    "recipes",
    "signals",
    "spans_of",
    "speech_like",
    "steps_for",
    "time_maps",
]
