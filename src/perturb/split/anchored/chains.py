"""Chain questions as a benchmark of their own, which the machinery of splits renders and writes.

``chains.jsonl`` is a benchmark of the MMAU form: an item for each link, on the source's own audio.
So every writer, check and score takes it as it takes any other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from perturb.anchors.manifest import AnchorRow, MissingLink, facts_of
from perturb.anchors.questions.balancing import gold_places
from perturb.anchors.questions.chain import ask_chain
from perturb.anchors.questions.facts import LEVELS, ChainQuestion, Error, Level
from perturb.benchmark.item import Benchmark, Item
from perturb.benchmark.readers.mmau import MmauReader
from perturb.split.records.recording import CHAINS_FILE, write_lines

__all__ = ["ChainRow", "answer_chains", "chain_rows", "read_chains", "with_questions"]


class ChainRow(msgspec.Struct, frozen=True, kw_only=True):
    """A link of a chain as a row of a benchmark.

    Parameters
    ----------
    id : str
        Chain and level.
    audio_path : str
        The clip, relative to the audio root.
    question, choices, answer
        As an item's.
    task : str
        The level's name.
    chain : str
        What ties the links of a chain together.
    chain_level : int
        Place of the link in the chain, from 1.
    positions : int
        At how many places the clip is edited.
    option_errors : tuple of tuple of str
        For each choice, the errors of perception or understanding that lead to it.
    language, recording, transcript : str or None
        Of the clip.
    """

    id: str
    audio_path: str
    question: str
    choices: tuple[str, ...]
    answer: str
    task: Level
    chain: str
    chain_level: int
    positions: int
    option_errors: tuple[tuple[Error, ...], ...]
    language: str | None = None
    recording: str | None = None
    transcript: str | None = None


def with_questions(
    rows: Iterable[AnchorRow], seed: int
) -> tuple[list[AnchorRow], dict[str, dict[Level, ChainQuestion]]]:
    """Return the lines of a manifest with the questions that were made, and these.

    Golds are balanced level by level over the whole set.

    Parameters
    ----------
    rows : iterable of AnchorRow
        As planned.
    seed : int
        Of the run.

    Returns
    -------
    rows : list of AnchorRow
        With the ids of their questions, and the links that are missing with the reason.
    questions : dict of str to dict of str to ChainQuestion
        By chain and level.
    """
    found = []
    planned = list(rows)
    asked = answer_chains(planned, seed)
    for row in planned:
        questions, reasons = asked.get(row.chain, ({}, {}))
        found.append(
            msgspec.structs.replace(
                row,
                questions={level: question_id(row.chain, level) for level in questions},
                missing=tuple(
                    MissingLink(level=level, reason=reason) for level, reason in reasons.items()
                ),
            )
        )
    return found, {chain: questions for chain, (questions, _) in asked.items()}


def answer_chains(
    rows: Sequence[AnchorRow], seed: int
) -> dict[str, tuple[dict[Level, ChainQuestion], dict[Level, str]]]:
    """Return the questions of every line that has an edit, and why links are missing, by chain."""
    facts = [facts_of(row) for row in rows if row.operator is not None]
    made = {one.chain: tuple(ask_chain(one, {}, seed)[0]) for one in facts}
    golds: dict[Level, dict[str, int]] = {
        level: gold_places(
            (question_id(chain, level) for chain in made if level in made[chain]), seed
        )
        for level in LEVELS
    }
    return {
        one.chain: ask_chain(
            one,
            {level: golds[level][question_id(one.chain, level)] for level in made[one.chain]},
            seed,
        )
        for one in facts
    }


def question_id(chain: str, level: Level) -> str:
    """Return the id of a link."""
    return f"{chain}:{level}"


def chain_rows(
    rows: Iterable[AnchorRow],
    questions: Mapping[str, Mapping[Level, ChainQuestion]],
    items: Mapping[str, Item],
    transcripts: Mapping[str, str],
) -> list[ChainRow]:
    """Return the rows of the derived benchmark, chain by chain.

    Parameters
    ----------
    rows : iterable of AnchorRow
        The manifest as planned.
    questions : mapping
        By chain and level.
    items : mapping of str to Item
        An item of the source for each clip.
    transcripts : mapping of str to str
        By clip.
    """
    return [
        ChainRow(
            id=question_id(row.chain, level),
            audio_path=row.chain,
            question=question.question,
            choices=question.choices,
            answer=question.choices[question.gold],
            task=level,
            chain=row.chain,
            chain_level=LEVELS.index(level) + 1,
            positions=len(row.positions),
            option_errors=question.errors,
            language=items[row.chain].language,
            recording=items[row.chain].recording or row.chain,
            transcript=transcripts.get(row.chain),
        )
        for row in rows
        for level, question in questions.get(row.chain, {}).items()
    ]


def read_chains(
    rows: Sequence[ChainRow], source: Benchmark, folder: Path
) -> tuple[Benchmark, MmauReader]:
    """Return the derived benchmark as it will be read from the split's folder.

    Parameters
    ----------
    rows : sequence of ChainRow
        At least one.
    source : Benchmark
        Whose audio the questions are about.
    folder : Path
        Where the split goes; nothing is written there yet.
    """
    reader = MmauReader()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / CHAINS_FILE
        write_lines(path, rows)
        found = reader.read(path, source.audio_root)
    return msgspec.structs.replace(found, path=folder / CHAINS_FILE, notes=source.notes), reader
