"""What is written is true: every example in a docstring runs, every command of the README works."""

from __future__ import annotations

import doctest
import importlib
import io
import pkgutil
import re
import shlex
import shutil
from pathlib import Path

import pytest

import perturb
from perturb.cli.app import run

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(perturb.__path__, "perturb.")
    if not module.name.endswith("__main__")
)


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of the README in one of the languages (a regular expression)."""
    fences = re.findall(rf"^```(?:{language})\n(.*?)^```$", README.read_text(), re.M | re.S)
    return [str(block) for block in fences]


def commands() -> list[str]:
    """Return every command line in the README's console blocks, prompts and comments taken off."""
    found = []
    for block in blocks("console|bash|sh|shell"):
        for line in block.replace("\\\n", " ").splitlines():
            text = line.strip().removeprefix("$ ")
            if text and not text.startswith("#"):
                found.append(" ".join(text.split()))
    return found


def perturb_commands() -> list[str]:
    """Return those that run perturb, alone or at the end of a set-up command."""
    parts = [part.strip() for line in commands() for part in line.split("&&")]
    return [part for part in parts if part.startswith("perturb ")]


# Docstrings.


@pytest.mark.parametrize("name", ["perturb", *MODULES])
def test_examples_in_docstrings(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    for example in _finder().find(module, name, module=module):
        printed = io.StringIO()
        runner.run(example, out=printed.write)
        assert not printed.getvalue(), printed.getvalue()


def _finder() -> doctest.DocTestFinder:
    class Finder(doctest.DocTestFinder):
        def _from_module(self, module, value):  # compiled kernels are no functions to it
            try:
                return super()._from_module(module, value)
            except ValueError:
                return False

    return Finder(exclude_empty=True)


def test_there_are_examples():
    with_examples = [
        name
        for name in MODULES
        if any(example.examples for example in _finder().find(importlib.import_module(name), name))
    ]
    assert len(with_examples) >= 15


# The README.


def test_the_two_set_up_commands_are_there():
    found = commands()
    install = [line for line in found if line.startswith("pip install . && perturb apply ")]
    assert len(install) == 1, "the README's first command: pip install . && perturb apply …"
    assert "--op vocode" in install[0]
    assert "pip install -e '.[test]' && pytest" in found
    assert sum("pip install" in line for line in found) == 2, "two commands do all the set-up"


def test_ci_runs_the_readmes_test_command():
    lines = [line.strip() for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    assert "pip install -e '.[test]' && pytest" in lines, "word for word, as the README has it"


def test_the_readme_shows_every_kind_of_command():
    shown = {shlex.split(command)[1] for command in perturb_commands()}
    assert {"apply", "ops", "measure", "verify", "replay", "split"} <= shown


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        if "://" not in target:
            assert (ROOT / target).exists(), f"README.md links to {target}"


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Return a folder with the examples in it, and the files that the README speaks of."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    clips = sorted((ROOT / "examples" / "audio" / "librivox").glob("*.wav"))
    shutil.copy(clips[0], tmp_path / "in.wav")
    (tmp_path / "clips" / "more").mkdir(parents=True)
    shutil.copy(clips[1], tmp_path / "clips")
    shutil.copy(clips[1], tmp_path / "clips" / "more")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_commands_of_the_readme_run(workplace, capsys):
    assert perturb_commands()
    for command in perturb_commands():
        words = shlex.split(command, comments=True)[1:]
        code = run(words)
        printed = capsys.readouterr()
        assert code == 0, f"{command}\nended with {code}\n{printed.out}{printed.err}"
        if "-o" in words:
            assert Path(words[words.index("-o") + 1]).exists(), command


@pytest.mark.slow
def test_the_python_of_the_readme_runs(workplace, capsys):
    assert blocks("python")
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out
