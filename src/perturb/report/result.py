"""The file that `perturb score` writes, read back and checked."""

from __future__ import annotations

from pathlib import Path

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.errors import ParameterError, ScoreError
from perturb.report.checking import check_overview
from perturb.score.findings import ScoreFinding
from perturb.score.records.overview import Overview
from perturb.split.records.recording import SPLIT_FILE

__all__ = ["SCORE_FILE", "ScoreResult", "find_result", "read_result"]

SCORE_FILE = "score.json"
"""Name of the score that lies in the folder of its split."""


class ScoreResult(Overview, frozen=True, kw_only=True):
    """A whole score with what was odd about the predictions.

    Parameters
    ----------
    unheard : dict
        By model and condition: rows that do not count since the edit lies past what is heard.
    notes : tuple of str
        What each file of predictions was taken for.
    findings : tuple of ScoreFinding
        Everything that did not fit, with counts.
    """

    unheard: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: tuple[ScoreFinding, ...] = ()


def find_result(path: Path) -> Path:
    """Return the file of the score: `path` itself, or ``score.json`` in a split's folder.

    Raises
    ------
    ParameterError
        Nothing is there; or the folder holds no score.
    """
    if not path.is_dir():
        if not path.exists():
            raise ParameterError(
                f"{printable_path(path)}: nothing there; accepted: a score, or a split with one"
            )
        return path
    found = path / SCORE_FILE
    if not found.exists():
        kind = "a split" if (path / SPLIT_FILE).exists() else "a folder"
        raise ParameterError(
            f"{printable_path(path)} is {kind} without {SCORE_FILE}; make it with "
            f"`perturb score {printable_path(path)} PREDICTIONS -o {printable_path(found)}`"
        )
    return found


def read_result(path: Path) -> ScoreResult:
    """Return a score from its file.

    Raises
    ------
    ScoreError
        It is no JSON, or none that `perturb score -o` wrote: a number that cannot be, a name that
        the score does not hold; see `perturb.report.checking`.
    """
    try:
        result = msgspec.json.decode(path.read_bytes(), type=ScoreResult)
        check_overview(result)
    except (msgspec.DecodeError, ParameterError, UnicodeDecodeError) as error:
        raise ScoreError(
            f"{printable_path(path)} is no score: {error}; accepted: what `perturb score -o "
            "RESULT.json` writes"
        ) from error
    return result
