"""The numbers of paper 000, each kept under its key.

Table 1 asks for all of them, Table 2 and Figure 2 for what Table 1 chose.
"""

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.papers.p000.cutting_planes import WEIGHTS, best_of_cutting_planes
from benchmarks.papers.p000.runs import GRID, best_runs, make_problem, repeat_runs
from benchmarks.papers.protocol import PAIRS, errors, load_pair
from maxmargin import MaxMarginClustering
from maxmargin.published import (
    CuttingPlaneMaxMarginClustering,
    EvolutionaryMaxMarginClustering,
)

METHODS = ("EvoMMC", "FastEvoMMC")
LARGE = ("letter A-B", "satellite 1-2")
QUICK_ROWS = 300  # of a set in a quick run
SUBSET = 1000  # samples of a pair of MNIST digits that EvoMMC is given
# Tries at each point of the grid, points that go on (by default all), and groups of ten
# runs of each; with fresh groups of the winner, only these count.
PROTOCOLS = {
    "EvoMMC": {"tries": 10, "groups": 10},
    "EvoMMC, large": {"tries": 5, "finalists": 2, "groups": 5},
    "FastEvoMMC": {"tries": 1, "groups": 10},
}
# The points with sigma = s, which are best for most pairs of UCI digits.
MNIST = {"tries": 1, "groups": 1, "grid": GRID[::3]}
MNIST_GROUPS = {"EvoMMC": 10, "FastEvoMMC": 1}  # of fresh runs, to save time
QUICK = {"tries": 1, "finalists": 1, "groups": 1, "runs": 2}


def _cell(store, key, method, samples, protocol, share=0.1):
    """Return the best setting of a method and its errors on some samples."""
    protocol = store.pick(protocol, QUICK)
    return store.cell(
        key,
        lambda: best_runs(make_problem(*samples()), method, share, **protocol),
        lambda stored: repeat_runs(
            make_problem(*samples()), method, stored["setting"], share, **protocol
        ),
    )


def evolution_cell(store, pair, method):
    """Return the best setting of a method and its errors on one of the seven sets."""
    large = pair in LARGE and method == "EvoMMC"
    protocol = PROTOCOLS["EvoMMC, large" if large else method]
    key = f"{pair}: {method}"
    return _cell(store, key, method, lambda: rows(store, pair), protocol)


def digits_cell(store, pair, method):
    """Return the same for a pair of UCI digits, which may be one of the seven sets."""
    if pair in PAIRS:
        return evolution_cell(store, pair, method)
    key = f"all pairs {pair}: {method}"
    return _cell(store, key, method, lambda: rows(store, pair), PROTOCOLS[method])


def mnist_cell(store, pair, method):
    """Return the same for a pair of MNIST digits, with fewer runs still.

    EvoMMC has subsets of 1000 samples, FastEvoMMC all and a hundredth as landmarks.
    """
    most = SUBSET if method == "EvoMMC" else None
    share = store.pick(0.01, 0.1)
    key = f"{pair}: {method}"
    protocol = MNIST | {"fresh": MNIST_GROUPS[method]}
    return _cell(store, key, method, lambda: rows(store, pair, most), protocol, share)


def rows(store, pair, most=None):
    """Return samples and classes, or at most so many, drawn with seed 0."""
    X, y = load_pair(pair)
    number = min(most or len(X), store.pick(len(X), QUICK_ROWS))
    if number == len(X):
        return X, y
    chosen = np.random.RandomState(0).choice(len(X), number, replace=False)
    return X[chosen], y[chosen]


def cutting_plane_cell(store, pair):
    """Return the best error of CPMMC; all pairs of digits have fewer settings."""
    grid = {} if pair in PAIRS else {"weights": WEIGHTS[1::3], "balances": (0.03, 0.3)}
    if pair.startswith("mnist") or store.quick:
        grid = {"weights": (1.0, 10.0, 100.0), "balances": (0.1,), "n_init": 4}

    def repeat(stored):
        setting = stored["setting"]
        known = {"weights": (setting["C"],), "balances": (setting["balance"],)}
        return best_of_cutting_planes(*rows(store, pair), **grid | known)

    return store.cell(
        f"{pair}: CPMMC",
        lambda: best_of_cutting_planes(*rows(store, pair), **grid),
        repeat,
    )


def default_cell(store, pair, name, make, seeds):
    """Return the errors of a clusterer that is told nothing but two clusters."""
    return store.cell(
        f"{pair}: {name}",
        lambda: errors(make, *rows(store, pair), {}, range(seeds)).tolist(),
    )


def k_means(random_state):
    """Return k-means with the best of ten starts.

    Paper 004, from which the figures are, takes care that starts lie far apart.
    """
    return KMeans(2, n_init=10, random_state=random_state)


DEFAULTS = {
    "k-means": k_means,
    "MaxMarginClustering(2)": lambda random_state: MaxMarginClustering(
        2, random_state=random_state
    ),
    "EvolutionaryMaxMarginClustering()": lambda random_state: (
        EvolutionaryMaxMarginClustering(random_state=random_state)
    ),
    "CuttingPlaneMaxMarginClustering()": lambda random_state: (
        CuttingPlaneMaxMarginClustering(random_state=random_state)
    ),
}
