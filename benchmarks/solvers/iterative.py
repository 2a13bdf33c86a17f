"""Speed of the iterative solver: against the semidefinite one, and against n.

The first part is Table 3 of Zhang, Tsang and Kwok (ICML 2007): 50 samples of each of
two classes, clustered by iterSVR, by the semidefinite program of MMC and by GMMC, each
with its defaults, in one run. The paper solved the program by an interior point method;
ours is solved by scs, a first-order method that is much faster at this size. With
``--interior-point`` the same program also goes to clarabel, which is one; that takes
ten minutes, unless ``--size`` asks for fewer samples.

The second part is the time of iterSVR for more and more samples, next to k-means.

CPU seconds, the best of several. Run with ``make bench-solvers`` or ``python -m
benchmarks.solvers.iterative``.
"""

import argparse
import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from maxmargin import IterativeMaxMarginClustering, SemidefiniteMaxMarginClustering
from maxmargin.datasets import MissingData, load_dataset
from maxmargin.hinge.semidefinite import mmc_constraints
from maxmargin.kernels.bandwidth import median_gamma
from maxmargin.metrics import clustering_error

# Speed-up of iterSVR over MMC, as printed in Table 3.
PRINTED = {"3-9": 6090, "8-9": 3190, "2-7": 7707, "ionosphere": 6367}
SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000)


def best_time(function, repeats):
    """Return what a function returns, and its least CPU seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return result, min(times)


def draw(name, per_class):
    """Return so many samples of each of the two classes of a data set."""
    if name == "ionosphere":
        data = load_dataset(name)
        X, y = data.X.astype(np.float64), data.y
        classes = np.unique(y)
    else:
        X, y = load_digits(return_X_y=True)
        classes = [int(digit) for digit in name.split("-")]
    random = np.random.RandomState(0)
    rows = np.concatenate(
        [random.choice(np.flatnonzero(y == c), per_class, False) for c in classes]
    )
    return X[rows], y[rows]


def against_semidefinite(size, interior_point):
    """Print times and errors of the solvers, a line for each data set."""
    print(f"{size} samples: CPU seconds, error %, and how many times faster iterSVR is")
    for name, printed in PRINTED.items():
        try:
            X, y = draw(name, size // 2)
        except MissingData as error:
            print(f"{name:<12}not measured: {error}")
            continue
        fast, least = best_time(
            lambda X=X: IterativeMaxMarginClustering(random_state=0).fit(X), 30
        )
        parts = [f"iterSVR {least:.4f} {error_of(fast, y):4.1f}%"]
        for kind, repeats in (("gmmc", 3), ("mmc", 1)):
            slow, seconds = best_time(
                lambda X=X, kind=kind: SemidefiniteMaxMarginClustering(
                    formulation=kind
                ).fit(X),
                repeats,
            )
            parts.append(
                f"{kind.upper()} {seconds:.2f} {error_of(slow, y):4.1f}% "
                f"({seconds / least:.0f}x)"
            )
        if interior_point:
            seconds = best_time(lambda X=X: solve_by_clarabel(X), 1)[1]
            parts.append(f"interior point {seconds:.1f} ({seconds / least:.0f}x)")
        print(f"{name:<12}{', '.join(parts)}, printed {printed}x", flush=True)


def error_of(model, y):
    """Return the clustering error in per cent."""
    return 100 * clustering_error(y, model.labels_)


def solve_by_clarabel(X):
    """Solve the program of MMC with the defaults of the estimator by clarabel."""
    import clarabel

    n = len(X)
    K = rbf_kernel(X, gamma=median_gamma(X, "rbf", np.random.RandomState(0)))
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    rows, right, _ = mmc_constraints(K, np.ones(n), 1.0, 0.3 * n)
    order = np.concatenate(
        [
            np.arange(4 * n),
            4 * n + upper_order(n),
            4 * n + n * (n + 1) // 2 + upper_order(n + 1),
        ]
    )
    cost = np.zeros(rows.shape[1])
    cost[-1] = 1.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [
        clarabel.NonnegativeConeT(4 * n),
        clarabel.PSDTriangleConeT(n),
        clarabel.PSDTriangleConeT(n + 1),
    ]
    empty = sp.csc_matrix((len(cost), len(cost)))
    solver = clarabel.DefaultSolver(
        empty, cost, rows[order].tocsc(), right[order], cones, settings
    )
    return solver.solve().obj_val


def upper_order(n):
    """Return where the entries of the upper triangle by columns are in scs's order."""
    columns, rows = np.triu_indices(n)
    place = np.zeros((n, n), dtype=int)
    place[rows, columns] = np.arange(len(rows))
    return place[np.tril_indices(n)]


def against_size():
    """Print the time of iterSVR for more and more samples, next to k-means."""
    print("\n     n   iterSVR   k-means (n_init=10)   ratio   rounds   error %")
    for size in SIZES:
        X, y = make_blobs(
            size, 20, centers=[np.zeros(20), np.full(20, 0.7)], random_state=0
        )
        model, seconds = best_time(
            lambda X=X: IterativeMaxMarginClustering(random_state=0).fit(X), 2
        )
        peer = best_time(lambda X=X: KMeans(2, n_init=10, random_state=0).fit(X), 2)[1]
        print(
            f"{size:6d}{seconds:10.2f}{peer:22.3f}{seconds / peer:8.1f}"
            f"{model.n_iter_:9d}{error_of(model, y):10.2f}",
            flush=True,
        )


def main(arguments=()):
    """Print both parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--interior-point", action="store_true")
    wishes = parser.parse_args(list(arguments))
    with threadpool_limits(1):
        against_semidefinite(wishes.size, wishes.interior_point)
        against_size()


if __name__ == "__main__":
    main(sys.argv[1:])
