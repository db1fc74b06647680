"""For those who write operators: strategies, `check_operator`, listening tests.

Needs `hypothesis`; `ClosedSetSphinx` needs `pocketsphinx`.

>>> from perturb.testing import speech_like
>>> speech_like(0.5, 16_000).duration_s
0.5
"""

from perturb.testing.check import check_operator
from perturb.testing.listening import ListeningQuestion, ListeningTest, make_listening_test
from perturb.testing.listening_result import Answer, ListeningResult, listening_table
from perturb.testing.recogniser import Recogniser
from perturb.testing.sphinx import ClosedSetSphinx
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
    "Answer",
    "ClosedSetSphinx",
    "ListeningQuestion",
    "ListeningResult",
    "ListeningTest",
    "Recogniser",
    "check_operator",
    "listening_table",
    "make_listening_test",
    "operators",
    "recipes",
    "signals",
    "spans_of",
    "speech_like",
    "steps_for",
    "time_maps",
]
