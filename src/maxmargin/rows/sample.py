"""The distinct samples that a search works on.

Equal samples are merged: they get equal labels, cost nothing, and cannot make a kernel
matrix singular. The distinct ones are ordered by their distance from the mean. So a fit
does not depend on the order of rows and columns, on a common factor, a shift or a
rotation, and a sample of weight 3 is the same as three equal samples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.random import sample_without_replacement

from maxmargin.compiled import compiled
from maxmargin.rows.threads import for_blocks, map_blocks

DIGITS = 13  # of distances from the mean


class Sample(NamedTuple):
    """Distinct samples among n rows, with their weights.

    The rows that were drawn are listed, so that the memory of a sample does not grow
    with the number of rows that were not.
    """

    indices: np.ndarray  # (m,), positions of the distinct samples among all rows
    weights: np.ndarray  # (m,), the total weight of the rows equal to each
    rows: np.ndarray  # (r,), the rows that were drawn
    groups: np.ndarray  # (r,), the position in ``indices`` of each of them
    n_rows: int  # n
    complete: bool  # whether every row with positive weight was drawn

    @property
    def inverse(self) -> np.ndarray:
        """Return the position in ``indices`` of each of the n rows, -1 for none."""
        inverse = np.full(self.n_rows, -1, dtype=np.int32)
        inverse[self.rows] = self.groups
        return inverse


def whole_sample(weights: np.ndarray) -> Sample:
    """Return the sample of all rows, none of them merged."""
    rows = np.arange(len(weights))
    return Sample(rows, weights, rows, rows, len(rows), True)


def draw_sample(
    X,
    weights: np.ndarray,
    *,
    merge: bool,
    limit: int | None,
    random: np.random.RandomState,
    first: np.ndarray | None = None,
    least: int = 2,
    by_values: bool = False,
) -> Sample:
    """Draw at most ``limit`` rows with positive weight and merge equal ones.

    Rows of a precomputed kernel must not be merged. Rows that are ``True`` in ``first``
    are drawn before any other. There must be at least ``least`` distinct samples. They
    are ordered by their distance from the mean, or by a hash of their values.
    """
    n_weighted = int(np.count_nonzero(weights))
    limit = n_weighted if limit is None else limit
    complete = n_weighted <= limit
    rows = draw_rows(weights, limit, random, first)
    if merge:
        every = len(rows) == X.shape[0]
        kept, groups = group_equal_rows(X[:] if every else take_rows(X, rows))
    else:
        kept = groups = np.arange(len(rows))
    if len(kept) < least:
        raise ValueError(
            "All samples are equal: there is nothing to cluster. Remove duplicates "
            "or check how the features were made."
        )
    totals = np.bincount(groups, weights=weights[rows], minlength=len(kept))
    if merge and not by_values:
        distances = distances_from_mean(take_rows(X, rows[kept]), totals)
        order = np.argsort(distances, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        kept, totals, groups = kept[order], totals[order], places[groups]
    return Sample(rows[kept], totals, rows, groups, len(weights), complete)


def normalise_weights(weights: np.ndarray, n_distinct: int) -> np.ndarray:
    """Return the weights with a mean of one over the distinct samples.

    So only their ratios matter, and three equal samples are the same as one of weight
    three.
    """
    weights = weights / weights.max()  # the sum of extreme weights may overflow
    scaled: np.ndarray = weights * (n_distinct / weights.sum())
    return scaled


def draw_part(sample: Sample, limit: int, random: np.random.RandomState) -> Sample:
    """Draw at most ``limit`` of the distinct samples."""
    return take_part(sample, draw_distinct(sample, limit, random))


def draw_distinct(
    sample: Sample, limit: int, random: np.random.RandomState
) -> np.ndarray:
    """Draw positions of at most ``limit`` of the distinct samples, sorted."""
    n_distinct = len(sample.indices)
    if n_distinct <= limit:
        return np.arange(n_distinct)
    return np.sort(random.choice(n_distinct, limit, replace=False))


def take_part(sample: Sample, positions: np.ndarray) -> Sample:
    """Return the part with the distinct samples at the given positions."""
    if len(positions) == len(sample.indices):
        return sample
    inverse = np.full(len(sample.indices), -1)
    inverse[positions] = np.arange(len(positions))
    groups = inverse[sample.groups]
    drawn = groups >= 0
    return Sample(
        sample.indices[positions],
        sample.weights[positions],
        sample.rows[drawn],
        groups[drawn],
        sample.n_rows,
        False,
    )


def draw_rows(
    weights: np.ndarray,
    limit: int,
    random: np.random.RandomState,
    first: np.ndarray | None = None,
) -> np.ndarray:
    """Draw at most ``limit`` rows with positive weight, those in ``first`` first.

    The rows are returned in increasing order.
    """
    rows = np.flatnonzero(weights)
    if len(rows) <= limit:
        return rows
    if first is None or not first[rows].any():
        return _draw(rows, limit, random)
    marked, others = rows[first[rows]], rows[~first[rows]]
    if len(marked) > limit:
        return _draw(marked, limit, random)
    more = _draw(others, limit - len(marked), random)
    return np.sort(np.concatenate([marked, more]))


def _draw(rows: np.ndarray, number: int, random: np.random.RandomState) -> np.ndarray:
    return rows[draw_positions(len(rows), number, random)]


def draw_positions(n: int, limit: int, random: np.random.RandomState) -> np.ndarray:
    """Draw at most ``limit`` of n positions, sorted, without an array of length n."""
    if n <= limit:
        return np.arange(n)
    return np.sort(sample_without_replacement(n, limit, random_state=random))


def group_equal_rows(X) -> tuple[np.ndarray, np.ndarray]:
    """Return one row of each group of equal rows, and the group of every row.

    The groups are ordered by a hash of their values, not by their position, and alike
    for dense and sparse input.
    """
    hashes = hash_rows(X)
    _, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    groups = groups.reshape(-1)
    repeated = np.flatnonzero(first[groups] != np.arange(len(groups)))
    unequal = repeated[~_rows_equal(X, repeated, first[groups[repeated]])]
    if len(unequal):  # a collision: the later rows become groups of their own
        groups[unequal] = len(first) + np.arange(len(unequal))
        first = np.concatenate([first, unequal])
    return first, groups


def distances_from_mean(X, weights: np.ndarray) -> np.ndarray:
    """Return the squared distances of rows from their mean, in units of the largest.

    They are rounded, so that rows at equal distances stay in their order, whatever the
    last digits.
    """
    weights = normalise_weights(weights, X.shape[0]) / X.shape[0]
    parts = map_blocks(lambda block: weights[block] @ X[block], X.shape[0])
    mean = np.asarray(sum(parts)).ravel()
    distances = np.empty(X.shape[0])

    def fill(block: slice) -> None:
        rows = X[block].toarray() if sp.issparse(X) else X[block]
        distances[block] = squared_norms(rows - mean)

    for_blocks(fill, X.shape[0])
    largest = distances.max(initial=0.0)
    rounded: np.ndarray = np.round(distances / (largest or 1.0), DIGITS)
    return rounded


def hash_rows(X) -> np.ndarray:
    """Return a 64-bit hash of each row.

    The bits of each value are mixed, multiplied by an odd number of its column, and
    added up, all modulo 2^64. Zero adds nothing, so sparse rows need not be filled.
    """
    factors = np.random.RandomState(0).randint(1, 2**62, size=X.shape[1]) | 1
    factors = factors.astype(np.uint64)
    hashes = np.empty(X.shape[0], dtype=np.uint64)
    if sp.issparse(X):
        X = X.tocsr()
        starts = X.indptr.astype(np.int64)
        hash_entries(_bits(X.data), X.indices, starts, factors, hashes)
        return hashes

    def fill(block: slice) -> None:
        hash_dense(_bits(X[block]), factors, hashes[block])

    for_blocks(fill, X.shape[0])
    return hashes


def _bits(values: np.ndarray) -> np.ndarray:
    """Return the bits of numbers; those of zero are 0 for either sign."""
    return (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)


@compiled
def _mix(bits):
    """Return mixed bits; 0 stays 0."""
    bits = bits ^ (bits >> np.uint64(32))
    bits = bits * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))


@compiled
def hash_dense(bits, factors, hashes):
    """Fill in the hashes of dense rows."""
    for i in range(bits.shape[0]):
        total = np.uint64(0)
        for q in range(bits.shape[1]):
            total += _mix(bits[i, q]) * factors[q]
        hashes[i] = total


@compiled
def hash_entries(bits, columns, starts, factors, hashes):
    """Fill in the hashes of the rows of a CSR matrix."""
    for i in range(len(hashes)):
        total = np.uint64(0)
        for e in range(starts[i], starts[i + 1]):
            total += _mix(bits[e]) * factors[columns[e]]
        hashes[i] = total


def _rows_equal(X, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return for each pair of rows whether they are equal."""
    if sp.issparse(X):
        difference = abs(X[left] - X[right])
        return np.asarray(difference.sum(axis=1)).reshape(-1) == 0
    return np.all(X[left] == X[right], axis=1)


def indicators(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the indicators of the clusters as columns (n x k)."""
    result = np.zeros((len(labels), n_clusters))
    result[np.arange(len(labels)), labels] = 1.0
    return result


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Return the rows of X at some positions, dense ones a block in a thread."""
    if sp.issparse(X):
        return X[rows]
    some = X[rows[:1]]
    result = np.empty((len(rows), *some.shape[1:]), dtype=some.dtype)

    def fill(block: slice) -> None:
        result[block] = X[rows[block]]

    for_blocks(fill, len(rows))
    return result


def take_square(X: Any, rows: np.ndarray) -> Any:
    """Return the values between some samples, of a sparse or dense matrix of pairs."""
    if len(rows) == X.shape[0] and (rows == np.arange(len(rows))).all():
        return X
    return X[rows][:, rows]


def squared_norms(X: Any) -> np.ndarray:
    """Return the squared norm of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).reshape(-1)
    return np.asarray(np.einsum("ij,ij->i", X, X))
