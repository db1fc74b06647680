"""What tests of anchors share: the command line, run in this process."""

from __future__ import annotations

from tests.unit.conftest import cli

__all__ = ["cli"]
