"""Pages in headless Chromium: what they ask for, what they complain of, where everything lies."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

__all__ = ["NEED_CHROMIUM", "measure", "open_page"]

_PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
_NOBODY = "not an origin"

NEED_CHROMIUM = pytest.mark.skipif(
    "CI" not in os.environ and shutil.which(_PROGRAM) is None,
    reason="chromium is not installed: NOT TESTED (apt-get install chromium)",
)
"""The mark of tests that need the browser: skipped aloud where it is missing, never in CI."""


def open_page(page: Path) -> tuple[list[str], list[str]]:
    """Return what a page says to the console, and the addresses that it asks the network for."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "net.json"
        _, said = _run(page.as_uri(), scratch, f"--log-net-log={log}")
        recorded = json.loads(log.read_text())["events"]
    console = [line for line in said.splitlines() if ":CONSOLE" in line]
    # The browser asks on its own account too; what a page asks for has an origin.
    params = [event.get("params", {}) for event in recorded]
    asked = [
        each["url"]
        for each in params
        if "url" in each and each.get("initiator", _NOBODY) != _NOBODY
    ]
    return console, asked


def measure(pages: dict[str, str], widths: tuple[int, ...], scratch: Path) -> dict[str, Any]:
    """Return what a script finds in each page at each width; see `_SCRIPT`.

    The pages stand in frames of that width, unchanged, their own policy in force.
    """
    frames = "".join(
        f'<iframe name="{name} {width}" srcdoc="{html.escape(text)}" '
        f'style="width:{width}px;height:900px;border:0"></iframe>'
        for name, text in pages.items()
        for width in widths
    )
    harness = scratch / "harness.html"
    harness.write_text(
        f'<!doctype html><meta charset="utf-8"><pre></pre>{frames}<script>{_SCRIPT}</script>',
        encoding="utf-8",
    )
    with tempfile.TemporaryDirectory() as profile:
        dumped, said = _run(harness.as_uri(), profile, "--dump-dom")
    found = re.search(r"<pre>(.+?)</pre>", dumped, re.DOTALL)
    assert found, said
    measured: dict[str, Any] = json.loads(html.unescape(found.group(1)))
    return measured


def _run(address: str, profile: str, *flags: str) -> tuple[str, str]:
    words = [_PROGRAM, *_FLAGS, f"--user-data-dir={profile}/profile", *flags]
    if not any(flag.startswith("--dump") for flag in flags):
        words.append(f"--screenshot={profile}/page.png")
    done = subprocess.run(
        [*words, address], capture_output=True, text=True, timeout=100, check=True
    )
    return done.stdout, done.stderr


# For each frame: how far the page is wider than the frame; boxes of figures; texts that leave their
# drawing or cover each other by more than a pixel; texts of the page that stick out of their box.
_SCRIPT = """
const box = (element) => element.getBoundingClientRect();
const isShown = (element) => element.getClientRects().length > 0;
function covering(texts) {
  const found = [];
  const boxes = texts.map((text) => [text.textContent, box(text)]);
  boxes.sort((one, other) => one[1].top - other[1].top);
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length && boxes[j][1].top < boxes[i][1].bottom - 1.5; j++) {
      const [a, b] = [boxes[i][1], boxes[j][1]];
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1) {
        found.push([boxes[i][0], boxes[j][0]]);
      }
    }
  }
  return found;
}
function look(page) {
  const root = page.documentElement;
  const drawings = [...page.querySelectorAll("svg.figure")].filter(isShown);
  const outside = [];
  let overlaps = [];
  for (const drawing of drawings) {
    const paper = box(drawing);
    const texts = [...drawing.querySelectorAll("text")];
    overlaps = overlaps.concat(covering(texts));
    for (const text of texts) {
      const at = box(text);
      const sticks = at.left < paper.left - 1 || at.right > paper.right + 1;
      if (sticks || at.top < paper.top - 1 || at.bottom > paper.bottom + 1) {
        outside.push(text.textContent);
      }
    }
  }
  const clipped = [...page.querySelectorAll("h1, h2, h3, p, li, dd, dt, a, .pill")]
    .filter((element) => isShown(element) && !element.closest(".scroll"))
    .filter((element) => box(element).right > root.clientWidth + 1)
    .map((element) => element.textContent);
  return {
    overflow: root.scrollWidth - root.clientWidth,
    figures: page.querySelectorAll("figure").length,
    boxes: drawings.map((drawing) => [box(drawing).width, box(drawing).height]),
    texts: drawings.reduce((sum, each) => sum + each.querySelectorAll("text").length, 0),
    outside, overlaps, clipped,
  };
}
addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    found[frame.name] = look(frame.contentDocument);
  }
  document.querySelector("pre").textContent = JSON.stringify(found);
});
"""
