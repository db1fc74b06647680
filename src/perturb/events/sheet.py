"""The event sheet: a spectrogram of one event of each category, in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from perturb.errors import ParameterError
from perturb.events.bank import EventBank

__all__ = ["draw_sheet"]

_COLUMNS = 9
_RATE_HZ = 16_000
_RANGE_DB = 60.0
_FLOOR = 1e-7
_COLOURS = 48


def draw_sheet(bank: EventBank, target: Path, seed: int = 0) -> int:
    """Draw one event of each category of a bank, 0 to 8 kHz, 60 dB deep, and return how many.

    Parameters
    ----------
    bank : EventBank
        Any bank.
    target : Path
        A .png file; replaced where it exists.
    seed : int
        Seed of every event.

    Raises
    ------
    ParameterError
        matplotlib is not there, or `target` is no .png.
    """
    if target.suffix.lower() != ".png":
        raise ParameterError(f"output {target} is no .png; accepted: a name that ends in .png")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from PIL import Image
    except ImportError:
        raise ParameterError("the sheet needs matplotlib: pip install matplotlib") from None

    names = bank.categories()
    rows = -(-len(names) // _COLUMNS)
    figure = Figure(figsize=(1.35 * _COLUMNS, 1.15 * rows + 0.2))
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.subplots(rows, _COLUMNS, squeeze=False)
    for number, axis in enumerate(axes.flat):
        if number >= len(names):
            axis.axis("off")
            continue
        _draw(axis, bank, names[number], seed)
    figure.tight_layout(pad=0.4)
    target.parent.mkdir(parents=True, exist_ok=True)
    canvas.draw()
    # A palette makes the picture a sixth of the size; matplotlib brings Pillow with it.
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    picture.quantize(_COLOURS).save(target, optimize=True)
    return len(names)


def _draw(axis: Any, bank: EventBank, name: str, seed: int) -> None:
    event = bank.render(name, seed, _RATE_HZ)
    samples = np.pad(event.samples[0].astype(np.float64), 256)
    frames = np.lib.stride_tricks.sliding_window_view(samples, 512)[::128] * np.hanning(512)
    levels = 20.0 * np.log10(np.abs(np.fft.rfft(frames, axis=1)).T + _FLOOR)
    axis.imshow(
        levels,
        origin="lower",
        aspect="auto",
        cmap="magma",
        vmin=levels.max() - _RANGE_DB,
        vmax=levels.max(),
        extent=(0.0, event.duration_s, 0.0, _RATE_HZ / 2_000),
    )
    axis.set_title(name, fontsize=6, pad=2)
    axis.tick_params(labelsize=4, length=1, pad=1)
