"""Engines of others that some tests need: a loud skip where they are missing, or a failure."""

from __future__ import annotations

import importlib.util
import os
import shutil
from contextlib import contextmanager

import pytest

from perturb.synthesis import speed_engines

__all__ = ["forgotten_engines", "needs_engine"]

PACKAGES = {"spectral": "python_stretch", "rubberband": "pyrubberband"}


def needs_engine(engine: str) -> None:
    """Skip the test where an engine of `speed` is missing; fail it instead when CI is set."""
    missing = []
    if engine == "rubberband" and shutil.which("rubberband") is None:
        missing.append("the program rubberband (apt-get install rubberband-cli)")
    package = PACKAGES.get(engine)
    if package is not None and importlib.util.find_spec(package) is None:
        missing.append(f"the package {package} (pip install 'perturb-audio[{engine}]')")
    if missing:
        refuse = pytest.fail if "CI" in os.environ else pytest.skip
        refuse(f"NOT TESTED, {engine} needs {' and '.join(missing)}")


@contextmanager
def forgotten_engines():
    """Forget which engines were found, before the block and after it."""
    checks = (
        speed_engines._check_spectral,
        speed_engines._check_rubberband,
        speed_engines._load_pyrubberband,
    )
    for check in checks:
        check.cache_clear()
    try:
        yield
    finally:
        for check in checks:
            check.cache_clear()
