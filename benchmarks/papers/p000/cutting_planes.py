"""CPMMC on sets of two classes, the best of a grid as in the papers."""

import itertools

import numpy as np

from benchmarks.papers.protocol import BALANCES
from maxmargin.metrics import clustering_error
from maxmargin.published import CuttingPlaneMaxMarginClustering

# A linear kernel, as Zhao, Wang and Zhang (SDM 2008) have it; their values of C and l
# are not printed.
WEIGHTS = tuple(2.0**power for power in range(-2, 11))


def best_of_cutting_planes(X, y, weights=WEIGHTS, balances=BALANCES, n_init=10):
    """Return the smallest error in per cent, and the C and l that have it.

    C is in units of the inverse variance of the samples, l in shares of their number.
    """
    found = []
    variance = float(np.var(X, axis=0).sum())
    for C, balance in itertools.product(weights, balances):
        model = CuttingPlaneMaxMarginClustering(
            C=C / variance, sum_limit=balance * len(X), n_init=n_init, random_state=0
        ).fit(X)
        error = 100 * clustering_error(y, model.labels_)
        found.append((error, {"C": C, "balance": balance}))
    error, setting = min(found, key=lambda result: result[0])
    return {"error": error, "setting": setting}
