"""Features whose inner products are the kernel, for methods that are linear in them.

A method that is linear in its input becomes one for any kernel when samples are
replaced by rows ``Z(x)`` with ``k(x, y) = Z(x) Z(y)'``. For the linear kernel that is
the sample itself. For others it is ``Z(x) = k(x, B) L^-T`` with ``k(B, B) = L L'``:
exact on the span of the basis samples B, hence on all training samples if B are all of
them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from maxmargin.kernels.cholesky import pivoted_cholesky
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.landmarks import Landmarks, choose_landmarks
from maxmargin.rows.sample import Sample


@dataclass(frozen=True)
class LinearBasis(FeatureMap):
    """The samples themselves, dense or sparse."""

    def __call__(self, X):  # noqa: D102
        return X.astype(np.float64, copy=False)


@dataclass(frozen=True)
class KernelBasis(FeatureMap):
    """``Z(x) = k(x, B) P`` with ``P = L^-T`` and ``k(B, B) = L L'``."""

    kernel: Kernel
    samples: Any  # B, or column numbers of a precomputed kernel
    projection: np.ndarray  # (m, m)

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.samples) @ self.projection


def make_basis(
    kernel: Kernel,
    X,
    sample: Sample,
    landmarks: Landmarks,
    random: np.random.RandomState,
) -> FeatureMap:
    """Return the features of a kernel on the samples ``X[sample.indices]``.

    Of the landmarks, or of all samples, the pivots of a Cholesky factor are kept, so
    that the number of features is the rank of the kernel.
    """
    if kernel.name == "linear":
        return LinearBasis()
    basis = choose_landmarks(kernel, X, sample, landmarks, random)
    if basis is None:
        basis = kernel.take(X, sample.indices)
    return span_basis(kernel, X, basis)


def span_basis(kernel: Kernel, X, points) -> KernelBasis:
    """Return the features of a kernel on the span of some points.

    ``points`` are returned by `Kernel.take` on X, or are any others.
    """
    corner = kernel(X[points] if kernel.precomputed else points, points)
    factor, pivots = pivoted_cholesky(corner)
    inverse = solve_triangular(factor, np.eye(len(pivots)), lower=True)
    return KernelBasis(kernel, points[pivots], np.ascontiguousarray(inverse.T))
