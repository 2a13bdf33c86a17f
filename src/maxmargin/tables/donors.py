"""Missing numbers from the nearest rows that have them.

The expectation of a number lies between groups if the other columns do not tell the
group, and rows there would connect the groups. The mean of three near rows seldom does.
The distance of two rows is the mean square of their differences in the features that
both have.
"""

from dataclasses import dataclass

import numpy as np

N_DONORS = 3
N_NEAR = 30  # near rows, of which the donors are the nearest that have the number
MAX_ROWS = 1000  # that are searched for near ones


@dataclass(frozen=True)
class Donors:
    """Rows of standardised features, in which missing numbers are NaN."""

    rows: np.ndarray

    def fill(self, X: np.ndarray, expected: np.ndarray) -> None:
        """Fill missing numbers of rows X, with the expected if no near row has one."""
        gaps = np.isnan(X)
        broken = np.flatnonzero(gaps.any(axis=1))
        near = self._near(X[broken])
        for column in np.flatnonzero(gaps.any(axis=0)):
            here = np.flatnonzero(gaps[broken, column])
            found = _mean_of_first(self.rows[near[here], column])
            rows = broken[here]
            X[rows, column] = np.where(np.isnan(found), expected[rows, column], found)

    def _near(self, X: np.ndarray) -> np.ndarray:
        """Return the nearest rows, in the order of their distances."""
        distances = mean_squares(X, self.rows)
        n_near = min(N_NEAR, len(self.rows))
        near = np.argpartition(distances, n_near - 1, axis=1)[:, :n_near]
        near.sort(axis=1)
        order = np.argsort(np.take_along_axis(distances, near, 1), 1, kind="stable")
        return np.take_along_axis(near, order, axis=1)


def mean_squares(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return the mean squared difference of rows, over the features that both have.

    Only numbers can be missing, so few columns need a mask. Rows that have nothing in
    common are infinitely far.
    """
    whole = ~(np.isnan(X).any(axis=0) | np.isnan(Y).any(axis=0))
    full_X, full_Y = X[:, whole], Y[:, whole]
    known_X, known_Y = (1.0 - np.isnan(rows[:, ~whole]) for rows in (X, Y))
    part_X, part_Y = (np.nan_to_num(rows[:, ~whole]) for rows in (X, Y))
    squares = (full_X**2).sum(axis=1)[:, None] + (full_Y**2).sum(axis=1)
    squares += (part_X**2) @ known_Y.T + known_X @ (part_Y**2).T
    squares -= 2.0 * (full_X @ full_Y.T + part_X @ part_Y.T)
    shared = whole.sum() + known_X @ known_Y.T
    return np.where(
        shared > 0, np.maximum(squares, 0.0) / np.maximum(shared, 1.0), np.inf
    )


def _mean_of_first(values: np.ndarray) -> np.ndarray:
    """Return the mean of the first three known values of each row, NaN without any."""
    known = ~np.isnan(values)
    used = known & (np.cumsum(known, axis=1) <= N_DONORS)
    counts = used.sum(axis=1)
    sums = np.where(used, values, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def choose_donors(X: np.ndarray) -> Donors:
    """Return evenly spaced rows of X."""
    return Donors(X[:: max(1, -(-len(X) // MAX_ROWS))].copy())
