"""Rows find their items, whatever they call them; paths tell model and condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from perturb.errors import ScoreError
from perturb.score.joining import Joiner
from perturb.score.predictions.naming import PredictionSource, find_condition, find_model
from perturb.score.predictions.protocol import PredictionRows
from perturb.split.records.manifest import ItemRow

CONDITIONS = ("original", "noise", "noise_vocoded_4", "prosody_only", "prosody_only_sham")


def item(row, item_id, pair_id=None):
    return ItemRow(row=row, item_id=item_id, pair_id=pair_id or item_id, question="?", answer="a")


def join(items, **ids):
    count = len(next(iter(ids.values())))
    rows = PredictionRows(
        path=Path("x.json"), form="table", described="", answers=["a"] * count, ids=ids
    )
    return Joiner(items).join(rows, [0] * count)


def test_numbers_and_texts_are_the_same_id():
    items = [item(0, "7"), item(1, "8"), item(2, "08")]
    assert join(items, id=[8, "7", 7.0, "08"]).places == [1, 0, 0, 2]


def test_an_id_that_several_items_have_counts_on():
    items = [item(0, "a"), item(1, "b"), item(2, "a", "a#2"), item(3, "a", "a#3")]
    assert join(items, id=["a", "a", "b", "a"]).places == [0, 2, 1, 3]
    assert join(items, perturb_pair_id=["a#3", "b", "a#2"]).places == [3, 1, 2]


def test_the_first_field_that_knows_half_of_the_rows_is_the_id():
    items = [item(0, "x"), item(1, "y"), item(2, "z")]
    joined = join(items, id=["1", "2", "3"], index=["z", "nobody", "x"])
    assert joined.places == [2, -1, 0]
    assert joined.by == "the id in index"


def test_ids_of_another_benchmark_are_not_replaced_by_the_order_of_the_rows():
    items = [item(0, "x"), item(1, "y"), item(2, "z")]
    with pytest.raises(ScoreError, match=r"no ids that the split has \(id has 'p', 'q'\)"):
        join(items, id=["p", "q"])


@pytest.mark.parametrize(
    ("path", "model", "condition"),
    [
        ("runs/qwen2-audio/noise.json", "qwen2-audio", "noise"),
        ("runs/qwen/noise/bench.json", "qwen", "noise"),
        ("noise/gpt-4o_predictions.jsonl", "gpt-4o", "noise"),
        ("kimi_noise-vocoded-4_output.json", "kimi", "noise_vocoded_4"),
        ("m/prosody_only_sham_run3.csv", "m", "prosody_only_sham"),
        ("Qwen__Qwen2/20260103_101500_samples_perturb_noise.jsonl", "Qwen__Qwen2", "noise"),
        ("noise_robust/original/answers.csv", "robust", "original"),
        ("x/answers.csv", "x", None),
    ],
)
def test_a_path_names_model_and_condition(path, model, condition):
    source = PredictionSource(Path("/data") / path, Path("/data"))
    assert find_condition(source, CONDITIONS) == condition
    assert find_model(source, CONDITIONS, "bench") == model
