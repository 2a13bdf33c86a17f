"""Generated data sets: bent clusters that overlap, and the checkerboard."""

import math

import numpy as np
from sklearn.utils import check_random_state

ARC = 1.2 * np.pi  # angle of the arc along which a bent cluster lies
RADIUS = 6.0


def make_bent_clusters(
    n_samples: int = 1000,
    n_features: int = 20,
    n_clusters: int = 10,
    *,
    spread: float = 0.8,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Generate clusters that overlap, every other one bent along an arc.

    The cluster of a sample is uniform. Centres are normal with standard deviation
    ``spread``, the noise is normal with standard deviation 1. A bent cluster lies along
    an arc of a circle in a random plane, which k-means cannot describe.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_features : int, default=20
        Number of features, at least two.
    n_clusters : int, default=10
        Number of clusters.
    spread : float, default=0.8
        Standard deviation of the centres in each feature: with 0.5 clusters overlap
        strongly, with 2 they are separated.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    y : ndarray of shape (n_samples,)
        The cluster of each sample.

    Examples
    --------
    >>> from maxmargin.datasets import make_bent_clusters
    >>> X, y = make_bent_clusters(500, random_state=0)
    >>> X.shape
    (500, 20)
    """
    random = check_random_state(random_state)
    centers = spread * random.randn(n_clusters, n_features)
    y = random.randint(n_clusters, size=n_samples)
    X = random.randn(n_samples, n_features)
    for h in range(n_clusters):
        rows = np.flatnonzero(y == h)
        plane = np.linalg.qr(random.randn(n_features, 2))[0]
        if h % 2:
            angle = random.uniform(-ARC / 2, ARC / 2, len(rows))
            arc = RADIUS * np.stack([np.cos(angle) - 0.6, np.sin(angle)], axis=1)
            X[rows] += arc @ plane.T
        X[rows] += centers[h]
    return X, y


def make_checkerboard(
    n_samples: int = 1000,
    n_squares: int = 16,
    *,
    side: float = 50.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Generate samples of two classes, the black and white squares of a checkerboard.

    Samples are uniform on a board with as many rows as columns of squares, and
    neighbouring squares have different classes. By default it is the board of 200 by
    200 with 16 squares on which reduced support vector machines were introduced.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples.
    n_squares : int, default=16
        Number of squares, a square number.
    side : float, default=50.0
        Length of the side of a square.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The samples.
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
