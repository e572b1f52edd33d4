# Writ. Needs Python 3.11, git and make; everything else comes into .venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
BENCH_STAMP := $(VENV)/installed-bench
AUDIT_STAMP := $(VENV)/installed-audit
MUTANTS_STAMP := $(VENV)/installed-mutants
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PACKAGES := engine service workers translations tests bench migrations

# What pytest runs: everything but the soak runs.
TESTS ?= tests
# Four at a time on two cores: many tests wait for servers, browsers and processes of their own.
PYTEST_ARGS ?= -n 4 --dist worksteal

# How long `make mutants` may run, in seconds, and which mutants: patterns of their names. Without any it goes on where it ended.
BUDGET ?= 3600
MUTANTS ?=

# Where compiled modules aren't kept, each of the many processes that tests start compiles all of Writ anew, and pytest its tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install up demo test lint types format words shots audit bench soak mutants lock clean

install: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements-dev.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(BENCH_STAMP): $(STAMP) requirements-bench.txt
	$(PIP) install --require-hashes -r requirements-bench.txt
	touch $@

$(AUDIT_STAMP): $(STAMP) requirements-audit.txt
	$(PIP) install --require-hashes -r requirements-audit.txt
	touch $@

$(MUTANTS_STAMP): $(STAMP) requirements-mutants.txt
	$(PIP) install --require-hashes -r requirements-mutants.txt
	touch $@

up: $(STAMP)
	$(BIN)/writ up

demo: $(STAMP)
	$(BIN)/writ demo $(DEMO_ARGS)

test: lint
	$(MAKE) --no-print-directory -j 2 types compiled
	$(BIN)/python -m pytest -m "not soak" $(PYTEST_ARGS) $(TESTS)

lint: $(STAMP)
	$(BIN)/ruff check $(PACKAGES)
	$(BIN)/ruff format --check $(PACKAGES)
	$(BIN)/lint-imports --no-logo

types: $(STAMP)
	$(BIN)/mypy

# Each process of pytest compiles the tests that nobody has compiled yet, all of them the same ones at the same time: so one does
# it for all, beside mypy, which takes one core and as long. What is wrong with a test is said when they run.
.PHONY: compiled
compiled: $(STAMP)
	@$(BIN)/python -m pytest -m "not soak" -q --collect-only $(TESTS) >/dev/null 2>&1 || true

format: $(STAMP)
	$(BIN)/ruff check --fix $(PACKAGES)
	$(BIN)/ruff format $(PACKAGES)

# Gathers the messages of the source and brings every language's catalogue up to it; LANG=de begins a new one. See docs/words.md.
words: $(STAMP)
	$(BIN)/python -m translations $(if $(filter command line,$(origin LANG)),$(LANG))

# Pictures of every game's table, for looking at, in shots/; SHOTS="fief middle 390" makes only those.
shots: $(STAMP)
	$(BIN)/python -m tests.shots $(SHOTS)

bench: $(BENCH_STAMP)
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/start.py
	$(BIN)/python bench/idle.py
	$(BIN)/python bench/inbox.py
	$(BIN)/python bench/storage.py
	$(BIN)/python bench/scale.py
	$(BIN)/python bench/pipeline.py

# What is known of faults in the locked dependencies. Asks the network; where there is none, it says so and fails.
audit: $(AUDIT_STAMP)
	$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement requirements.txt --progress-spinner off

# Runs of minutes, with processes killed and restarted.
soak: $(STAMP)
	$(BIN)/python -m pytest -m soak $(TESTS)

# Whether the tests of rules notice when a rule is changed; see CONTRIBUTING.md. 124: the budget was used up.
mutants: $(MUTANTS_STAMP)
	set -f; timeout --signal=INT $(BUDGET) nice -n 19 $(BIN)/mutmut run --max-children 1 $(MUTANTS) || [ $$? -eq 124 ]
	$(BIN)/python -m tests.mutants

# The lock files name versions and hashes, and no address to fetch them from: that is the machine's own business.
UV := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate
lock:
	$(UV) --output-file requirements.txt
	$(UV) --extra test --extra build --constraint requirements.txt --output-file requirements-dev.txt
	$(UV) --extra audit --constraint requirements-dev.txt --output-file requirements-audit.txt
	$(UV) --extra bench --constraint requirements-dev.txt --output-file requirements-bench.txt
	$(UV) --extra mutants --constraint requirements-dev.txt --output-file requirements-mutants.txt

clean:
	rm -rf $(VENV) mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis
