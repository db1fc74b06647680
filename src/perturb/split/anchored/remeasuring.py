"""An edit manifest's claims measured again, on the two files alone.

Nothing here knows how an edit is made: the edited clip is held against the original, sample by
sample outside the places, by level, length or what was added inside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from perturb.anchors.manifest import AnchorRow
from perturb.measure.level import mean_power
from perturb.measure.snr import ActiveSupport, event_window
from perturb.signal import FloatArray, Signal
from perturb.span import Span

__all__ = ["disagreements"]

_STEP = 2.0**-15
_UNCHANGED = 1.01 * _STEP
"""Largest difference of samples that were left alone: a step of 16 bits, of rounding."""

_BLOCK_SAMPLES = 1 << 20
_JOIN_S = 0.011
_LEVEL_TOLERANCE_DB = 0.1
_SMEAR_TOLERANCE_DB = 0.5
_RATE_TOLERANCE = 0.01


def disagreements(row: AnchorRow, before: Signal, after: Signal) -> Iterator[str]:
    """Yield what a line of the manifest says and the files do not.

    Parameters
    ----------
    row : AnchorRow
        Of a clip that was edited.
    before, after : Signal
        The original as it was written, and the edited clip.
    """
    scale = np.float32(10.0 ** ((row.headroom_db or 0.0) / 20.0))
    rate = before.sample_rate_hz
    for name, claimed, found in (
        ("duration_s", row.duration_s, before.duration_s),
        ("edited_duration_s", row.edited_duration_s, after.duration_s),
    ):
        if claimed is None or abs(claimed - found) > 1.0 / rate:
            yield f"{name} is {claimed}; the file has {found:.6f}"
    places = [_Place(row, index, before, after, scale) for index in range(len(row.positions))]
    old = new = 0
    for place in places:
        yield from _compare(before, after, (old, place.old[0]), (new, place.new[0]), scale)
        yield from place.check()
        old, new = place.old[1], place.new[1]
    ends = before.sample_count, after.sample_count
    yield from _compare(before, after, (old, ends[0]), (new, ends[1]), scale)


def _compare(
    before: Signal,
    after: Signal,
    old: tuple[int, int],
    new: tuple[int, int],
    scale: np.float32,
) -> Iterator[str]:
    """Yield whether a stretch that no edit touches is another one, or lies elsewhere."""
    if old[1] - old[0] != new[1] - new[0]:
        times = [edge / before.sample_rate_hz for edge in (*old, *new)]
        yield (
            f"{times[0]:.3f} to {times[1]:.3f} s of the original would be {times[2]:.3f} to "
            f"{times[3]:.3f} s of the edited clip, which is as long only where a time is wrong"
        )
        return
    for at in range(0, old[1] - old[0], _BLOCK_SAMPLES):
        stop = min(at + _BLOCK_SAMPLES, old[1] - old[0])
        left = before.samples[:, old[0] + at : old[0] + stop] * scale
        far = np.abs(after.samples[:, new[0] + at : new[0] + stop] - left).max(axis=0) > _UNCHANGED
        if far.any():
            time_s = (old[0] + at + int(np.argmax(far))) / before.sample_rate_hz
            yield f"the clip is changed at {time_s:.3f} s, outside every place of the manifest"
            return


class _Place:
    """One place in both files."""

    def __init__(
        self, row: AnchorRow, index: int, before: Signal, after: Signal, scale: np.float32
    ) -> None:
        position = row.positions[index]
        heard = position.edited or position.original
        rate = before.sample_rate_hz
        # An event leaves the rest of its window alone, and moves nothing.
        touched = heard if row.edit.edit == "event" else position.original
        self.name = f"position {index + 1} ({heard.start_s:.3f} to {heard.end_s:.3f} s)"
        self.window = position.original
        self.heard = heard
        self.old = touched.to_samples(rate)
        self.new = heard.to_samples(rate)
        self.kind = row.edit.edit
        self.fields: Mapping[str, Any] = row.operator or {}
        self._missed = {one.name: one for one in position.measured if one.verdict == "off_target"}
        self._before, self._after, self._scale, self._rate = before, after, scale, rate

    def check(self) -> Iterator[str]:
        """Yield what is not as it should be here."""
        if self.kind == "event" and not _lies_in(self.heard, self.window):
            yield f"{self.name}: the event is not inside its window {self.window}"
        old, new = self._samples(self._before, self.old), self._samples(self._after, self.new)
        if old.shape[1] == 0 or new.shape[1] == 0:
            yield f"{self.name}: the files end before it"
            return
        if old.shape == new.shape and np.abs(new - old * self._scale).max() <= _UNCHANGED:
            yield f"{self.name}: nothing is changed there"
            return
        found = _MEASURES[self.kind](self, old, new)
        if found is not None:
            yield f"{self.name}: {found}"

    def event(self, old: FloatArray, new: FloatArray) -> str | None:
        """Compare the ratio of what was added to the host in its window."""
        added = new - old * self._scale
        start, stop = event_window(*self.old, self._before.sample_count, self._rate)
        host = mean_power(self._before.samples[:, start:stop]) * float(self._scale) ** 2
        power = ActiveSupport.of(added, self._rate).power(added)
        ratio_db = 10.0 * math.log10(power / host)
        sign = 1.0 if self.fields["over"] == "event" else -1.0
        recorded_db = sign * self._recorded("snr", self.fields["snr_db"])
        return _off("event over host", recorded_db, ratio_db, _LEVEL_TOLERANCE_DB)

    def silence(self, old: FloatArray, new: FloatArray) -> str | None:
        """Silence is exact zeros within its joins."""
        peak = float(np.abs(self._core(new)).max(initial=0.0))
        if peak <= self._recorded("core_peak", 0.0):
            return None
        return f"is not silent: {peak:.2g} of full scale"

    def smear(self, old: FloatArray, new: FloatArray) -> str | None:
        """A smeared place is as loud as it was."""
        change = self._change_db(old, new)
        level = self._missed.get("level")
        missed_db = 0.0 if level is None else (level.achieved or 0.0) - (level.requested or 0.0)
        return _off("level change", missed_db, change, _SMEAR_TOLERANCE_DB)

    def gain(self, old: FloatArray, new: FloatArray) -> str | None:
        """Compare the level within the joins."""
        change = self._change_db(self._core(old), self._core(new))
        recorded_db = self._recorded("level_change", self.fields["gain_db"])
        return _off("level change", recorded_db, change, _LEVEL_TOLERANCE_DB)

    def speed(self, old: FloatArray, new: FloatArray) -> str | None:
        """Compare lengths."""
        recorded = self.fields["rate"]  # of the lengths, whose proof no edit may miss
        found = old.shape[1] / new.shape[1]
        if abs(found / recorded - 1.0) <= _RATE_TOLERANCE:
            return None
        return f"rate is {found:.3f}; recorded {recorded:.3f}"

    def _recorded(self, name: str, asked: float) -> float:
        """Return what the manifest says was reached: what was asked for, unless it was missed."""
        missed = self._missed.get(name)
        return asked if missed is None or missed.achieved is None else missed.achieved

    def _change_db(self, old: FloatArray, new: FloatArray) -> float:
        powers = mean_power(new), mean_power(old) * float(self._scale) ** 2
        return 10.0 * math.log10(max(powers[0], 1e-30) / max(powers[1], 1e-30))

    def _core(self, samples: FloatArray) -> FloatArray:
        edge = min(round(_JOIN_S * self._rate), (samples.shape[1] - 1) // 2)
        return samples[:, edge : samples.shape[1] - edge]

    @staticmethod
    def _samples(signal: Signal, edges: tuple[int, int]) -> FloatArray:
        return signal.samples[:, slice(*edges)]


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer.start_s - 1e-3 <= inner.start_s and inner.end_s <= outer.end_s + 1e-3


def _off(name: str, recorded_db: float, found_db: float, tolerance_db: float) -> str | None:
    if abs(found_db - recorded_db) <= tolerance_db:
        return None
    return f"{name} is {found_db:.2f} dB; recorded {recorded_db:.2f}"


_MEASURES: dict[str, Callable[[_Place, FloatArray, FloatArray], str | None]] = {
    "event": _Place.event,
    "silence": _Place.silence,
    "smear": _Place.smear,
    "gain": _Place.gain,
    "speed": _Place.speed,
}
