"""What the mirror's operators make of clips of every kind: edited, refused, or off target.

    python benchmarks/mixed.py [--save]

The clips are those of tests/instruments/mixed_set.py. `--save` writes the verdicts to
docs/mixed_set.json, of which `python docs/generate.py` makes the table in docs/mirror.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.instruments.mixed_set import mixed_set  # noqa: E402
from tests.instruments.mixed_verdicts import OPERATORS, verdict  # noqa: E402

import perturb as pt  # noqa: E402

TARGET = ROOT / "docs" / "mixed_set.json"


def main() -> None:
    """Print each verdict that is not ok, and save them all where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", action="store_true", help=f"write {TARGET.name}")
    options = parser.parse_args()
    rows = []
    for kind, name, signal in mixed_set():
        clip = pt.Analysis(signal)
        for operator in OPERATORS:
            status, reason = verdict(operator, clip)
            rows.append({"kind": kind, "clip": name, "operator": operator, "status": status})
            if status != "ok":
                rows[-1]["reason"] = reason
                print(f"{kind} | {name} | {operator}: {status}: {reason}", flush=True)
    for operator in OPERATORS:
        found = [row["status"] for row in rows if row["operator"] == operator]
        print(operator, {status: found.count(status) for status in sorted(set(found))})
    if options.save:
        TARGET.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", "utf-8")


if __name__ == "__main__":
    main()
