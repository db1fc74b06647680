"""Small benchmarks without audio, for what depends on items alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hypothesis import strategies as st

from perturb.benchmark.item import Benchmark, Clip, Item, ItemAudio


def make_item(row: int, clip: str | None, **fields) -> Item:
    """Return an item of one clip in the main role, or of none."""
    audios = () if clip is None else (ItemAudio(role="main", clip=clip, source=clip),)
    values = {
        "item_id": str(row),
        "pair_id": f"item {row}",
        "audios": audios,
        "question": "Which?",
        **fields,
    }
    return Item(row=row, **values)


def make_benchmark(items: Iterable[Item]) -> Benchmark:
    """Return a benchmark of these items, in their order."""
    items = tuple(items)
    keys = dict.fromkeys(audio.clip for item in items for audio in item.audios)
    return Benchmark(
        reader="none",
        reason="made up",
        path=Path("items.json"),
        audio_root=Path(),
        items=items,
        clips={key: Clip(key=key) for key in keys},
        rows=(),
    )


@st.composite
def donor_benchmarks(draw, max_clips: int = 12):
    """Return items, durations by clip, and which clips hold the same audio.

    Clips are shared, fields are missing, durations tie, speakers and recordings recur; in some the
    answer is the language.
    """
    count = draw(st.integers(1, max_clips))
    clips = [f"clip {at}" for at in range(count)]
    names = st.sampled_from([None, "a", "b", "c"])
    speakers = {clip: draw(names) for clip in clips}
    recordings = {clip: draw(st.sampled_from([None, None, "x", "y"])) for clip in clips}
    durations = {
        clip: draw(st.sampled_from([0.5, 1.0, 1.0, 2.0, 3.7, 60.0]))
        for clip in clips
        if draw(st.integers(0, 9)) > 0
    }
    equal_audio = {clip: clips[0] for clip in clips if draw(st.integers(0, 7)) == 0}
    golds = draw(st.sampled_from([("yes", "no"), ("A", "B", "C", "D"), tuple("abcdefghijklmno")]))
    has_options = draw(st.booleans())
    asks_language = draw(st.booleans())
    languages = ["th", "th", "id", "ms", None] if asks_language else ["th", "th", "id"]
    items = []
    for row in range(draw(st.integers(1, 2 * max_clips))):
        language = draw(st.sampled_from(languages))
        answers = [language, language, None] if asks_language else [*golds, *golds, None]
        clip = draw(st.sampled_from([*clips, clips[row % count], None]))
        items.append(
            make_item(
                row,
                clip,
                question=draw(st.sampled_from(["Which?", "Who?"])),
                choices=golds if has_options else (),
                answer=draw(st.sampled_from(answers)),
                task=draw(st.sampled_from([None, "t", "t", "u"])),
                language=language,
                speaker=speakers.get(clip),
                recording=recordings.get(clip),
            )
        )
    return items, durations, equal_audio
