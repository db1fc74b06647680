"""A three-anchor set out of real speech: recordings joined, edited at three places, asked about.

    python examples/anchor_set.py [FOLDER]

The fourteen clips in `examples/audio` are joined into recordings of two minutes or so, with a table
of segments: when each clip is heard, what is said, by whom, and how some of them relate. The rest
is two commands:

    perturb anchors RECORDINGS -o SET --operation addition --positions 3 --segments segments.jsonl
    perturb verify SET
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr

from perturb.cli.app import run

HERE = Path(__file__).parent
RATE_HZ = 16_000
PAUSE_S = (0.5, 1.2)
SPEAKERS = {"sense": "reader", "en": "announcer", "it": "announcer (Italian)"}
RELATIONS = {
    ("sense-and-sensibility-0870", "sense-and-sensibility-0890"): (
        "One leads to a judgement of character that the other prepares"
    ),
    ("sense-and-sensibility-0880", "sense-and-sensibility-0890"): (
        "One takes back a part of what the other grants"
    ),
    ("sense-and-sensibility-0920", "sense-and-sensibility-0930"): (
        "One carries further what the other supposes"
    ),
    ("en-agent-incorrect", "it-agent-incorrect"): "Both ask for a number, in two languages",
    ("en-cannot-complete-as-dialed", "it-cannot-complete-as-dialed"): (
        "Both say that a call fails, in two languages"
    ),
    ("en-vm-newuser", "it-vm-newuser"): "Both welcome somebody, in two languages",
    ("en-vm-tempgreeting2", "en-vm-tmpexists"): "One offers to change what the other reports",
    ("en-conf-adminmenu-18", "en-vm-tempgreeting2"): "Both list what keys are for",
}


def join_recordings(
    folder: Path, count: int, seconds: tuple[float, float] = (90.0, 150.0)
) -> tuple[Path, Path]:
    """Write recordings of joined clips, and a table of their segments.

    Parameters
    ----------
    folder : Path
        Where they go: ``recordings/`` and ``segments.jsonl``.
    count : int
        How many.
    seconds : pair of float
        Their least duration runs evenly from the first to the second.

    Returns
    -------
    tuple of Path
        The folder of the recordings, and the table.
    """
    clips = _clips()
    words = _words()
    recordings = folder / "recordings"
    recordings.mkdir(parents=True)
    rows = []
    for number, least_s in enumerate(np.linspace(*seconds, count)):
        name = f"recording-{number:02d}.wav"
        rows += [
            {"clip": name, **row, "text": words[row["segment"].split("#")[0]]}
            for row in _join(recordings / name, clips, float(least_s), number)
        ]
    table = folder / "segments.jsonl"
    table.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return recordings, table


def _join(path: Path, clips: dict[str, np.ndarray], least_s: float, seed: int) -> list[dict]:
    """Write one recording: all clips in a drawn order, again and again; return its segments."""
    random = np.random.default_rng(seed)
    parts: list[np.ndarray] = []
    rows: list[dict] = []
    at = turn = 0
    while at < least_s * RATE_HZ:
        for stem in random.permutation(sorted(clips)):
            pause = np.zeros(round(random.uniform(*PAUSE_S) * RATE_HZ), np.float32)
            start, stop = at + pause.size, at + pause.size + clips[stem].size
            parts += [pause, clips[stem]]
            at = stop
            rows.append(
                {
                    "segment": f"{stem}#{turn}",
                    "start_s": start / RATE_HZ,
                    "stop_s": stop / RATE_HZ,
                    "speaker": SPEAKERS[stem.split("-")[0]],
                    "relations": _relations(str(stem), turn),
                }
            )
            if at >= least_s * RATE_HZ:
                break
        turn += 1
    parts.append(np.zeros(RATE_HZ // 2, np.float32))
    soundfile.write(path, np.concatenate(parts), RATE_HZ, subtype="PCM_16")
    names = {row["segment"] for row in rows}
    for row in rows:
        row["relations"] = [one for one in row["relations"] if one["to"] in names]
    return rows


def _relations(stem: str, turn: int) -> list[dict]:
    return [
        {"to": f"{second}#{turn}", "kind": "relates to", "text": text}
        for (first, second), text in RELATIONS.items()
        if first == stem
    ]


def _clips() -> dict[str, np.ndarray]:
    """Return the samples of the committed clips at one rate, by name."""
    found = {}
    for path in sorted((HERE / "audio").rglob("*.wav")):
        samples, rate_hz = soundfile.read(path, dtype="float32")
        found[path.stem] = soxr.resample(samples, rate_hz, RATE_HZ)
    return found


def _words() -> dict[str, str]:
    """Return what is said in the committed clips, by name."""
    items = json.loads((HERE / "benchmark" / "small-mmau.json").read_text())
    return {Path(item["audio_id"]).stem: item["transcript"] for item in items}


def main(folder: Path) -> None:
    """Join recordings in `folder`, make a three-anchor set of them, and verify it."""
    recordings, table = join_recordings(folder, count=4)
    made = run(
        [
            *("anchors", str(recordings), "-o", str(folder / "set"), "--operation", "addition"),
            *("--positions", "3", "--segments", str(table)),
        ]
    )
    verified = run(["verify", str(folder / "set"), "--replay", "10%"])
    print(f"anchors: exit {made}; verify: exit {verified}")
    chain = json.loads((folder / "set" / "anchors.jsonl").read_text().splitlines()[0])
    print(json.dumps(chain, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch))
