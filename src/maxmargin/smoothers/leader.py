"""Leader clustering: centres that are a radius apart, in one pass over the samples.

A sample joins the centre closest to it if that is nearer than the radius, and the
centre becomes the mean of what joined it; else the sample is a new centre.

References
----------
S. Zheng, X. Lu, N. Zheng, W. Xu. Unsupervised clustering based reduced support vector
machines. IEEE International Conference on Acoustics, Speech and Signal Processing,
2003.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from maxmargin.compiled import compiled
from maxmargin.rows.threads import BLOCK_ROWS
from maxmargin.smoothers.distances import SquaredDistances

# A radius that separates all distinct samples; its square is still positive.
TINY = 1e-150
# Bisections of the interval of the radius; the last one is 1e-9 of it.
MAX_BISECTIONS = 30


class Leaders(NamedTuple):
    """The centres found by a pass over the samples, and its radius."""

    centers: np.ndarray  # (m, n_features)
    radius: float


@compiled
def squared_distance(x, y, bound):
    """Return the squared distance of two points, or any larger number above bound.

    Four partial sums let the compiler vectorise the loop; they are compared with the
    bound every 32 features.
    """
    n_features = len(x)
    total = 0.0
    start = 0
    while start < n_features:
        stop = min(start + 32, n_features)
        whole = start + (stop - start) // 4 * 4
        a = b = c = d = 0.0
        for f in range(start, whole, 4):
            a += (x[f] - y[f]) ** 2
            b += (x[f + 1] - y[f + 1]) ** 2
            c += (x[f + 2] - y[f + 2]) ** 2
            d += (x[f + 3] - y[f + 3]) ** 2
        for f in range(whole, stop):
            a += (x[f] - y[f]) ** 2
        total += (a + b) + (c + d)
        if total > bound:
            return total
        start = stop
    return total


@compiled
def lead(X, weights, first, radius, centers, totals, n_centers, joined):
    """Assign the samples from ``first`` on to centres, or make them new ones.

    ``centers``, ``totals``, the weight of the samples of each, and ``joined``, the
    centre that each sample joined, are buffers. Returns
    the sample at which they were full, or the number of samples, and the number of
    centres.
    """
    limit = radius * radius
    for i in range(first, len(X)):
        if weights[i] == 0.0:
            continue
        nearest = -1
        best = limit
        for c in range(n_centers):
            distance = squared_distance(X[i], centers[c], best)
            if distance < best:
                best = distance
                nearest = c
        if nearest < 0:
            if n_centers == len(centers):
                return i, n_centers
            nearest = n_centers
            n_centers += 1
            totals[nearest] = 0.0
            centers[nearest] = X[i]
        joined[i] = nearest
        totals[nearest] += weights[i]
        step = weights[i] / totals[nearest]
        for f in range(X.shape[1]):
            centers[nearest, f] += step * (X[i, f] - centers[nearest, f])
    return len(X), n_centers


def leader_centers(
    X, weights: np.ndarray, radius: float, max_centers: int | None = None
) -> np.ndarray:
    """Return the centres of leader clustering, in the order of the samples."""
    return leader_pass(X, weights, radius, max_centers)[0]


def leader_pass(
    X, weights: np.ndarray, radius: float, max_centers: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres of leader clustering, and the one that each sample joined.

    Sparse samples are converted a block at a time; centres are dense. If there are more
    than ``max_centers``, no centre is returned. A sample of weight 3 is the same as
    three equal samples in a row, one of weight zero joins none, -1.
    """
    joined = np.full(X.shape[0], -1)
    room = 64 if max_centers is None else max_centers
    centers, totals, n_centers = np.empty((room, X.shape[1])), np.empty(room), 0
    block_rows = BLOCK_ROWS if sp.issparse(X) else max(X.shape[0], 1)
    for start in range(0, X.shape[0], block_rows):
        rows = slice(start, start + block_rows)
        block = X[rows].toarray() if sp.issparse(X) else X[rows]
        done = 0
        while True:
            done, n_centers = lead(
                block,
                weights[rows],
                done,
                radius,
                centers,
                totals,
                n_centers,
                joined[rows],
            )
            if done == len(block):
                break
            if max_centers is not None:
                return centers[:0], joined
            centers = np.concatenate([centers, np.empty_like(centers)])
            totals = np.concatenate([totals, np.empty_like(totals)])
    return centers[:n_centers].copy(), joined


def find_leaders(X, weights: np.ndarray, n_centers: int) -> Leaders:
    """Find the radius that yields ``n_centers`` centres, or a few less.

    The number of centres falls with the radius, if not monotonically. The lower end of
    the interval yields too many centres and the upper end does not, so
    bisection ends where the number crosses ``n_centers``; the largest number found that
    is not above it wins. A pass ends as soon as there are too many centres: a bisection
    takes O(n m) time at most.
    """
    lower, upper = 0.0, _radius_of_one(X, weights)
    finest = leader_centers(X, weights, TINY, n_centers)
    if len(finest):  # no more distinct samples than centres
        return Leaders(finest, TINY)
    best, radius = leader_centers(X, weights, upper), upper
    for _ in range(MAX_BISECTIONS):
        if len(best) == n_centers:
            break
        middle = (lower + upper) / 2
        centers = leader_centers(X, weights, middle, n_centers)
        if len(centers) == 0:
            lower = middle
            continue
        upper = middle
        if len(centers) > len(best):
            best, radius = centers, middle
    return Leaders(best, radius)


def _radius_of_one(X, weights: np.ndarray) -> float:
    """Return a radius for which there is one centre.

    All samples lie in a ball around the first one, and so does every mean of them: no
    two points of it are further apart than twice its radius.
    """
    rows = np.flatnonzero(weights > 0)
    to_first = SquaredDistances(X[rows[:1]])
    largest = 0.0
    for start in range(0, len(rows), BLOCK_ROWS):
        largest = max(largest, to_first(X[rows[start : start + BLOCK_ROWS]]).max())
    return float(2.1 * np.sqrt(largest))
