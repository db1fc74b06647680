"""Anchored sets: how fast one is made, and whether everything that it claims is true.

    python benchmarks/bench_anchors_set.py [--recordings 60] [--minutes 1 10] [--edits event]

First one hour of joined speech, in one recording and in twelve, is planned and rendered by whole
processes of `perturb anchors` on one core, with the peak memory. Then sixty recordings of one to
ten minutes: each edit makes a set of them, twice, and every position is measured again by
`tests.instruments.anchor_audit`, which shares nothing with the package. A row says how far off the
worst position is, and whether both sets are the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from apart import apart

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from examples.anchor_set import join_recordings  # noqa: E402
from tests.instruments.anchor_audit import EDITS, Audited, audit  # noqa: E402

MEASURE = (
    "import resource, sys; from perturb.cli import main; import atexit; "
    "atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "
    "file=sys.stderr)); main()"
)


def make(joined: tuple[Path, Path], output: Path, options: tuple[str, ...]) -> tuple[float, float]:
    """Make a set in a process of its own; return seconds, and its peak memory in MB."""
    recordings, table = joined
    command = ("anchors", str(recordings), "-o", str(output), "--segments", str(table), *options)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=False
    )
    took_s = time.perf_counter() - start
    if done.returncode == 2:
        raise SystemExit(done.stderr)
    return took_s, int(done.stderr.split()[-1]) / 1024


def time_an_hour(folder: Path) -> None:
    """Print what one hour costs, in one recording and in twelve."""
    print("one hour of speech            seconds  MB")
    for count in (1, 12):
        joined = apart(join_recordings, folder / str(count), count, (3600 / count,) * 2)
        for name in ("event", "faster"):
            make(joined, folder / "warm", EDITS[name])
            shutil.rmtree(folder / "warm")
            seconds, megabytes = make(joined, folder / "hour", EDITS[name])
            shutil.rmtree(folder / "hour")
            print(f"{count:3} recordings, {name:12} {seconds:8.1f}  {megabytes:6.0f}", flush=True)


def digest(split: Path) -> str:
    """Return one hash over every file of a set."""
    whole = hashlib.sha256()
    for path in sorted(split.rglob("*")):
        if path.is_file() and path.name != "lock":
            whole.update(path.relative_to(split).as_posix().encode() + path.read_bytes())
    return whole.hexdigest()


def describe(found: list[Audited]) -> str:
    """Return the worst of all positions."""
    off = max(abs(one.achieved - one.requested) for one in found)
    start = max(one.start_error_s for one in found)
    stop = max(one.stop_error_s for one in found)
    level = min(one.level_share for one in found)
    voice = min(one.voice_share for one in found)
    outside = sum(one.outside for one in found)
    return (
        f"{len(found):5} {off:9.4f} {start:7.3f} {stop:7.3f} {outside:8} {level:6.2f} {voice:6.2f}"
    )


def audit_sets(folder: Path, count: int, minutes: tuple[float, float], edits: list[str]) -> None:
    """Print a row for each edit."""
    joined = apart(join_recordings, folder, count, (60 * minutes[0], 60 * minutes[1]))
    print(f"\n{count} recordings of {minutes[0]:g} to {minutes[1]:g} minutes")
    print("edit        clips places  worst off   start    stop  outside  level  voice  twice")
    for name in edits:
        digests = set()
        for turn in ("first", "second"):
            make(joined, folder / turn, EDITS[name])
            digests.add(digest(folder / turn))
        found = list(audit(folder / "first", joined[0]))
        clips = len({one.chain for one in found})
        same = "same" if len(digests) == 1 else "DIFFER"
        print(f"{name:10} {clips:5} {describe(found)}  {same}", flush=True)
        for turn in ("first", "second"):
            shutil.rmtree(folder / turn)


def main() -> None:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=int, default=60)
    parser.add_argument("--minutes", type=float, nargs=2, default=(1.0, 10.0))
    parser.add_argument("--edits", nargs="+", choices=EDITS, default=list(EDITS))
    parser.add_argument("--no-hour", action="store_true", help="leave out the timing")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if not asked.no_hour:
            time_an_hour(Path(scratch))
        audit_sets(Path(scratch) / "sets", asked.recordings, tuple(asked.minutes), asked.edits)


if __name__ == "__main__":
    main()
