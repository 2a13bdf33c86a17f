"""What section 3.2 and section 5 of paper 003 leave to future work, measured.

- The speed at which shaking decreases. The paper halves the claims from round to round,
  says that a linear decrease was less successful, and leaves a parameter to later work.
- Steps on small local subsets, beside what large sets have by default: a search on some
  of the samples, a classifier, and passes over the others.
- Semi-supervised search: classes claim samples from the vicinity of given labels, and
  single moves follow, beside `SemiSupervisedMaxMargin`, which spreads the labels.
"""

import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.data.suite import load_dataset
from benchmarks.papers.p003.claiming import claim_labels
from benchmarks.papers.p003.data import load
from benchmarks.papers.p003.methods import smoother_matrix
from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.engine.candidates import KERNEL_OBJECTIVE
from maxmargin.published import LeastSquaresMaxMarginClustering
from maxmargin.rows.sample import draw_sample
from maxmargin.search.balance import make_balance
from maxmargin.search.constrained import constrained_search
from maxmargin.search.constraints import make_constraints, satisfy_constraints
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.runs import default_starts, random_labels, run_search
from maxmargin.smoothers.degrees_of_freedom import auto_degrees
from maxmargin.smoothers.scaled_graph import graph_inverse

TITLE = "Paper 003, future work: speed of shaking, local subsets, claiming"

DECAYS = (1.25, 1.5, 2.0, 4.0, "linear")
SPEED_SETS = ("Coil 1-4", "Coil 5-8", "Iris", "Letter", "USPS 1-4", "USPS 5-8")
WIDTH, RIDGE = 0.8, 0.25  # about where Table 1 finds them
LARGE_SETS = ("satellite",)
FEW = 3  # given labels of each class
LABELLED_SETS = ("Iris", "Letter", "USPS 1-4", "Moons")
# Degrees of freedom of the graph that classes claim on: for each label and sample.
DEGREES_PER_LABEL, SHARE_OF_SAMPLES = 3, 0.05


def measure_speed(name, decay, most, n_runs):
    """Return mean objective for each sample, and mean index, of runs of shaking."""
    data = load(name, most)
    R, weights = smoother_matrix(data, WIDTH, RIDGE), np.ones(len(data.X))
    balance = make_balance("free", data.n_clusters, weights, PLAIN_SUM)
    found = []
    for seed in range(n_runs):
        random = np.random.RandomState(seed)
        labels = random_labels(len(weights), data.n_clusters, random)
        run = run_search(R, weights, labels, balance, random, decay=decay)
        index = adjusted_rand_score(data.y, run.labels)
        found.append((run.objective / len(weights), index))
    return np.mean(found, axis=0).tolist()


def measure_large(name, search, most):
    """Return the index and the CPU seconds of a fit with a radial kernel."""
    data = load_dataset(name)
    X, y = np.asarray(data.X, dtype=np.float64)[:most], data.y[:most]
    k = len(np.unique(y))
    if search == "local":
        model = LeastSquaresMaxMarginClustering(
            k,
            power=KERNEL_OBJECTIVE.power,
            search="local",
            init="k-means++",
            n_init=default_starts(len(X)),
            landmarks="auto",
            random_state=0,
        )
    else:
        model = MaxMarginClustering(k, kernel="rbf", random_state=0)
    model.fit(X[:200])  # loads the compiled code
    start = time.process_time()
    labels = model.fit(X).labels_
    seconds = time.process_time() - start
    return [float(adjusted_rand_score(y, labels)), seconds]


def measure_few_labels(name, search, most, n_runs):
    """Return the mean share of right labels, a few of each class being given."""
    data = load(name, most)
    found = []
    for seed in range(n_runs):
        random = np.random.RandomState(seed)
        given = np.full(len(data.y), -1)
        for h in np.unique(data.y):
            rows = random.choice(np.flatnonzero(data.y == h), FEW, replace=False)
            given[rows] = h
        labels = label_by_claims if search == "claim" else label_by_spreading
        found.append(np.mean(labels(data.X, given) == data.y))
    return float(np.mean(found))


def label_by_spreading(X, given):
    """Return the labels of `SemiSupervisedMaxMargin`."""
    return SemiSupervisedMaxMargin(random_state=0).fit(X, given).transduction_


def label_by_claims(X, given):
    """Return the labels that classes claim on the graph, after single moves.

    ``given`` has -1 for samples without a label.
    """
    random = np.random.RandomState(0)
    sample = draw_sample(X, np.ones(len(X)), merge=True, limit=None, random=random)
    weights, n_distinct = sample.weights, len(sample.indices)
    known = np.full(n_distinct, -1)
    np.maximum.at(known, sample.inverse, given)
    n_given = np.count_nonzero(known >= 0)
    degrees = DEGREES_PER_LABEL * n_given + SHARE_OF_SAMPLES * n_distinct
    degrees = min(degrees, auto_degrees(n_distinct))
    S = graph_inverse(X[sample.indices], weights, degrees).matrix()
    nobody = np.empty((0, 2), dtype=np.int64)
    constraints = make_constraints(known, nobody, nobody, np.arange(n_distinct))
    balance = make_balance("free", given.max() + 1, weights, KERNEL_OBJECTIVE)
    claimed = claim_labels(S, weights, constraints, balance)
    start = satisfy_constraints(claimed, constraints)
    run = constrained_search(S, weights, constraints, start, balance, random)
    return run.labels[sample.inverse]


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    n_runs, most = store.pick(20, 2), store.pick(None, 150)
    _write_speed(store, page, n_runs, most)
    cells = {}
    for name in LARGE_SETS:
        for search in ("auto", "local"):
            found = store.cell(
                f"{name}, {search}",
                lambda n=name, s=search: measure_large(n, s, store.pick(None, 2500)),
            )
            cells[name, search] = found and f"{found[0]:.3f} in {found[1]:.1f} s"
    page.text(
        '`MaxMarginClustering(kernel="rbf")`, and '
        '`LeastSquaresMaxMarginClustering(search="local", power=0.7)`, which searches '
        "all samples: adjusted Rand index and CPU seconds."
    )
    page.table(LARGE_SETS, ("auto", "local"), cells)
    shares = {
        (name, search): store.cell(
            f"{name}, {search}",
            lambda n=name, s=search: measure_few_labels(n, s, most, store.pick(10, 1)),
        )
        for name in LABELLED_SETS
        for search in ("spread", "claim")
    }
    page.text(
        "Labels that `SemiSupervisedMaxMargin` spreads and that classes claim, with "
        "three given labels of each class: share of right labels, mean of ten draws."
    )
    page.table(LABELLED_SETS, ("spread", "claim"), shares)


def _write_speed(store, page, n_runs, most):
    values, indices = {}, {}
    columns = [f"decay {decay}" for decay in DECAYS]
    for name in SPEED_SETS:
        for decay, column in zip(DECAYS, columns, strict=True):
            found = store.cell(
                f"{name}, {column}",
                lambda n=name, d=decay: measure_speed(n, d, most, n_runs),
            )
            if found:
                values[name, column] = f"{found[0]:.4f}"
                indices[name, column] = f"{found[1]:.3f}"
    page.text(
        f"Shaking from random labels, mean of {n_runs} runs, a width of {WIDTH} and a "
        f"ridge of {RIDGE}: the objective that it maximises, for each sample."
    )
    page.table(SPEED_SETS, columns, values)
    page.text("The adjusted Rand index of the same runs:")
    page.table(SPEED_SETS, columns, indices)
