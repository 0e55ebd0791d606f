# Everything happens in a virtual environment of its own; only Python >= 3.11 is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test quick fuzz lint format bench clean help

help:            ## Show what can be made.
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "structtree needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

demo: $(STAMP)   ## Set up, and run the main job on embedded data.
	$(BIN)/structtree demo

lint: $(STAMP)   ## Style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint       ## Set up, and run all checks and tests, doctests included.
	$(BIN)/python -m pytest -n auto

quick: $(STAMP)  ## Most tests in little time, stopping at the first failure.
	$(BIN)/python -m pytest -x -n auto -m "not slow"

MINUTES ?= 10
JOBS ?= 1
fuzz: $(STAMP)   ## Laws on new random cases: make fuzz MINUTES=60 JOBS=2; see CONTRIBUTING.md.
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --jobs $(JOBS) \
	  $(if $(SEED),--seed $(SEED)) $(if $(LAW),--law $(LAW)) $(if $(ROUNDS),--rounds $(ROUNDS))

format: $(STAMP) ## Put the style right.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## Measure; see benchmarks/README.md.
	$(BIN)/python benchmarks/reading.py --quick
	$(BIN)/python benchmarks/search.py --quick

clean:           ## Remove what was made.
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
