"""Labels to start a search from."""

import numpy as np

from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance


def random_labels(
    n_samples: int, n_clusters: int, random: np.random.RandomState
) -> np.ndarray:
    """Draw labels at random, every cluster as large as the others up to one."""
    return random.permutation(np.arange(n_samples) % n_clusters)


def labels_within(
    weights: np.ndarray, balance: Balance, random: np.random.RandomState
) -> np.ndarray:
    """Draw labels at random, changing as few as the size limits ask for."""
    n_clusters = len(balance.targets)
    wishes = random.rand(len(weights), n_clusters)
    labels = assign_within_limits(wishes, weights, balance.limits)
    return fill_empty(labels, n_clusters, random)


def plus_plus_labels(
    smoother: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Draw k-means++ seeds in the space of the smoother and label by the nearest.

    ``S_ij / (w_i w_j)`` is the inner product of samples i and j there, so that
    ``D_ij = S_ii / w_i^2 + S_jj / w_j^2 - 2 S_ij / (w_i w_j)``. The first seed is drawn
    by weight, each further one by weight times the distance to the nearest seed.
    """
    norms = np.diagonal(smoother) / weights**2
    chance = weights / weights.sum()
    nearest = np.full(len(weights), np.inf)
    labels = np.zeros(len(weights), dtype=np.int64)
    for h in range(n_clusters):
        seed = random.choice(len(weights), p=chance)
        cross = smoother[seed] / (weights * weights[seed])
        distances = np.maximum(norms + norms[seed] - 2 * cross, 0)
        distances[seed] = 0
        closer = distances < nearest
        labels[closer] = h
        nearest[closer] = distances[closer]
        labels[seed] = h
        mass = weights * nearest
        if mass.sum() > 0:
            chance = mass / mass.sum()
    return labels


def fill_empty(
    labels: np.ndarray, n_clusters: int, random: np.random.RandomState
) -> np.ndarray:
    """Give each empty cluster one sample of the largest."""
    labels = labels.copy()
    for h in np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0):
        largest = np.bincount(labels, minlength=n_clusters).argmax()
        labels[random.choice(np.flatnonzero(labels == largest))] = h
    return labels
