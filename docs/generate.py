"""Write the generated pages, the measured tables of mirror.md, and pictures.

    python docs/generate.py            # text and pictures
    python docs/generate.py --text     # text alone

A test compares the text with what this script would write, so that it cannot go stale.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import textwrap
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np

import perturb as pt
from perturb.audio_io import OutputFormat
from perturb.errors import InapplicableError
from perturb.events.bank import GeneratedBank
from perturb.events.category import FAMILIES
from perturb.events.registry import all_categories
from perturb.events.sheet import draw_sheet
from perturb.operators.registry import all_operators
from perturb.plan.step import Step
from perturb.plan.step_text import format_step
from perturb.recipes.catalogue import catalogue_names, is_suite, load_recipe, load_suite
from perturb.recipes.condition_text import describe_condition
from perturb.recipes.ledger import recipe_ledger
from perturb.recipes.parsing import dump_recipe
from perturb.recipes.recipe import Recipe
from perturb.record import describe_fields
from perturb.testing import ListeningResult, listening_table

_STATUSES = ("ok", "inapplicable", "off_target")
HERE = Path(__file__).resolve().parent
SENTENCES = HERE.parent / "examples" / "audio" / "librivox"
SENTENCE = SENTENCES / "sense-and-sensibility-0880.wav"
OTHER = SENTENCES / "sense-and-sensibility-0930.wav"
SPAN = pt.Span(0.9, 2.1)


def operators_text() -> str:
    """Return docs/operators.md."""
    parts = [
        "# Operators",
        "",
        "Written by `python docs/generate.py` from the registry; `perturb ops NAME` prints the "
        "same.",
    ]
    for name, kind in all_operators().items():
        parts += ["", f"## `{name}`", "", *_docstring(kind), ""]
        fields = describe_fields(kind)
        if fields:
            parts += ["| field | default | accepted | meaning |", "|---|---|---|---|"]
            for info in fields:
                default = "required" if info.is_required else _plain(info.default)
                row = (f"`{info.name}`", default, info.accepted, info.description)
                parts.append("| " + " | ".join(row) + " |")
            parts.append("")
        for label, ledger in kind.ledger_table().items():
            if not ledger.keeps and not ledger.destroys:
                parts.append(f"- ledger: nothing is promised{label and f'; {label}'}")
                continue
            prefix = f"`{label}` " if label else ""
            keeps, destroys = (
                ", ".join(item.replace("_", " ") for item in items) or "nothing"
                for items in (ledger.keeps, ledger.destroys)
            )
            parts.append(f"- {prefix}keeps {keeps}; destroys {destroys}")
        parts += [
            f"- sham: {kind.sham_description}",
            f"- proof: {kind.proof_description}",
            f"- source: {kind.source}",
            "",
            f"![{name}: before, after, sham](images/op_{name}.png)",
        ]
    return "\n".join(parts) + "\n"


def _docstring(kind: type[pt.Operator]) -> list[str]:
    """Return the summary and the prose of an operator's docstring, without its sections."""
    lines = []
    for line in (kind.__doc__ or "").strip().splitlines():
        if line.strip() == "Parameters":
            break
        lines.append(line.strip())
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _plain(value: object) -> str:
    return "–" if value is None else f"`{value}`"


def recipes_text() -> str:
    """Return docs/recipes.md."""
    parts = [
        "# Recipes and suites",
        "",
        "Written by `python docs/generate.py` from the catalogue; `perturb recipes NAME` prints "
        "the same. A range is drawn anew for each clip, from its own keyed stream. Where a step is "
        'at `anchor = "speech"`, `perturb apply` and `perturb split` plan windows over active '
        "speech in the clip, unless `--at` names them; `bank:absent` is a sound of a category that "
        "is not heard in it "
        "(`--set ref=…` names another).",
    ]
    for name in catalogue_names():
        if is_suite(name):
            suite = load_suite(name)
            parts += ["", f"## `{name}` (suite)", "", suite.title + ".", ""]
            parts += ["| condition | what it is |", "|---|---|"]
            parts += [
                f"| `{condition.name}` | {describe_condition(condition)} |"
                for condition in suite.conditions
            ]
            parts += ["", f"Source: {suite.source}."]
            continue
        recipe = load_recipe(name)
        parts += ["", f"## `{name}`", "", recipe.title + ".", ""]
        for item in dump_recipe(recipe)["step"]:
            fields = ", ".join(f"{key} = {_toml(value)}" for key, value in item.items())
            parts.append(f"- `{fields}`")
        parts += ["", _ledger(recipe), "", f"Source: {recipe.source}."]
    return "\n".join(parts) + "\n"


