"""The checkerboard, on which kernel classifiers are compared."""

import math

import numpy as np
from sklearn.utils import check_random_state


def make_checkerboard(
    n_samples: int = 1000,
    n_squares: int = 16,
    *,
    side: float = 50.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw points from the black and white squares of a board.

    Points are uniform on a board of as many rows as columns of squares, and neighbour
    squares have different classes. By default it is the board of 200 by 200 with 16
    squares on which reduced support vector machines were introduced.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    n_squares : int, default=16
        Number of squares, itself a square number.
    side : float, default=50.0
        Length of the side of a square.
    random_state : int, RandomState instance or None, default=None
        Seed of the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        Their classes: 0 in the square at the origin.

    Examples
    --------
    >>> from maxmargin.datasets import make_checkerboard
    >>> X, y = make_checkerboard(1000, random_state=0)
    >>> X.shape, y.shape
    ((1000, 2), (1000,))
    """
    per_side = math.isqrt(n_squares) if n_squares > 0 else 0
    if per_side < 1 or per_side**2 != n_squares:
        raise ValueError(
            f"n_squares={n_squares!r} must be a square number, such as 16: the board "
            "has as many rows as columns."
        )
    position = per_side * check_random_state(random_state).rand(n_samples, 2)
    y = position.astype(np.int64).sum(axis=1) % 2
    return side * position, y
