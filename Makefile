# Writ. Needs Python 3.11, git and make; everything else comes into .venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Of this version of Python, 3.11 say: a .venv of another one is made again. Empty where there is none that can be used.
VERSION := $(shell $(if $(PYTHON),$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1); print("%d.%d" % sys.version_info[:2])') 2>/dev/null)
STAMP := $(VENV)/installed-$(VERSION)
BENCH_STAMP := $(STAMP)-bench
AUDIT_STAMP := $(STAMP)-audit
MUTANTS_STAMP := $(STAMP)-mutants
DOCS_STAMP := $(STAMP)-docs
PIP := $(BIN)/python -m pip --disable-pip-version-check
PACKAGES := engine service workers translations tests bench migrations deploy

# What pytest runs: everything but the soak runs.
TESTS ?= tests
# Four at a time on two cores: many tests wait for servers, browsers and processes of their own.
PYTEST_ARGS ?= -n 4 --dist worksteal

# How long `make mutants` may run, in seconds, and which mutants: patterns of their names. Without any it goes on where it ended.
BUDGET ?= 3600
MUTANTS ?=

# Where compiled modules aren't kept, each of the many processes that tests start compiles all of Writ anew, and pytest its tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install up demo test lint types format words shots docs audit bench soak mutants wheel lock clean

install: $(STAMP)

$(STAMP): requirements-dev.txt pyproject.toml
	@test -n "$(VERSION)" || { echo "Writ needs Python 3.11 or newer, and $(if $(PYTHON),$(PYTHON) is older or is not there,there is no python3 here); name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make a virtual environment; install its module venv (on Debian and Ubuntu: apt install python$(VERSION)-venv)." >&2; exit 1; }
	@if [ -e $(VENV) ] && ! $(BIN)/python -c 'import pip, sys; sys.exit("%d.%d" % sys.version_info[:2] != "$(VERSION)")' 2>/dev/null; then \
	    echo "The .venv that is here is unfinished or of another Python: it is made again."; rm -rf $(VENV); fi
	@echo "1/3 Making $(VENV) with Python $(VERSION)"
	@$(PYTHON) -m venv $(VENV)
	@echo "2/3 Fetching and installing the locked packages (the first time this takes a few minutes)"
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@echo "3/3 Installing the writ command"
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "Installed."

$(BENCH_STAMP): $(STAMP) requirements-bench.txt
	$(PIP) install --require-hashes -r requirements-bench.txt
	touch $@

$(AUDIT_STAMP): $(STAMP) requirements-audit.txt
	$(PIP) install --require-hashes -r requirements-audit.txt
	touch $@

$(MUTANTS_STAMP): $(STAMP) requirements-mutants.txt
	$(PIP) install --require-hashes -r requirements-mutants.txt
	touch $@

$(DOCS_STAMP): $(STAMP) requirements-docs.txt
	$(PIP) install --require-hashes -r requirements-docs.txt
	touch $@

up: $(STAMP)
	@echo "Starting Writ; the first start takes some seconds longer."
	@$(BIN)/writ up

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

# The documentation as a site, in site/. A page that is missing, or a link that leads nowhere, is an error. The variable switches
# off what the theme says about other tools.
.PHONY: docs
docs: $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: $(BENCH_STAMP)
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/start.py
	$(BIN)/python bench/idle.py
	$(BIN)/python bench/inbox.py
	$(BIN)/python bench/storage.py
	$(BIN)/python bench/scale.py
	$(BIN)/python bench/pipeline.py
	$(BIN)/python bench/odds.py --battles 3000

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

# The package, for a separate environment: see docs/installing.md. Its dependencies are locked in requirements.txt.
wheel:
	$(PYTHON) -m venv dist/venv
	dist/venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r requirements-build.txt
	rm -f dist/writ-*.whl
	dist/venv/bin/python -m hatchling build --target wheel --directory dist

# The lock files name versions and hashes, and no address to fetch them from: that is the machine's own business.
UV := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate
lock:
	$(UV) --output-file requirements.txt
	$(UV) --extra test --extra build --constraint requirements.txt --output-file requirements-dev.txt
	$(UV) --extra audit --constraint requirements-dev.txt --output-file requirements-audit.txt
	$(UV) --extra bench --constraint requirements-dev.txt --output-file requirements-bench.txt
	$(UV) --extra docs --constraint requirements-dev.txt --output-file requirements-docs.txt
	$(UV) --extra mutants --constraint requirements-dev.txt --output-file requirements-mutants.txt
	echo hatchling | $(subst pyproject.toml,-,$(UV)) --constraint requirements-dev.txt --output-file requirements-build.txt

clean:
	rm -rf $(VENV) mutants site .mypy_cache .ruff_cache .pytest_cache .hypothesis
