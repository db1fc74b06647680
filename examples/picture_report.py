"""Draw the pictures of docs/report.md: the page of an example, and two of its figures.

    python examples/picture_report.py [FOLDER]

Needs the program `chromium`. FOLDER keeps what examples/score_and_report.py makes on the way.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from perturb.cli.app import run

sys.path.insert(0, str(Path(__file__).parent))
import score_and_report

PICTURES = Path(__file__).parents[1] / "docs" / "images"
FIGURES = {"model-2-probe-sham": "report_probe_sham", "model-2-dose-1": "report_dose"}
SIZE = (1280, 2000)


def draw(folder: Path) -> None:
    """Make the example in `folder`, and its pictures."""
    score_and_report.main(folder)
    page, figures = folder / "report.html", folder / "figures"
    run(["report", str(folder / "split"), "-o", str(page), "--figures", str(figures)])
    for name, picture in FIGURES.items():
        shutil.copyfile(figures / f"{name}.svg", PICTURES / f"{picture}.svg")
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                f"--user-data-dir={profile}",
                f"--window-size={SIZE[0]},{SIZE[1]}",
                f"--screenshot={PICTURES / 'report.png'}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            draw(Path(scratch))