def _ledger(recipe: Recipe) -> str:
    """Return what a recipe keeps and destroys, as a sentence."""
    ledger = recipe_ledger(recipe)
    keeps, destroys = (
        ", ".join(item.replace("_", " ") for item in items) or "nothing"
        for items in (ledger.keeps, ledger.destroys)
    )
    return f"Keeps {keeps}; destroys {destroys}."


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def events_text() -> str:
    """Return docs/events.md."""
    categories = all_categories()
    parts = [
        "# Sound events",
        "",
        "Written by `python docs/generate.py` from the bank; `perturb events list` prints the "
        "same.",
        "",
        f"{len(categories)} categories, each made by a formula and endlessly varied by its seed: "
        "no recordings, no download. `bank:CATEGORY#SEED` names one event wherever a reference is "
        "taken, as in `perturb apply IN.wav -o OUT.wav --op "
        'event:ref="bank:dog_bark#3",snr_db=8@2.0`; a trace records it by its hash. '
        "`--bank PATH` takes recorded clips instead: a folder for each category, or a CSV table "
        "with the columns `filename` and `category`. What cannot be heard is no event: digital "
        "silence, under 1 ms of sound, a constant offset (with nothing within 40 dB of it).",
        "",
        "That a sound is distinct from the others does not make it recognisable as what it is "
        "called. Who or what vouched for a name stands in `recognised_by`: nobody yet. Questions "
        "word such a sound as it is described here.",
        "",
        "![One event of each category: spectrograms, 0 to 8 kHz](images/events.png)",
        "",
        *_distinctness_table(),
    ]
    for family, title in FAMILIES.items():
        parts += ["", f"## {title[0].upper()}{title[1:]}", ""]
        parts += ["| category | how it sounds | seconds |", "|---|---|---|"]
        parts += [
            f"| `{one.name}` | {one.description} | {one.duration_s[0]:g}–{one.duration_s[1]:g} |"
            for one in categories.values()
            if one.family == family
        ]
    return "\n".join(parts) + "\n"


def _distinctness_table() -> list[str]:
    """Return what the plain classifier called the events that it had not heard, by family."""
    found: dict[str, dict[str, int]] = json.loads((HERE / "distinctness.json").read_text("utf-8"))
    families = {name: one.family for name, one in all_categories().items()}
    rows = []
    for family, title in FAMILIES.items():
        answers = {name: called for name, called in found.items() if families[name] == family}
        asked = sum(sum(called.values()) for called in answers.values())
        right = sum(called.get(name, 0) for name, called in answers.items())
        mixed_up = [
            f"{count} `{name}` called `{other}`"
            for name, called in answers.items()
            for other, count in called.items()
            if other != name
        ]
        cells = [title, len(answers), asked, right, "; ".join(mixed_up) or "–"]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return [
        "How distinct they are: linear discriminants over statistics of a mel spectrogram are "
        "taught ten events of each category and asked about four others, each up to 12 dB softer, "
        "half a second longer, in noise 20 to 30 dB under it (`python -m "
        "tests.instruments.distinctness`).",
        "",
        "| family | categories | events asked about | named rightly | mixed up |",
        "|---|---|---|---|---|",
        *rows,
    ]


def mirror_text() -> str:
    """Return docs/mirror.md with its two measured tables, made of what the benchmarks saved."""
    text = (HERE / "mirror.md").read_text("utf-8")
    heard = msgspec.json.decode(
        (HERE / "listening.json").read_bytes(), type=dict[str, ListeningResult]
    )
    verdicts = json.loads((HERE / "mixed_set.json").read_text("utf-8"))
    text = _between_marks(text, "listening", listening_table(heard, "original"))
    return _between_marks(text, "mixed set", _mixed_set_table(verdicts))


def _between_marks(text: str, name: str, table: str) -> str:
    """Return a page with another table between its two comments."""
    start, stop = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = text.partition(start)
    return before + start + table + stop + rest.partition(stop)[2]


