"""What `voice_file` makes of sentences that another speaker speaks anew: a synthesiser's voices.

    python benchmarks/respoken.py [--voices en-us+f3 en-gb+m3]

Needs the espeak-ng program and the recogniser extra. Each English example is spoken at the rate
that comes nearest to its own length, and laid into the utterance's slot. Words are those that
closed-set pocketsphinx hears: of the recording at the clip's rate, and of it in the slot.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import soxr

import perturb as pt
from bench_mirror import CLIPS, ROOT

sys.path.insert(0, str(ROOT))

from tests.instruments.recogniser import ClosedSetSphinx, read_transcripts, share_of_words

WORDS = read_transcripts(ROOT / "examples" / "audio" / "README.md")
ENGLISH = [path for path in CLIPS if not path.stem.startswith("it-")]
WORDS_PER_MINUTE = (120, 140, 160, 180, 200, 220)
QUIET_DB = -34.0
MARGIN_S = 0.05


def slot_of(clip: pt.Signal) -> pt.Span:
    """Return where the clip is spoken in: from the first loud sample to the last, and 50 ms."""
    loud = np.abs(clip.samples[0])
    places = np.flatnonzero(loud > loud.max() * 10.0 ** (QUIET_DB / 20.0)) / clip.sample_rate_hz
    start_s = max(0.0, float(places[0]) - MARGIN_S)
    return pt.Span(round(start_s, 3), round(min(clip.duration_s, float(places[-1]) + MARGIN_S), 3))


def speak(words: list[str], voice: str, duration_s: float, folder: Path) -> Path:
    """Return the recording of a sentence that comes nearest to a length."""
    made = []
    for rate in WORDS_PER_MINUTE:
        path = folder / f"{voice}-{rate}.wav"
        subprocess.run(
            ["espeak-ng", "-v", voice, "-s", str(rate), "-w", str(path), " ".join(words)],
            check=True,
        )
        made.append(path)
    lengths_s = [pt.read_audio(path).signal.duration_s for path in made]
    return made[int(np.argmin([abs(math.log(one / duration_s)) for one in lengths_s]))]


def main() -> None:
    """Print a row for each sentence and voice, and the words in all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--voices", nargs="+", default=["en-us+f3", "en-gb+m3"])
    voices = parser.parse_args().voices
    recogniser = ClosedSetSphinx([word for path in ENGLISH for word in WORDS[path.stem]])
    heard, asked = np.zeros(2), 0
    for path in ENGLISH:
        clip, words = pt.read_audio(path).signal, WORDS[path.stem]
        slot = slot_of(clip)
        for voice in voices:
            with tempfile.TemporaryDirectory() as folder:
                recording = speak(words, voice, slot.duration_s, Path(folder))
                spoken = pt.read_audio(recording).signal
                try:
                    variant = pt.apply(clip, pt.VoiceFile(ref=f"file:{recording}") @ slot)
                except pt.InapplicableError as error:
                    print(f"{path.stem:32}{voice:10} inapplicable: {error}")
                    continue
            rate_hz = clip.sample_rate_hz
            lowered = soxr.resample(spoken.samples[0], spoken.sample_rate_hz, rate_hz)
            shares = [
                share_of_words(recogniser, samples, rate_hz, words)
                for samples in (lowered, variant.signal.samples[0])
            ]
            heard += np.array(shares) * len(words)
            asked += len(words)
            stretch = variant.trace.steps[0].notes["stretch"]
            print(
                f"{path.stem:32}{voice:10} {variant.trace.status}, x {stretch:.2f}, "
                f"words {shares[0]:.2f}, in the slot {shares[1]:.2f}"
                + ("" if variant.trace.reason is None else f" ({variant.trace.reason})"),
                flush=True,
            )
    spoken_share, fitted_share = heard / max(asked, 1)
    print(f"{asked} words: {spoken_share:.3f} heard as spoken, {fitted_share:.3f} in the slot")


if __name__ == "__main__":
    main()
