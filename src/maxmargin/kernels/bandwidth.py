"""The width of a distance kernel from the distances themselves."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

SAMPLE_SIZE = 1000


def median_gamma(X, kernel: str, random: np.random.RandomState) -> float:
    """Return ``gamma`` for which the kernel falls to a fixed value at the median.

    For ``"rbf"`` it is ``1 / (2 median squared distance)``, so that two samples at the
    median distance have similarity ``exp(-1/2)``; for ``"laplacian"`` it is
    ``1 / (2 median Manhattan distance)``. Pairs of equal samples are left out, and
    beyond some thousand samples a random part stands for all.
    """
    n_samples = X.shape[0]
    if n_samples > SAMPLE_SIZE:
        X = X[np.sort(random.choice(n_samples, SAMPLE_SIZE, replace=False))]
    if kernel == "laplacian":
        distances = manhattan_distances(X)
    else:
        distances = euclidean_distances(X, squared=True)
    pairs = distances[np.triu_indices(len(distances), 1)]
    # What remains between equal samples after rounding is not a distance.
    largest = pairs.max(initial=0.0)
    pairs = pairs[pairs > 1e-10 * largest]
    if len(pairs) == 0:
        raise ValueError("All samples are equal, or too close to tell apart.")
    return float(1.0 / (2.0 * np.median(pairs)))


def scale_gamma(X) -> float:
    """Return ``1 / (n_features variance)``, the variance being that of all values."""
    if sp.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var(dtype=np.float64)
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
