# All targets work on a fresh clone with nothing but Python and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MAXMARGIN_DATA ?= ../shared/data
FUZZ_SEED ?= $(shell date +%s)

.PHONY: help demo test fuzz check format docs asv bench bench-accuracy bench-count bench-classification bench-cli bench-evolving bench-neighbors bench-scale bench-segmentation bench-semi bench-solvers papers clean

help:
	@echo "make demo                   cluster the handwritten digits, print a table, write demo/digits.png"
	@echo "make test                   run the tests"
	@echo "make fuzz                   10,000 generated inputs and 2,000 tables; FUZZ_SEED=1 repeats a run"
	@echo "make check                  run the linter, the type checker and the import contract"
	@echo "make format                 format the code with ruff"
	@echo "make docs                   build the documentation in docs/_build"
	@echo "make bench                  time of a fit, as a ratio to k-means"
	@echo "make bench-accuracy         accuracy and stability without labels, beside six methods"
	@echo "make bench-count            estimates of the number of clusters"
	@echo "make bench-classification   reduced support vector machines beside SVC"
	@echo "make bench-cli              time and memory that the command adds to a fit"
	@echo "make bench-evolving         evolving data: accuracy on real data, and speed"
	@echo "make bench-neighbors        approximate nearest neighbours: time and recall"
	@echo "make bench-scale            time, memory and accuracy for up to ten million rows"
	@echo "make bench-segmentation     segments of photos and strokes, beside seven methods"
	@echo "make bench-semi             accuracy with few labels, beside label spreading and others"
	@echo "make bench-solvers          speed of the published algorithms"
	@echo "make papers                 tables and figures of the papers; papers-000 for one, QUICK=1"
	@echo "make asv                    time kernels, searches and estimators with asv"
	@echo "make clean                  remove .venv, caches and generated files"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# A stamp for each extra, renewed when pyproject.toml changes.
$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

demo: $(VENV)/plot.stamp
	$(BIN)/python examples/demo.py

# Two test processes share the cores, so BLAS has one thread in each.
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/plot.stamp $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 $(ARGS)

# Long runs of the generated inputs; without MAXMARGIN_FUZZ, make test has a few of them.
fuzz: export OMP_NUM_THREADS = 1
fuzz: export OPENBLAS_NUM_THREADS = 1
fuzz: export MAXMARGIN_FUZZ_SEED = $(FUZZ_SEED)
fuzz: $(VENV)/plot.stamp $(VENV)/test.stamp
	@echo "seed $(FUZZ_SEED)"
	MAXMARGIN_FUZZ=10000 $(BIN)/python -m pytest -n 2 -q tests/fuzz $(ARGS)
	MAXMARGIN_FUZZ=2000 $(BIN)/python -m pytest -n 2 -q --timeout=0 tests/tables $(ARGS)

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
	$(BIN)/python -m benchmarks.accuracy --only accuracy stability scaling probability $(ARGS)
	$(BIN)/python -m benchmarks.accuracy report

bench-count: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy --only count structure $(ARGS)
	$(BIN)/python -m benchmarks.accuracy report

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

bench-neighbors: export OMP_NUM_THREADS = 1
bench-neighbors: export OPENBLAS_NUM_THREADS = 1
bench-neighbors: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/neighbors.py

bench-scale: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.scale

papers: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $(if $(QUICK),--quick)

papers-%: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $* $(if $(QUICK),--quick)

# asv stores the description of the machine in the home folder, here .asv.
asv: $(VENV)/bench.stamp
	@mkdir -p .asv
	HOME=$(CURDIR)/.asv $(BIN)/asv machine --yes
	HOME=$(CURDIR)/.asv $(BIN)/asv run --python=same --quick $(ARGS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .asv
	rm -rf demo docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
