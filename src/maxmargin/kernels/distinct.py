"""Equal rows found."""

import numpy as np
import scipy.sparse as sp


def group_equal_rows(X) -> tuple[np.ndarray, np.ndarray]:
    """Return one row of each kind, and for every row the position of its kind.

    The kinds are ordered by a fingerprint of their values, not by where they stand, and
    alike for dense and sparse input.
    """
    prints = _fingerprints(X)
    _, first, groups = np.unique(prints, return_index=True, return_inverse=True)
    groups = groups.reshape(-1)
    repeated = np.flatnonzero(first[groups] != np.arange(len(groups)))
    unequal = repeated[~_rows_equal(X, repeated, first[groups[repeated]])]
    if len(unequal):  # two kinds with one fingerprint: the later rows stand alone
        groups[unequal] = len(first) + np.arange(len(unequal))
        first = np.concatenate([first, unequal])
    return first, groups


def _fingerprints(X) -> np.ndarray:
    """Return a 64-bit number for each row that equal rows share.

    The bits of each value are mixed, multiplied by an odd number of its column, and
    added up, all modulo 2^64. Zero adds nothing, so sparse rows need no filling.
    """
    factors = np.random.RandomState(0).randint(1, 2**62, size=X.shape[1]) | 1
    factors = factors.astype(np.uint64)
    if sp.issparse(X):
        X = X.tocsr()
        mixed = _mix(X.data) * factors[X.indices]
        totals = np.zeros(len(mixed) + 1, dtype=np.uint64)
        np.cumsum(mixed, out=totals[1:])
        return totals[X.indptr[1:]] - totals[X.indptr[:-1]]
    return (_mix(X) * factors).sum(axis=1, dtype=np.uint64)


def _mix(values: np.ndarray) -> np.ndarray:
    """Return the bits of numbers, spread over the word; zero of either sign stays 0."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    bits = bits ^ (bits >> np.uint64(32))
    bits = bits * np.uint64(0x9E3779B97F4A7C15)
    return bits ^ (bits >> np.uint64(29))


def _rows_equal(X, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tell of pairs of rows whether they are equal."""
    if sp.issparse(X):
        difference = abs(X[left] - X[right])
        return np.asarray(difference.sum(axis=1)).reshape(-1) == 0
    return np.all(X[left] == X[right], axis=1)
