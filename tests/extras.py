"""Optional packages: a test that needs one skips where it is missing, and says so; CI must have it.

The same goes for what operators of the package offer as examples.
"""

from __future__ import annotations

import importlib.util
import os

import pytest

from perturb.operators.protocol import Operator

__all__ = ["example_params", "is_missing", "need"]

_MODULE_OF = {"audiomentations": "audiomentations"}
"""Operators that need an optional package, and the module to look for."""


def is_missing(module: str) -> bool:
    """Whether a test may go without `module`: never in CI."""
    return "CI" not in os.environ and importlib.util.find_spec(module) is None


def need(module: str) -> pytest.MarkDecorator:
    """Return the mark of tests that need `module`."""
    return pytest.mark.skipif(
        is_missing(module),
        reason=f"{module} is not installed: NOT TESTED (pip install 'perturb-audio[{module}]')",
    )


def example_params(operators: list[Operator]) -> list[object]:
    """Return operators as parameters of a test, those without their optional package skipped."""
    params = []
    for operator in operators:
        module = _MODULE_OF.get(operator.op_name())
        params.append(operator if module is None else pytest.param(operator, marks=need(module)))
    return params
