"""Items and benchmarks made by hand, without a reader."""

from __future__ import annotations

from pathlib import Path

from perturb.benchmark.item import Benchmark, Clip, Item, ItemAudio

__all__ = ["benchmark_of", "make_item"]


def make_item(row=0, *, clip=None, **fields):
    """Return an item; `clip` is the key of its main audio."""
    audios = () if clip is None else (ItemAudio(role="main", clip=clip, source=f"./{clip}"),)
    given = {"item_id": str(row), "pair_id": str(row), "question": "What is heard?", **fields}
    choices, answer = given.get("choices", ()), given.get("answer")
    if choices and answer is not None and choices.count(answer) == 1:
        given.setdefault("answer_index", choices.index(answer))
    return Item(row=row, audios=audios, **given)


def benchmark_of(items):
    """Return a benchmark of items whose clips are all there."""
    items = tuple(items)
    keys = [audio.clip for item in items for audio in item.audios]
    return Benchmark(
        reader="none",
        reason="made by hand",
        path=Path("made.json"),
        audio_root=Path(),
        items=items,
        clips={key: Clip(key=key, path=Path(key)) for key in dict.fromkeys(keys)},
        rows=None,
    )
