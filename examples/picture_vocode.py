"""Draw a sentence, its vocoded version and the sham: spectrogram, pitch and level.

    python examples/picture_vocode.py [IN.wav] [OUT.png]

Needs matplotlib, from the test extra. The picture of the README is made by this script.
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
SENTENCE = HERE / "audio" / "librivox" / "sense-and-sensibility-0880.wav"
PICTURE = HERE.parent / "docs" / "images" / "vocode.png"


def draw(source: Path, target: Path) -> None:
    """Edit `source` twice and draw the three clips side by side."""
    clip = pt.Analysis(pt.read_audio(source).signal)
    probe = pt.apply(clip, pt.Vocode(), seed=0)
    sham = pt.apply(clip, pt.Vocode(), seed=0, sham=True)
    columns = {
        "original": clip,
        "vocoded: melody without words": pt.Analysis(probe.signal),
        "sham: the same excitation, the words again": pt.Analysis(sham.signal),
    }
    figure, axes = plt.subplots(
        3, 3, figsize=(12, 6.4), sharex=True, sharey="row", height_ratios=(2.2, 1, 1)
    )
    for column, (title, analysis) in enumerate(columns.items()):
        _draw_column(axes[:, column], title, analysis)
    for row, label in enumerate(("frequency (kHz)", "pitch (Hz)", "level (dB)")):
        axes[row, 0].set_ylabel(label)
    for axis in axes[2]:
        axis.set_xlabel("time (s)")
    figure.tight_layout()
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=90, metadata={"Software": None})
    plt.close(figure)


def _draw_column(axes: np.ndarray, title: str, analysis: pt.Analysis) -> None:
    rate = analysis.signal.sample_rate_hz
    axes[0].set_title(title, fontsize=10)
    axes[0].specgram(
        analysis.mono,
        NFFT=512,
        Fs=rate / 1000.0,
        noverlap=448,
        xextent=(0.0, analysis.signal.duration_s),
        cmap="magma",
        vmin=-110,
        vmax=-40,
    )
    axes[0].set_ylim(0.0, min(8.0, rate / 2000.0))
    track = analysis.f0_judge
    pitch = np.where(track.f0_hz > 0.0, track.f0_hz, np.nan)
    axes[1].plot(track.times_s, pitch, ".", markersize=2.5, color="tab:blue")
    axes[1].grid(alpha=0.3)
    level = np.maximum(analysis.level_contour_db, -80.0)
    axes[2].plot(np.arange(len(level)) * 0.005, level, linewidth=1.0, color="tab:green")
    axes[2].set_ylim(-80.0, 0.0)
    axes[2].grid(alpha=0.3)


if __name__ == "__main__":
    arguments = [Path(argument) for argument in sys.argv[1:]]
    draw(*(arguments + [SENTENCE, PICTURE][len(arguments) :]))
