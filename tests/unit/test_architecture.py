"""The import arrows of the package point one way; modules stay small."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "perturb"

# From the ground up: a layer may import those below it, and its own neighbours' files.
LAYERS = [
    {"errors", "_version"},
    {"record"},
    {"signal"},
    {"span"},
    {"time_piece"},
    {"time_map", "streams", "audio_io"},
    {"kernels"},
    {"measure"},
    {"synthesis"},
    {"operators", "events"},
    {"plan"},
    {"render", "recipes"},
    {"benchmark", "execution"},
    {"anchors"},
    {"split"},
    {"score"},
    {"testing", "report"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# `perturb/__init__.py` is the public face: it names what lies in every layer, lazily.
FACE = "__init__"
# Slow to import: never at the top of a module, so that only those who need them pay.
LAZY = {
    "scipy.signal",
    "scipy.optimize",
    "scipy.stats",
    "pyloudnorm",
    "webrtcvad",
    "rich",
    "pyarrow",
    "pocketsphinx",
}

MODULES = sorted(SOURCE.rglob("*.py"))


def _part(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0].removesuffix(".py")


def _imports(path: Path) -> list[tuple[str, bool]]:
    """Return the modules imported, and whether at the top of the file (not for typing alone)."""
    tree = ast.parse(path.read_text())
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    top = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found += [(name, id(node) in top and id(node) not in typing_only) for name in names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    part = _part(path)
    if part == FACE:
        return
    assert part in LEVEL, f"{part} has no layer: draw its arrow here and in ARCHITECTURE.md"
    for name, _ in _imports(path):
        if not name.startswith("perturb."):
            continue
        target = name.split(".")[1]
        if target not in LEVEL:
            continue  # a name from the face itself
        assert target == part or LEVEL[target] < LEVEL[part], f"{path.name} imports {name}"


def test_no_part_imports_the_public_face():
    for path in MODULES:
        if _part(path) != FACE:
            assert all(name != "perturb" for name, _ in _imports(path)), path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_slow_imports_are_lazy(path):
    for name, is_at_top in _imports(path):
        is_slow = any(name == slow or name.startswith(f"{slow}.") for slow in LAZY)
        assert not (is_slow and is_at_top), f"{path.name} imports {name} at the top"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_small(path):
    assert len(path.read_text().splitlines()) <= 300
    assert path.stem not in {"utils", "helpers", "common", "misc"}


def test_gpl_packages_stay_out():
    forbidden = {"parselmouth", "resemblyzer"}
    for path in MODULES:
        assert not {name.split(".")[0] for name, _ in _imports(path)} & forbidden


def test_import_is_light():
    import subprocess

    code = (
        "import sys, perturb, perturb.cli.app; "
        "print(sorted({'numba', 'scipy', 'soundfile', 'rich', 'pyloudnorm'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
