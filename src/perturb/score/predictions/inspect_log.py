"""Inspect: logs of evaluations (``.eval``, or ``.json``), ids and metadata inside.

A ``.eval`` file is a zip of samples, in late versions packed by zstandard, which Python learns to
unpack by itself in 3.14 and Inspect brings along before. Samples carry their audio in text: they
are read one by one, and only what is needed of each.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from perturb.audio_io.paths import printable_path
from perturb.errors import ScoreError
from perturb.score.predictions.protocol import PredictionRows
from perturb.score.predictions.zipping import read_member

__all__ = ["InspectForm"]

_SHELL = "/sample.json"
_METADATA = "/metadata.json"


class _Output(msgspec.Struct):
    completion: str = ""


class _Sample(msgspec.Struct):
    id: str | int
    epoch: int = 1
    target: Any = None
    output: _Output = msgspec.field(default_factory=_Output)
    scores: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    error: Any = None


class _Spec(msgspec.Struct):
    model: str = ""
    task: str = ""


class _Header(msgspec.Struct):
    eval: _Spec
    status: str = ""


class _Log(_Header):
    samples: list[_Sample] | None = None


class InspectForm:
    """Reads the answer that a choice scorer took out of the completion, else the completion.

    Both are kept. Epochs are repeats. A sample that ended in an error has an empty answer; a log
    that was cancelled holds the samples that were done.
    """

    name = "inspect"
    looked_for = "a log of Inspect: .eval, or .json with eval and samples"

    def recognises(self, path: Path, names: Sequence[str]) -> bool:
        """Whether it is a log, by its suffix or its beginning."""
        if path.suffix.lower() == ".eval":
            return True
        if path.suffix.lower() != ".json":
            return False
        with path.open("rb") as file:
            start = file.read(1 << 14)
        return start.lstrip()[:1] == b"{" and b'"eval"' in start and b'"task' in start

    def read(self, path: Path) -> PredictionRows:
        """Read it all; see `PredictionReader`."""
        is_zip = path.suffix.lower() == ".eval"
        try:
            header, samples = _read_zip(path) if is_zip else _read_json(path)
        except (OSError, zipfile.BadZipFile, msgspec.MsgspecError, KeyError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ScoreError(
                f"{printable_path(path)}: cannot be read as a log of Inspect: {reason}"
            ) from None
        status = "" if header.status == "success" else f", status {header.status or 'unfinished'}"
        metadata = [sample.metadata or {} for sample in samples]
        answers = [_answer(sample) for sample in samples]
        return PredictionRows(
            path=path,
            form=self.name,
            described=f"a log of Inspect of {len(samples)} samples, model {header.eval.model}"
            f"{status}",
            answers=answers,
            ids={
                "perturb_pair_id": [one.get("perturb_pair_id") for one in metadata],
                "id": [sample.id for sample in samples],
            },
            conditions=[one.get("perturb_condition") for one in metadata],
            repeats=[sample.epoch for sample in samples],
            model=header.eval.model or None,
            failed=sum(sample.error is not None for sample in samples),
        )


def _answer(sample: _Sample) -> str | None:
    if sample.error is not None:
        return None
    completion = sample.output.completion
    if not completion.strip():
        return None
    choice = (sample.scores or {}).get("choice")
    answer = choice.get("answer") if isinstance(choice, dict) else None
    return answer if isinstance(answer, str) and answer.strip() else completion


def _read_json(path: Path) -> tuple[_Header, list[_Sample]]:
    log = msgspec.json.decode(path.read_bytes(), type=_Log)
    return log, log.samples or []


def _read_zip(path: Path) -> tuple[_Header, list[_Sample]]:
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        start = "header.json" if "header.json" in names else "_journal/start.json"
        header = msgspec.json.decode(read_member(archive, start), type=_Header)
        return header, list(_samples(archive, names))


def _samples(archive: zipfile.ZipFile, names: set[str]) -> Iterator[_Sample]:
    decoder = msgspec.json.Decoder(_Sample)
    for name in dict.fromkeys(archive.namelist()):
        if not name.startswith("samples/") or not name.endswith(".json"):
            continue
        folders = name.count("/")
        if folders == 1 or (folders == 2 and name.endswith(_SHELL)):
            sample = decoder.decode(read_member(archive, name))
            beside = name.removesuffix(_SHELL) + _METADATA
            if sample.metadata is None and beside in names:
                sample.metadata = msgspec.json.decode(read_member(archive, beside))
            yield sample
