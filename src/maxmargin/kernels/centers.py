"""Few points that stand for many samples."""

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus

from maxmargin.kernels.leader import find_leaders

CENTERS = ("random", "k-means++", "k-means", "leader")

# Centres that are looked for, not drawn, are those of at most so many samples.
CENTER_SAMPLES = 4000


def center_rows(weights: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the samples among which centres are looked for."""
    rows = np.flatnonzero(weights > 0)
    if len(rows) > CENTER_SAMPLES:
        rows = np.sort(random.choice(rows, CENTER_SAMPLES, replace=False))
    return rows


def find_centers(
    kind: str, X, weights: np.ndarray, n_centers: int, random: np.random.RandomState
):
    """Return at most ``n_centers`` points, samples or means of samples.

    ``"random"`` draws samples; ``"k-means++"`` draws them one by one, the further from
    those drawn the likelier; ``"k-means"`` are the means of clusters; ``"leader"``
    those of leader clustering, with the radius that yields so many. Samples without
    weight take no part, and where there are few samples all of them are returned.
    """
    if kind == "random":
        rows = np.flatnonzero(weights > 0)
        size = min(n_centers, len(rows))
        return X[np.sort(random.choice(rows, size, replace=False))]
    rows = center_rows(weights, random)
    n_centers = min(n_centers, len(rows))
    X, weights = X[rows], weights[rows]
    if n_centers == len(rows):
        return X
    if kind == "leader":
        return find_leaders(X, weights, n_centers).centers.astype(X.dtype)
    if kind == "k-means++":
        return kmeans_plusplus(
            X, n_centers, sample_weight=weights, random_state=random
        )[0]
    means = KMeans(n_centers, n_init=1, random_state=random)
    return means.fit(X, sample_weight=weights).cluster_centers_
