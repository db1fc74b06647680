"""Which form a file of predictions has."""

from __future__ import annotations

from pathlib import Path

from perturb.audio_io.paths import printable_path
from perturb.benchmark.rows.opening import peek
from perturb.errors import ScoreError
from perturb.score.predictions.inspect_log import InspectForm
from perturb.score.predictions.kimi import KimiForm
from perturb.score.predictions.lmms_eval import LmmsEvalForm
from perturb.score.predictions.mmar import MmarForm
from perturb.score.predictions.mmau import MmauForm
from perturb.score.predictions.protocol import PredictionReader, PredictionRows
from perturb.score.predictions.response import ResponseForm
from perturb.score.predictions.table import TableForm

__all__ = ["READERS", "find_form", "read_predictions"]

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
    """Return the reader of a file, or None where it holds no predictions of a known form."""
    names = list(dict.fromkeys(name for row in peek(path) for name in row))
    return next((reader for reader in READERS if reader.recognises(path, names)), None)


def read_predictions(path: Path) -> PredictionRows:
    """Read a file of predictions in whatever form it has.

    Raises
    ------
    ScoreError
        It has none of the known forms, or is damaged.
    """
    if not path.is_file():
        raise ScoreError(f"{printable_path(path)}: is no file")
    reader = find_form(path)
    if reader is None:
        looked_for = "; ".join(one.looked_for for one in READERS)
        raise ScoreError(
            f"{printable_path(path)}: no predictions that are known; looked for {looked_for}"
        )
    return reader.read(path)
