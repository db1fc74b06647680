"""How fast tempo is changed, beside Signalsmith Stretch and Rubber Band, and what words remain.

    python benchmarks/bench_speed.py [--seconds 60] [--repeats 7] [--words]

One core, 16 kHz mono, × real time of the input, the best of some repeats, in turn, after one that
compiles. The operator is timed alone: without proof, reading and writing. Rubber Band is timed as
a program, its temporary files included. With ``--words``: the share of the English clips' words
that the recogniser of the tests still hears, against the original's, with its own frames of 10 ms
and with frames as much shorter as the clip is faster.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the recogniser lives with the tests

import perturb as pt  # noqa: E402
from perturb.measure.analysis import Analysis  # noqa: E402
from perturb.plan.step import Plan  # noqa: E402
from perturb.render.chain import run_chain  # noqa: E402
from perturb.render.references import References  # noqa: E402
from run import best_times  # noqa: E402

RATE_HZ = 16_000
SPEECH = ROOT / "examples" / "audio" / "librivox"
RATES = (0.5, 1.5, 2.0, 3.0)
TO_REACH = 400


def speech_of(seconds: float) -> pt.Signal:
    sentences = [soundfile.read(path, dtype="float32")[0] for path in sorted(SPEECH.glob("*.wav"))]
    samples = np.resize(np.concatenate(sentences), round(seconds * RATE_HZ))
    return pt.Signal.from_array(samples, RATE_HZ)


def operator_alone(clip: pt.Signal, rate: float, engine: str, sham: bool) -> Callable[[], object]:
    operator = pt.Speed(rate=rate, engine=engine)
    plan = Plan.of([operator], clip_id="clip", role="sham" if sham else "probe")
    return lambda: run_chain(plan, Analysis(clip), References(Path.cwd()))


def engines() -> list[str]:
    found = ["wsola", "wsola_speech"]
    if importlib.util.find_spec("python_stretch"):
        found.append("spectral")
    if importlib.util.find_spec("pyrubberband") and shutil.which("rubberband"):
        found.append("rubberband")
    return found


def print_words() -> None:
    from tests.effects import test_speed as effects

    original = effects._words_of_the_original()
    print("\nwords, of the original's: own frames / frames as much shorter; sham (own frames)")
    for engine in engines():
        for rate in RATES:

            def edited(clip, sham=False, rate=rate, engine=engine):
                return effects._edit(clip, rate, engine, sham=sham)[0]

            shares = [
                heard / original
                for heard in (
                    effects._words_heard(edited),
                    effects._words_heard(edited, rate),
                    effects._words_heard(lambda clip, edited=edited: edited(clip, sham=True)),
                )
            ]
            print(
                f"{engine:14}{rate:5} ×   {shares[0]:.2f} / {shares[1]:.2f}   sham {shares[2]:.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="length of the audio")
    parser.add_argument("--repeats", type=int, default=7, help="runs, of which the best counts")
    parser.add_argument("--words", action="store_true", help="count words as well")
    options = parser.parse_args()

    clip = speech_of(options.seconds)
    print(f"{options.seconds:g} s, 16 kHz, one core; × real time (to reach: wsola {TO_REACH} ×)")
    print(f"{'rate':>6}" + "".join(f"{name:>15}{'its sham':>10}" for name in engines()))
    for rate in RATES:
        works = [
            operator_alone(clip, rate, engine, sham)
            for engine in engines()
            for sham in (False, True)
        ]
        speeds = [options.seconds / found for found in best_times(works, options.repeats)]
        pairs = zip(speeds[::2], speeds[1::2], strict=True)
        print(f"{rate:>6}" + "".join(f"{probe:15.0f}{sham:10.0f}" for probe, sham in pairs))
    if options.words:
        print_words()


if __name__ == "__main__":
    main()
