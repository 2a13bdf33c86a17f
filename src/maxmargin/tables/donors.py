"""Missing numbers from the nearest rows that have them.

The expectation of a number lies between groups if the other columns do not tell the
group, and rows there would connect the groups. The median of three near rows is a value
that one of them has, and that of two if they agree. Rows are compared with missing
numbers as expected, so that columns that tell about a gap count in its place.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

N_DONORS = 3
N_NEAR = 30  # near rows, of which the donors are the nearest that have the number
MAX_ROWS = 1000  # that are searched for near ones


@dataclass(frozen=True)
class Donors:
    """Rows of standardised features, in which missing numbers are NaN or expected."""

    rows: np.ndarray
    expected: np.ndarray

    def fill(self, X: np.ndarray, expected: np.ndarray) -> None:
        """Fill missing numbers of rows X, with the expected if no near row has one.

        ``expected`` has the rows with all missing numbers as expected.
        """
        gaps = np.isnan(X)
        broken = np.flatnonzero(gaps.any(axis=1))
        near = self._near(expected[broken])
        for column in np.flatnonzero(gaps.any(axis=0)):
            here = np.flatnonzero(gaps[broken, column])
            found = _median_of_first(self.rows[near[here], column])
            rows = broken[here]
            X[rows, column] = np.where(np.isnan(found), expected[rows, column], found)

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Return the nearest rows, in the order of their distances."""
        distances = euclidean_distances(X, self.expected, squared=True)
        n_near = min(N_NEAR, len(self.rows))
        near = np.argpartition(distances, n_near - 1, axis=1)[:, :n_near]
        near.sort(axis=1)
        order = np.argsort(np.take_along_axis(distances, near, 1), 1, kind="stable")
        return np.take_along_axis(near, order, axis=1)


def _median_of_first(values: np.ndarray) -> np.ndarray:
    """Return the median of the first three known values of rows, NaN without any.

    Of two it is the first, the nearer one.
    """
    order = np.argsort(np.isnan(values), axis=1, kind="stable")[:, :N_DONORS]
    first = np.take_along_axis(values, order, axis=1)
    complete = ~np.isnan(first).any(axis=1)
    found: np.ndarray = first[:, 0].copy()
    found[complete] = np.median(first[complete], axis=1)
    return found


def choose_donors(X: np.ndarray, expected: np.ndarray) -> Donors:
    """Return evenly spaced rows of X, and the same with missing numbers as expected."""
    step = max(1, -(-len(X) // MAX_ROWS))
    return Donors(X[::step].copy(), expected[::step].copy())
