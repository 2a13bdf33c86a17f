"""Figure 1 of paper 000: time of a run against n for four ways to get the fitness.

The paper: artificial sets in two dimensions, one parent and one offspring, l = 0.03 n,
sigma = s, lambda n = 1/1000, r = 0.1 n; means of ten runs. The sets are shown in a
corner of the figure only, here they are two Gaussian clouds. The plain ways are those
of ``naive.py``; EvoMMC and FastEvoMMC are the estimator. Because these are compiled,
the shortcut is shown in numpy, too: that curve and EvoMMC(n^2) differ by the shortcut
alone.
"""

import time

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.papers.p000.naive import (
    LinearFitness,
    QuadraticFitness,
    SupportVectorFitness,
    evolve_plainly,
)
from benchmarks.papers.protocol import extent
from benchmarks.papers.times import add_times
from maxmargin.metrics import clustering_error
from maxmargin.published import EvolutionaryMaxMarginClustering

TITLE = "Paper 000, Figure 1: runtime of the fitness computations"

ALPHA, BALANCE, SHARE = 1 / 1000, 0.03, 0.1
PLAIN = {
    "EvoMMC(SVM)": SupportVectorFitness,
    "EvoMMC(n²)": QuadraticFitness,
    "EvoMMC in numpy": LinearFitness,
}
# Sizes and runs; what takes long has fewer of both.
PLAN = {
    "EvoMMC(SVM)": ((50, 100, 200, 400), 2),
    "EvoMMC(n²)": ((50, 100, 200, 400, 800, 1600), 3),
    "EvoMMC in numpy": ((50, 100, 200, 400, 800, 1600), 3),
    "EvoMMC": ((50, 100, 200, 400, 800, 1600, 3200), 10),
    "FastEvoMMC": ((50, 100, 200, 400, 800, 1600, 3200), 10),
}


def one_run(method, X, seed):
    """Return the labels of a run."""
    gamma = 1.0 / extent(X) ** 2
    if method in PLAIN:
        fitness = PLAIN[method](rbf_kernel(X, gamma=gamma), ALPHA)
        random = np.random.RandomState(seed)
        return evolve_plainly(fitness, len(X), BALANCE, random)[0]
    return (
        EvolutionaryMaxMarginClustering(
            alpha=ALPHA,
            gamma=gamma,
            balance=BALANCE,
            landmarks=SHARE if method == "FastEvoMMC" else None,
            population_size=1,
            n_offspring=1,
            n_init=1,
            random_state=seed,
        )
        .fit(X)
        .labels_
    )


def measure(method, n_samples, n_runs):
    """Return mean CPU seconds and mean error in per cent."""
    seconds, errors = [], []
    one_run(method, make_blobs(30, centers=2, random_state=0)[0], 0)  # compiles
    for seed in range(n_runs):
        X, y = make_blobs(n_samples, centers=[[-4, 0], [4, 0]], random_state=seed)
        start = time.process_time()
        labels = one_run(method, X, seed)
        seconds.append(time.process_time() - start)
        errors.append(100 * clustering_error(y, labels))
    return [float(np.mean(seconds)), float(np.mean(errors))]


def run(store, page):
    """Measure and draw."""
    found = {}
    for method, (sizes, n_runs) in PLAN.items():
        for n_samples in store.pick(sizes, sizes[1:3]):
            cell = store.cell(
                f"{method}, {n_samples}",
                lambda method=method, n=n_samples, runs=n_runs: measure(
                    method, n, store.pick(runs, 1)
                ),
            )
            if cell:
                found[method, n_samples] = cell[0]
    page.text(
        "CPU seconds of a single run, two Gaussian clouds in the plane, one parent and "
        "one offspring, l = 0.03 n, sigma = s, lambda n = 1/1000, r = 0.1 n. EvoMMC "
        'and FastEvoMMC are the compiled estimator; "EvoMMC in numpy" has the same '
        "shortcut in the same loop as the two plain ways. The paper prints a picture "
        "without numbers: its order of the curves is the one below."
    )
    add_times(page, found, PLAN, "Time of a run against the number of samples")
