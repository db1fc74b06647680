"""How fast a whole split is made: seconds of output audio a second, proofs and files included.

    python benchmarks/bench_split.py [--jobs 2] [--hours 1.0] [--minutes 23]

Whole processes of `perturb split --suite seabed/controls` are timed: eight conditions,
16-bit WAV, proofs, traces, rows. First twice as many clips each time, then clips twice as long, so
that both should double the time; last, two clips of `--minutes` for two workers, with the peak
memory of a process. Two plain passes over the same files (read, write) stand beside, as the least
that any tool could do.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

import perturb as pt
from apart import apart

PROMPTS = Path(__file__).parents[1] / "examples" / "audio"
CONDITIONS = 8
LABELS = ("calm", "angry", "happy", "sad")


def make_benchmark(folder: Path, clips: int, seconds: float) -> Path:
    """Write clips of speech, each another stretch of the sentences, and a question each."""
    parts = [pt.read_audio(path).signal for path in sorted((PROMPTS / "librivox").glob("*.wav"))]
    row = np.concatenate([part.samples[0] for part in parts])
    rate = parts[0].sample_rate_hz
    length = round(seconds * rate)
    rows = []
    (folder / "audio").mkdir(parents=True)
    for index in range(clips):
        start = (index * 7919 * 16) % row.size
        samples = np.take(row, range(start, start + length), mode="wrap")
        soundfile.write(folder / "audio" / f"{index:05d}.wav", samples, rate, subtype="PCM_16")
        rows.append(
            {
                "id": f"item-{index}",
                "audio_id": f"audio/{index:05d}.wav",
                "question": "How does the speaker sound?",
                "choices": list(LABELS),
                "answer": LABELS[index % len(LABELS)],
                "task": "emotion",
            }
        )
    path = folder / "bench.json"
    path.write_text(json.dumps(rows))
    return path


def split(bench: Path, output: Path, jobs: int) -> tuple[float, float]:
    """Run the command; return seconds, and the peak memory of its largest process in MB."""
    code = (
        "import resource, sys; from perturb.cli.app import run; code = run(sys.argv[1:]); "
        "own, workers = (resource.getrusage(who).ru_maxrss for who in "
        "(resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)); "
        "print(max(own, workers), file=sys.stderr); sys.exit(2 if code == 2 else 0)"
    )
    arguments = ("split", str(bench), "-o", str(output), "--jobs", str(jobs))
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return time.perf_counter() - start, int(done.stderr.split()[-1]) / 1024


def copy_plainly(bench: Path, output: Path) -> float:
    """Read and write every clip once for each condition, and nothing else; return seconds."""
    output.mkdir()
    start = time.perf_counter()
    for path in sorted((bench.parent / "audio").iterdir()):
        for condition in range(CONDITIONS):
            samples, rate = soundfile.read(path, dtype="float32")
            soundfile.write(output / f"{condition}-{path.name}", samples, rate, subtype="PCM_16")
    return time.perf_counter() - start


def measure(clips: int, seconds: float, jobs: int, *, beside: bool = False) -> None:
    """Print one line: what was asked, how long it took, how fast that is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = apart(make_benchmark, folder / "bench", clips, seconds)
        took_s, megabytes = split(bench, folder / "split", jobs)
        audio_s = clips * seconds * CONDITIONS
        line = (
            f"{clips:6d} clips of {seconds:7.1f} s  {took_s:7.1f} s  {audio_s / took_s:6.0f} × "
            f"real time  {megabytes:6.0f} MB"
        )
        if beside:
            plain_s = copy_plainly(bench, folder / "plain")
            line += f"  plain copies {audio_s / plain_s:8.0f} ×"
        print(line, flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--hours", type=float, default=0.5, help="source audio of the largest run")
    parser.add_argument("--minutes", type=float, default=23.0)
    options = parser.parse_args()
    clips = round(options.hours * 3600 / 10.0)
    measure(8, 2.0, options.jobs)  # compiles, fills caches
    for share in (4, 2, 1):
        measure(clips // share, 10.0, options.jobs, beside=share == 1)
    for seconds in (5.0, 20.0):
        measure(clips // 2, seconds, options.jobs)
    measure(2, 60.0 * options.minutes, options.jobs)


if __name__ == "__main__":
    main()
