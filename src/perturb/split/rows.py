"""Rows of the finished split: for the manifest, and for writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from perturb.benchmark.item import Item, ItemAudio
from perturb.benchmark.variant import Question, VariantAudio, VariantRow
from perturb.plan.trace import Status
from perturb.recipes.suite import Condition
from perturb.split.presentation import ORIGINAL, Presentation, RowPlan
from perturb.split.records.manifest import AudioRow, Expectation, ManifestRow, QuestionRow
from perturb.split.work.tasks import ClipResult, VariantResult

__all__ = ["ConditionRows", "Expect", "RowMaker", "expect_nothing", "variant_row"]

Expect = Callable[[RowPlan], tuple[Expectation, str | None]]
"""Returns what a listener would do with a planned row, and the answer that is then right."""


def expect_nothing(plan: RowPlan) -> tuple[Expectation, str | None]:
    """Without a task map nothing is known, and nothing is guessed."""
    return "unknown", None


_FROM_BEST: tuple[Status, ...] = ("ok", "off_target", "inapplicable", "failed")


@dataclass(frozen=True)
class _Heard:
    """One audio of a row: what was asked for, and the file that the row carries."""

    audio: ItemAudio
    result: VariantResult
    carried: VariantResult


class RowMaker:
    """Makes the rows of items in conditions from what was rendered.

    Parameters
    ----------
    presentation : Presentation
        How items appear in conditions.
    clips : mapping of str to ClipResult
        What became of each clip, by key.
    expect : callable
        Returns expectation and expected answer of a planned row.
    """

    def __init__(
        self, presentation: Presentation, clips: Mapping[str, ClipResult], expect: Expect
    ) -> None:
        self.presentation = presentation
        self._expect = expect
        self._clips = clips
        self._variants = {
            (key, variant.condition, variant.extra): variant
            for key, result in clips.items()
            for variant in result.variants
        }

    def manifest_row(self, item: Item, name: str) -> ManifestRow:
        """Return the manifest's row of an item in a condition."""
        plan = self.presentation.row(item, name)
        heard = self._heard(plan)
        status, reason = _outcome(plan, heard)
        expectation: Expectation = "unknown"
        expected = None
        if status in ("ok", "off_target"):
            expectation, expected = self._expect(plan)
        return ManifestRow(
            row=item.row,
            item_id=item.item_id,
            pair_id=item.pair_id,
            condition=name,
            sham_of=plan.condition.sham_of,
            status=status,
            reason=reason,
            expectation=expectation,
            expected_answer=expected,
            donor_id=None if plan.donor is None else plan.donor.clip,
            donor_answer=None if plan.donor is None else plan.donor.answer,
            gold_index=plan.question.answer_index,
            audios=tuple(
                AudioRow(
                    role=one.audio.role,
                    clip_id=one.audio.clip,
                    path=one.carried.path,
                    sha256_in=self._clips[one.audio.clip].clip.audio_sha256,
                    sha256_out=one.carried.sha256_out,
                    trace=one.result.trace,
                )
                for one in heard
            ),
            joined=None if plan.joined is None else plan.joined.plan,
        )

    def question_row(self, item: Item, name: str) -> QuestionRow | None:
        """Return how an item's question is asked in a condition, None where as in the source."""
        question = self.presentation.row(item, name).question
        if question == Question.of(item):
            return None
        return QuestionRow(pair_id=item.pair_id, condition=name, **msgspec.structs.asdict(question))

    def _heard(self, plan: RowPlan) -> list[_Heard]:
        found = []
        for audio, (condition, extra) in plan.audios or ():
            original = self._variants[audio.clip, ORIGINAL, ""]
            result = self._variants[audio.clip, condition, extra]
            carried = result if result.path is not None else original
            found.append(_Heard(audio, result, carried))
        return found


def _outcome(plan: RowPlan, heard: Sequence[_Heard]) -> tuple[Status, str | None]:
    """Return status and reason of a row: the worst of its audios'."""
    reasons: dict[str, None] = {}
    worst: Status = "ok"
    if plan.reason is not None:
        worst = "inapplicable"
        reasons[plan.reason] = None
    for one in heard:
        if one.result.reason is not None:
            reasons[one.result.reason] = None
        if _FROM_BEST.index(one.result.status) > _FROM_BEST.index(worst):
            worst = one.result.status
    return worst, "; ".join(reasons) or None


def variant_row(
    row: ManifestRow, item: Item, question: Question, condition: Condition, folder: Path
) -> VariantRow:
    """Return what writers are given of a manifest's row.

    Parameters
    ----------
    row : ManifestRow
        The row.
    item : Item
        Whose it is.
    question : Question
        As the condition asks it.
    condition : Condition
        The condition.
    folder : Path
        The split.
    """
    audios = None
    if condition.has_audio:
        sources = {audio.role: audio.source for audio in item.audios}
        audios = tuple(
            VariantAudio(
                role=audio.role,
                file=None if audio.path is None else folder / audio.path,
                source=sources[audio.role],
                clip=audio.clip_id,
            )
            for audio in row.audios
        )
    hashes = [audio.sha256_out for audio in row.audios if audio.role in condition.roles]
    return VariantRow(
        item=item,
        question=question,
        audios=audios,
        columns={
            "perturb_condition": row.condition,
            "perturb_sham_of": row.sham_of,
            "perturb_pair_id": row.pair_id,
            "perturb_clip_id": ",".join(audio.clip_id for audio in row.audios) or None,
            "perturb_status": row.status,
            "perturb_reason": row.reason,
            "perturb_expectation": row.expectation,
            "perturb_expected_answer": row.expected_answer,
            "perturb_audio_sha256": hashes[0] if hashes else None,
        },
    )


class ConditionRows(Mapping[str, Sequence[VariantRow]]):
    """The rows of every condition for writers, made when a condition is asked for.

    Parameters
    ----------
    maker : RowMaker
        Makes manifest rows.
    items : sequence of Item
        In row order.
    conditions : sequence of str
        In the order of the suite.
    folder : Path
        The split.
    """

    def __init__(
        self, maker: RowMaker, items: Sequence[Item], conditions: Sequence[str], folder: Path
    ) -> None:
        self._maker = maker
        self._items = items
        self._conditions = tuple(conditions)
        self._folder = folder

    def __getitem__(self, name: str) -> Sequence[VariantRow]:
        if name not in self._conditions:
            raise KeyError(name)
        presentation = self._maker.presentation
        condition = presentation.treatments[name].condition
        return [
            variant_row(
                self._maker.manifest_row(item, name),
                item,
                presentation.row(item, name).question,
                condition,
                self._folder,
            )
            for item in self._items
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._conditions)

    def __len__(self) -> int:
        return len(self._conditions)
