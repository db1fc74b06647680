# What the continuous integration runs, by hand. `make quick` before every commit.
PYTHON ?= python

.PHONY: quick check lint types test bounds nojit benchmarks

quick: lint types
	$(PYTHON) -m pytest -q -m "not slow" -n auto

check: lint types test bounds nojit

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) -m mypy

test:
	$(PYTHON) -m pytest

# Cached code is reused unchecked, so the bounds lane needs an empty cache of its own. Kernels meet
# their twins, every operator and random signals there; the rest has nothing to do with bounds.
bounds:
	rm -rf .numba_cache/bounds
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba_cache/bounds HYPOTHESIS_PROFILE=fast $(PYTHON) -m pytest -q -m "not slow and not golden" tests/reference tests/contract tests/property

# Plain Python, for coverage of the kernels, on inputs of .3 s and less.
nojit:
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q -m "not slow and not golden" tests/reference --cov=perturb.kernels --cov-report=term --cov-fail-under=90

benchmarks:
	$(PYTHON) benchmarks/run.py
