"""References: audio from outside the clip, resolved in one place and known by its hash.

``file:PATH`` is read from disk, ``bank:CATEGORY#SEED`` is made by the generated bank of events.
``item:ID`` names audio that a split provides; a resolver for such a scheme, or for another bank, is
handed in by whoever owns it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from perturb.audio_io import AudioFile, read_audio
from perturb.errors import ParameterError, PlanError
from perturb.plan.trace import AudioRecord
from perturb.signal import Signal

__all__ = ["References", "SchemeResolver"]

SchemeResolver = Callable[[str], Signal | AudioFile]
"""Returns the audio of a name; the file that holds it where there is one, so that a trace can tell
where it was."""


class References:
    """The outside audio of one rendering.

    Parameters
    ----------
    base : Path
        Folder from which relative paths are read.
    expected : mapping of str to AudioRecord, optional
        What a trace recorded: other bytes are refused, and a file is found where it was recorded.
    schemes : mapping of str to callable, optional
        Resolvers of further schemes; one for ``bank`` takes the place of the generated bank.
    """

    def __init__(
        self,
        base: Path,
        expected: Mapping[str, AudioRecord] | None = None,
        schemes: Mapping[str, SchemeResolver] | None = None,
    ) -> None:
        self._base = base
        self._expected = expected
        self._schemes = {"bank": _generated_event, **(schemes or {})}
        self._signals: dict[str, Signal] = {}
        self.used: dict[str, AudioRecord] = {}

    def resolve(self, reference: str) -> Signal:
        """Return the audio that `reference` names.

        Raises
        ------
        ParameterError
            Not a reference, or of a scheme that nobody resolves here.
        PlanError
            Other audio than the trace recorded.
        AudioError
            The file cannot be used.
        """
        if reference not in self._signals:
            self._signals[reference], self.used[reference] = self._load(reference)
        return self._signals[reference]

    def _load(self, reference: str) -> tuple[Signal, AudioRecord]:
        scheme, colon, name = reference.partition(":")
        if not colon or not name:
            raise ParameterError(
                f"reference {reference!r}; accepted: file:PATH"
                + "".join(f", {known}:…" for known in sorted(self._schemes))
            )
        expected = None
        if self._expected is not None:
            expected = self._expected.get(reference)
            if expected is None:
                raise PlanError(f"the trace does not record the reference {reference!r}")
        recorded = None if expected is None else expected.path
        found = self._find(scheme, name, recorded)
        signal = found if isinstance(found, Signal) else found.signal
        record = _describe(found)
        if expected is not None and expected.audio_sha256 != record.audio_sha256:
            raise PlanError(
                f"reference {reference!r} is other audio than the trace recorded "
                f"(sha256 {record.audio_sha256[:12]}…, recorded {expected.audio_sha256[:12]}…)"
            )
        return signal, record

    def _find(self, scheme: str, name: str, recorded: str | None) -> Signal | AudioFile:
        """Return what a reference names: the file that a trace recorded, or what its scheme says.

        Parameters
        ----------
        scheme, name : str
            Before and after the first colon.
        recorded : str or None
            Path in the trace.
        """
        if scheme == "file" or recorded is not None:
            path = _user_path(name) if recorded is None else Path(recorded)
            return read_audio(path if path.is_absolute() else self._base / path)
        if scheme in self._schemes:
            return self._schemes[scheme](name)
        raise ParameterError(
            f"reference '{scheme}:{name}': nothing here resolves {scheme!r}; accepted: file:PATH"
            + "".join(f", {known}:…" for known in sorted(self._schemes))
        )


def _generated_event(name: str) -> Signal:
    from perturb.events.bank import render_reference

    return render_reference(name)


def _describe(found: Signal | AudioFile) -> AudioRecord:
    signal = found if isinstance(found, Signal) else found.signal
    record = AudioRecord(
        audio_sha256=signal.audio_sha256,
        sample_rate_hz=signal.sample_rate_hz,
        channels=signal.channel_count,
        samples=signal.sample_count,
    )
    if isinstance(found, Signal):
        return record
    return msgspec.structs.replace(
        record,
        path=str(found.path),
        file_sha256=found.file_sha256,
        container=found.container,
        subtype=found.subtype,
        notes=found.notes,
    )


def _user_path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise ParameterError(f"reference 'file:{name}': no such user's home folder") from None
