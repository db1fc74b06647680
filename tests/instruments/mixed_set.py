"""Clips of every kind that the mirror's operators meet: real speech, and what happens to it.

Made anew each time, the same each time: the project's recordings, generated events and numbers of a
fixed seed. Whispers come from the package's own operator, so they show that a voice is missed, not
how people whisper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import scipy.signal
import soxr

import perturb as pt
from perturb.events.bank import render
from perturb.measure.f0 import track_f0
from tests.conftest import CLIPS

__all__ = ["mixed_set"]

Array = npt.NDArray[np.float64]

MAN, MAN_AGAIN = "sense-and-sensibility-0880", "sense-and-sensibility-0930"
WOMAN, WOMAN_AGAIN = "en-cannot-complete-as-dialed", "en-vm-tmpexists"
ITALIAN, ITALIAN_AGAIN = "it-cannot-complete-as-dialed", "it-agent-incorrect"
VOICES = (MAN, WOMAN, ITALIAN)
CHORDS_HZ = ((131.0, 165.0, 196.0), (147.0, 175.0, 220.0), (98.0, 123.0, 147.0))


def mixed_set() -> Iterator[tuple[str, str, pt.Signal]]:
    """Yield kind, name and sound of each clip."""
    for kind, make in _KINDS.items():
        for name, samples, rate_hz in make():
            peak = float(np.max(np.abs(samples)))
            scaled = samples * min(1.0, 0.9 / peak) if peak > 0.0 else samples
            yield kind, name, pt.Signal.from_array(scaled, rate_hz, layout="channels_first")


Clip = tuple[str, Array, int]


def _read(stem: str) -> tuple[Array, int]:
    path = next(path for path in CLIPS if path.stem == stem)
    signal = pt.read_audio(path).signal
    return signal.samples.astype(np.float64), signal.sample_rate_hz


def _over(speech: Array, other: Array, snr_db: float) -> Array:
    """Return speech over something else, which goes on as long, so many dB below it."""
    other = np.resize(other, speech.shape[-1])
    ratio = np.sqrt(np.mean(speech**2) / np.mean(other**2)) * 10.0 ** (-snr_db / 20.0)
    mixed: Array = speech + ratio * other
    return mixed


def _music(count: int, rate_hz: int) -> Array:
    """Return chords of plucked strings, half a second each, over a bass."""
    time_s = np.arange(count) / rate_hz
    since_s = time_s % 0.5
    number = (time_s / 0.5).astype(int) % len(CHORDS_HZ)
    sound = np.zeros(count)
    for place in range(3):
        note_hz = np.array([chord[place] for chord in CHORDS_HZ])[number]
        for harmonic in range(1, 8):
            is_below = harmonic * note_hz < 0.45 * rate_hz
            wave = np.sin(2.0 * np.pi * harmonic * note_hz * since_s) / harmonic
            sound += is_below * wave * np.exp(-3.0 * harmonic * since_s)
    return sound


def _clean() -> Iterator[Clip]:
    for stem in (*VOICES, MAN_AGAIN, WOMAN_AGAIN, ITALIAN_AGAIN):
        yield stem, *_read(stem)


def _with_music() -> Iterator[Clip]:
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        for snr_db in (20.0, 10.0, 0.0):
            music = _music(speech.shape[-1], rate_hz)
            yield f"{stem}, {snr_db:g} dB", _over(speech, music, snr_db), rate_hz


def _with_noise() -> Iterator[Clip]:
    rng = np.random.default_rng(0)
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        white = rng.standard_normal(speech.shape[-1])
        rain = render("rain", 0, rate_hz).samples[0].astype(np.float64)
        engine = render("car_engine", 0, rate_hz).samples[0].astype(np.float64)
        yield f"{stem}, white, 15 dB", _over(speech, white, 15.0), rate_hz
        yield f"{stem}, white, 5 dB", _over(speech, white, 5.0), rate_hz
        yield f"{stem}, rain, 10 dB", _over(speech, rain, 10.0), rate_hz
        yield f"{stem}, engine, 10 dB", _over(speech, engine, 10.0), rate_hz


def _with_events() -> Iterator[Clip]:
    for stem, category in zip(VOICES, ("dog_bark", "siren_wail", "laugh"), strict=True):
        speech, rate_hz = _read(stem)
        event = render(category, 1, rate_hz).samples[0].astype(np.float64)
        yield f"{stem}, {category}, 5 dB", _over(speech, event, 5.0), rate_hz


def _creaky() -> Iterator[Clip]:
    """Voices with every second period weaker, and low ones: played at three quarters the speed."""
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        f0 = track_f0(speech[0].astype(np.float32), rate_hz)
        times_s = np.arange(speech.shape[-1]) / rate_hz
        pitch_hz = np.interp(times_s, f0.times_s, f0.f0_hz)
        phase = np.cumsum(pitch_hz) / rate_hz
        weaker = 1.0 - 0.35 * (1.0 - np.cos(np.pi * phase))
        yield f"{stem}, every second period weaker", speech * weaker, rate_hz
    for stem in (MAN, MAN_AGAIN):
        speech, rate_hz = _read(stem)
        slow = soxr.resample(speech[0], 3 * rate_hz, 4 * rate_hz)[np.newaxis]
        yield f"{stem}, a fourth lower", slow, rate_hz


def _overlapping() -> Iterator[Clip]:
    pairs = ((MAN, MAN_AGAIN), (WOMAN, WOMAN_AGAIN), (WOMAN, ITALIAN), (ITALIAN, ITALIAN_AGAIN))
    for one, other in pairs:
        speech, rate_hz = _read(one)
        for snr_db in (15.0, 0.0):
            second = _read(other)[0][0]
            yield f"{one} over {other}, {snr_db:g} dB", _over(speech, second, snr_db), rate_hz


def _reverberant() -> Iterator[Clip]:
    rng = np.random.default_rng(1)
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        for decay_s in (0.3, 0.8):
            times_s = np.arange(round(decay_s * rate_hz)) / rate_hz
            room = 0.1 * rng.standard_normal(times_s.size) * 10.0 ** (-3.0 * times_s / decay_s)
            room[0] = 1.0
            wet = scipy.signal.fftconvolve(speech[0], room)[np.newaxis, : speech.shape[-1]]
            yield f"{stem}, {decay_s:g} s", wet, rate_hz


def _telephone() -> Iterator[Clip]:
    """8 kHz, 300 to 3400 Hz, eight bits on a logarithmic scale."""
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        low = soxr.resample(speech[0], rate_hz, 8_000)
        bands = scipy.signal.butter(4, (300.0, 3400.0), "bandpass", fs=8_000, output="sos")
        passed = scipy.signal.sosfilt(bands, low)
        law = np.sign(passed) * np.log1p(255.0 * np.abs(passed)) / np.log(256.0)
        coded = np.round(127.0 * law) / 127.0
        heard = np.sign(coded) * np.expm1(np.abs(coded) * np.log(256.0)) / 255.0
        yield stem, heard[np.newaxis], 8_000


def _whispers() -> Iterator[Clip]:
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        clip = pt.Signal.from_array(speech, rate_hz, layout="channels_first")
        whispered = pt.apply(clip, pt.Whisper()).signal
        yield stem, whispered.samples.astype(np.float64), rate_hz


def _stereo() -> Iterator[Clip]:
    """A voice to one side, late by a third of a millisecond on the other."""
    for stem in VOICES:
        speech, rate_hz = _read(stem)
        late = np.roll(0.5 * speech[0], rate_hz // 3_000)
        yield stem, np.stack([speech[0], late]), rate_hz


def _without_speech() -> Iterator[Clip]:
    rng = np.random.default_rng(2)
    yield "music", _music(48_000, 16_000)[np.newaxis], 16_000
    yield "white noise", 0.1 * rng.standard_normal((1, 32_000)), 16_000
    yield "silence", np.zeros((1, 32_000)), 16_000
    for category in ("rain", "cow_moo", "wolf_howl", "baby_cry"):
        yield category, render(category, 2, 16_000).samples.astype(np.float64), 16_000


_KINDS: dict[str, Callable[[], Iterator[Clip]]] = {
    "clean": _clean,
    "music under it": _with_music,
    "noise under it": _with_noise,
    "an event over it": _with_events,
    "creaky and low": _creaky,
    "two voices": _overlapping,
    "reverberant": _reverberant,
    "telephone": _telephone,
    "whisper": _whispers,
    "stereo": _stereo,
    "no speech": _without_speech,
}
