"""The errors of the package, one tree.

Every message names the field, the value received, the accepted range with its unit, and the way
out where one is known. Errors that a caller's input causes are also `ValueError`.
"""

from __future__ import annotations

__all__ = [
    "AudioError",
    "BenchmarkError",
    "InapplicableError",
    "OutputError",
    "ParameterError",
    "PerturbError",
    "PlanError",
    "RecipeError",
    "ScoreError",
]


class PerturbError(Exception):
    """Root of every error that this package raises on purpose."""


class ParameterError(PerturbError, ValueError):
    """A parameter, span or step is not acceptable."""


class AudioError(PerturbError, ValueError):
    """Audio that cannot be used: unreadable, empty, truncated, non-finite, contradictory."""


class OutputError(AudioError):
    """An output cannot be written: a full disk, a closed folder. Not the input's fault."""


class RecipeError(PerturbError, ValueError):
    """A recipe or suite is not acceptable; carries every problem found, with file and path."""


class BenchmarkError(PerturbError, ValueError):
    """A benchmark, or the split asked of it, is not acceptable; every problem with file and row."""


class ScoreError(PerturbError, ValueError):
    """Predictions, or the split they belong to, cannot be scored; with file and way out."""


class PlanError(PerturbError, ValueError):
    """A plan or trace cannot be read, rendered or replayed."""


class InapplicableError(PerturbError):
    """An operator could not act on this clip. The message is the reason, fit for a table."""
