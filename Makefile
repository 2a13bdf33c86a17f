# The front door. Everything works on a fresh clone with nothing but Python and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MAXMARGIN_DATA ?= ../shared/data

.PHONY: help demo test check format docs asv bench bench-accuracy bench-count bench-classification bench-cli bench-evolving bench-scale bench-segmentation bench-semi bench-solvers papers clean

help:
	@echo "make demo            cluster the handwritten digits, print a table, draw a picture"
	@echo "make test            run the tests"
	@echo "make check           lint, types and import order"
	@echo "make format          let ruff rewrite the code"
	@echo "make docs            build the documentation in docs/_build"
	@echo "make bench           speed, as ratios to k-means"
	@echo "make bench-accuracy  accuracy without labels, against six other methods"
	@echo "make bench-count     the number of clusters without labels"
	@echo "make bench-classification  reduced support vector machines beside SVC"
	@echo "make bench-cli       what the command adds to a fit: time, memory"
	@echo "make bench-evolving  data that change: real data and speed"
	@echo "make bench-scale     a million rows and more: time, memory, accuracy"
	@echo "make bench-segmentation  photos, beside k-means, mixtures and what people drew"
	@echo "make bench-semi      few labels, beside label spreading and self-training"
	@echo "make bench-solvers   speed of the solvers, and cutting planes over a grid"
	@echo "make papers          every table and figure of the papers; papers-000 ... for one, QUICK=1"
	@echo "make asv             time kernels, searches and estimators with airspeed velocity"
	@echo "make clean           remove .venv and what tests and benchmarks left"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# A stamp for each extra, renewed when pyproject.toml changes.
$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

demo: $(VENV)/plot.stamp
	$(BIN)/python examples/demo.py

# Two processes share the cores: threads of BLAS besides would only wait for each other.
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/plot.stamp $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 $(ARGS)

check: $(VENV)/check.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/check.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W --keep-going -n -q docs docs/_build

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/speed.py

bench-accuracy: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy

bench-count: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy.count

bench-classification: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.classification

bench-cli: $(VENV)/bench.stamp $(VENV)/cli.stamp
	$(BIN)/python benchmarks/cli.py

bench-evolving: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.evolving

bench-segmentation: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.segmentation

bench-semi: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.semi_supervised

bench-solvers: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.solvers

bench-scale: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.scale

papers: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $(if $(QUICK),--quick)

papers-%: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $* $(if $(QUICK),--quick)

# Airspeed velocity keeps what it knows of the machine in the home folder: here, .asv.
asv: $(VENV)/bench.stamp
	@mkdir -p .asv
	HOME=$(CURDIR)/.asv $(BIN)/asv machine --yes
	HOME=$(CURDIR)/.asv $(BIN)/asv run --python=same --quick $(ARGS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .asv
	rm -rf docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
