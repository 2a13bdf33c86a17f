"""Where to cut the values of a function so that the loss is least and sizes are right.

For values ``g_i`` of a function without its bias, weights ``w_i`` and an even loss
``l(|f|)``, this solves problem 8 of Zhang, Tsang and Kwok (2007)

    minimise over b   sum_i w_i l(|g_i + b|)
    subject to        the sizes of {g_i + b <= 0} and {g_i + b > 0} within limits,

the labels being the signs. Between two neighbouring values the labels do not change
and the sum is convex, so its minimum there lies where the loss of some sample has a
knot, at the vertex of a parabola, or at the end. At an end a sample would have the
value zero and no label; the middle of the gap, where the margin is widest, stands for
it. That leaves O(n) candidates, each of which cumulative sums evaluate in O(log n).
"""

from typing import NamedTuple

import numpy as np

from maxmargin.hinge.loss import Loss


class Cut(NamedTuple):
    """A bias, the labels it gives, and what they cost."""

    bias: float
    labels: np.ndarray  # (n,), 1 above the cut and 0 below
    loss: float


def search_bias(
    values: np.ndarray, weights: np.ndarray, limits: np.ndarray, loss: Loss
) -> Cut:
    """Return the best bias among all cuts whose sizes lie within the limits.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
    limits : ndarray of shape (2, 2)
        Smallest and largest size, of the cluster below the cut and of that above.
    loss : Loss
    """
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    sums = _cumulative_sums(sorted_values, weights[order])
    allowed = _allowed_positions(sorted_values, sums[0], limits)
    biases, positions = _candidates(sorted_values, sums, allowed, loss)
    totals = _total_loss(biases, sorted_values, sums, loss)
    best = int(np.argmin(totals))
    labels = np.zeros(len(values), dtype=np.int64)
    labels[order[positions[best] :]] = 1
    return Cut(float(biases[best]), labels, float(totals[best]))


def _cumulative_sums(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sums of ``w``, ``w g``, ``w g^2`` over the first p samples (3 x n+1).

    Values are sorted.
    """
    sums = np.zeros((3, len(values) + 1))
    np.cumsum([weights, weights * values, weights * values**2], axis=1, out=sums[:, 1:])
    return sums


def _allowed_positions(
    values: np.ndarray, below: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Tell for each p whether the first p samples may be parted from the others.

    Equal values are parted only where nothing else keeps the limits.
    """
    above = below[-1] - below
    fits = (limits[0, 0] <= below) & (below <= limits[1, 0])
    fits &= (limits[0, 1] <= above) & (above <= limits[1, 1])
    fits[[0, -1]] = False
    apart = np.zeros(len(fits), dtype=bool)
    apart[1:-1] = values[:-1] < values[1:]
    if (fits & apart).any():
        return fits & apart
    if not fits.any():
        raise ValueError(
            "balance cannot be met with these sample weights: widen the limits."
        )
    return fits


def _candidates(
    values: np.ndarray, sums: np.ndarray, allowed: np.ndarray, loss: Loss
) -> tuple[np.ndarray, np.ndarray]:
    """Return the biases to try, and how many samples lie below the cut of each."""
    positions = np.flatnonzero(allowed)
    middle = -(values[positions - 1] + values[positions]) / 2
    if len(loss.knots):
        knots = np.concatenate([-loss.knots, loss.knots])
        extra = (knots[:, None] - values).ravel()
    else:  # one parabola for each position: its vertex is where the mean error is zero
        weight, first = sums[0, -1], sums[1, -1]
        extra = (weight - 2 * sums[0, positions] - first) / weight
    inside = np.searchsorted(values, -extra)
    extra, inside = extra[allowed[inside]], inside[allowed[inside]]
    strict = (values[inside - 1] < -extra) & (-extra < values[inside])
    return (
        np.concatenate([middle, extra[strict]]),
        np.concatenate([positions, inside[strict]]),
    )


def _total_loss(
    biases: np.ndarray, values: np.ndarray, sums: np.ndarray, loss: Loss
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
