"""Labels from which a search in few features starts."""

import numpy as np
from scipy.linalg import qr
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering

from maxmargin.rows.threads import map_blocks
from maxmargin.search.features import (
    Problem,
    Solution,
    nearest_center,
    slopes_of,
    squared_lengths,
    sum_rows,
)
from maxmargin.search.objective import slope_terms

WARD_SIZE = 1500  # samples that Ward's method takes
FRESH = 3  # one random start in so many is drawn anew, the others recombine parents


def fixed_starts(problem: Problem) -> list[np.ndarray]:
    """Return the labels by Ward's method and by a pivoted QR decomposition."""
    features, k = problem.features, problem.n_clusters
    step = -(-len(features) // WARD_SIZE)
    rows, masses = features[::step], problem.weights[::step]

    def ward() -> np.ndarray:
        labels = AgglomerativeClustering(k).fit_predict(rows)
        sums, sizes = sum_rows(rows, masses, labels, k)
        return nearest_center(features, sums / np.maximum(sizes, 1e-300)[:, None])

    def pivots() -> np.ndarray:
        # Rows may have equal lengths: then their order decides, not rounding errors.
        falling = np.linspace(1.0, 1.0 - 1e-6, len(features))
        chosen = qr(features.T * falling, mode="r", pivoting=True)[1]
        return nearest_center(features, features[chosen[:k]])

    starts = [ward, pivots] if len(rows) > k else [pivots]
    return map_blocks(lambda one: starts[one.start](), len(starts), block_rows=1)


def random_start(
    problem: Problem,
    parents: list[Solution],
    number: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the labels by random centres, or by those of two parents."""
    k, n_features = problem.n_clusters, problem.features.shape[1]
    if number % FRESH == 0 or len(parents) < 2 or k == 1:
        sums, sizes = np.empty((0, n_features)), np.empty(0)
    else:
        sums, sizes = recombine(parents, random)
    return label_by_drawn_centers(problem, sums, sizes, random)


def recombine(
    parents: list[Solution], random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums and sizes of all clusters but one of two random parents.

    Clusters are matched by the angles between their sums, as closely as possible, and
    of each pair a random one is taken.
    """
    first, second = (parents[i] for i in random.permutation(len(parents))[:2])
    directions = [
        one.sums / np.sqrt(np.maximum(squared_lengths(one.sums), 1e-300))[:, None]
        for one in (first, second)
    ]
    _, partner = linear_sum_assignment(-directions[0] @ directions[1].T)
    kept = random.uniform(size=len(partner)) < 0.5
    sums = np.where(kept[:, None], first.sums, second.sums[partner])
    sizes = np.where(kept, first.sizes, second.sizes[partner])
    left_out = random.randint(len(sizes))
    return np.delete(sums, left_out, axis=0), np.delete(sizes, left_out)


def label_by_drawn_centers(
    problem: Problem,
    sums: np.ndarray,
    sizes: np.ndarray,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the best labels for some clusters and single samples as further ones.

    A sample is drawn by its weight times what it would gain as a cluster of its own, as
    in k-means++.
    """
    features, weights, k, objective, _ = problem
    squares = squared_lengths(features)
    factors, offsets = slope_terms(weights**2 * squares, weights, objective)
    alone = factors * weights * squares + offsets
    labels, best = (
        np.zeros(len(weights), dtype=np.int64),
        np.full(len(weights), -np.inf),
    )
    if len(sizes):
        slopes = slopes_of(features, np.ascontiguousarray(sums), sizes, objective)
        labels, best = slopes.argmax(axis=1), slopes.max(axis=1)
    for h in range(len(sizes), k):
        gains = alone - best if h else np.ones(len(weights))
        i = draw_position(weights * np.maximum(gains, 0.0), random)
        one, size = weights[i] * features[i : i + 1], weights[i : i + 1]
        slopes = slopes_of(features, one, size, objective)[:, 0]
        closer = slopes > best
        labels[closer], best[closer] = h, slopes[closer]
    return labels


def draw_position(odds: np.ndarray, random: np.random.RandomState) -> int:
    """Draw a position with the given odds, any one if all are zero."""
    ends = np.cumsum(odds)
    if ends[-1] == 0.0:
        return int(random.randint(len(odds)))
    position = np.searchsorted(ends, random.uniform() * ends[-1], side="right")
    return min(int(position), len(odds) - 1)
