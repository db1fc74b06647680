"""For tests of whole splits: the command in this process, and a small benchmark."""

from __future__ import annotations

import pytest

from tests.split.small import cuttings, rows_of, write_benchmark, write_suite
from tests.unit.conftest import cli, folder, install_operators

__all__ = ["bench", "cli", "folder", "install_operators", "quick"]


@pytest.fixture
def bench(folder):
    """Return a benchmark of eight items on four clips, in the working folder."""
    (folder / "data").mkdir()
    names = cuttings(folder / "data", 4, seconds=0.6)
    return write_benchmark(folder / "data", rows_of(names, questions=2))


@pytest.fixture
def quick(folder):
    """Return a suite that needs no second to render."""
    return write_suite(folder)
