"""Where a variant is made: package versions and processor, for the promise of equal bytes."""

from __future__ import annotations

import functools
import platform
from importlib import metadata
from pathlib import Path

from perturb._version import __version__
from perturb.plan.trace import Environment

__all__ = ["current_environment"]

_PACKAGES = ("numpy", "scipy", "numba", "soundfile", "soxr", "pyloudnorm", "webrtcvad-wheels")


@functools.cache
def current_environment() -> Environment:
    """Return the versions and the processor of this process."""
    versions = {"perturb": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        versions[package] = metadata.version(package)
    return Environment(versions=versions, processor=_processor())


def _processor() -> str:
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{platform.system()} {platform.machine()} {model}".strip()
