"""How far a speaker embedding takes the results of `voice` for another speaker.

    python benchmarks/bench_speaker.py [FILE …]

The embedding is Resemblyzer's GE2E encoder, whose weights come with its package (`pip install
torch resemblyzer 'setuptools<81'`); the package has no part in it, and no test needs it. The folder
of a file is its speaker; the examples are by name. Similarity is the cosine of two embeddings: of a
clip and its edit, and, for the scale, of other sentences of the speaker and of other speakers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
from resemblyzer import VoiceEncoder, preprocess_wav

import perturb as pt

ROOT = Path(__file__).parents[1]
CLIPS = sorted((ROOT / "examples" / "audio").glob("*/*.wav"))
CONDITIONS: dict[str, tuple[pt.Operator, bool]] = {
    "voice (<= .80)": (pt.Voice(), False),
    "its sham (>= .96)": (pt.Voice(), True),
    "pitch alone": (pt.Voice(formant_ratio=1.0), False),
    "resonances alone, x .84": (pt.Voice(pitch_ratio=1.0, formant_ratio=0.84), False),
    "resonances alone, x 1.19": (pt.Voice(pitch_ratio=1.0, formant_ratio=1.19), False),
    "monotone": (pt.Monotone(), False),
    "whisper": (pt.Whisper(), False),
}

Embedding = npt.NDArray[np.float32]


class Ear:
    """The encoder, its greeting kept off the screen."""

    def __init__(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.encoder = VoiceEncoder("cpu")

    def hear(self, signal: pt.Signal) -> Embedding:
        """Return the unit vector of the strongest channel."""
        levels = np.mean(np.square(signal.samples), axis=1, dtype=np.float64)
        mono = signal.samples[int(np.argmax(levels))]
        return self.encoder.embed_utterance(
            preprocess_wav(mono.copy(), source_sr=signal.sample_rate_hz)
        )


def speaker_of(path: Path) -> str:
    """Return the folder of a file; of an example prompt, its language as well."""
    return f"{path.parent.name}-{path.stem[:2]}" if path in CLIPS else path.parent.name


def print_row(name: str, speaker: str, values: list[float]) -> None:
    """Print how many, the median and the range."""
    low, middle, high = np.quantile(values, (0.0, 0.5, 1.0))
    print(f"{name:28}{speaker:24}{len(values):6}{middle:9.3f}{low:8.3f}{high:8.3f}")


def main() -> None:
    """Print a row for each condition and speaker."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    paths = parser.parse_args().files or CLIPS
    ear = Ear()
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    heard: dict[str, list[Embedding]] = defaultdict(list)
    for path in paths:
        speaker, clip = speaker_of(path), pt.Analysis(pt.read_audio(path).signal)
        try:
            edits = [pt.apply(clip, one, sham=is_sham) for one, is_sham in CONDITIONS.values()]
        except pt.InapplicableError as error:
            print(f"{path.name}: inapplicable, {error}")
            continue
        own = ear.hear(clip.signal)
        heard[speaker].append(own)
        for name, edited in zip(CONDITIONS, edits, strict=True):
            found[name, speaker].append(float(own @ ear.hear(edited.signal)))
    columns = f"{'pairs':>6}{'median':>9}{'least':>8}{'most':>8}"
    print(f"{'similarity to the clip':28}{'speaker':24}{columns}")
    for name in CONDITIONS:
        for speaker in heard:
            print_row(name, speaker, found[name, speaker])
    for speaker, own in heard.items():
        if pairs := [float(one @ other) for one, other in itertools.combinations(own, 2)]:
            print_row("another sentence", speaker, pairs)
    across = [
        float(one @ other)
        for left, right in itertools.combinations(heard.values(), 2)
        for one in left
        for other in right
    ]
    if across:
        print_row("another speaker", "any two", across)


if __name__ == "__main__":
    main()
