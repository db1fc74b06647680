"""Shards: small enough for workers to end together, large enough to be few."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from perturb.split.work.tasks import ClipTask, shards_of


def divide(count, seconds):
    clips = [ClipTask(f"{index:06d}.wav", Path("x.wav"), ()) for index in range(count)]
    random.Random(count).shuffle(clips)
    durations_s = {clip.key: seconds for clip in clips}
    return shards_of(clips, durations_s, Path("split"), {}, 0)


@pytest.mark.parametrize(
    ("count", "seconds", "sizes"),
    [(1, 5.0, {1}), (10, 5.0, {4, 2}), (96, 5.0, {6}), (512, 5.0, {32}), (4096, 5.0, {32})],
)
def test_few_clips_make_small_shards(count, seconds, sizes):
    assert {len(shard.clips) for shard in divide(count, seconds)} == sizes


def test_a_shard_is_ten_minutes_or_one_clip():
    assert {len(shard.clips) for shard in divide(640, 100.0)} == {6, 4}
    assert {len(shard.clips) for shard in divide(40, 1_400.0)} == {1}


def test_every_clip_is_in_one_shard_in_the_order_of_the_keys():
    keys = [clip.key for shard in divide(300, 5.0) for clip in shard.clips]
    assert keys == sorted(set(keys))
    assert len(keys) == 300
