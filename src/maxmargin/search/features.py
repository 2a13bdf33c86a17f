"""Clusters in few features: passes over all samples, and moves of single ones.

On a smoother of low rank, ``S = W Phi Phi' W``, the objective depends on the clusters
through the sums ``s_h = Phi' W z_h``, with ``W_h = |s_h|^2``, and the sizes. In a pass
every sample moves to the cluster with its largest decision value (`search.objective`),
which cannot lower the objective, as that is convex in the sums. With `MEANS` the passes
are those of k-means, with `DIRECTIONS` those of spherical k-means.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.rows.threads import for_blocks, map_blocks
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import (
    MEANS,
    Objective,
    share,
    slope_terms,
    total_share,
)

MAX_PASSES = 300
ROWS_PER_BLOCK, FEW_SAMPLES = 2048, 10_000


class Problem(NamedTuple):
    """Samples to cluster."""

    features: np.ndarray  # (n, m)
    weights: np.ndarray  # (n,)
    n_clusters: int
    objective: Objective = MEANS
    limits: np.ndarray | None = None  # (2, k), of the sizes

    @property
    def cost(self) -> int:
        """Return the number of operations of a pass."""
        return int(self.features.size) * self.n_clusters

    def part(self, step: int) -> "Problem":
        """Return the problem of every ``step``-th sample."""
        if step == 1:
            return self
        features = np.ascontiguousarray(self.features[::step])
        weights, limits = self.weights[::step], self.limits
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
        slopes = np.empty((len(problem.features), len(self.sizes)))

        def fill(rows: slice) -> None:
            slopes[rows] = self.slopes_in(problem, rows)

        for_blocks(fill, len(slopes), ROWS_PER_BLOCK)
        return slopes

    def slopes_in(self, problem: Problem, rows: slice) -> np.ndarray:
        """Return the gains of some samples."""
        some = problem.features[rows]
        return np.asarray(slopes_of(some, self.sums, self.sizes, problem.objective))


def solution_of(problem: Problem, labels: np.ndarray) -> Solution:
    """Return a labelling with its sums and its objective."""
    features, weights, k, objective, _ = problem

    def add(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        sums, sizes = sum_rows(features[rows], weights[rows], labels[rows], k)
        return sums, sizes

    few = len(labels) <= FEW_SAMPLES  # in one sum, as in the compiled passes
    parts = map_blocks(add, len(labels), len(labels) if few else max(ROWS_PER_BLOCK, k))
    sums, sizes = (np.asarray(sum(part)) for part in zip(*parts, strict=True))
    value = total_share(squared_lengths(sums), sizes, objective)
    return Solution(labels, sums, sizes, float(value))


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
    the limits the objective cannot fall. Passes over few samples are one compiled loop;
    of many, a block is labelled in a thread.
    """
    features, weights, k, objective, limits = problem
    if limits is None and len(features) <= FEW_SAMPLES:
        found = pass_freely(features, weights, labels, k, objective, max_passes)
        return Solution(*found)
    before = solution_of(problem, labels)
    if not within_limits(before, limits):
        before = solution_of(problem, assign(problem, before, limits))
    for _ in range(max_passes):
        after = solution_of(problem, assign(problem, before, limits))
        if after.value <= before.value:  # equal up to rounding, or the same labels
            break
        before = after
    return before


def assign(problem: Problem, found: Solution, limits: np.ndarray | None) -> np.ndarray:
    """Return the best labels within limits by the present decision values."""
    if limits is not None:
        return assign_within_limits(found.slopes(problem), problem.weights, limits)
    labels = found.labels.copy()

    def fill(rows: slice) -> None:
        choose_best(found.slopes_in(problem, rows), labels[rows])

    for_blocks(fill, len(labels), ROWS_PER_BLOCK)
    return labels


def move_single_samples(
    problem: Problem, found: Solution, lists: np.ndarray | None = None
) -> Solution:
    """Move one sample at a time while that raises the objective.

    A pass moves all samples by a linear approximation, so single moves may still gain.
    Where none does, no pass changes a label either, as the objective is convex.
    ``lists`` are the clusters that the samples of each may move to, by default all.
    """
    if problem.limits is not None:
        return found
    features, weights, k, objective, _ = problem
    if lists is None:
        lists = np.tile(np.arange(k), (k, 1))
    labels, sums, sizes = found.labels.copy(), found.sums.copy(), found.sizes.copy()
    tolerance = 1e-12 * abs(found.value)
    for _ in range(MAX_PASSES):
        if not sweep_features(
            features, weights, labels, sums, sizes, objective, tolerance, lists
        ):
            break
    return solution_of(problem, labels)


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


