"""A request as it is recorded: what a run that resumes must ask for again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from perturb.recipes.suite import Condition
from perturb.split.preparation import SplitRequest
from perturb.split.records.recording import items_sha256

__all__ = ["describe_request"]


def describe_request(request: SplitRequest) -> dict[str, Any]:
    """Return everything that the bytes of a split depend on but the files it reads, as JSON."""
    return {
        "source": {
            "path": _relative(request.benchmark.path, request.folder),
            "audio_root": _relative(request.benchmark.audio_root, request.folder),
            "reader": request.benchmark.reader,
            "items": len(request.benchmark.items),
            "items_sha256": items_sha256(request.benchmark),
        },
        "suite": Path(name).name if (name := request.suite.name).endswith(".toml") else name,
        "conditions": [
            {
                "condition": _without_defaults(treatment.condition),
                "recipe": msgspec.to_builtins(treatment.recipe),
                "given": {} if treatment.make_steps is None else dict(treatment.make_steps.given),
            }
            for treatment in request.treatments.values()
        ],
        "seed": request.seed,
        "selection": dict(request.selection),
        "inputs": dict(request.inputs),
    }


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def _without_defaults(condition: Condition) -> dict[str, Any]:
    plain = Condition(name=condition.name)
    return {
        name: msgspec.to_builtins(value)
        for name, value in msgspec.structs.asdict(condition).items()
        if name == "name" or value != getattr(plain, name)
    }
