"""Features whose inner products are the kernel: what linear methods need of it.

A method that is linear in its input becomes one for any kernel when samples are
replaced by rows ``Z(x)`` with ``k(x, y) = Z(x) Z(y)'``. For the linear kernel that is
the sample itself. For others it is ``Z(x) = k(x, B) L^-T`` with ``k(B, B) = L L'``:
exact on the span of the basis samples B, hence on all training samples where B are all
of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.landmarks import NEGLIGIBLE, choose_landmarks
from maxmargin.kernels.sample import Sample


@dataclass(frozen=True)
class LinearBasis(FeatureMap):
    """The samples themselves, dense or sparse as they come."""

    def __call__(self, X, n_threads: int = 1):  # noqa: D102
        return X.astype(np.float64, copy=False)


@dataclass(frozen=True)
class KernelBasis(FeatureMap):
    """``Z(x) = k(x, B) P`` with ``P = L^-T`` and ``k(B, B) = L L'``."""

    kernel: Kernel
    samples: Any  # B, or column numbers of a precomputed kernel
    projection: np.ndarray  # (m, m)

    def __call__(self, X, n_threads: int = 1) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.samples, n_threads) @ self.projection


def make_basis(
    kernel: Kernel,
    X,
    sample: Sample,
    landmarks,
    random: np.random.RandomState,
    n_threads: int = 1,
) -> FeatureMap:
    """Return the features of a kernel on the samples ``X[sample.indices]``.

    ``landmarks`` is as for the estimators; ``None`` takes all samples. Of them those
    are kept that a pivoted Cholesky factor needs, so that the number of features is the
    rank of the kernel, and equal or dependent samples do no harm.
    """
    if kernel.name == "linear":
        return LinearBasis()
    landmarks = choose_landmarks(kernel, X, sample, landmarks, random)
    if landmarks is None:
        landmarks = kernel.take(X, sample.indices)
    return span_basis(kernel, X, landmarks)


def span_basis(kernel: Kernel, X, points) -> KernelBasis:
    """Return the features of a kernel on the span of some points.

    ``points`` come from `Kernel.take` on X, or are any others.
    """
    corner = kernel(X[points] if kernel.precomputed else points, points)
    factor, pivots, rank, info = dpstrf(
        corner, tol=NEGLIGIBLE * max(np.diagonal(corner).max(), 0.0), lower=1
    )
    if info < 0 or rank == 0:
        raise ValueError(
            "The kernel matrix is zero or not positive semidefinite: use a positive "
            "semidefinite kernel."
        )
    kept = pivots[:rank] - 1
    inverse = solve_triangular(factor[:rank, :rank], np.eye(rank), lower=True)
    return KernelBasis(kernel, points[kept], np.ascontiguousarray(inverse.T))
