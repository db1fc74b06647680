"""Which form a file of predictions has."""

from __future__ import annotations

from pathlib import Path

from perturb.benchmark.rows.opening import open_rows, peek
from perturb.errors import BenchmarkError, ScoreError
from perturb.score.predictions.inspect_log import InspectForm
from perturb.score.predictions.kimi import KimiForm
from perturb.score.predictions.lmms_eval import LmmsEvalForm
from perturb.score.predictions.mmar import MmarForm
from perturb.score.predictions.mmau import MmauForm
from perturb.score.predictions.protocol import PredictionReader
from perturb.score.predictions.response import ResponseForm
from perturb.score.predictions.table import TableForm

__all__ = ["READERS", "find_form"]

READERS: tuple[PredictionReader, ...] = (
    InspectForm(),
    LmmsEvalForm(),
    MmauForm(),
    MmarForm(),
    KimiForm(),
    ResponseForm(),
    TableForm(),
)
"""From the form that is hardest to mistake to the most general one."""


def find_form(path: Path) -> PredictionReader | None:
    """Return the reader of a file, or None where it holds no predictions of a known form.

    Raises
    ------
    ScoreError
        It cannot be read at all.
    """
    names = list(dict.fromkeys(name for row in peek(path) for name in row))
    found = next((reader for reader in READERS if reader.recognises(path, names)), None)
    if found is None and not names:
        try:
            open_rows(path)
        except BenchmarkError as error:
            raise ScoreError(str(error)) from None
    return found
