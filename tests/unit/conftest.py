"""For unit tests: operators of another package, and a small clip in a folder."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from perturb.audio_io import OutputFormat, write_audio
from perturb.cli.app import run
from perturb.operators import registry
from perturb.signal import Signal
from tests.unit.specimens import SPECIMENS


@pytest.fixture
def install_operators(tmp_path_factory, monkeypatch):
    """Return a function that installs entry points as another package does, for this test."""

    def install(entry_points: dict[str, str], package: str = "perturb-specimens") -> None:
        folder = tmp_path_factory.mktemp("site")
        info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [
            f"[{registry.ENTRY_POINT_GROUP}]",
            *(f"{k} = {v}" for k, v in entry_points.items()),
        ]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        monkeypatch.syspath_prepend(folder)
        importlib.invalidate_caches()
        registry._foreign.cache_clear()

    registry._foreign.cache_clear()
    yield install
    monkeypatch.undo()
    registry._foreign.cache_clear()


@pytest.fixture
def specimens(install_operators):
    """Register the operators of `tests.unit.specimens`."""
    install_operators({kind.op_name(): f"{kind.__module__}:{kind.__name__}" for kind in SPECIMENS})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty working folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def babble():
    """Return half a second of noise that is never silent, stereo, 16 kHz."""
    noise = np.random.default_rng(7).normal(0.0, 0.05, (2, 8_000))
    return Signal.from_array(noise, 16_000, layout="channels_first")


@pytest.fixture
def clip(folder, babble):
    """Return the path of that noise as a 16-bit WAV in the working folder."""
    write_audio(folder / "in.wav", babble, OutputFormat())
    return folder / "in.wav"


@dataclass(frozen=True)
class Answer:
    """What a command left behind: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one object that --json prints, and nothing else."""
        assert self.out.endswith("}\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line of a mistake, without its prefix."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("perturb: ")
        assert "Traceback" not in self.err
        return lines[0].removeprefix("perturb: ")


@pytest.fixture
def cli(capsys, monkeypatch):
    """Return a function that runs one command line in this process."""
    monkeypatch.setenv("COLUMNS", "300")

    def call(*words: object) -> Answer:
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        # Whichever command is first on a machine says that it compiles.
        lines = err.splitlines(keepends=True)
        return Answer(code, out, "".join(line for line in lines if "compiling" not in line))

    return call
