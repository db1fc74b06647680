"""Shared by all tests: the real clips, and how much Hypothesis tries."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from perturb.audio_io import OutputFormat, write_audio
from perturb.operators.registry import all_operators
from perturb.operators.voice import Voice
from perturb.render.apply import apply
from perturb.signal import Signal
from perturb.span import Span
from perturb.testing.strategies import speech_like

CLIPS_FOLDER = Path(__file__).parents[1] / "examples" / "audio"
CLIPS = sorted(CLIPS_FOLDER.glob("*/*.wav"))

# "fast" on every commit, "full" in the whole check. Deterministic: a red run is red again.
_COMMON = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("fast", max_examples=25, **_COMMON)
settings.register_profile("full", max_examples=200, **_COMMON)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "full" if "CI" in os.environ else "fast")
)


# A shell that starts the tests in the background has them ignore interrupts, and all that they
# start inherits that. Tests that interrupt a run need it to listen.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden numbers be written anew."""
    parser.addoption(
        "--regenerate", action="store_true", help="write the golden numbers instead of checking"
    )


@pytest.fixture(scope="session")
def clips() -> list[Path]:
    """Return the paths of the real clips."""
    return CLIPS


@pytest.fixture(scope="session")
def sentence() -> Path:
    """Return one real sentence, 16 kHz."""
    return CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0880.wav"


@pytest.fixture(scope="session")
def prompt() -> Path:
    """Return one real prompt, 8 kHz."""
    return CLIPS_FOLDER / "prompts" / "en-agent-incorrect.wav"


@pytest.fixture(scope="module")
def example_references(tmp_path_factory):
    """Stand where every file that an operator's example refers to is another real sentence.

    But for utterances spoken anew: they are those of the contract's clip.
    """
    folder = tmp_path_factory.mktemp("references")
    spoken = CLIPS_FOLDER / "librivox" / "sense-and-sensibility-0930.wav"
    for kind in all_operators().values():
        for example in kind.examples():
            for reference in example.references():
                (folder / reference.removeprefix("file:")).write_bytes(spoken.read_bytes())
    write_respoken(folder, speech_like(2.4, 16_000, channels=2, seed=3, level=0.05), Span(0.5, 1.9))
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def write_respoken(folder: Path, clip: Signal, span: Span) -> None:
    """Write the utterance of a span anew, in another voice and in its own, for `voice_file`."""
    mono = Signal.adopt(clip.samples[:1], clip.sample_rate_hz)
    utterance = mono.slice(*span.to_samples(clip.sample_rate_hz))
    own = apply(utterance, Voice(pitch_ratio=1.02, formant_ratio=1.02))
    for name, variant in (("respoken", apply(utterance, Voice())), ("own_voice", own)):
        write_audio(folder / f"{name}.wav", variant.signal, OutputFormat())
