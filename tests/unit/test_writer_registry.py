"""Writers are found by name, and only the one that is asked for is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from perturb.benchmark.writers.registry import find_writer, writer_names
from perturb.errors import ParameterError


def test_every_name_finds_a_writer_that_keeps_the_protocol():
    assert {"inspect", "source"} <= set(writer_names())
    for name in writer_names():
        writer = find_writer(name)
        assert writer.name == name
        assert all(callable(getattr(writer, verb)) for verb in ("check", "write", "verify"))


def test_an_unknown_name_says_which_there_are_and_which_is_nearest():
    with pytest.raises(ParameterError, match=r"'inspct'; did you mean 'inspect'\? accepted: .*sou"):
        find_writer("inspct")
    for name in ("linking", "registry", "", "../source", "__init__"):
        with pytest.raises(ParameterError, match=r"accepted: .*inspect.*source"):
            find_writer(name)


def test_finding_one_writer_imports_no_other():
    code = (
        "import sys; from perturb.benchmark.writers.registry import find_writer; "
        "find_writer('source'); "
        "names = [name for name in sys.modules if name.startswith('perturb.benchmark.writers.')]; "
        "print(sorted(name.rsplit('.', 1)[-1] for name in names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['checking', 'linking', 'placing', 'registry', 'source']"