@compiled_sum
def squared_lengths(rows):
    """Return the squared lengths of rows."""
    lengths = np.zeros(len(rows))
    for h in range(len(rows)):
        for m in range(rows.shape[1]):
            lengths[h] += rows[h, m] ** 2
    return lengths


@compiled
def slopes_of(features, sums, sizes, objective):
    """Return the decision values of samples, given the sums of clusters (n x k)."""
    factors, offsets = slope_terms(squared_lengths(sums), sizes, objective)
    scaled = np.empty_like(sums)
    for h in range(len(sums)):
        for m in range(sums.shape[1]):
            scaled[h, m] = sums[h, m] * factors[h]
    values = np.dot(features, scaled.T)
    for i in range(len(values)):
        for h in range(len(sums)):
            values[i, h] += offsets[h]
    return values


@compiled
def pass_freely(features, weights, labels, n_clusters, objective, max_passes):
    """Make passes without limits; return the fields of a `Solution`."""
    labels = labels.copy()
    sums, sizes = sum_rows(features, weights, labels, n_clusters)
    value = total_share(squared_lengths(sums), sizes, objective)
    before = labels.copy()
    for _ in range(max_passes):
        values = slopes_of(features, sums, sizes, objective)
        n_moves = move_to_best(features, weights, values, labels, sums, sizes)
        new = total_share(squared_lengths(sums), sizes, objective)
        if n_moves == 0 or new <= value:  # equal up to rounding
            break
        value = new
        before[:] = labels
    sums, sizes = sum_rows(features, weights, before, n_clusters)
    value = total_share(squared_lengths(sums), sizes, objective)
    return before, sums, sizes, value


@compiled
def choose_best(values, labels):
    """Replace labels by those of the largest values; of equal ones the own is best."""
    for i in range(len(labels)):
        best = labels[i]
        for h in range(values.shape[1]):
            if values[i, h] > values[i, best]:
                best = h
        labels[i] = best


@compiled
def move_to_best(features, weights, values, labels, sums, sizes):
    """Move each sample to the cluster of its largest value; return how many moved.

    Labels, sums and sizes are changed in place. Of equal values the own one is best.
    """
    n_moves = 0
    for i in range(len(labels)):
        own = labels[i]
        best = own
        for h in range(len(sizes)):
            if values[i, h] > values[i, best]:
                best = h
        if best == own:
            continue
        weight = weights[i]
        sizes[own] -= weight
        sizes[best] += weight
        for m in range(features.shape[1]):
            sums[own, m] -= weight * features[i, m]
            sums[best, m] += weight * features[i, m]
        if sizes[own] < 1e-9 * weight:  # what is left of an empty cluster is rounding
            sizes[own] = 0.0
            sums[own] = 0.0
        labels[i] = best
        n_moves += 1
    return n_moves


@compiled_sum
def sweep_features(features, weights, labels, sums, sizes, objective, tolerance, lists):
    """Move each sample once to its best cluster, in place; return the number of moves.

    No cluster loses its last sample.
    """
    n_samples, n_features = features.shape
    k = len(sizes)
    within = squared_lengths(sums)
    shares = np.empty(k)
    for h in range(k):
        shares[h] = share(within[h], sizes[h], objective)
    n_moves = 0
    for i in range(n_samples):
        c, weight = labels[i], weights[i]
        if sizes[c] - weight <= 1e-12 * sizes[c]:
            continue
        norm, product = 0.0, 0.0
        for m in range(n_features):
            norm += features[i, m] ** 2
            product += features[i, m] * sums[c, m]
        own = weight**2 * norm
        rest = within[c] + own - 2.0 * weight * product
        left = share(rest, sizes[c] - weight, objective)
        best, most, joined, larger = c, tolerance, 0.0, 0.0
        for h in lists[c]:
            if h == c:
                continue
            product = 0.0
            for m in range(n_features):
                product += features[i, m] * sums[h, m]
            more = within[h] + own + 2.0 * weight * product
            term = share(more, sizes[h] + weight, objective)
            gain = left - shares[c] + term - shares[h]
            if gain > most:
                best, most, joined, larger = h, gain, more, term
        if best != c:
            within[c], within[best] = rest, joined
            shares[c], shares[best] = left, larger
            sizes[c] -= weight
            sizes[best] += weight
            for m in range(n_features):
                sums[c, m] -= weight * features[i, m]
                sums[best, m] += weight * features[i, m]
            labels[i] = best
            n_moves += 1
    return n_moves