def _mixed_set_table(verdicts: list[dict[str, str]]) -> str:
    """Return how many clips of each kind were edited / refused / off target, by operator."""
    counts = Counter((row["kind"], row["operator"], row["status"]) for row in verdicts)
    operators = list(dict.fromkeys(row["operator"] for row in verdicts))
    kinds = list(dict.fromkeys(row["kind"] for row in verdicts))
    header = [f"| kind | clips | {' | '.join(operators)} |", "|---" * (len(operators) + 2) + "|"]
    rows = []
    for kind in [*kinds, "all"]:
        chosen = kinds if kind == "all" else [kind]
        cells = [
            [sum(counts[one, operator, status] for one in chosen) for status in _STATUSES]
            for operator in operators
        ]
        rows.append(
            f"| {kind} | {sum(cells[0])} | "
            + " | ".join("/".join(map(str, cell)) for cell in cells)
            + " |"
        )
    return "\n".join([*header, *rows]) + "\n"


def draw_operator(kind: type[pt.Operator], target: Path) -> None:
    """Draw the sentence before and after an operator, and its sham where it has one of its own."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    clip = pt.Analysis(pt.read_audio(SENTENCE).signal)
    operator = kind.examples()[0]
    placed = operator if operator.needs_whole_clip else operator @ SPAN
    panels = {"original": clip.signal}
    _write_sounds(operator)
    try:
        panels[format_step(Step(operator=operator))] = pt.apply(clip, placed).signal
        if kind.sham_kind == "own":
            panels["its sham"] = pt.apply(clip, placed, sham=True).signal
    except InapplicableError as error:
        panels[f"inapplicable: {error}"] = clip.signal
    figure, axes = plt.subplots(
        2,
        len(panels),
        figsize=(3.6 * len(panels), 3.6),
        squeeze=False,
        sharey="row",
        height_ratios=(1, 2),
    )
    for column, (title, signal) in enumerate(panels.items()):
        rate = signal.sample_rate_hz
        times_s = np.arange(signal.sample_count) / rate
        axes[0, column].plot(times_s, signal.samples[0], linewidth=0.4)
        axes[0, column].set_ylim(-1.0, 1.0)
        axes[0, column].set_title(textwrap.fill(title, 44), fontsize=9)
        axes[1, column].specgram(
            signal.samples[0] + 1e-7 * np.sin(np.arange(signal.sample_count) ** 2),
            NFFT=512,
            Fs=rate / 1000.0,
            noverlap=384,
            xextent=(0.0, signal.duration_s),
            cmap="magma",
            vmin=-110,
            vmax=-40,
        )
        axes[1, column].set_xlabel("time (s)")
    axes[1, 0].set_ylabel("frequency (kHz)")
    figure.tight_layout()
    figure.savefig(target, dpi=70, metadata={"Software": None})
    plt.close(figure)


def _write_sounds(operator: pt.Operator) -> None:
    """Write the files that an example refers to: a bark, the span anew, or another sentence."""
    for reference in operator.references():
        path = Path(reference.removeprefix("file:"))
        if operator.op_name() == "event":
            times_s = np.arange(8_000) / 16_000
            growl = np.sign(np.sin(2 * np.pi * 180 * times_s)) * np.exp(-8 * times_s)
            pt.write_audio(path, pt.Signal.from_array(0.3 * growl, 16_000), OutputFormat())
        elif operator.op_name() == "voice_file":
            ratio = 1.0 if path.stem == "own_voice" else 1.3
            clip = pt.read_audio(SENTENCE).signal
            said = clip.slice(*SPAN.to_samples(clip.sample_rate_hz))
            voice = pt.Voice(pitch_ratio=1.02 * ratio, formant_ratio=1.0 + 0.6 * (ratio - 1.0))
            pt.write_audio(path, pt.apply(said, voice).signal, OutputFormat())
        else:
            path.write_bytes(OTHER.read_bytes())


def main() -> None:
    """Write the pages, and the pictures unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", action="store_true", help="text alone")
    options = parser.parse_args()
    (HERE / "operators.md").write_text(operators_text(), encoding="utf-8")
    (HERE / "recipes.md").write_text(recipes_text(), encoding="utf-8")
    (HERE / "events.md").write_text(events_text(), encoding="utf-8")
    (HERE / "mirror.md").write_text(mirror_text(), encoding="utf-8")
    if not options.text:
        (HERE / "images").mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, kind in all_operators().items():
                draw_operator(kind, HERE / "images" / f"op_{name}.png")
        draw_sheet(GeneratedBank(), HERE / "images" / "events.png")


if __name__ == "__main__":
    main()
