"""`DoseCurve`: accuracy by the strength of an edit."""

from __future__ import annotations

from typing import Annotated

from perturb.errors import ParameterError
from perturb.record import Record, bounds
from perturb.score.statistics.dose_response import DoseResponse

__all__ = ["DoseCurve"]


class DoseCurve(Record, frozen=True, kw_only=True):
    """Conditions that differ in one number alone, as a curve.

    Parameters
    ----------
    series : str
        Name of the random streams that the conditions share, such as `snr`.
    field : str
        What differs, as in the recipe: ``event.snr_db``.
    unit : str
        Of the doses, as it is printed; '' for a plain number.
    conditions : tuple of str
        In the order of `response.doses`.
    rises : bool
        Whether accuracy rises with the dose; where the ends are equal, False.
    response : DoseResponse
        Points with intervals; the fitted threshold, or the reason why there is none.
    repeat : float or None
        Accuracy on the unedited audio, to hold the curve against.
    """

    series: str
    field: str
    unit: str = ""
    conditions: tuple[str, ...]
    rises: bool
    response: DoseResponse
    repeat: Annotated[float, bounds(0.0, 1.0, "", "accuracy")] | None = None

    def check(self) -> None:
        """Check that each dose has its condition."""
        if len(self.conditions) != len(self.response.doses):
            raise ParameterError(
                f"DoseCurve: {len(self.conditions)} conditions and {len(self.response.doses)} doses"
            )
