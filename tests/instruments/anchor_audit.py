"""An anchored set held against its recordings by numpy and WebRTC alone.

Nothing of the package is used: files are read by soundfile, the headroom is fitted, changes are
found sample by sample, levels and ratios are computed from their definitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import webrtcvad

EDITS = {
    "event": ("--operation", "addition"),
    "silence": ("--operation", "deletion"),
    "smear": ("--operation", "deletion", "--edit", "smear"),
    "louder": ("--operation", "modification"),
    "softer": ("--operation", "modification", "--direction", "down"),
    "faster": ("--operation", "modification", "--edit", "speed"),
    "slower": ("--operation", "modification", "--edit", "speed", "--direction", "down"),
}
"""Words of the command for each edit that an anchored set can have."""

STEP = 1.5 * 2.0**-15
SHOWS = 4.0 * 2.0**-15
"""A sample below this may be edited by any of the gains asked for, and stay where it was."""
FRAME_S = 0.01


@dataclass(frozen=True)
class Audited:
    """What one position turned out to be.

    `start_error_s` and `stop_error_s` say how far the first and the last change lie inside the
    recorded place, counted from the first and the last sample on which an edit of the recording
    can show; `outside` counts changed samples that lie in no place at all.
    """

    chain: str
    requested: float
    achieved: float
    start_error_s: float
    stop_error_s: float
    level_share: float
    voice_share: float
    outside: int


def audit(split: Path, recordings: Path) -> Iterator[Audited]:
    """Yield every position of every edited recording."""
    for line in (split / "anchors.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["status"] == "ok":
            yield from _audit_row(row, split, recordings)


def _audit_row(row: dict, split: Path, recordings: Path) -> Iterator[Audited]:
    before, rate = soundfile.read(recordings / row["chain"], dtype="float64")
    after, _ = soundfile.read(split / row["files"]["edited"], dtype="float64")
    kind = row["edit"]["edit"]
    windows = [_samples(position["original"], rate) for position in row["positions"]]
    heard = [_samples(position["edited"], rate) for position in row["positions"]]
    shown = heard
    lead = slice(0, windows[0][0])
    before = before * (before[lead] @ after[lead]) / (before[lead] @ before[lead])
    if kind == "speed":
        outside = _moved(before, after, windows, heard)
        changes = [(start, stop) for start, stop in heard]
    else:
        changed = np.abs(after - before) > STEP
        changes = [_extent(changed, span) for span in heard]
        if kind != "event":
            shown = [_extent(np.abs(before) > SHOWS, span) for span in heard]
        for start, stop in heard:
            changed[start:stop] = False
        outside = int(changed.sum())
    for window, place, show, change in zip(windows, heard, shown, changes, strict=True):
        requested, achieved = _MEASURES[kind](row["operator"], before, after, window, place, rate)
        level, voice = _activity(before, window, rate)
        yield Audited(
            chain=row["chain"],
            requested=requested,
            achieved=achieved,
            start_error_s=(change[0] - show[0]) / rate,
            stop_error_s=(show[1] - change[1]) / rate,
            level_share=level,
            voice_share=voice,
            outside=outside,
        )


def _samples(times: list[float], rate: int) -> tuple[int, int]:
    return round(times[0] * rate), round(times[1] * rate)


def _extent(changed: np.ndarray, span: tuple[int, int]) -> tuple[int, int]:
    found = np.flatnonzero(changed[slice(*span)])
    if not found.size:
        return span[1], span[0]
    return span[0] + int(found[0]), span[0] + int(found[-1]) + 1


def _moved(before: np.ndarray, after: np.ndarray, windows: list, heard: list) -> int:
    """Count samples between the places that are not the recording's, shifted as recorded."""
    wrong = old = new = 0
    for window, place in [
        *zip(windows, heard, strict=True),
        ((before.size,) * 2, (after.size,) * 2),
    ]:
        left, right = before[old : window[0]], after[new : place[0]]
        if left.size != right.size:
            return max(left.size, right.size)
        wrong += int((np.abs(left - right) > STEP).sum())
        old, new = window[1], place[1]
    return wrong


def _power(samples: np.ndarray) -> float:
    return float(np.mean(samples**2))


def _frames(samples: np.ndarray, rate: int) -> np.ndarray:
    length = round(FRAME_S * rate)
    return np.mean(samples[: samples.size // length * length].reshape(-1, length) ** 2, axis=1)


def _event(operator, before, after, window, place, rate):
    """Event over host: loud frames of what was added, the host in at least a second around."""
    added = after[slice(*place)] - before[slice(*place)]
    frames = _frames(added, rate)
    loud = frames >= frames.max() * 10.0 ** (-20.0 / 10.0)
    width = max(place[1] - place[0], rate)
    low = (place[0] + place[1] - width) // 2
    host = before[max(0, low) : min(before.size, low + width)]
    ratio_db = 10.0 * np.log10(frames[loud].mean() / _power(host))
    return operator["snr_db"], float(ratio_db)


def _silence(operator, before, after, window, place, rate):
    """The share of the place, its joins aside, that is exactly zero."""
    edge = round(0.012 * rate)
    core = after[place[0] + edge : place[1] - edge]
    return 1.0, float(np.mean(core == 0.0))


def _smear(operator, before, after, window, place, rate):
    change_db = 10.0 * np.log10(_power(after[slice(*place)]) / _power(before[slice(*place)]))
    return 0.0, float(change_db)


def _gain(operator, before, after, window, place, rate):
    edge = round(0.012 * rate)
    core = slice(place[0] + edge, place[1] - edge)
    return operator["gain_db"], float(10.0 * np.log10(_power(after[core]) / _power(before[core])))


def _speed(operator, before, after, window, place, rate):
    """The rate at which the level contour runs, found among rates around both directions."""
    old = np.log10(_frames(before[slice(*window)], rate) + 1e-9)
    new = np.log10(_frames(after[slice(*place)], rate) + 1e-9)
    old, new = (np.convolve(one, np.hanning(7) / 3.0, "same") for one in (old, new))
    whole = np.arange(new.size)
    rates = np.exp(np.linspace(np.log(0.25), np.log(4.0), 400))

    def likeness(tempo: float) -> float:
        at = whole * tempo
        inside = at <= old.size - 1
        if inside.sum() < 0.6 * min(new.size, old.size / tempo):
            return -1.0
        return float(
            np.corrcoef(new[inside], np.interp(at[inside], np.arange(old.size), old))[0, 1]
        )

    return operator["rate"], float(max(rates, key=likeness))


_MEASURES = {
    "event": _event,
    "silence": _silence,
    "smear": _smear,
    "gain": _gain,
    "speed": _speed,
}


def _activity(before: np.ndarray, window: tuple[int, int], rate: int) -> tuple[float, float]:
    """Return the share of a window that is near the recording's level, and that WebRTC takes."""
    frames = _frames(before, rate)
    smooth = np.sqrt(np.convolve(frames, np.full(20, 1 / 20), "same"))
    first, last = (round(edge / rate / FRAME_S) for edge in window)
    near = smooth[first:last] > 10.0 ** (-20.0 / 20.0) * np.quantile(smooth, 0.9)
    detector = webrtcvad.Vad(2)
    length = round(FRAME_S * rate)
    pcm = np.clip(np.rint(before * 32_768.0), -32_768, 32_767).astype(np.int16)
    start = max(0, first - 100)  # it takes a while to hear itself in
    found = [
        detector.is_speech(pcm[at * length : (at + 1) * length].tobytes(), rate)
        for at in range(start, last)
    ]
    return float(near.mean()), float(np.mean(found[first - start :]))
