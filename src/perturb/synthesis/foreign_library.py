"""The audiomentations library: found, named and kept from the global random generators.

It draws from the global generators of `random` and `numpy.random`, when it is imported and when
its transforms are built and run.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import random
import threading
import warnings
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

import numpy as np

from perturb.errors import ParameterError

__all__ = ["EXTRA", "find_transform", "isolated_random", "library_version", "transform_names"]

EXTRA = "audiomentations"
"""Extra of this package that installs the library."""

_GLOBAL_STATE = threading.Lock()


@contextlib.contextmanager
def isolated_random(seed: int) -> Iterator[None]:
    """Seed the global generators of `random` and `numpy.random`, and put them back afterwards.

    Runs exclude each other; what another thread draws from the globals meanwhile is its own risk.
    """
    with _GLOBAL_STATE:
        python_state, numpy_state = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            yield
        finally:
            random.setstate(python_state)
            np.random.set_state(numpy_state)  # noqa: NPY002


def _library() -> Any:
    try:
        with isolated_random(0), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import audiomentations
    except ImportError as error:
        raise ParameterError(
            f"audiomentations cannot be imported ({error}); install it with "
            f"pip install 'perturb-audio[{EXTRA}]'"
        ) from error
    return audiomentations


def library_version() -> str:
    """Return the version of the library that is installed."""
    return metadata.version("audiomentations")


def transform_names() -> list[str]:
    """Return the names of the library's transforms.

    Raises
    ------
    ParameterError
        The library is not installed; the way out is named.
    """
    library = _library()
    from audiomentations.core.transforms_interface import BaseWaveformTransform

    return sorted(
        name
        for name, value in vars(library).items()
        if isinstance(value, type) and issubclass(value, BaseWaveformTransform)
    )


def find_transform(name: str, params: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Return the class of a transform and the arguments that it takes.

    Parameters
    ----------
    name : str
        Class name in the library.
    params : mapping
        Arguments of its constructor, without `p`; their names are checked, their values are not.

    Raises
    ------
    ParameterError
        The library is not installed, or has no such transform or argument (the nearest names are
        offered).
    """
    known = transform_names()
    if name not in known:
        raise ParameterError(
            f"audiomentations: transform is {name!r}; {_nearest(name, known)}accepted: "
            + ", ".join(known)
        )
    kind = getattr(_library(), name)
    accepted = [
        key for key in inspect.signature(kind.__init__).parameters if key not in ("self", "p")
    ]
    for key in params:
        if key == "p":
            raise ParameterError(
                f"audiomentations: params.p is not accepted: a step always acts. Leave {name} out "
                "of the recipe where it should not"
            )
        if key not in accepted:
            raise ParameterError(
                f"audiomentations: {name} has no params.{key}; {_nearest(key, accepted)}accepted: "
                + (", ".join(accepted) or "none")
            )
    if name == "RoomSimulator" and params.get("use_ray_tracing", True):
        raise ParameterError(
            "audiomentations: RoomSimulator traces rays with a generator that cannot be seeded; "
            "accepted: params.use_ray_tracing=false"
        )
    return kind, accepted


def _nearest(name: str, known: list[str]) -> str:
    lowered = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), lowered, n=3)
    return f"did you mean {' or '.join(repr(lowered[each]) for each in near)}? " if near else ""
