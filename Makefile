# make demo   watch the shipped recording, and say what was found and where the report is
# make demo-room   the surveillance room with four tables that play the shipped recording, in out/room
# make test   lint, types and tests, as many files side by side as there are cores
# make train-setup   .venv-train, with what training needs besides: PyTorch, Ultralytics, one OpenCV
# make train-test   every training for a few seconds, exported and checked
# make setup  .venv with the command `thirdcard` in it; demo and test do it by themselves
# make lint   lint and types only
# make lowest          .venv-lowest with the lowest versions that pyproject.toml allows: imports, tests of rules and calibration, demo
# make package-check   build sdist and wheel, look into them, and try the wheel in a fresh venv beside Hugging Face's datasets
# make audit  the locked dependencies against the published advisories; what cannot be looked up is said and is no fault
# make lock   requirements.lock anew, from the newest versions that pyproject.toml allows
# make docs   the documentation as a site in build/site; nothing is fetched but MkDocs, once
# make clean  remove everything that make made
#
# Needs make and Python 3.11 or newer; `make PYTHON=/path/to/python3` names another one.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.thirdcard-ready
LOCK_VENV := build/lock-venv
AUDIT_VENV := build/audit-venv
TRAIN_VENV := .venv-train
TRAIN_READY := $(TRAIN_VENV)/.thirdcard-ready
LOWEST := .venv-lowest
LOWEST_READY := $(LOWEST)/.thirdcard-ready

IS_FIT := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	if "$$p" -c '$(IS_FIT)' >/dev/null 2>&1; then echo "$$p"; break; fi; done)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# What a person has set for other projects; where packages come from and which certificates hold stays.
unexport PYTHONPATH PYTHONHOME PYTHONUSERBASE PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON PIP_REQUIRE_VIRTUALENV
unexport PIP_CONSTRAINT PIP_REQUIREMENT PIP_REQUIRE_HASHES PIP_NO_DEPS PIP_DRY_RUN PIP_PRE

.PHONY: setup demo demo-room test train-setup train-test lint types lowest package-check docs lock audit clean
.DEFAULT_GOAL := setup

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer with venv was not found; name one: make PYTHON=/path/to/python3" >&2; exit 2; fi
	@if [ -d $(VENV) ] && ! $(BIN)/python -c '$(IS_FIT)' >/dev/null 2>&1; then rm -rf $(VENV); fi
	@echo "Setting up $(VENV) (once; a few hundred megabytes are fetched) ..."
	@[ -x $(BIN)/python ] || "$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --requirement requirements.lock
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	@$(BIN)/thirdcard watch datasets/demo --out out/demo

demo-room: $(READY)
	@$(BIN)/thirdcard serve --demo --home out/room

test: lint types
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

train-setup: $(TRAIN_READY)

$(TRAIN_READY): requirements.lock requirements-train.lock pyproject.toml
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer with venv was not found; name one: make PYTHON=/path/to/python3" >&2; exit 2; fi
	@echo "Setting up $(TRAIN_VENV) (once; about a gigabyte, more for a GPU) ..."
	@[ -x $(TRAIN_VENV)/bin/python ] || "$(PYTHON)" -m venv $(TRAIN_VENV)
	@$(TRAIN_VENV)/bin/python -m pip install --quiet --requirement requirements.lock
	@PYTHONWARNINGS=ignore $(TRAIN_VENV)/bin/python -m pip install --quiet --constraint requirements.lock \
		--constraint requirements-train.lock --no-build-isolation --editable ".[train]"
	@$(TRAIN_VENV)/bin/python -m pip install --quiet --no-deps --requirement requirements-train.lock
	@touch $@

train-test: $(TRAIN_READY)
	$(TRAIN_VENV)/bin/python -m pytest tests/training

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

lowest: $(LOWEST_READY)
	@$(LOWEST)/bin/python tests/packaging/installed.py
	@$(LOWEST)/bin/python -m pytest -n 2 tests/rules tests/calibration tests/service/cli/test_lazy_group.py tests/service/web/test_rounds.py tests/service/notify/test_people.py

$(LOWEST_READY): pyproject.toml tests/packaging/lowest_versions.py $(READY)
	@rm -rf $(LOWEST)
	@mkdir -p build
	@$(BIN)/python -m tests.packaging.lowest_versions > build/lowest.txt
	@echo "Setting up $(LOWEST) with the lowest versions that pyproject.toml allows ..."
	@$(BIN)/python -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --only-binary :all: --requirement build/lowest.txt pytest pytest-xdist hypothesis packaging httpx2 "setuptools>=77"
	@PYTHONWARNINGS=ignore $(LOWEST)/bin/python -m pip install --quiet --constraint build/lowest.txt --no-build-isolation --editable .
	@touch $@

package-check: $(READY)
	@$(BIN)/python -m tests.packaging.wheel_check

docs: $(READY)
	@$(BIN)/python -c "import mkdocs" 2>/dev/null || $(BIN)/python -m pip install --quiet "mkdocs>=1.6"
	@$(BIN)/mkdocs build --strict

lock:
	rm -rf $(LOCK_VENV)
	"$(PYTHON)" -m venv $(LOCK_VENV)
	$(LOCK_VENV)/bin/python -m pip install --quiet --upgrade setuptools --editable ".[dev,fleet,pkcs11]"
	head -n 2 requirements.lock > build/requirements.lock
	$(LOCK_VENV)/bin/python -m pip freeze --all --exclude-editable --exclude pip >> build/requirements.lock
	mv build/requirements.lock requirements.lock

audit: $(READY)
	@[ -x $(AUDIT_VENV)/bin/pip-audit ] || { "$(PYTHON)" -m venv $(AUDIT_VENV) && \
		$(AUDIT_VENV)/bin/python -m pip install --quiet --timeout 15 --retries 1 "pip-audit>=2.7"; } \
		|| { echo "Not audited: pip-audit could not be installed."; exit 0; }; \
		[ ! -x $(AUDIT_VENV)/bin/pip-audit ] || $(BIN)/python -m tests.packaging.audit $(AUDIT_VENV)/bin/pip-audit requirements.lock

clean:
	rm -rf $(VENV) $(TRAIN_VENV) $(LOWEST) build out runs *.egg-info src/*.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
