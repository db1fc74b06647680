"""Banks of events: the protocol, the generated bank, and how a reference names one event."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from perturb.errors import ParameterError
from perturb.events.finishing import finish
from perturb.events.registry import all_categories, find_category
from perturb.events.sounds.draw import RATE_HZ, Draw
from perturb.signal import Signal
from perturb.streams import SEED_RANGE, Streams

__all__ = [
    "EVENT_RATE_RANGE_HZ",
    "EventBank",
    "GeneratedBank",
    "check_rate",
    "check_seed",
    "parse_event",
    "render",
    "render_reference",
]

EVENT_RATE_RANGE_HZ = (8_000, 48_000)
_STREAM = "events"


class EventBank(Protocol):
    """A source of sound events."""

    def categories(self) -> tuple[str, ...]:
        """Return the names of its categories."""
        ...

    def render(self, category: str, seed: int, sample_rate_hz: int) -> Signal:
        """Return one event of a category; the same for the same three arguments."""
        ...


class GeneratedBank:
    """The procedural bank: every category endlessly varied by seed, no recordings.

    Examples
    --------
    >>> bank = GeneratedBank()
    >>> event = bank.render("door_knock", 7, 16_000)
    >>> event.is_equal(bank.render("door_knock", 7, 16_000)), event.channel_count
    (True, 1)
    """

    def categories(self) -> tuple[str, ...]:
        """Return the names of its categories."""
        return tuple(all_categories())

    def render(self, category: str, seed: int, sample_rate_hz: int) -> Signal:
        """Return one event; see `render`."""
        return render(category, seed, sample_rate_hz)


def render(category: str, seed: int, sample_rate_hz: int) -> Signal:
    """Return one generated event.

    Parameters
    ----------
    category : str
        Name of a generated category.
    seed : int
        Which of its renderings, 0 to 2**63 - 1.
    sample_rate_hz : int
        Rate in Hz, 8000 to 48000. An event is made at 48 kHz and resampled: at a lower rate it is
        the same event, band-limited, at the same level.

    Returns
    -------
    Signal
        One channel on the 16-bit grid; active level -26 dBFS, true peak at most -1 dBTP, silent
        at both ends for 20 ms.

    Raises
    ------
    ParameterError
        No such category, or a seed or rate out of range.
    """
    kind = find_category(category)
    check_seed(seed)
    check_rate(sample_rate_hz)
    made = kind.make(Draw(Streams(seed, category, _STREAM).generator("sound")))
    return finish(np.asarray(made, dtype=np.float64), int(sample_rate_hz))


def check_rate(sample_rate_hz: int) -> None:
    """Refuse a rate that events are not made at.

    Raises
    ------
    ParameterError
        Out of range.
    """
    low, high = EVENT_RATE_RANGE_HZ
    if not low <= sample_rate_hz <= high:
        raise ParameterError(f"rate is {sample_rate_hz}; accepted: {low} to {high} Hz")


def check_seed(seed: int) -> None:
    """Refuse what is no seed.

    Raises
    ------
    ParameterError
        Out of range.
    """
    low, high = SEED_RANGE
    if not low <= seed <= high:
        raise ParameterError(f"seed is {seed}; accepted: {low} to {high}")


def parse_event(name: str) -> tuple[str, int]:
    """Return category and seed of an event's name.

    Raises
    ------
    ParameterError
        Not ``CATEGORY#SEED``.

    Examples
    --------
    >>> parse_event("dog_bark#3")
    ('dog_bark', 3)
    """
    category, _, seed = name.partition("#")
    if not category or not (seed.isascii() and seed.isdigit()):
        raise ParameterError(
            f"reference 'bank:{name}'; accepted: bank:CATEGORY#SEED, such as bank:dog_bark#3 "
            "(perturb events list)"
        )
    check_seed(int(seed))
    return category, int(seed)


def render_reference(name: str) -> Signal:
    """Return the generated event that ``bank:NAME`` refers to, at 48 kHz, whatever the clip's rate.

    Raises
    ------
    ParameterError
        Not ``CATEGORY#SEED``, or no such category.
    """
    category, seed = parse_event(name)
    return render(category, seed, RATE_HZ)
