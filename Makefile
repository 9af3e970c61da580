# Two commands set everything up: `make demo` and `make test`. Each builds .venv first.
PYTHON ?= python3
BIN := .venv/bin
CONSTRAINTS := requirements/constraints.txt

.PHONY: demo test check lint format bench clean

.venv/installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[test,lint]'
	touch $@

demo: .venv/installed  ## compare RSA with its rivals on embedded data
	$(BIN)/holdfast demo

test: .venv/installed  ## everything that must hold
	$(BIN)/pytest

check: .venv/installed  ## what is promised about MNIST; fetches it once, takes minutes
	$(BIN)/pytest checks -rA

lint: .venv/installed  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/installed  ## let the tools decide taste
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv demo runs dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
