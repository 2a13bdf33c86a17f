"""Directions in which samples spread most: scale of the problem, and where to start."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from maxmargin.hinge.features import StandardFeatures


class Directions(NamedTuple):
    """Principal directions, the one with the largest variance first.

    Variances are shares of the whole, which is one. A direction points to the side of
    its longer tail, so that it turns with the samples.
    """

    variances: np.ndarray  # (m,)
    axes: np.ndarray  # (d, m)


def leading_directions(
    features: StandardFeatures, count: int, random: np.random.RandomState
) -> Directions:
    """Return at most ``count`` principal directions of positive variance."""
    d = len(features.mean)
    one = features.with_columns(1)

    def spread(u: np.ndarray) -> np.ndarray:
        f = one.decide(np.append(u.ravel(), 0.0))
        return one.collect(features.shares * f)[:-1]

    if d <= 4 * count + 20:
        covariance = np.stack([spread(u) for u in np.eye(d)])
        variances, axes = eigh(covariance)
    else:
        # A mixture of samples turns with them.
        start = one.collect(features.shares * random.randn(len(features.shares)))[:-1]
        operator = LinearOperator((d, d), matvec=spread, dtype=np.float64)
        variances, axes = eigsh(operator, k=count, v0=start, tol=1e-8)
    order = np.argsort(variances)[::-1][:count]
    variances, axes = variances[order], axes[:, order]
    kept = variances > 1e-12 * variances[0]
    variances, axes = variances[kept], axes[:, kept]
    for column in range(axes.shape[1]):
        f = one.decide(np.append(axes[:, column], 0.0))
        if features.shares @ f**3 < 0.0:
            axes[:, column] *= -1.0
    return Directions(variances, axes)
