"""Files that appear in a second place without being written twice."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the file system has no hard links."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
