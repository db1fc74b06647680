"""What a recogniser still hears of the words after each edit that keeps or takes them.

    python benchmarks/listen.py                   # the English clips of the examples
    python benchmarks/listen.py --prompts FOLDER --transcripts FILE [--clips 48] [--save]

A closed-set listening test (`perturb.testing.make_listening_test`): which of four sentences of
about one length was it (of three, where there are the examples alone)? Pocketsphinx listens.

`FILE` has lines ``name: Words spoken.``, as the transcripts of Asterisk's prompts do; `FOLDER`
holds ``name.wav``. `--save` writes what was heard to docs/listening.json, of which `python
docs/generate.py` makes the table in docs/mirror.md.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

import perturb as pt
from perturb.testing import (
    ClosedSetSphinx,
    ListeningResult,
    listening_table,
    make_listening_test,
)
from perturb.testing.recogniser import Words

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.instruments.recogniser import PRONUNCIATIONS, read_transcripts  # noqa: E402

TARGET = ROOT / "docs" / "listening.json"
EXAMPLES = ROOT / "examples" / "audio"
POINTS = ((0.0, 120.0), (0.6, 180.0), (1.0, 110.0))
CONDITIONS: dict[str, tuple[pt.Operator | None, bool]] = {
    "original": (None, False),
    "`monotone`": (pt.Monotone(), False),
    "`exaggerate` × 1.8": (pt.Exaggerate(), False),
    "`contour`, points at its own height": (pt.Contour(points=POINTS, register="own"), False),
    "sham of the three": (pt.Monotone(), True),
    "`whisper`": (pt.Whisper(), False),
    "sham of `whisper`": (pt.Whisper(), True),
    "`voice`": (pt.Voice(), False),
    "sham of `voice`": (pt.Voice(), True),
    "`flat_intensity` (sham: the clip)": (pt.FlatIntensity(), False),
    "`retime:what=tempo`": (pt.Retime(what="tempo"), False),
    "sham of tempo": (pt.Retime(what="tempo"), True),
    "`retime`, pauses of .2 s": (pt.Retime(), False),
    "sham of pauses": (pt.Retime(), True),
    "`vocode`": (pt.Vocode(), False),
    "sham of `vocode`": (pt.Vocode(), True),
}
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LETTERS = 25, 90


def example_clips() -> tuple[dict[str, Path], dict[str, Words]]:
    """Return the paths and the words of the English example clips."""
    paths = {path.stem: path for path in sorted(EXAMPLES.glob("*/*.wav"))}
    words = read_transcripts(EXAMPLES / "README.md")
    english = [stem for stem in paths if not stem.startswith("it-")]
    return {stem: paths[stem] for stem in english}, {stem: words[stem] for stem in english}


def prompt_clips(
    folder: Path, transcripts: Path, count: int
) -> tuple[dict[str, Path], dict[str, Words]]:
    """Return `count` prompts of 25 to 90 letters and known words, evenly picked."""
    opened = gzip.open if transcripts.suffix == ".gz" else open
    found: dict[str, Words] = {}
    with opened(transcripts, "rt", encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"([\w-]+): ([^\[]+)$", line)
            if match is None or not (folder / f"{match[1]}.wav").exists():
                continue
            spelled = re.sub(r"\d", lambda digit: f" {DIGITS[int(digit[0])]} ", match[2].lower())
            words = tuple(re.findall(r"[a-z']+", spelled))
            if LETTERS[0] <= len("".join(words)) <= LETTERS[1] and _is_known(words):
                found[match[1]] = words
    stems = sorted(found)
    picked = [stems[at * len(stems) // count] for at in range(min(count, len(stems)))]
    return {one: folder / f"{one}.wav" for one in picked}, {one: found[one] for one in picked}


def _is_known(words: Words) -> bool:
    try:
        ClosedSetSphinx(words, PRONUNCIATIONS)
    except pt.ParameterError:
        return False
    return True


def edited(
    clips: Mapping[str, pt.Analysis], operator: pt.Operator | None, *, is_sham: bool
) -> tuple[dict[str, pt.Signal], dict[str, str]]:
    """Return the clips after an operator, and why others could not be edited."""
    made: dict[str, pt.Signal] = {}
    refused: dict[str, str] = {}
    for name, clip in clips.items():
        if operator is None:
            made[name] = clip.signal
            continue
        try:
            made[name] = pt.apply(clip, operator, sham=is_sham).signal
        except pt.InapplicableError as error:
            refused[name] = str(error)
    return made, refused


def main() -> None:
    """Ask about every condition, print the table, and save it where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prompts", type=Path, help="folder of more clips, NAME.wav")
    parser.add_argument("--transcripts", type=Path, help="their words, lines NAME: words")
    parser.add_argument("--clips", type=int, default=48, help="how many of them")
    parser.add_argument("--options", type=int, help="sentences to choose from")
    parser.add_argument("--seed", type=int, default=0, help="draws the foils")
    parser.add_argument("--save", action="store_true", help=f"write {TARGET.name}")
    options = parser.parse_args()
    paths, words = example_clips()
    count = options.options or (3 if options.prompts is None else 4)
    if options.prompts is not None:
        more = prompt_clips(options.prompts, options.transcripts, options.clips)
        paths, words = more[0] | paths, more[1] | words
    test = make_listening_test(words, options=count, seed=options.seed)
    asked = [question.clip for question in test.questions]
    clips = {name: pt.Analysis(pt.read_audio(paths[name]).signal) for name in asked}
    recogniser = ClosedSetSphinx([word for name in asked for word in words[name]], PRONUNCIATIONS)
    results: dict[str, ListeningResult] = {}
    refused: dict[str, dict[str, str]] = {}
    for name, (operator, is_sham) in CONDITIONS.items():
        made, refused[name] = edited(clips, operator, is_sham=is_sham)
        results[name] = test.ask(recogniser, made)
        print(f"{name}: {results[name].right} of {results[name].asked}", flush=True)
    print("\n" + listening_table(results, "original"))
    for name, why in test.left_out.items():
        print(f"not asked: {name}: {why}")
    for name, reasons in refused.items():
        if reasons:
            print(f"{name}: inapplicable to {len(reasons)}, as {next(iter(reasons.values()))}")
    if options.save:
        lines = [b": ".join(map(msgspec.json.encode, item)) for item in results.items()]
        TARGET.write_bytes(b"{\n" + b",\n".join(lines) + b"\n}\n")


if __name__ == "__main__":
    main()
