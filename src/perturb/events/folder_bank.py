"""Banks of recorded clips: a folder for each category, or a table, licensed by whoever has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soxr

from perturb.audio_io import AudioFile, read_audio
from perturb.audio_io.paths import printable_path
from perturb.errors import AudioError, ParameterError
from perturb.events.bank import check_rate, check_seed, parse_event
from perturb.events.finishing import finish
from perturb.events.folder_listing import list_clips
from perturb.events.registry import unknown_category
from perturb.events.sounds.draw import RATE_HZ
from perturb.measure.offset import why_no_sound
from perturb.signal import Signal

__all__ = ["FolderBank"]


class FolderBank:
    """A bank of clips in files.

    Parameters
    ----------
    path : Path
        As `list_clips` takes it.

    Raises
    ------
    ParameterError
        No bank, or an empty one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clips = list_clips(path)
        self._checked: dict[str, list[AudioFile]] = {}
        self.problems: dict[Path, str] = {}
        """Why files are passed over, as far as their categories were asked for."""

    def categories(self) -> tuple[str, ...]:
        """Return the names of its categories."""
        return tuple(self._clips)

    def check(self) -> dict[Path, str]:
        """Read every file and return those that cannot be used, with the reason."""
        for category in self._clips:
            self._usable(category)
        return self.problems

    def clip(self, category: str, seed: int) -> AudioFile:
        """Return the file of an event as it is: number `seed` of the usable ones, round and round.

        Raises
        ------
        ParameterError
            No such category, or none of its files can be used.
        """
        if category not in self._clips:
            raise unknown_category(category, self.categories())
        check_seed(seed)
        usable = self._usable(category)
        if not usable:
            reasons = "; ".join(self.problems[path] for path in self._clips[category])
            raise ParameterError(f"no clip of category {category!r} can be used: {reasons}")
        return usable[seed % len(usable)]

    def resolve(self, name: str) -> AudioFile:
        """Return the file that ``bank:NAME`` refers to; a trace records where it lies."""
        return self.clip(*parse_event(name))

    def render(self, category: str, seed: int, sample_rate_hz: int) -> Signal:
        """Return one clip as an event: one channel, at a rate, its edges and level as generated.

        Raises
        ------
        ParameterError
            No such category, no usable file, or a seed or rate out of range.
        """
        check_rate(sample_rate_hz)
        signal = self.clip(category, seed).signal
        samples = signal.samples.mean(axis=0, dtype=np.float64)
        if signal.sample_rate_hz != RATE_HZ:
            samples = soxr.resample(samples, signal.sample_rate_hz, RATE_HZ, quality="VHQ")
        return finish(samples, sample_rate_hz)

    def _usable(self, category: str) -> list[AudioFile]:
        if category not in self._checked:
            self._checked[category] = [
                file for path in self._clips[category] if (file := self._read(path)) is not None
            ]
        return self._checked[category]

    def _read(self, path: Path) -> AudioFile | None:
        try:
            file = read_audio(path)
        except AudioError as error:
            self.problems[path] = str(error)
            return None
        mono = file.signal.samples.mean(axis=0, dtype=np.float64, keepdims=True)
        why = why_no_sound(mono, file.signal.sample_rate_hz)
        if why is not None:
            self.problems[path] = f"{printable_path(path)}: {why}"
            return None
        return file
