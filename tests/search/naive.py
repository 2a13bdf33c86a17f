"""Slow, direct versions of what the package does fast, from the formulas alone."""

import itertools

import numpy as np


def paper_objective(K, alpha, labels, n_clusters):
    """Equations (7), (11) and (13) of Pahikkala et al., as printed."""
    G = np.linalg.inv(K + alpha * np.eye(len(K)))
    total = 0.0
    for h in range(n_clusters):
        p = np.where(labels == h, 1.0, -1.0)
        residual = p - K @ G @ p
        total += residual @ residual + alpha * p @ G @ K @ G @ p
    return total


def plain_sum(S, labels, n_clusters):
    z = np.eye(n_clusters)[labels]
    return np.trace(z.T @ S @ z)


def power_sum(S, labels, n_clusters, power, weights=None, root=1.0):
    """The terms ``W_h^q / n_h^p`` of the clusters, each from the whole matrix."""
    weights = np.ones(len(S)) if weights is None else weights
    total = 0.0
    for h in range(n_clusters):
        z = (labels == h).astype(float)
        if z.any():
            total += (z @ S @ z) ** root / (weights @ z) ** power
    return total


def best_labelling(value, n_samples, n_clusters, feasible=lambda sizes: True):
    """Try every labelling with no empty cluster, up to names; return the best value."""
    best = -np.inf
    for tail in itertools.product(range(n_clusters), repeat=n_samples - 1):
        labels = np.array((0, *tail))
        sizes = np.bincount(labels, minlength=n_clusters)
        if sizes.min() > 0 and feasible(sizes):
            best = max(best, value(labels))
    return best


def moved(labels, j, d):
    labels = labels.copy()
    labels[j] = d
    return labels


def stochastic(S, labels, n_clusters):
    """Algorithm 1, each candidate evaluated from scratch; returns every move."""
    moves = []
    while True:
        quiet = True
        for j in range(len(labels)):
            values = [
                plain_sum(S, moved(labels, j, d), n_clusters) for d in range(n_clusters)
            ]
            d = int(np.argmax(values))
            if d != labels[j] and values[d] > values[labels[j]] + 1e-10:
                labels = moved(labels, j, d)
                moves.append((j, d))
                quiet = False
        if quiet:
            return labels, moves


def steepest(S, labels, n_clusters):
    """Algorithm 2."""
    moves = []
    while True:
        current = plain_sum(S, labels, n_clusters)
        values = np.array(
            [
                [
                    plain_sum(S, moved(labels, j, d), n_clusters)
                    for d in range(n_clusters)
                ]
                for j in range(len(labels))
            ]
        )
        j, d = np.unravel_index(values.argmax(), values.shape)
        if values[j, d] <= current + 1e-10:
            return labels, moves
        labels = moved(labels, j, d)
        moves.append((j, d))


def shaking(S, labels, n_clusters, shares=tuple(2.0**-i for i in range(21))):
    """Algorithm 3; a cluster claims as many whole samples as equation (14) allows.

    ``shares`` has the factor of the first term of (14) in each round.
    """
    n_samples = len(labels)
    moves = []
    for share in shares:
        for d in range(n_clusters):
            alpha = (
                share * n_samples / n_clusters
                + n_samples / n_clusters
                - np.sum(labels == d)
            )
            for _ in range(max(int(alpha), 0)):
                others = np.flatnonzero(labels != d)
                if len(others) == 0:
                    break
                values = [plain_sum(S, moved(labels, j, d), n_clusters) for j in others]
                j = others[int(np.argmax(values))]
                labels = moved(labels, j, d)
                moves.append((j, d))
    return labels, moves


def evolutionary_fitness(K, alpha, y):
    """Equation (10) of Gieseke et al., with alpha for lambda n."""
    n_samples = len(y)
    G = np.linalg.inv(K + alpha * np.eye(n_samples))
    residual = y - K @ G @ y
    return residual @ residual / n_samples + alpha / n_samples * y @ G @ K @ G @ y


class SplitMix:
    """SplitMix64 in whole numbers of any length."""

    def __init__(self, state):
        self.state = state

    def below(self, n):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (((z ^ (z >> 31)) >> 32) * n) >> 32


def first_gain(S, labels, n_clusters, power, limits, numbers, n_tries):
    """Flip labels at random until the objective rises; return labels and tries.

    A flip that breaks a limit becomes a swap with a sample of the other cluster.
    """
    current = power_sum(S, labels, n_clusters, power)
    for n_tried in range(1, n_tries + 1):
        j = numbers.below(len(labels))
        d = 1 - labels[j]
        if n_clusters > 2:
            d = numbers.below(n_clusters - 1)
            d += d >= labels[j]
        changed = moved(labels, j, d)
        sizes = np.bincount(changed, minlength=n_clusters)
        if (sizes < limits[0]).any() or (sizes > limits[1]).any():
            i = numbers.below(len(labels))
            while labels[i] != d:
                i = numbers.below(len(labels))
            changed[i] = labels[j]
        if power_sum(S, changed, n_clusters, power) > current + 1e-10:
            return changed, n_tried
    return labels, n_tries
