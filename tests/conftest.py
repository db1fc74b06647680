"""Shared by all tests: the real clips, and how much Hypothesis tries."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
