"""What relocations need: the second best cluster of samples, and halves of clusters."""

import numpy as np

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.search.features import squared_lengths
from maxmargin.search.objective import share

POWER_STEPS = 5
MEANS_STEPS = 4


@compiled
def next_best(slopes, weights, labels, n_clusters):
    """Return the second best cluster of each sample, and what each cluster would lose.

    The loss is that of the samples of a cluster if all moved to their second best one.
    """
    second = np.empty(len(labels), dtype=np.int64)
    losses = np.zeros(n_clusters)
    for i in range(len(labels)):
        own, best = labels[i], -1
        for h in range(n_clusters):
            if h != own and (best < 0 or slopes[i, h] > slopes[i, best]):
                best = h
        second[i] = best
        losses[own] += weights[i] * (slopes[i, own] - slopes[i, best])
    return second, losses


@compiled
def split_clusters(features, weights, labels, sums, sizes, objective):
    """Return a mask of one half of each cluster, and the gains of the splits.

    The gain is minus infinity for a cluster that cannot be split.
    """
    k = len(sizes)
    upper = np.zeros(len(labels), dtype=np.bool_)
    gains = np.full(k, -np.inf)
    within = squared_lengths(sums)
    order = np.argsort(labels, kind="mergesort")
    start = 0
    for g in range(k):
        end = start
        while end < len(order) and labels[order[end]] == g:
            end += 1
        own = order[start:end]
        start = end
        half, mass = split_one(features, weights, own, upper)
        if mass <= 0.0 or mass >= sizes[g]:
            continue
        halves = np.empty((2, features.shape[1]))
        halves[0], halves[1] = half, sums[g] - half
        parts = squared_lengths(halves)
        gains[g] = share(parts[0], mass, objective)
        gains[g] += share(parts[1], sizes[g] - mass, objective)
        gains[g] -= share(within[g], sizes[g], objective)
    return upper, gains


@compiled_sum
def split_one(features, weights, own, upper):
    """Mark one of two parts of some samples; return its weighted sum and its weight.

    2-means begins with the halves on either side of the mean, along the direction of
    the largest variance. The weight is zero if there is one part only.
    """
    n_features = features.shape[1]
    total = 0.0
    mean, half = np.zeros(n_features), np.zeros(n_features)
    for i in own:
        total += weights[i]
        for m in range(n_features):
            mean[m] += weights[i] * features[i, m]
    if len(own) < 2 or total <= 0.0:
        return half, 0.0
    mean /= total
    direction = _main_direction(features, weights, own, mean)
    middle = 0.0
    for m in range(n_features):
        middle += mean[m] * direction[m]
    mass = 0.0
    for step in range(MEANS_STEPS + 1):
        mass, count = 0.0, 0
        half[:] = 0.0
        for i in own:
            product = 0.0
            for m in range(n_features):
                product += features[i, m] * direction[m]
            upper[i] = product > middle
            if upper[i]:
                count += 1
                mass += weights[i]
                for m in range(n_features):
                    half[m] += weights[i] * features[i, m]
        if count == 0 or count == len(own) or mass <= 0.0 or mass >= total:
            return half, 0.0
        if step == MEANS_STEPS:
            break
        middle = 0.0
        for m in range(n_features):
            center = half[m] / mass
            other = (total * mean[m] - half[m]) / (total - mass)
            direction[m] = center - other
            middle += (center**2 - other**2) / 2.0
    return half, mass


@compiled_sum
def _main_direction(features, weights, own, mean):
    """Return the direction of the largest variance of some samples, by power steps.

    They begin at the sample that is farthest from the mean.
    """
    n_features = len(mean)
    direction = np.zeros(n_features)
    largest = -1.0
    for i in own:
        distance = 0.0
        for m in range(n_features):
            distance += (features[i, m] - mean[m]) ** 2
        if distance > largest:
            largest = distance
            for m in range(n_features):
                direction[m] = features[i, m] - mean[m]
    for _ in range(POWER_STEPS):
        turned = np.zeros(n_features)
        for i in own:
            product = 0.0
            for m in range(n_features):
                product += (features[i, m] - mean[m]) * direction[m]
            for m in range(n_features):
                turned[m] += weights[i] * product * (features[i, m] - mean[m])
        length = np.sqrt(np.sum(turned**2))
        direction = turned / max(length, 1e-300)
    return direction
