"""The records of a split: what was asked, each row, each clip. Slim, one JSON object a line.

Rows come by the hundred thousand and are made by this package, so they are plain structs; reading
them back checks every type.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from perturb.plan.trace import Environment, Status
from perturb.record import Record
from perturb.split.joining.planning import JoinPlan

__all__ = [
    "AudioRow",
    "ClipRow",
    "Expectation",
    "ItemRow",
    "ManifestRow",
    "QuestionRow",
    "SplitRecord",
]

Expectation = Literal["unanswerable", "invariant", "flips", "unknown"]

MANIFEST_FORMAT: Literal["perturb-split/1"] = "perturb-split/1"


class AudioRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One audio of a row.

    Parameters
    ----------
    role : str
        As in the item.
    clip_id : str
        Key of the source clip.
    path : str or None
        The canonical file, relative to the split; None where the source could not be read.
    sha256_in : str or None
        Hash of the source's decoded audio; None where it could not be read.
    sha256_out : str or None
        Hash of the canonical file's bytes.
    trace : str or None
        Where its trace lies: the file in ``traces/`` and the line in it, from 1, as ``FILE#LINE``.
    """

    role: str
    clip_id: str
    path: str | None = None
    sha256_in: str | None = None
    sha256_out: str | None = None
    trace: str | None = None


class ManifestRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item in one condition.

    Parameters
    ----------
    row : int
        Place of the item in the source, from 0.
    item_id, pair_id : str
        As in the item; the pair ties the conditions together.
    condition : str
        Its name.
    sham_of : str or None
        The condition whose sham this one is.
    status : {'ok', 'off_target', 'inapplicable', 'failed'}
        The worst over its audios.
    reason : str or None
        Why, for every status but `ok`.
    expectation : {'unanswerable', 'invariant', 'flips', 'unknown'}
        What a listener would do, by the task map; never guessed.
    expected_answer : str or None
        The gold under this condition, where a rule gives one: the new one under `flips`, the
        abstaining option under `unanswerable`.
    donor_id, donor_answer : str or None
        Clip that took the place of this one, and its gold.
    gold_index : int or None
        Place of the gold among the options of this condition.
    audios : tuple of AudioRow
        Empty where the condition has no audio.
    joined : JoinPlan or None
        Which clips stand in a joined stimulus, in order, with their golds and places.
    """

    row: int
    item_id: str
    pair_id: str
    condition: str
    sham_of: str | None = None
    status: Status
    reason: str | None = None
    expectation: Expectation = "unknown"
    expected_answer: str | None = None
    donor_id: str | None = None
    donor_answer: str | None = None
    gold_index: int | None = None
    audios: tuple[AudioRow, ...] = ()
    joined: JoinPlan | None = None


class ItemRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item of the source, as the score needs it; fields as in `perturb.benchmark.item.Item`.

    `abstention` holds the places of the options that say "cannot be determined".
    """

    row: int
    item_id: str
    pair_id: str
    audios: tuple[tuple[str, str], ...] = ()
    question: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    answer_index: int | None = None
    abstention: tuple[int, ...] = ()
    task: str | None = None
    language: str | None = None
    speaker: str | None = None
    recording: str | None = None
    chain: str | None = None
    chain_level: str | None = None


class QuestionRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question that a condition asks otherwise than the source.

    Parameters
    ----------
    pair_id, condition : str
        Which row.
    question : str
        As it is asked.
    choices : tuple of str
        As they are offered.
    answer : str or None
        The gold's text.
    answer_index : int or None
        Its place among the choices.
    """

    pair_id: str
    condition: str
    question: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    answer_index: int | None = None


class ClipRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One source clip.

    Parameters
    ----------
    clip_id : str
        Its key in the benchmark.
    path : str or None
        Where its file is, relative to the split.
    file_sha256, audio_sha256 : str or None
        Hashes of its bytes and of the decoded audio; None where it could not be read.
    duration_s : float or None
        Decoded duration in seconds.
    sample_rate_hz, channels : int or None
        As decoded.
    reason : str or None
        Why it could not be read.
    """

    clip_id: str
    path: str | None = None
    file_sha256: str | None = None
    audio_sha256: str | None = None
    duration_s: float | None = None
    sample_rate_hz: int | None = None
    channels: int | None = None
    reason: str | None = None


class SplitRecord(Record, frozen=True, kw_only=True):
    """``split.json``: what was asked, and what came of it.

    Parameters
    ----------
    source : dict
        Path relative to the split, reader and its reason, hash of the source's files.
    suite : str
        Its name.
    conditions : list of dict
        Each condition in full, with the recipes it names.
    seed : int
        Of every random stream.
    selection : dict
        Sample, strata and limit, where only a part was asked for.
    writers : tuple of str
        Forms that were written.
    environment : Environment
        Versions and processor.
    counts : dict
        Rows by condition and status.
    gold_positions : dict
        By condition, how many of its rows (`ok` and `off_target`) have the gold at each place.
    files : dict of str to str
        SHA-256 of each other record of the split.
    notes : tuple of str
        What the reader and the run had to say.
    """

    format: Literal["perturb-split/1"] = MANIFEST_FORMAT
    source: dict[str, Any]
    suite: str
    conditions: list[dict[str, Any]]
    seed: int
    selection: dict[str, Any] = msgspec.field(default_factory=dict)
    writers: tuple[str, ...] = ()
    environment: Environment
    counts: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    gold_positions: dict[str, list[int]] = msgspec.field(default_factory=dict)
    files: dict[str, str] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()
