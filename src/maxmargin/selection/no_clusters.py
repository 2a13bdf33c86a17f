"""The score that samples without clusters reach, as a limit for those of others."""

import numpy as np
import scipy.sparse as sp

from maxmargin.selection.cluster_separation import measure_separations
from maxmargin.smoothers.spectral_smoother import VECTORS_PER_CLUSTER, NeighborGraph

N_REFERENCES = 8
N_ROWS = 500  # of a reference
FEW = range(2, 7)  # numbers of clusters of a reference, besides that of the samples
MIN_SIZE = 4  # samples per cluster
MARGIN = 1.5  # standard deviations above the mean score of the references


def score_without_clusters(X, n_clusters: int) -> float:
    """Return a score that samples without clusters rarely reach.

    The references are normal samples with the covariance of X: long samples, which have
    a cut of few edges without a gap, are compared with others that are as long [1]_.
    For each the best score is taken, over few clusters and about ``n_clusters``, the
    best number for X. Returned is the square of the mean plus 1.5 standard deviations
    of its root. The references do not depend on a seed.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther, T. Hastie. Estimating the number of clusters in a
       data set via the gap statistic. Journal of the Royal Statistical Society B 63(2),
       2001. doi:10.1111/1467-9868.00293
    """
    random = np.random.RandomState(0)
    X = X[:: -(-X.shape[0] // N_ROWS)]
    n_rows, deviations = X.shape[0], principal_deviations(X)
    near = range(n_clusters - 1, n_clusters + 2)
    counts = [k for k in {*FEW, *near} if 1 < k <= n_rows // MIN_SIZE]
    best = []
    for _ in range(N_REFERENCES):
        rows = random.normal(size=(n_rows, len(deviations))) * deviations
        graph = NeighborGraph(rows, np.ones(n_rows), VECTORS_PER_CLUSTER * max(counts))
        found = measure_separations(graph, counts)
        best.append(max(one.score for one in found.values()))
    roots = np.sqrt(best)
    return float((roots.mean() + MARGIN * roots.std(ddof=1)) ** 2)


def principal_deviations(X) -> np.ndarray:
    """Return the standard deviations of samples along their principal axes."""
    products = X @ X.T
    products = products.toarray() if sp.issparse(products) else np.asarray(products)
    products = products.astype(np.float64)
    products -= products.mean(axis=0)
    products -= products.mean(axis=1, keepdims=True)
    variances = np.linalg.eigvalsh((products + products.T) / 2) / X.shape[0]
    deviations: np.ndarray = np.sqrt(variances[variances > 1e-9 * variances.max()])
    return deviations
