"""Speed of the iterative solver for more and more samples, next to k-means.

CPU seconds, the best of several. Run with ``make bench-solvers`` or ``python -m
benchmarks.solvers.iterative``. Its speed against the semidefinite solver is Table 3 of
its paper: ``make papers-004``.
"""

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from maxmargin.metrics import clustering_error
from maxmargin.published import IterativeMaxMarginClustering

SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000)


def best_time(function, repeats):
    """Return what a function returns, and its least CPU seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return result, min(times)


def main():
    """Print a line for each number of samples."""
    print("     n   iterSVR   k-means (n_init=10)   ratio   rounds   error %")
    with threadpool_limits(1):
        for size in SIZES:
            X, y = make_blobs(
                size, 20, centers=[np.zeros(20), np.full(20, 0.7)], random_state=0
            )
            model, seconds = best_time(
                lambda X=X: IterativeMaxMarginClustering(random_state=0).fit(X), 2
            )
            peer = best_time(
                lambda X=X: KMeans(2, n_init=10, random_state=0).fit(X), 2
            )[1]
            print(
                f"{size:6d}{seconds:10.2f}{peer:22.3f}{seconds / peer:8.1f}"
                f"{model.n_iter_:9d}{100 * clustering_error(y, model.labels_):10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
