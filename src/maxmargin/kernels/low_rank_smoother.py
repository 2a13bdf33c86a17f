"""Smoothers of low rank: features of the samples, few kernel columns for all."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigvalsh, solve_triangular
from scipy.linalg.blas import dsyrk

from maxmargin.kernels.degrees_of_freedom import Spectrum
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.mirror import mirror_upper
from maxmargin.kernels.smoother import Ridge, Smoother
from maxmargin.kernels.threads import for_blocks


@dataclass(frozen=True)
class LowRankSmoother(Smoother):
    """``S = W Phi Phi' W`` with features ``Phi(x) = feature_map(x) projection``.

    The function fitted to targets z is ``f(x) = Phi(x) Phi' W z``.
    """

    features: np.ndarray  # (n, m), Phi of the samples
    projection: np.ndarray  # (l, m)

    def matrix(self) -> np.ndarray:  # noqa: D102
        weighted = self.features * self.weights[:, None]
        # Half of a symmetric product is computed; BLAS counts columns first, so that
        # its lower half is our upper one.
        half = dsyrk(1.0, weighted.T, trans=1, lower=1).T
        mirror_upper(half)
        return half

    def rows(self, indices) -> np.ndarray:  # noqa: D102
        weighted = self.features * self.weights[:, None]
        return weighted[indices] @ weighted.T

    def diagonal(self) -> np.ndarray:  # noqa: D102
        norms = np.einsum("ij,ij->i", self.features, self.features)
        return self.weights**2 * norms

    def dot(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.weights[:, None] * (self.features @ self._sums(targets))

    def coefficients(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.projection @ self._sums(targets)

    def _sums(self, targets: np.ndarray) -> np.ndarray:
        sums: np.ndarray = self.features.T @ (self.weights[:, None] * targets)
        return sums


def landmark_smoother(
    kernel: Kernel,
    X,
    weights: np.ndarray,
    indices: np.ndarray,
    basis,
    ridge: Ridge,
    n_threads: int = 1,
) -> LowRankSmoother:
    """Build the smoother on the samples ``X[indices]`` with the given landmarks.

    From ``K ~ Z Z'``, ``Z = K_nm L^-T``, ``K_mm = L L'`` (Nystrom) and the factor
    ``C C' = Z' W Z + a I`` follow the features ``Phi = Z C^-T`` and the projection
    ``L^-T C^-T`` of kernel columns. ``basis`` are samples, or column numbers of a
    precomputed kernel.
    """
    columns = kernel(X[indices], basis, n_threads)
    inner = factor_corner(kernel, X, basis)
    _solve_in_place(columns, inner, n_threads)
    gram = _weighted_gram(columns, weights, n_threads)
    alpha, outer = factor_gram(gram, ridge, len(indices))
    _solve_in_place(columns, outer, n_threads)
    return LowRankSmoother(
        KernelColumns(kernel, basis),
        weights,
        alpha,
        columns,
        project_columns(inner, outer),
    )


def factor_corner(kernel: Kernel, X, basis) -> np.ndarray:
    """Return ``L`` of ``K_mm = L L'``; of X only a precomputed kernel needs to know."""
    return _safe_cholesky(kernel(X[basis] if kernel.precomputed else basis, basis))


def gram_of_block(
    columns: np.ndarray, weights: np.ndarray, inner: np.ndarray
) -> np.ndarray:
    """Return what a block of kernel columns adds to ``Z' W Z``, ``Z = K_nm L^-T``."""
    rows = columns.copy()
    _solve_in_place(rows, inner, 1)
    return _weighted_gram(rows, weights, 1)


def factor_gram(
    gram: np.ndarray, ridge: Ridge, n_samples: int
) -> tuple[float, np.ndarray]:
    """Return the ridge ``a`` and ``C`` of ``C C' = Z' W Z + a I``."""
    values = np.maximum(eigvalsh(gram), 0.0)
    alpha = ridge.solve(Spectrum(values, np.ones(len(values))), n_samples)
    return alpha, cholesky(gram + alpha * np.eye(len(gram)), lower=True)


def project_columns(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Return ``L^-T C^-T``, which turns kernel columns into features."""
    inverse = solve_triangular(outer, np.eye(len(outer)), lower=True)
    projection: np.ndarray = solve_triangular(inner, inverse.T, lower=True, trans="T")
    return projection


def _safe_cholesky(corner: np.ndarray) -> np.ndarray:
    """Factor the landmarks' kernel matrix, lifting its diagonal against rounding."""
    lift = 1e-10 * max(np.trace(corner) / len(corner), np.finfo(float).tiny)
    lifted = corner + lift * np.eye(len(corner))
    try:
        factor: np.ndarray = cholesky(lifted, lower=True)
    except np.linalg.LinAlgError as error:
        smallest = eigvalsh(corner, subset_by_index=[0, 0])[0]
        raise ValueError(
            "The kernel matrix of the landmarks is not positive semidefinite (smallest "
            f"eigenvalue {smallest:.3g}): use a positive semidefinite kernel."
        ) from error
    return factor


def _solve_in_place(rows: np.ndarray, factor: np.ndarray, n_threads: int) -> None:
    """Replace ``rows`` by ``rows factor^-T``, block by block."""

    def solve(block: slice) -> None:
        rows[block] = solve_triangular(
            factor, rows[block].T, lower=True, check_finite=False
        ).T

    for_blocks(solve, len(rows), n_threads)


def _weighted_gram(rows: np.ndarray, weights: np.ndarray, n_threads: int) -> np.ndarray:
    """Return ``rows' W rows``, each thread computing a band of the upper half."""
    gram = np.empty((rows.shape[1], rows.shape[1]))
    weighted = rows * weights[:, None]

    def fill(block: slice) -> None:
        gram[block, block.start :] = weighted[:, block].T @ rows[:, block.start :]

    for_blocks(fill, len(gram), n_threads, block_rows=128)
    mirror_upper(gram)
    return gram
