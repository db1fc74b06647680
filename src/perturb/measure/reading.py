"""`Reading`: one measured number, or the reason why there is none."""

from __future__ import annotations

import math

from perturb.errors import ParameterError
from perturb.record import Record

__all__ = ["Reading"]


class Reading(Record, frozen=True, kw_only=False):
    """A measured value, or None with the reason: never 0, infinity or NaN in place of a value.

    Parameters
    ----------
    value : float or None
        The value, finite, in the unit that the instrument's name states.
    reason : str or None
        Why there is no value, fit for a table. Given exactly when `value` is None.

    Raises
    ------
    ParameterError
        A value that is not finite, value and reason together, or neither.

    Examples
    --------
    >>> Reading(-23.0).value
    -23.0
    >>> Reading(None, "digital silence has no level").is_defined
    False
    """

    value: float | None
    reason: str | None = None

    def check(self) -> None:
        """Hold value and reason apart."""
        if (self.value is None) == (self.reason is None):
            raise ParameterError("a reading holds either a value or the reason why there is none")

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def minus(self, other: Reading) -> Reading:
        """Return the difference of two readings; undefined, with its reason, if either is.

        Examples
        --------
        >>> Reading(-20.0).minus(Reading(-23.0))
        Reading(value=3.0, reason=None)
        """
        if self.value is None:
            return self
        if other.value is None:
            return other
        return Reading(self.value - other.value)

    @classmethod
    def of_power(cls, power: float, reason: str) -> Reading:
        """Return ``10 log10(power)``, or `reason` where the power is zero.

        Examples
        --------
        >>> Reading.of_power(0.01, "silence").value
        -20.0
        """
        if power > 0.0:
            return cls(10.0 * math.log10(power))
        return cls(None, reason)
