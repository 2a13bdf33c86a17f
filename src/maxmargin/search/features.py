"""Clusters in few features: passes over all samples, and moves of single ones.

On a smoother of low rank, ``S = W Phi Phi' W``, the objective depends on the clusters
through the sums ``s_h = Phi' W z_h``, with ``W_h = |s_h|^2``, and the sizes. In a pass
every sample moves to the cluster with its largest decision value (`search.objective`),
which cannot lower the objective, as that is convex in the sums. With `MEANS` the passes
are those of k-means, with `DIRECTIONS` those of spherical k-means.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import MEANS, Objective, decision_terms, share

MAX_PASSES = 300


class Problem(NamedTuple):
    """Samples to cluster."""

    features: np.ndarray  # (n, m)
    weights: np.ndarray  # (n,)
    n_clusters: int
    objective: Objective = MEANS
    limits: np.ndarray | None = None  # (2, k), of the sizes

    def part(self, step: int) -> "Problem":
        """Return the problem of every ``step``-th sample."""
        if step == 1:
            return self
        features, weights = self.features[::step], self.weights[::step]
        limits = self.limits
        if limits is not None:
            limits = limits * (weights.sum() / self.weights.sum())
            slack = weights.max() * np.array([[-1.0], [1.0]])
            limits = limits + slack
        return self._replace(features=features, weights=weights, limits=limits)


class Solution(NamedTuple):
    """A labelling, and the sums that determine the objective."""

    labels: np.ndarray  # (n,)
    sums: np.ndarray  # (k, m)
    sizes: np.ndarray  # (k,)
    value: float

    def slopes(self, problem: Problem) -> np.ndarray:
        """Return the gain per unit of weight of each sample in each cluster (n x k)."""
        within = np.einsum("hm,hm->h", self.sums, self.sums)
        factors, offsets = decision_terms(within, self.sizes, problem.objective)
        unit = self.sizes.mean() ** -problem.objective.power
        coefficients = self.sums * (factors * unit)[:, None]
        values: np.ndarray = problem.features @ coefficients.T + offsets * unit
        return values


def solution_of(problem: Problem, labels: np.ndarray) -> Solution:
    """Return a labelling with its sums and its objective."""
    sums, sizes = sum_rows(
        problem.features, problem.weights, labels, problem.n_clusters
    )
    return Solution(labels, sums, sizes, float(shares_of(problem, sums, sizes).sum()))


def within_limits(found: Solution, limits: np.ndarray | None) -> bool:
    """Return True if the sizes of a solution are within limits, if there are any."""
    if limits is None:
        return True
    return bool((found.sizes >= limits[0]).all() and (found.sizes <= limits[1]).all())


def make_passes(
    problem: Problem, labels: np.ndarray, max_passes: int = MAX_PASSES
) -> Solution:
    """Move all samples at once, again and again until no label changes.

    Labels outside the size limits are replaced by the best ones within them. Within
    the limits the objective cannot fall.
    """
    limits = problem.limits
    found = solution_of(problem, labels)
    if not within_limits(found, limits):
        found = solution_of(problem, assign(problem, found))
    for _ in range(max_passes):
        new = assign(problem, found)
        if np.array_equal(new, found.labels):
            break
        after = solution_of(problem, new)
        if after.value <= found.value:  # equal up to rounding
            break
        found = after
    return found


def assign(problem: Problem, found: Solution) -> np.ndarray:
    """Return the best labels by the present decision values."""
    slopes = found.slopes(problem)
    if problem.limits is None:
        return slopes.argmax(axis=1)
    return assign_within_limits(slopes, problem.weights, problem.limits)


def shares_of(problem: Problem, sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the terms of clusters in the objective."""
    within = np.einsum("hm,hm->h", sums, sums)
    pairs = zip(within, sizes, strict=True)
    return np.array([share(one, size, problem.objective) for one, size in pairs])


def move_single_samples(problem: Problem, found: Solution) -> Solution:
    """Move one sample at a time while that raises the objective.

    A pass moves all samples by a linear approximation, so single moves may still gain.
    Where none does, no pass changes a label either, as the objective is convex.
    """
    if problem.limits is not None:
        return found
    labels, sums, sizes = found.labels.copy(), found.sums.copy(), found.sizes.copy()
    tolerance = 1e-12 * abs(found.value)
    for _ in range(MAX_PASSES):
        n_moves = sweep_features(
            problem.features,
            problem.weights,
            labels,
            sums,
            sizes,
            problem.objective,
            tolerance,
        )
        if n_moves == 0:
            break
    return solution_of(problem, labels)


@compiled
def sweep_features(features, weights, labels, sums, sizes, objective, tolerance):
    """Move each sample once to its best cluster, in place; return the number of moves.

    No cluster loses its last sample.
    """
    n_samples, n_features = features.shape
    k = len(sizes)
    within = np.zeros(k)
    for h in range(k):
        for m in range(n_features):
            within[h] += sums[h, m] ** 2
    products = np.empty(k)
    n_moves = 0
    for i in range(n_samples):
        c, weight = labels[i], weights[i]
        if sizes[c] - weight <= 1e-12 * sizes[c]:
            continue
        norm = 0.0
        for m in range(n_features):
            norm += features[i, m] ** 2
        for h in range(k):
            products[h] = 0.0
            for m in range(n_features):
                products[h] += features[i, m] * sums[h, m]
        own = weight**2 * norm
        rest = within[c] + own - 2.0 * weight * products[c]
        leave = share(rest, sizes[c] - weight, objective)
        leave -= share(within[c], sizes[c], objective)
        best, most = c, tolerance
        for h in range(k):
            if h == c:
                continue
            more = within[h] + own + 2.0 * weight * products[h]
            gain = leave + share(more, sizes[h] + weight, objective)
            gain -= share(within[h], sizes[h], objective)
            if gain > most:
                best, most = h, gain
        if best != c:
            within[c] = rest
            within[best] += own + 2.0 * weight * products[best]
            sizes[c] -= weight
            sizes[best] += weight
            for m in range(n_features):
                sums[c, m] -= weight * features[i, m]
                sums[best, m] += weight * features[i, m]
            labels[i] = best
            n_moves += 1
    return n_moves


def nearest_center(features: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the nearest of some centres for each sample."""
    norms = np.einsum("hm,hm->h", centers, centers)
    labels: np.ndarray = (norms - 2.0 * features @ centers.T).argmin(axis=1)
    return labels


@compiled
def sum_rows(features, weights, labels, n_clusters):
    """Return the weighted sums of the rows of each cluster, and the sums of weights."""
    sums = np.zeros((n_clusters, features.shape[1]))
    sizes = np.zeros(n_clusters)
    for i in range(len(labels)):
        sizes[labels[i]] += weights[i]
        for m in range(features.shape[1]):
            sums[labels[i], m] += weights[i] * features[i, m]
    return sums, sizes
