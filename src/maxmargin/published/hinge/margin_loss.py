"""Losses of the margin, and the bias that minimises the total loss.

A classifier with the value f at a sample of label y = -1 or 1 has the margin ``y f``
and the loss ``l(y f)``. Every loss here is a quadratic function ``c + b t + a t^2``
between its knots, so that cumulative sums give its total over many samples.

For values ``g_i`` of a function without its bias and weights ``w_i``, `search_bias`
solves problem 8 of Zhang, Tsang and Kwok (2007)

    minimise over b   sum_i w_i l(|g_i + b|)
    subject to        the sizes of {g_i + b <= 0} and {g_i + b > 0} within limits,

the labels being the signs of ``g_i + b``. Between two consecutive values the labels do
not change and the sum is convex. Its minimum lies at a knot of the loss of some sample,
at the vertex of a parabola, or at an end of the interval. At an end a sample would have
the value zero and no label: the middle of the interval, where the margin is widest, is
used instead. That leaves O(n) candidates, each evaluated in O(log n).
"""

from typing import NamedTuple

import numpy as np

from maxmargin.search.limits import IMPOSSIBLE

LOSSES = ("laplacian", "hinge", "squared", "epsilon_insensitive")


class MarginLoss(NamedTuple):
    """A convex, piecewise quadratic function of the margin t.

    ``pieces[s]`` holds the coefficients ``c, b, a`` between ``knots[s - 1]`` and
    ``knots[s]``. The knots are positive.
    """

    name: str
    knots: np.ndarray  # (s,)
    pieces: np.ndarray  # (s + 1, 3)

    def of_margins(self, margins: np.ndarray) -> np.ndarray:
        """Return the loss of each margin."""
        c, b, a = self.pieces[np.searchsorted(self.knots, margins)].T
        return c + margins * (b + a * margins)


def make_loss(name: str, epsilon: float = 0.1) -> MarginLoss:
    """Return a loss by its name.

    ``"laplacian"`` is ``|1 - t|``, ``"hinge"`` is ``max(0, 1 - t)``, ``"squared"`` is
    ``(1 - t)^2`` and ``"epsilon_insensitive"`` is ``max(0, |1 - t| - epsilon)``.
    """
    if name not in LOSSES:
        raise ValueError(f"loss={name!r} is not known: use one of {LOSSES}.")
    if name == "squared":
        return MarginLoss(name, np.empty(0), np.array([[1.0, -2.0, 1.0]]))
    width = epsilon if name == "epsilon_insensitive" else 0.0
    if not 0 <= width < 1:
        raise ValueError(f"epsilon={epsilon!r} must be at least 0 and below 1.")
    falling, zero = [1.0 - width, -1.0, 0.0], [0.0, 0.0, 0.0]
    rising = [-1.0 - width, 1.0, 0.0]
    if name == "epsilon_insensitive":
        knots = np.array([1.0 - width, 1.0 + width])
        return MarginLoss(name, knots, np.array([falling, zero, rising]))
    last = zero if name == "hinge" else rising
    return MarginLoss(name, np.array([1.0]), np.array([falling, last]))


class BiasResult(NamedTuple):
    """The best bias, its labels and its total loss."""

    bias: float
    labels: np.ndarray  # (n,), 1 where the value plus the bias is positive, else 0
    loss: float


def search_bias(
    values: np.ndarray, weights: np.ndarray, limits: np.ndarray, loss: MarginLoss
) -> BiasResult:
    """Return the bias with the smallest total loss within the size limits (2 x 2)."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    sums = _cumulative_sums(sorted_values, weights[order])
    allowed = _allowed_splits(sorted_values, sums[0], limits)
    biases, n_below = _find_candidates(sorted_values, sums, allowed, loss)
    totals = _total_loss(biases, sorted_values, sums, loss)
    best = int(np.argmin(totals))
    labels = np.zeros(len(values), dtype=np.int64)
    labels[order[n_below[best] :]] = 1
    return BiasResult(float(biases[best]), labels, float(totals[best]))


def _cumulative_sums(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return ``w``, ``w g`` and ``w g^2`` summed over the first p samples (3 x n+1)."""
    sums = np.zeros((3, len(values) + 1))
    np.cumsum([weights, weights * values, weights * values**2], axis=1, out=sums[:, 1:])
    return sums


def _allowed_splits(
    values: np.ndarray, below: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return for each p whether the first p samples may be one cluster.

    Equal values get different labels only if no other split is within the limits.
    """
    above = below[-1] - below
    within = (limits[0, 0] <= below) & (below <= limits[1, 0])
    within &= (limits[0, 1] <= above) & (above <= limits[1, 1])
    within[[0, -1]] = False
    distinct = np.zeros(len(within), dtype=bool)
    distinct[1:-1] = values[:-1] < values[1:]
    if (within & distinct).any():
        return within & distinct
    if not within.any():
        raise ValueError(IMPOSSIBLE)
    return within


def _find_candidates(
    values: np.ndarray, sums: np.ndarray, allowed: np.ndarray, loss: MarginLoss
) -> tuple[np.ndarray, np.ndarray]:
    """Return the biases that may be optimal, and their numbers of samples below."""
    splits = np.flatnonzero(allowed)
    middle = -(values[splits - 1] + values[splits]) / 2
    if len(loss.knots):
        knots = np.concatenate([-loss.knots, loss.knots])
        extra = (knots[:, None] - values).ravel()
    else:  # one parabola for each split; the mean error is zero at its vertex
        weight, first = sums[0, -1], sums[1, -1]
        extra = (weight - 2 * sums[0, splits] - first) / weight
    inside = np.searchsorted(values, -extra)
    extra, inside = extra[allowed[inside]], inside[allowed[inside]]
    strict = (values[inside - 1] < -extra) & (-extra < values[inside])
    biases = np.concatenate([middle, extra[strict]])
    return biases, np.concatenate([splits, inside[strict]])


def _total_loss(
    biases: np.ndarray, values: np.ndarray, sums: np.ndarray, loss: MarginLoss
) -> np.ndarray:
    """Return ``sum_i w_i l(|g_i + b|)`` for each bias b."""
    edges = np.concatenate([-loss.knots[::-1], [0.0], loss.knots])
    mirrored = loss.pieces[::-1] * [1.0, -1.0, 1.0]
    pieces = np.concatenate([mirrored, loss.pieces])
    ends = np.searchsorted(values, edges[:, None] - biases)
    ends = np.pad(ends, [(1, 1), (0, 0)], constant_values=((0, len(values)), (0, 0)))
    totals = np.zeros(len(biases))
    for (c, b, a), start, end in zip(pieces, ends[:-1], ends[1:], strict=True):
        w, wg, wgg = sums[:, end] - sums[:, start]
        totals += c * w + b * (wg + biases * w)
        totals += a * (wgg + biases * (2 * wg + biases * w))
    return totals
