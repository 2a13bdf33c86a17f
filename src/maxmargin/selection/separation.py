r"""How well the clusters of a labelling are separated on the neighbour graph.

A boundary between two clusters should cross fewer edges than one through the middle of
a cluster. Both are measured in the same unit. With the weights ``W_hg`` of the edges
between two sets of samples, counted in both directions within one, the *share* of a
boundary is the mean over its two sides of

    W_hg / (W_hh + W_hg),

the part of the edges that a side loses. For each cluster there are two shares:

- the boundary ``a_h``: the share of that with the closest other cluster,
- the inner share ``b_h``: the smallest share of a boundary that splits it in two.

If there are too few clusters, some have a gap inside, and ``b_h`` is small. If there
are too many, some boundaries run through dense regions, and ``a_h`` is large. The
separation of a cluster is ``log(b_h / a_h)``: in a tree of merges, the length of the
branch on which the cluster exists.

Shares are posterior means with Jeffreys' prior, as if each of the m samples of a side
were one observation, ``(m s + 1/2) / (m + 1)``: a few samples apart from all others,
which there are in any data, are no proof of a cluster.
"""

from typing import Any, NamedTuple

import numpy as np

POWER_STEPS = 10
TINY = np.finfo(float).tiny


class Separation(NamedTuple):
    """The means over the samples of what is known of their clusters."""

    pairs: float  # the probability that two samples are in different clusters
    separation: float  # log(inner / boundary)
    boundary: float
    inner: float


def measure_separation(
    graph: Any, weights: np.ndarray, labels: np.ndarray, features: np.ndarray
) -> Separation:
    """Return the separation of clusters.

    Parameters
    ----------
    graph : sparse array of shape (n_samples, n_samples)
        The weights of the edges.
    weights : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_samples,)
    features : ndarray of shape (n_samples, n_features)
        Smooth functions on the graph, along which clusters are split.
    """
    k = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=k)
    boundary = closest_boundaries(weights_between(graph, labels, k), sizes)
    inner = inner_shares(graph, weights, labels, features)
    masses = np.bincount(labels, weights, k) / weights.sum()
    return Separation(
        1.0 - float(masses @ masses),
        float(masses @ np.log(inner / boundary)) if k > 1 else 0.0,
        float(masses @ boundary),
        float(masses @ inner),
    )


def weights_between(graph: Any, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the weights of the edges between clusters (k x k)."""
    own = np.repeat(labels, np.diff(graph.indptr))
    pairs = own * n_clusters + labels[graph.indices]
    totals = np.bincount(pairs, graph.data, n_clusters**2)
    return totals.reshape(n_clusters, n_clusters)


def boundary_shares(between: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the share of the boundary of each pair of clusters; the diagonal is 0."""
    sides = share_of(between, np.diag(between)[:, None], sizes[:, None])
    shares = (sides + sides.T) / 2
    np.fill_diagonal(shares, 0.0)
    return shares


def closest_boundaries(between: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the share of the boundary of each cluster with the closest one.

    That takes the largest part of the edges, without a prior: else small clusters far
    away were the closest ones. A cluster without an edge to others has the share of its
    own side, whatever the sizes of the others are.
    """
    parts = between / np.maximum(np.diag(between)[:, None] + between, TINY)
    parts = parts + parts.T
    np.fill_diagonal(parts, 0.0)
    closest = parts.argmax(axis=1)
    linked = parts.max(axis=1) > 0.0
    shares = boundary_shares(between, sizes)[np.arange(len(sizes)), closest]
    return np.where(linked, shares, 0.5 / (sizes + 1.0))


def share_of(cuts: np.ndarray, within: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the posterior mean of the part of the edges that a side loses."""
    parts = np.clip(cuts / np.maximum(cuts + within, TINY), 0.0, 1.0)
    result: np.ndarray = (sizes * parts + 0.5) / (sizes + 1.0)
    return result


def inner_shares(
    graph: Any, weights: np.ndarray, labels: np.ndarray, features: np.ndarray
) -> np.ndarray:
    """Return the share of the best boundary inside each cluster.

    The samples of a cluster are ordered along the direction of the largest variance of
    their features, and split where the share is smallest. The edges that leave the
    cluster do not count. The share is 1 for clusters of one sample, which cannot be
    split.
    """
    order = _order_in_clusters(features, weights, labels)
    cuts, volumes = _cuts_along(graph, labels, order)
    sizes = np.bincount(labels)
    ends = np.cumsum(sizes)
    shares = np.ones(len(sizes))
    for h in np.flatnonzero(sizes > 1):
        own = slice(ends[h] - sizes[h], ends[h] - 1)  # a split behind each of these
        before = volumes[own.start - 1] if own.start else 0.0
        left = np.arange(1, sizes[h])
        cut, below = cuts[own], volumes[own] - before
        above = volumes[ends[h] - 1] - volumes[own]
        sides = share_of(cut, np.maximum(below - cut, 0.0), left)
        sides += share_of(cut, np.maximum(above - cut, 0.0), sizes[h] - left)
        shares[h] = sides.min() / 2
    return shares


def _cuts_along(
    graph: Any, labels: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a split behind each place cuts, and the weights up to there.

    An edge from a to b is cut by a split behind any of the places a, ..., b - 1. Edges
    between clusters do not count.
    """
    n_samples = len(order)
    places = np.empty(n_samples, dtype=np.int64)
    places[order] = np.arange(n_samples)
    rows = np.repeat(np.arange(n_samples), np.diff(graph.indptr))
    within = labels[rows] == labels[graph.indices]
    first, second = places[rows[within]], places[graph.indices[within]]
    values = graph.data[within]
    up = first < second
    begun = np.bincount(first[up], values[up], n_samples)
    ended = np.bincount(second[up], values[up], n_samples)
    volumes = np.bincount(first, values, n_samples)
    return np.cumsum(begun - ended), np.cumsum(volumes)


def _order_in_clusters(
    features: np.ndarray, weights: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Return the samples cluster by cluster, in each along its main direction."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    for own in np.split(order, ends[:-1]):
        if len(own) > 2:
            along = _main_coordinates(features[own], weights[own])
            own[:] = own[np.argsort(along, kind="stable")]
    return order


def _main_coordinates(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the coordinate of some samples in the direction of largest variance."""
    centered = features - weights @ features / weights.sum()
    direction = centered[np.einsum("nm,nm->n", centered, centered).argmax()]
    for _ in range(POWER_STEPS):
        direction = centered.T @ (weights * (centered @ direction))
        direction = direction / max(float(np.linalg.norm(direction)), TINY)
    result: np.ndarray = centered @ direction
    return result
