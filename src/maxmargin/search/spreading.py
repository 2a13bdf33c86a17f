"""Where a search with given labels starts: how much each group prefers each cluster."""

import numpy as np

from maxmargin.search.links import Links


def spread_labels(smoother: np.ndarray, links: Links, n_clusters: int) -> np.ndarray:
    """Return ``S y_h / |y_h|`` for the given labels ``y_h``, summed over each group.

    These are the functions fitted to the labels that are given, the others counting
    as zero: labels spread from where they are to what is near. The mean is taken over
    the labels of a cluster, so that one with more labels does not win by their number.
    Groups of several samples hand on what has reached one of them: they take part in a
    second round.
    """
    preferences = _spread(smoother, links, links.labels, n_clusters)
    tied = ~links.fixed & (np.bincount(links.groups) > 1)
    if not tied.any():
        return preferences
    labels = np.where(tied, preferences.argmax(axis=1), links.labels)
    return _spread(smoother, links, labels, n_clusters)


def _spread(
    smoother: np.ndarray, links: Links, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    given = labels[links.groups]
    rows = np.flatnonzero(given >= 0)
    targets = np.zeros((len(rows), n_clusters))
    targets[np.arange(len(rows)), given[rows]] = 1.0
    targets /= np.maximum(targets.sum(axis=0), 1.0)
    return sums_of_groups(smoother[:, rows] @ targets, links)


def seed_labels(
    smoother: np.ndarray,
    weights: np.ndarray,
    links: Links,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return votes for the cluster of the nearest seed, summed over each group.

    Samples whose cluster is given are seeds. Those of the other clusters are drawn as
    by k-means++ in the space of the smoother, by weight times the squared distance
    ``S_ii / w_i^2 + S_jj / w_j^2 - 2 S_ij / (w_i w_j)`` to the nearest seed so far.
    """
    norms = np.diagonal(smoother) / weights**2
    given = links.labels[links.groups]
    labels = np.zeros(len(weights), dtype=np.int64)
    nearest = np.full(len(weights), np.inf)

    def add(seed: int, h: int) -> None:
        cross = smoother[seed] / (weights * weights[seed])
        distances = np.maximum(norms + norms[seed] - 2 * cross, 0)
        distances[seed] = 0
        closer = distances < nearest
        labels[closer] = h
        nearest[closer] = distances[closer]
        labels[seed] = h

    for seed in np.flatnonzero(given >= 0).tolist():
        add(seed, given[seed])
    for h in np.setdiff1d(np.arange(n_clusters), given).tolist():
        mass = weights * np.where(np.isfinite(nearest), nearest, 1.0)
        mass = np.where(given >= 0, 0.0, mass)
        if mass.sum() == 0:
            mass = weights
        add(int(random.choice(len(weights), p=mass / mass.sum())), h)
    votes = np.zeros((len(weights), n_clusters))
    votes[np.arange(len(weights)), labels] = weights
    return sums_of_groups(votes, links)


def sums_of_groups(values: np.ndarray, links: Links) -> np.ndarray:
    """Return the sums of rows over each group."""
    sums = np.zeros((len(links.labels), values.shape[1]))
    np.add.at(sums, links.groups, values)
    return sums
