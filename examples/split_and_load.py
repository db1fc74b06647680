"""A small benchmark in every condition: split, verified, and loaded as a lab's harness would.

    python examples/split_and_load.py [FOLDER]

The benchmark is `examples/benchmark/small-mmau.json`: 42 questions of the MMAU form on the fourteen
recordings in `examples/audio`. What the script does with the command line goes for any other:

    perturb split BENCH -o DIR --audio-root AUDIO --writer source --writer parquet
    perturb verify DIR
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from perturb.cli.app import run

HERE = Path(__file__).parent
BENCHMARK = HERE / "benchmark" / "small-mmau.json"


def main(folder: Path) -> None:
    """Split the small benchmark into `folder`, verify it, and load two of its forms."""
    task_map = HERE / "benchmark" / "task_map.toml"
    made = run(
        [
            *("split", str(BENCHMARK), "-o", str(folder), "--overwrite"),
            *("--audio-root", str(HERE / "audio"), "--task-map", str(task_map)),
            *("--suite", "seabed/controls"),
            *("--writer", "source", "--writer", "parquet", "--writer", "inspect"),
        ]
    )
    verified = run(["verify", str(folder), "--replay", "10%"])
    print(f"split: exit {made}; verify: exit {verified}")
    load_source(folder)
    load_parquet(folder)


def load_source(folder: Path) -> None:
    """Read the benchmark's own form: the same rows, other audio, a few columns more."""
    original = json.loads(BENCHMARK.read_text())
    for condition in sorted(path.name for path in (folder / "source").iterdir()):
        root = folder / "source" / condition
        rows = json.loads((root / BENCHMARK.name).read_text())
        pairs = zip(original, rows, strict=True)
        kept = all(_is_kept(row, found) for row, found in pairs)
        sounds = sum((root / row["audio_id"]).is_file() for row in rows)
        fields = "own fields as they were" if kept else "own fields changed"
        print(f"source/{condition}: {len(rows)} rows, {sounds} with audio, {fields}")


def _is_kept(row: dict[str, object], found: dict[str, object]) -> bool:
    """Whether every field but the audio's is as it was."""
    return all(found[key] == value for key, value in row.items() if key != "audio_id")


def load_parquet(folder: Path) -> None:
    """Load with `datasets`, where it is installed: every condition is a split."""
    try:
        import datasets
    except ImportError:
        print("parquet: pip install datasets to load it")
        return
    with tempfile.TemporaryDirectory() as cache:
        datasets.disable_progress_bars()
        loaded = datasets.load_dataset(str(folder / "parquet"), cache_dir=cache)
        for condition, rows in loaded.items():
            print(f"parquet/{condition}: {rows.num_rows} rows, {len(rows.features)} columns")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch) / "split")
