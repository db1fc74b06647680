"""How long a person waits, and how much memory a long clip takes.

    python benchmarks/startup.py [--minutes 23]

Whole processes are timed: `perturb --help`; `apply` with a fresh kernel cache and with a warm one,
on a clip of 10 s; `apply` on clips of 1/4, 1/2 and all of `--minutes`, with peak memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import perturb as pt

SENTENCES = Path(__file__).parents[1] / "examples" / "audio" / "librivox"


def write_clip(path: Path, seconds: float) -> None:
    """Write the sentences in a row, over and over, as one 16-bit file."""
    parts = [pt.read_audio(part) for part in sorted(SENTENCES.glob("*.wav"))]
    row = np.concatenate([part.signal.samples for part in parts], axis=1)
    rate = parts[0].signal.sample_rate_hz
    clip = pt.Signal.adopt(np.resize(row[0], (1, round(seconds * rate))), rate)
    pt.write_audio(path, clip, pt.output_format_for(parts[0], ".wav"))


def run(*arguments: str, cache: Path | None = None) -> tuple[float, float]:
    """Run `perturb` with the arguments; return seconds and peak memory in MB."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    code = (
        "import resource, sys; from perturb.cli.app import run; code = run(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); "
        "sys.exit(2 if code == 2 else 0)"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    return seconds, int(done.stderr.split()[-1]) / 1024


def main() -> None:
    """Print one line for each thing waited for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=23.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        cache = folder / "cache"
        clip = folder / "ten.wav"
        write_clip(clip, 10.0)
        apply = ("apply", str(clip), "-o", str(folder / "out.wav"), "--op", "vocode")
        print(f"perturb --help                 {min(run('--help')[0] for _ in range(5)):8.2f} s")
        print(f"apply vocode, 10 s, fresh cache{run(*apply, cache=cache)[0]:8.2f} s")
        warm = min(run(*apply, cache=cache)[0] for _ in range(5))
        print(f"apply vocode, 10 s, warm cache {warm:8.2f} s")
        for share in (0.25, 0.5, 1.0):
            minutes = share * options.minutes
            long = folder / "long.wav"
            write_clip(long, 60.0 * minutes)
            output = str(folder / "long_out.wav")
            seconds, megabytes = run(
                "apply", str(long), "-o", output, "--op", "vocode", cache=cache
            )
            print(f"apply vocode, {minutes:5.2f} min        {seconds:8.2f} s  {megabytes:6.0f} MB")


if __name__ == "__main__":
    main()
