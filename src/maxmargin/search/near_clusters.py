"""Passes over many clusters: a sample is compared with those near its own alone.

A pass that compares every sample with every cluster takes n k operations per feature,
and nearly all of them are wasted if there are many clusters: a sample leaves its
cluster for one nearby. So each cluster has a list of the clusters nearest to it, and a
pass takes n times the length of the list. A cluster is skipped if none of its list has
changed since it was last compared: then none of its samples can have changed its mind.
"""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.rows.threads import for_blocks
from maxmargin.search.features import (
    Problem,
    Solution,
    slopes_of,
    solution_of,
    squared_lengths,
)
from maxmargin.search.objective import slope_terms, total_share

N_NEAR = 24  # clusters that are compared, the own one included
MANY_CLUSTERS = 64  # up to here a product with all of them is as fast
LIST_PASSES = 4  # after which the lists are made anew
CLUSTERS_PER_BLOCK = 16


class NearClusters:
    """The clusters near each one, and the best other one of each sample.

    Attributes
    ----------
    other : ndarray of shape (n_samples,)
        The best cluster of the list but for the own one.
    lead : ndarray of shape (n_samples,)
        How much larger the decision value of the own cluster is than that of the other.
    """

    def __init__(self, problem: Problem, found: Solution):
        self.problem = problem
        self.lists = near_lists(problem, found)
        self.other = np.empty(len(found.labels), dtype=np.int64)
        self.lead = np.empty(len(found.labels))
        self.compare(found, np.ones(problem.n_clusters, dtype=np.bool_))

    def compare(self, found: Solution, changed: np.ndarray) -> None:
        """Compare the samples of clusters with a changed one in their lists."""
        features, _, k, objective, _ = self.problem
        factors, offsets = slope_terms(
            squared_lengths(found.sums), found.sizes, objective
        )
        centers = found.sums * factors[:, None]
        order = np.argsort(found.labels, kind="stable")
        ends = np.cumsum(np.bincount(found.labels, minlength=k))
        active = np.flatnonzero(changed[self.lists].any(axis=1))

        def fill(block: slice) -> None:
            for c in active[block]:
                own = order[ends[c - 1] if c else 0 : ends[c]]
                near = self.lists[c]
                compare_cluster(
                    features, own, c, near, centers, offsets, self.other, self.lead
                )

        for_blocks(fill, len(active), CLUSTERS_PER_BLOCK)

    def losses(self, labels: np.ndarray) -> np.ndarray:
        """Return what each cluster would lose if its samples joined their other one."""
        weights, k = self.problem.weights, self.problem.n_clusters
        return np.bincount(labels, weights * self.lead, minlength=k)


def near_lists(problem: Problem, found: Solution) -> np.ndarray:
    """Return the clusters with the largest decision values at each centre (k x 24)."""
    centers = found.sums / np.maximum(found.sizes, 1e-300)[:, None]
    values = slopes_of(centers, found.sums, found.sizes, problem.objective)
    np.fill_diagonal(values, np.inf)
    lists = np.argpartition(-values, N_NEAR - 1, axis=1)[:, :N_NEAR]
    return np.sort(lists, axis=1)  # of equal values the first cluster is best


@compiled
def compare_cluster(features, own, c, near, centers, offsets, other, lead):
    """Fill in the best other cluster, and the lead over it, of a cluster's samples."""
    rows = np.empty((len(own), features.shape[1]))
    for a in range(len(own)):
        rows[a] = features[own[a]]
    candidates = np.empty((len(near), features.shape[1]))
    for b in range(len(near)):
        candidates[b] = centers[near[b]]
    values = np.dot(rows, candidates.T)
    for a in range(len(own)):
        best, most, mine = -1, 0.0, 0.0
        for b in range(len(near)):
            value = values[a, b] + offsets[near[b]]
            if near[b] == c:
                mine = value
            elif best < 0 or value > most:
                best, most = near[b], value
        other[own[a]] = best
        lead[own[a]] = mine - most


def pass_among_near(problem: Problem, labels: np.ndarray, max_passes: int) -> Solution:
    """Move all samples at once to the best cluster near their own, again and again."""
    found = solution_of(problem, labels.copy())
    near, changed = NearClusters(problem, found), np.empty(0, dtype=np.bool_)
    for number in range(max_passes):
        if number and number % LIST_PASSES == 0:
            near = NearClusters(problem, found)
        elif number:
            near.compare(found, changed)
        movers = np.flatnonzero(near.lead < 0.0)
        after, changed = _move(problem, found, movers, near.other[movers])
        if after.value <= found.value:  # equal up to rounding, or no move
            break
        found = after
    return found


def _move(
    problem: Problem, found: Solution, movers: np.ndarray, targets: np.ndarray
) -> tuple[Solution, np.ndarray]:
    """Return the solution with some samples moved, and which clusters have changed."""
    labels, sums, sizes = found.labels.copy(), found.sums.copy(), found.sizes.copy()
    changed = np.zeros(problem.n_clusters, dtype=np.bool_)
    changed[labels[movers]] = changed[targets] = True
    labels[movers] = targets
    part = np.flatnonzero(changed[labels])
    sum_again(problem.features, problem.weights, labels, part, changed, sums, sizes)
    value = total_share(squared_lengths(sums), sizes, problem.objective)
    return Solution(labels, sums, sizes, float(value)), changed


@compiled
def sum_again(features, weights, labels, part, changed, sums, sizes):
    """Sum the samples of the clusters that have changed, which are ``part``."""
    for h in range(len(sizes)):
        if changed[h]:
            sizes[h] = 0.0
            sums[h] = 0.0
    for i in part:
        sizes[labels[i]] += weights[i]
        for m in range(features.shape[1]):
            sums[labels[i], m] += weights[i] * features[i, m]
