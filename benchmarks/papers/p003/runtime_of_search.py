"""Theorem 1 of paper 003: O((s |C| + r) n^2), by O(1) for one evaluation.

With the cached sums, the objective after a change of one label is known in constant
time. Here: CPU time of steepest descent from random labels, divided by the number of
its steps, of samples and of clusters; beside it, the time of the same value from the
definition. Then the time of UMC-RLS, without the matrix R, against the number of
clusters and of shakings.
"""

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.papers.p003.data import Data
from benchmarks.papers.p003.methods import smoother_matrix
from benchmarks.papers.times import add_growth, cpu_seconds
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.runs import random_labels, run_search

TITLE = "Paper 003, Theorem 1: time of one evaluation, and of shaking"

SAMPLES, CLUSTERS, SHAKINGS = 1000, 4, 10  # where they are not varied
CACHED, PLAIN, STEP = "cached, ns", "from the definition, ns", "UMC-RLS, ms"


def problem(n_samples, n_clusters):
    """Return the smoother matrix of Gaussian clusters, and random labels."""
    X, y = make_blobs(n_samples, 10, centers=n_clusters, random_state=0)
    data = Data(X, y, n_clusters, float(np.ptp(X)))
    labels = random_labels(n_samples, n_clusters, np.random.RandomState(0))
    return smoother_matrix(data, 0.5, 0.25), labels


def search(R, labels, n_clusters, **options):
    """Run a search on the plain sum."""
    weights = np.ones(len(R))
    balance = make_balance("free", n_clusters, weights, PLAIN_SUM)
    random = np.random.RandomState(0)
    return run_search(R, weights, labels.copy(), balance, random, **options)


def evaluation_seconds(n_samples):
    """Return the seconds of an evaluation: cached, and from the definition."""
    R, labels = problem(n_samples, CLUSTERS)
    options = {"search": "steepest", "max_iter": 1}
    steps = search(R, labels, CLUSTERS, **options).n_moves
    cached = cpu_seconds(lambda: search(R, labels, CLUSTERS, **options))

    def from_definition():
        members = [labels == cluster for cluster in range(CLUSTERS)]
        return sum(float(one @ (R @ one)) for one in members)

    return [cached / (steps * n_samples * CLUSTERS), cpu_seconds(from_definition, 10)]


def shaking_seconds(n_samples, n_clusters, n_shakings):
    """Return the seconds of UMC-RLS, R being there."""
    R, labels = problem(n_samples, n_clusters)
    return cpu_seconds(lambda: search(R, labels, n_clusters, last_round=n_shakings))


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    fixed = store.pick(SAMPLES, 200)
    samples = store.pick((250, 500, 1000, 2000, 4000), (100, 200))
    clusters = store.pick((2, 4, 8, 16, 32), (2, 4))
    shakings = store.pick((2, 5, 10, 20, 40), (2, 4))
    found = [
        store.cell(f"evaluation, {n}", lambda n=n: evaluation_seconds(n))
        for n in samples
    ]
    cached, plain = ([one and one[place] for one in found] for place in (0, 1))
    page.text(f"One evaluation against n, {CLUSTERS} clusters:")
    columns = {CACHED: (cached, 1e9), PLAIN: (plain, 1e9)}
    add_growth(page, "n", samples, columns, {CACHED: 0, PLAIN: 2})

    def times(key, places):
        return [
            store.cell(f"{key}, {where}", lambda w=where: shaking_seconds(*w))
            for where in places
        ]

    found = times("samples", [(n, CLUSTERS, SHAKINGS) for n in samples])
    page.text(f"UMC-RLS against n, {CLUSTERS} clusters, {SHAKINGS} shakings:")
    add_growth(page, "n", samples, {STEP: (found, 1e3)}, {STEP: 2})
    found = times("clusters", [(fixed, k, SHAKINGS) for k in clusters])
    page.text(f"UMC-RLS against the number of clusters, {fixed} samples:")
    add_growth(page, "clusters", clusters, {STEP: (found, 1e3)}, {STEP: 1})
    found = times("shakings", [(fixed, CLUSTERS, s) for s in shakings])
    page.text(
        f"UMC-RLS against the number s of shakings, {fixed} samples. Claims are halved "
        "from round to round, so that later rounds cost less than the bound:"
    )
    add_growth(page, "s", shakings, {STEP: (found, 1e3)}, {STEP: "at most 1"})
