"""How well clusters on the neighbour graph are separated, for a number of clusters.

A boundary between clusters should cross fewer edges of the graph than a boundary
through the middle of one. For each cluster two shares are compared:

- ``leaving``: the share of its edges that leave it,
- ``inner``: the share of edges that each half loses if it is split in two.

If there are too few clusters, some have a gap inside, and the inner share is small. If
there are too many, some boundaries run through dense regions, and the leaving share is
large.
"""

import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from maxmargin.search.relocation import relocate_centers
from maxmargin.smoothers.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
)

SEARCHED = 2000  # samples whose centres are searched; PASSES over all follow
PASSES = 10
PROMISING = 0.3  # the share of the best score from which a search is thorough
POWER_STEPS = 10


class Separation(NamedTuple):
    """The means over the samples of what is known of their clusters."""

    pairs: float  # the probability that two samples are in different clusters
    leaving: float
    inner: float
    separation: float  # (inner - leaving) / max(inner, leaving)

    @property
    def score(self) -> float:
        """Return how well two random samples are separated."""
        return self.pairs * max(self.separation, 0.0) ** 2


def measure_separations(
    graph: NeighborGraph, counts: Iterable[int], known: float = 0.0
) -> dict[int, Separation]:
    """Return the separation of the clusters for numbers of clusters above 1.

    A quick search serves for all numbers. For those with good scores, and for the
    numbers next to them, a thorough one follows. ``known`` is the score of another
    number.
    """
    found = {k: measure_separation(graph, k, thorough=False) for k in counts}
    best = max([known, *(one.score for one in found.values())])
    good = {k for k, one in found.items() if one.score > PROMISING * best}
    near = {k + step for k in good for step in (-1, 0, 1)}
    return {
        k: measure_separation(graph, k) if k in near else one
        for k, one in found.items()
    }


def measure_separation(
    graph: NeighborGraph, k: int, *, thorough: bool = True
) -> Separation:
    """Cluster the samples of a graph in k clusters, and measure their separation.

    The shares are posterior means with Jeffreys' prior, as if each of the m samples of
    a cluster were one observation, ``(m s + 1/2) / (m + 1)``: a few samples apart from
    all others are no proof of a cluster.
    """
    features = soft_features(graph, k)
    labels = cluster_features(features, graph.weights, k, thorough)
    sizes = np.bincount(labels, minlength=k)
    leaving = _posterior_mean(graph.leaving_shares(labels, k), sizes)
    inner = inner_shares(graph, labels, k, features)
    masses = np.bincount(labels, graph.weights, k) / graph.weights.sum()
    return Separation(
        1.0 - float(masses @ masses),
        float(masses @ leaving),
        float(masses @ inner),
        float(masses @ ((inner - leaving) / np.maximum(inner, leaving))),
    )


def soft_features(graph: NeighborGraph, k: int) -> np.ndarray:
    """Return the features of the soft smoother for k clusters."""
    part = graph.with_vectors(VECTORS_PER_CLUSTER * k)
    degrees = min(DEGREES_PER_CLUSTER * k, 0.9 * len(part.values))
    return part.soft_smoother(degrees).features


def cluster_features(
    features: np.ndarray, weights: np.ndarray, k: int, thorough: bool
) -> np.ndarray:
    """Return the labels of k clusters, by k-means on the features.

    The centres are searched on a part of the samples: with relocations, or only from
    the samples that a pivoted QR decomposition picks.
    """
    if k == 1:
        return np.zeros(len(features), dtype=np.int64)
    step = -(-len(features) // SEARCHED)
    rows, masses = features[::step], weights[::step]
    if thorough:
        random = np.random.RandomState(0)  # no start is random
        labels = relocate_centers(rows, masses, k, random, n_random=0).labels
    else:
        pivots = qr(rows.T, mode="r", pivoting=True)[1]
        labels = _k_means(rows, masses, rows[pivots[:k]])
    if step == 1:
        return labels
    centers = np.stack([rows[labels == h].mean(axis=0) for h in np.unique(labels)])
    return _k_means(features, weights, centers)


def _k_means(
    features: np.ndarray, weights: np.ndarray, centers: np.ndarray
) -> np.ndarray:
    model = KMeans(len(centers), init=centers, n_init=1, max_iter=PASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal features
        return np.asarray(model.fit(features, sample_weight=weights).labels_)


def inner_shares(
    graph: NeighborGraph, labels: np.ndarray, k: int, features: np.ndarray
) -> np.ndarray:
    """Return the mean share of edges that the halves of each cluster lose.

    The samples of a cluster are ordered along the direction of the largest variance of
    their features, and split where the mean of the shares of both sides is smallest.
    The edges that leave the cluster do not count. The share is 1 for clusters of one
    sample, which cannot be split.
    """
    n_samples = len(labels)
    order = np.lexsort((_along_clusters(features, graph.weights, labels, k), labels))
    places = np.empty(n_samples, dtype=np.int64)
    places[order] = np.arange(n_samples)
    edges = graph.graph.tocoo()
    within = labels[edges.row] == labels[edges.col]
    rows, columns = places[edges.row[within]], places[edges.col[within]]
    values = edges.data[within]
    # An edge from a to b is cut by a split behind any of the places a, ..., b - 1.
    up = rows < columns
    cuts = np.cumsum(
        np.bincount(rows[up], values[up], n_samples)
        - np.bincount(columns[up], values[up], n_samples)
    )
    volumes = np.cumsum(np.bincount(rows, values, n_samples))
    sizes = np.bincount(labels, minlength=k)
    shares = np.ones(k)
    for h, end in enumerate(np.cumsum(sizes)):
        own = slice(end - sizes[h], end - 1)
        if sizes[h] > 1:
            before = volumes[own.start - 1] if own.start else 0.0
            left = volumes[own] - before
            right = volumes[end - 1] - volumes[own]
            numbers = np.arange(1, sizes[h])
            halves = _posterior_mean(_share(cuts[own], left), numbers)
            halves += _posterior_mean(_share(cuts[own], right), sizes[h] - numbers)
            shares[h] = halves.min() / 2
    return shares


def _share(cuts: np.ndarray, volumes: np.ndarray) -> np.ndarray:
    """Return the quotient, clipped to [0, 1] against rounding errors."""
    return np.clip(cuts / np.maximum(volumes, np.finfo(float).tiny), 0.0, 1.0)


def _posterior_mean(shares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    result: np.ndarray = (sizes * shares + 0.5) / (sizes + 1.0)
    return result


def _along_clusters(
    features: np.ndarray, weights: np.ndarray, labels: np.ndarray, k: int
) -> np.ndarray:
    """Return the coordinate of each sample in the main direction of its cluster."""
    result = np.zeros(len(labels))
    for h in range(k):
        own = np.flatnonzero(labels == h)
        if len(own) > 1:
            masses = weights[own]
            centered = features[own] - masses @ features[own] / masses.sum()
            squares = np.einsum("nm,nm->n", centered, centered)
            direction = centered[squares.argmax()]
            for _ in range(POWER_STEPS):
                direction = centered.T @ (masses * (centered @ direction))
                length = np.linalg.norm(direction)
                direction = direction / max(length, np.finfo(float).tiny)
            result[own] = centered @ direction
    return result
