"""Dataset cards: which files belong to which split."""

from __future__ import annotations

from perturb.benchmark.card import read_splits, write_card

_HUB = """\
---
license: apache-2.0
dataset_info:
- config_name: default
  features:
  - name: audio
    dtype: audio
  splits:
  - name: test
    num_bytes: 1
configs:
- config_name: default
  default: true
  data_files:
  - split: test
    path: data/test-*
  - split: "train"
    path:
    - "data/train-0*"
    - 'data/train-1*'
- config_name: zh
  data_files: zh/*.parquet
tags:
- audio
---
# Text
configs:
- config_name: not this
"""


def test_a_card_of_the_hub_names_its_splits(tmp_path):
    (tmp_path / "README.md").write_text(_HUB)
    assert read_splits(tmp_path / "README.md") == {
        "test": ["data/test-*"],
        "train": ["data/train-0*", "data/train-1*"],
        "zh/train": ["zh/*.parquet"],
    }


def test_what_is_written_is_read(tmp_path):
    splits = {"original": "data/original-*", "noise_vocoded_4": "data/noise_vocoded_4-*"}
    write_card(tmp_path / "README.md", "Title", "Text.", splits, ["drop_labels: true"])
    assert read_splits(tmp_path / "README.md") == {key: [text] for key, text in splits.items()}


def test_no_card_and_no_head_are_no_splits(tmp_path):
    assert read_splits(tmp_path / "README.md") == {}
    (tmp_path / "README.md").write_text("# A page\n")
    assert read_splits(tmp_path / "README.md") == {}
