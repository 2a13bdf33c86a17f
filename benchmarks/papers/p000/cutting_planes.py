"""CPMMC on sets of two classes, the best of a grid as in the papers."""

import itertools

from benchmarks.papers.protocol import BALANCES
from maxmargin.metrics import clustering_error
from maxmargin.published import CuttingPlaneMaxMarginClustering

# A linear kernel, as Zhao, Wang and Zhang (SDM 2008) have it; their values of C and l
# are not printed.
WEIGHTS = tuple(2.0**power for power in range(-2, 11))


def best_of_cutting_planes(X, y, weights=WEIGHTS, balances=BALANCES, n_init=10):
    """Return the smallest error in per cent, and the C, l and labels that have it.

    Labels are either the side of the boundary, or the same brought within the limits on
    the sizes: the paper's constraint is on the mean decision value, not on the labels.
    """
    found = []
    for C, balance in itertools.product(weights, balances):
        model = CuttingPlaneMaxMarginClustering(
            C=C, balance=balance, n_init=n_init, random_state=0
        ).fit(X)
        for kind, labels in (("side", model.predict(X)), ("limits", model.labels_)):
            error = 100 * clustering_error(y, labels)
            found.append((error, {"C": C, "balance": balance, "labels": kind}))
    error, setting = min(found, key=lambda result: result[0])
    return {"error": error, "setting": setting}
