"""`Analysis`: what is known of one whole signal, each thing measured once and when asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from perturb.measure.level import rms_dbfs, strongest_channel
from perturb.measure.reading import Reading
from perturb.signal import FloatArray, Signal

if TYPE_CHECKING:
    from perturb.measure.active_level import ActiveLevel
    from perturb.measure.activity import SpeechActivity
    from perturb.measure.detectors import SpeechDetections
    from perturb.measure.f0_track import F0Track
    from perturb.measure.spectrum import RoomTone

__all__ = ["Analysis"]


class Analysis:
    """The measurements of a whole `Signal`, lazy.

    An analysis belongs to one signal, start to end. Steps on the unedited clip share the clip's;
    an edited signal, or a span cut out of one, needs an analysis of its own. Each instrument is
    imported when it is first asked for, so that a level costs no compiler and no detector.

    Two threads that ask for the same thing at the same time may both measure it: they get equal
    results, and one of them is kept.

    Parameters
    ----------
    signal : Signal
        The signal; it cannot change.

    Examples
    --------
    >>> import numpy as np
    >>> analysis = Analysis(Signal.from_array(np.full(16_000, 0.1), 16_000))
    >>> round(analysis.rms_dbfs.value, 2)
    -20.0
    """

    def __init__(self, signal: Signal) -> None:
        self.signal = signal

    @cached_property
    def strongest_channel(self) -> int:
        """Index of the channel with the most power; the lowest of equals."""
        return strongest_channel(self.signal.samples)

    @property
    def mono(self) -> FloatArray:
        """Samples of the strongest channel, shape (samples,): a read-only view."""
        view: FloatArray = self.signal.samples[self.strongest_channel]
        return view

    @cached_property
    def rms_dbfs(self) -> Reading:
        """RMS level in dBFS, power averaged over channels (`perturb.measure.level`)."""
        return rms_dbfs(self.signal.samples)

    @cached_property
    def active_level(self) -> ActiveLevel:
        """Active speech level after P.56, over all channels (`perturb.measure.active_level`)."""
        from perturb.measure.active_level import active_speech_level

        return active_speech_level(self.signal)

    @cached_property
    def loudness_lufs(self) -> Reading:
        """Integrated loudness after BS.1770 in LUFS (`perturb.measure.loudness`)."""
        from perturb.measure.loudness import loudness_lufs

        return loudness_lufs(self.signal)

    @cached_property
    def quick_loudness_lufs(self) -> Reading:
        """The same by the meter that drives edits (`perturb.measure.quick_loudness`)."""
        from perturb.measure.quick_loudness import quick_loudness_lufs

        return quick_loudness_lufs(self.signal)

    @cached_property
    def true_peak_dbtp(self) -> Reading:
        """True peak over all channels in dBTP (`perturb.measure.true_peak`)."""
        from perturb.measure.true_peak import true_peak_dbtp

        return true_peak_dbtp(self.signal)

    @cached_property
    def f0(self) -> F0Track:
        """F0 and voicing of the strongest channel, by the tracker that drives synthesis."""
        from perturb.measure.f0 import track_f0

        return track_f0(self.mono, self.signal.sample_rate_hz)

    @cached_property
    def f0_judge(self) -> F0Track:
        """F0 and voicing of the strongest channel, by the algorithm that judges results."""
        from perturb.measure.f0_judge import judge_f0

        return judge_f0(self.mono, self.signal.sample_rate_hz)

    @cached_property
    def detections(self) -> SpeechDetections:
        """Speech in the strongest channel by each detector (`perturb.measure.detectors`)."""
        from perturb.measure.detectors import detect_speech

        return detect_speech(self.mono, self.signal.sample_rate_hz)

    @cached_property
    def activity(self) -> SpeechActivity:
        """Speech activity of the strongest channel (`perturb.measure.activity`)."""
        from perturb.measure.activity import agreed_activity

        return agreed_activity(self.detections)

    @cached_property
    def room(self) -> RoomTone:
        """Room tone: spectrum and level of the quietest tenth of the frames."""
        from perturb.measure.spectrum import room_tone

        return room_tone(self.signal)

    @cached_property
    def level_contour_db(self) -> FloatArray:
        """Level of the strongest channel in dB, every 5 ms (`perturb.measure.contour`)."""
        from perturb.measure.contour import level_contour_db

        return level_contour_db(self.mono, self.signal.sample_rate_hz)

    def speech_gate(self, start_s: float, stop_s: float) -> str | None:
        """Return why a span of the clip is refused as not speech, or None where it is speech.

        An offset that is larger than the sound beside it can hide speech: then the reason says so.
        """
        from perturb.measure.activity import speech_gate
        from perturb.measure.offset import measure_offset

        reason = speech_gate(self.activity, self.f0, start_s, stop_s)
        if reason is None:
            return None
        found = measure_offset(self.mono)
        if found.offset <= found.sound:
            return reason
        return (
            f"{reason} (the recording has an offset of {found.offset:.2f} of full scale; remove "
            "it first)"
        )
