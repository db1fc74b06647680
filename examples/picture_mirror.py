"""Draw a sentence before and after the operators that keep its words: pitch and level.

    python examples/picture_mirror.py [IN.wav] [OUT.png]

Pitch is that of the second algorithm, which has no part in the edits. Needs matplotlib, from the
test extra. The picture of docs/mirror.md is made by this script.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

import perturb as pt

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
SENTENCE = HERE / "audio" / "librivox" / "sense-and-sensibility-0890.wav"
OTHER = HERE / "audio" / "librivox" / "sense-and-sensibility-0930.wav"
PICTURE = HERE.parent / "docs" / "images" / "mirror.png"


def draw(source: Path, target: Path) -> None:
    """Edit `source` by each operator and draw pitch and level over those of the original."""
    clip = pt.Analysis(pt.read_audio(source).signal)
    columns = {
        "monotone": (pt.Monotone(), False),
        "exaggerate, 1.8 ×": (pt.Exaggerate(), False),
        "contour of another sentence": (pt.Contour(ref=f"file:{OTHER}", register="own"), False),
        "sham of the three": (pt.Monotone(), True),
        "whisper": (pt.Whisper(), False),
        "flat_intensity": (pt.FlatIntensity(), False),
    }
    figure, axes = plt.subplots(
        2, len(columns), figsize=(3.2 * len(columns), 4.4), sharex=True, sharey="row"
    )
    for column, (title, (operator, is_sham)) in enumerate(columns.items()):
        edited = pt.Analysis(pt.apply(clip, operator, seed=0, sham=is_sham).signal)
        axes[0, column].set_title(title, fontsize=10)
        for analysis, colour in ((clip, "0.7"), (edited, "tab:blue")):
            track = analysis.f0_judge
            pitch_hz = np.where(track.f0_hz > 0.0, track.f0_hz, np.nan)
            axes[0, column].plot(track.times_s, pitch_hz, ".", markersize=2.5, color=colour)
            level_db = np.maximum(analysis.level_contour_db, -80.0)
            times_s = np.arange(len(level_db)) * 0.005
            axes[1, column].plot(times_s, level_db, linewidth=0.8, color=colour)
        axes[1, column].set_xlabel("time (s)")
    axes[0, 0].set_yscale("log", base=2)
    axes[0, 0].set_yticks([60, 80, 120, 160, 240], [60, 80, 120, 160, 240])
    axes[0, 0].set_ylabel("pitch (Hz)")
    axes[1, 0].set_ylabel("level (dB)")
    axes[0, 0].set_ylim(55.0, 300.0)
    for axis in axes.flat:
        axis.grid(alpha=0.3)
    figure.tight_layout()
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=80, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    draw(*(arguments + [SENTENCE, PICTURE][len(arguments) :]))
