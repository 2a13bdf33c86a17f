"""A score of labels without the true ones, and the most typical row of each cluster.

Neither depends on the kernel or the objective of an estimator, so that the results of
different parameters can be compared.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from maxmargin.rows.sample import draw_part, draw_rows, draw_sample, indicators
from maxmargin.rows.threads import for_blocks
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.landmarks import ALL_SAMPLES, make_smoother
from maxmargin.smoothers.smoother import leave_one_out_error

MAX_SAMPLES = 1000  # to judge labels by, and to compare the rows of a cluster with


def score_labels(
    X, labels: np.ndarray, weights: np.ndarray, random: np.random.RandomState
) -> float:
    """Return ``(1 - sum_h p_h^2) max(0, R^2)^2`` of labels, between 0 and 1.

    The first factor is the probability that two samples are in different clusters, with
    the shares ``p_h`` of the clusters. ``R^2`` is how well regularised least squares
    with a radial kernel predicts the cluster of a sample from the other samples. As in
    `selection.cluster_count`, it is squared: both samples should be well placed.
    """
    shares = np.bincount(labels, weights) / weights.sum()
    pairs = 1.0 - float(shares @ shares)
    if np.count_nonzero(shares) == 1:
        return 0.0
    error = judge_labels(X, labels, weights, "rbf", random)
    return pairs * max(1.0 - error, 0.0) ** 2


def judge_labels(
    X, labels: np.ndarray, weights: np.ndarray, name: str, random: np.random.RandomState
) -> float:
    """Return the leave-one-out error on labels of some samples, with a named kernel.

    The kernel has the median width, or is the given kernel matrix.
    """
    merge = name != "precomputed"
    sample = draw_sample(X, weights, merge=merge, limit=None, random=random)
    part = draw_part(sample, MAX_SAMPLES, random)
    kernel = make_kernel(name, X[part.indices], random=random)
    smoother = make_smoother(X, part, kernel, Ridge(), ALL_SAMPLES, random)
    targets = indicators(labels[part.indices], int(labels.max()) + 1)
    return leave_one_out_error(smoother, targets)


def typical_rows(
    X,
    labels: np.ndarray,
    weights: np.ndarray,
    precomputed: bool,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the position of the medoid of each cluster that has rows with weight.

    It is the row with the smallest mean distance to the rows of its cluster, or to 1000
    of them; in a graph, the row with the largest affinity to its cluster. ``X`` are
    samples, or a square kernel matrix or graph.
    """
    found = []
    for label in np.unique(labels[weights > 0]):
        own = np.flatnonzero((labels == label) & (weights > 0))
        if precomputed and sp.issparse(X):
            affinities = X[own][:, own] @ weights[own]
            found.append(own[np.argmax(affinities)])
            continue
        part = draw_rows(weights[own], MAX_SAMPLES, random)
        if precomputed:
            distances = _kernel_distances(X, own, own[part])
        else:
            distances = _sample_distances(X[own], part)
        sums = np.empty(len(own))

        def fill(block: slice, distances=distances, sums=sums, part=own[part]) -> None:
            sums[block] = distances(block) @ weights[part]

        for_blocks(fill, len(own))
        found.append(own[np.argmin(sums)])
    return np.array(found)


def _sample_distances(rows, part: np.ndarray):
    """Return a function of a block of rows: their distances to some of the rows."""
    if isinstance(rows, np.ndarray):
        rows = rows - rows[part].mean(axis=0, dtype=np.float64)  # against cancellation
    others = rows[part]
    return lambda block: euclidean_distances(rows[block], others)


def _kernel_distances(K, rows: np.ndarray, others: np.ndarray):
    """Return a function of a block of rows: the distances in the space of a kernel."""
    norms = np.diagonal(K)

    def distances(block: slice) -> np.ndarray:
        own = rows[block]
        products = K[np.ix_(own, others)]
        squares = norms[own, None] + norms[others] - 2.0 * products
        return np.sqrt(np.maximum(squares, 0.0))

    return distances


def split_margin(
    X,
    labels: np.ndarray,
    weights: np.ndarray,
    precomputed: bool,
    random: np.random.RandomState,
) -> float:
    """Return 1 minus the leave-one-out error on labels 0 and 1.

    The judge has a radial kernel of median width, or the given kernel matrix, on some
    of the samples. The value has no unit, so that those of different splits can be
    compared.
    """
    name = "precomputed" if precomputed else "rbf"
    return 1.0 - judge_labels(X, labels, weights, name, random)
