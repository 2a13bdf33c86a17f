"""Squared Euclidean distances without loss of digits.

``|x - y|^2 = |x|^2 - 2 x'y + |y|^2`` takes one matrix product, but its rounding error
is relative to the norms, not to the distance. So norms are taken from an origin amid
the points, and pairs that are near each other compared with their norms are computed
again from their differences.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.compiled import compiled_sum
from maxmargin.rows.sample import squared_norms
from maxmargin.rows.threads import for_blocks

# Rows whose median is the origin.
ORIGIN_ROWS = 64
# Rounding error of a squared distance, relative to the squared norms.
ROUNDING = 1e-15
# Pairs below this share of their squared norms are computed from their differences.
NEAR = 1e-6
PAIRS_PER_BLOCK = 2048


def central_point(X: Any) -> np.ndarray:
    """Return the median of some rows of X in each column.

    A few far rows do not move it. In sparse columns it is zero.
    """
    rows = X[:: -(-X.shape[0] // ORIGIN_ROWS) or 1]
    if not sp.issparse(rows):
        return np.asarray(np.median(rows, axis=0), dtype=np.float64)
    counts = np.bincount(rows.indices, minlength=X.shape[1])
    columns = np.flatnonzero(2 * counts > rows.shape[0])
    origin = np.zeros(X.shape[1])
    if len(columns):
        origin[columns] = np.median(rows[:, columns].toarray(), axis=0)
    return origin


def shift(X: Any, origin: np.ndarray) -> Any:
    """Return ``X - origin`` as float64; columns with origin zero stay sparse."""
    if not sp.issparse(X):
        return X - origin
    X = X.astype(np.float64)
    columns = np.flatnonzero(origin)
    if len(columns) == 0:
        return X
    n_rows, kind = X.shape[0], X.indices.dtype  # scikit-learn needs 32 bits
    values, places = np.tile(origin[columns], n_rows), np.tile(columns, n_rows)
    starts = np.arange(n_rows + 1) * len(columns)
    same_rows = (values, places.astype(kind), starts.astype(kind))
    return X - type(X)(same_rows, shape=X.shape)


def same_kind(X: Any, points: Any) -> Any:
    """Return X sparse or dense as the points are."""
    if sp.issparse(points):
        return X if sp.issparse(X) else sp.csr_array(X)
    return X.toarray() if sp.issparse(X) else X


class SquaredDistances:
    """The function that returns squared distances to some points, times a factor.

    An absolute error below ``tolerance`` does no harm. Zero is for results with a small
    relative error.
    """

    def __init__(self, points: Any, factor: float = 1.0, tolerance: float = 0.0):
        self.points = points
        self.factor = factor
        self.tolerance = tolerance
        self._origin = central_point(points)
        moved = shift(points, self._origin)
        self._norms = factor * squared_norms(moved)
        self._columns = (-2.0 * factor * moved).T
        if not sp.issparse(moved):
            self._columns = np.ascontiguousarray(self._columns)

    def __call__(self, X: Any) -> np.ndarray:
        """Return the squared distances of samples X to the points, as float64."""
        X = same_kind(X, self.points)
        rows = shift(X, self._origin)
        norms = self.factor * squared_norms(rows)
        result = rows @ self._columns
        result = result.toarray() if sp.issparse(result) else result
        result += self._norms
        result += norms[:, None]
        largest = norms.max(initial=0.0) + self._norms.max(initial=0.0)
        if ROUNDING * largest > self.tolerance:
            near = np.flatnonzero(result < NEAR * (norms[:, None] + self._norms))
            i, j = np.divmod(near, result.shape[1])
            result[i, j] = self.factor * paired_distances(X, i, self.points, j)
        np.maximum(result, 0.0, out=result)
        return np.asarray(result)


def squared_distances(X: Any, Y: Any) -> np.ndarray:
    """Return the squared distances between samples X and Y (n x m), as float64."""
    return SquaredDistances(Y)(X)


def paired_distances(X: Any, i: np.ndarray, Y: Any, j: np.ndarray) -> np.ndarray:
    """Return the squared distances between rows i of X and rows j of Y, as float64."""
    result = np.empty(len(i))

    def fill(some: slice) -> None:
        if sp.issparse(X):
            rows = X[i[some]].astype(np.float64) - Y[j[some]]
            result[some] = squared_norms(rows)
        else:
            result[some] = squared_differences(X, i[some], Y, j[some])

    for_blocks(fill, len(i), PAIRS_PER_BLOCK)
    return result


@compiled_sum
def squared_differences(
    X: np.ndarray, i: np.ndarray, Y: np.ndarray, j: np.ndarray
) -> np.ndarray:
    """Return the sums of the squared differences of some pairs of rows."""
    result = np.empty(len(i))
    for pair in range(len(i)):
        total = 0.0
        for m in range(X.shape[1]):
            difference = np.float64(X[i[pair], m]) - np.float64(Y[j[pair], m])
            total += difference * difference
        result[pair] = total
    return result
