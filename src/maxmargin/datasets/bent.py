"""Clusters that touch, some of them bent: where k-means goes wrong."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

ARC = 1.2 * np.pi  # how far a bent cluster runs around its circle
RADIUS = 6.0


def make_bent_clusters(
    n_samples: int = 1000,
    n_features: int = 20,
    n_clusters: int = 10,
    *,
    spread: float = 0.8,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw clusters of equal chance, every other one bent along an arc.

    Centres are normal with standard deviation ``spread``, noise is normal with standard
    deviation 1. A bent cluster lies along an arc of a circle in a random plane.

    Parameters
    ----------
    n_samples : int, default=1000
    n_features : int, default=20
        At least two.
    n_clusters : int, default=10
    spread : float, default=0.8
        Distance of the centres from the origin in each feature; with 0.5 clusters
        overlap much, with 2 they are apart.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

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
