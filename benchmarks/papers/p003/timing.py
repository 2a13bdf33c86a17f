"""CPU times of the methods of paper 003 on subsets of a data set."""

import time

import numpy as np
from sklearn.metrics import euclidean_distances

from benchmarks.papers.p003.methods import PEERS
from maxmargin import MaxMarginClustering
from maxmargin.published import LeastSquaresMaxMarginClustering

WIDTH, RIDGE = 0.5, 0.5  # about where Table 1 finds them for Coil and USPS


def shaking(k, seed, extent):
    """Return UMC-RLS: one run from random labels, all samples, no landmarks."""
    gamma = 1.0 / (2.0 * (WIDTH * extent) ** 2)
    return LeastSquaresMaxMarginClustering(
        k, gamma=gamma, alpha=RIDGE, random_state=seed
    )


METHODS = (*PEERS, "UMC-RLS", "MaxMarginClustering()")


def cpu_seconds(method, X, k, extent, seed=0):
    """Return the CPU time of one fit."""
    if method == "UMC-RLS":
        model = shaking(k, seed, extent)
    elif method in PEERS:
        model = PEERS[method](k, seed)
    else:
        model = MaxMarginClustering(k, random_state=seed)
    model.fit(X[: 5 * k])  # loads the compiled code
    start = time.process_time()
    model.fit(X)
    return time.process_time() - start


def rough_extent(X):
    """Return the largest distance among at most a thousand samples."""
    return float(euclidean_distances(X[:1000]).max())


def measure_times(store, X, k, sizes, skip=()):
    """Return the times by method and size; ``skip`` has methods with a largest size."""
    skip = dict(skip)
    random = np.random.RandomState(0)
    order = random.permutation(len(X))
    found = {}
    for n_samples in sizes:
        part = X[order[:n_samples]].astype(np.float64)
        for method in METHODS:
            if n_samples <= skip.get(method, n_samples):
                found[method, n_samples] = store.cell(
                    f"{method}, {n_samples}",
                    lambda method=method, part=part: cpu_seconds(
                        method, part, k, rough_extent(part)
                    ),
                )
    return {place: seconds for place, seconds in found.items() if seconds is not None}
