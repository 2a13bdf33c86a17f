"""Smoothers of low rank, stored as features of the samples."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, eigvalsh, solve_triangular
from scipy.linalg.blas import dsyrk

from maxmargin.resources import for_blocks
from maxmargin.rows.blocks import Blocks
from maxmargin.smoothers.cholesky import (
    NEGLIGIBLE,
    cholesky_of_landmarks,
    copy_upper_to_lower,
)
from maxmargin.smoothers.degrees_of_freedom import Ridge, Spectrum
from maxmargin.smoothers.feature_map import KernelColumns
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import Smoother


@dataclass(frozen=True)
class LowRankSmoother(Smoother):
    """``S = W Phi Phi' W`` with features ``Phi(x) = feature_map(x) projection``.

    The function fitted to targets z is ``f(x) = Phi(x) Phi' W z``.
    """

    features: np.ndarray  # (n, m), Phi of the samples
    projection: np.ndarray  # (l, m)

    def matrix(self) -> np.ndarray:  # noqa: D102
        weighted = self.features * self.weights[:, None]
        # BLAS is column-major: its lower half of the product is our upper one.
        product = dsyrk(1.0, weighted.T, trans=1, lower=1).T
        copy_upper_to_lower(product)
        return product

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


def features_of(smoother: Smoother) -> np.ndarray:
    """Return features with ``S = W Phi Phi' W``, by eigenvectors if S is a matrix."""
    if isinstance(smoother, LowRankSmoother):
        return smoother.features
    values, vectors = np.linalg.eigh(smoother.matrix())
    kept = values > NEGLIGIBLE * values[-1]
    features: np.ndarray = vectors[:, kept] * np.sqrt(values[kept])
    return features / smoother.weights[:, None]


def landmark_smoother(
    kernel: Kernel,
    X,
    weights: np.ndarray,
    indices: np.ndarray,
    basis,
    ridge: Ridge,
) -> LowRankSmoother:
    """Build the smoother on the samples ``X[indices]`` with the given landmarks.

    From ``K ~ Z Z'``, ``Z = K_nm L^-T``, ``K_mm = L L'`` (Nystrom) and the factor
    ``C C' = Z' W Z + a I`` follow the features ``Phi = Z C^-T`` and the projection
    ``L^-T C^-T`` of kernel columns. ``basis`` are samples, or column numbers of a
    precomputed kernel.
    """
    columns = kernel(X[indices], basis)
    inner = factor_corner(kernel, X, basis)
    _solve_in_place(columns, inner)
    gram = _weighted_gram(columns, weights)
    alpha, outer = factor_gram(gram, ridge, len(indices))
    _solve_in_place(columns, outer)
    return LowRankSmoother(
        KernelColumns(kernel, basis),
        weights,
        alpha,
        columns,
        project_columns(inner, outer),
    )


def factor_corner(kernel: Kernel, X, basis) -> np.ndarray:
    """Return ``L`` of ``K_mm = L L'``; X is used by a precomputed kernel only."""
    return cholesky_of_landmarks(
        kernel(X[basis] if kernel.precomputed else basis, basis)
    )


class BlockGram(NamedTuple):
    """The part of ``Z' W Z`` from a block of rows, their weight and number."""

    gram: np.ndarray
    weight: float
    n_rows: int


def estimate_factor(
    blocks: Blocks, inner: np.ndarray, total_weight: float, ridge: Ridge
) -> np.ndarray:
    """Return ``C`` of ``C C' = Z' W Z + a I``, the sum estimated from some rows.

    ``blocks`` are kernel columns of these rows.
    """
    parts = blocks.map(partial(gram_of_block, inner))
    gram = np.sum([part.gram for part in parts], axis=0)
    weight = sum(part.weight for part in parts)
    n_rows = sum(part.n_rows for part in parts)
    return factor_gram(gram * (total_weight / weight), ridge, n_rows)[1]


def gram_of_block(
    inner: np.ndarray, columns: np.ndarray, weights: np.ndarray
) -> BlockGram:
    """Return the part of ``Z' W Z``, ``Z = K_nm L^-T``, from a block of columns."""
    rows = columns.copy()
    _solve_in_place(rows, inner)
    gram = _weighted_gram(rows, weights)
    return BlockGram(gram, float(weights.sum()), len(weights))


def factor_gram(
    gram: np.ndarray, ridge: Ridge, n_samples: int
) -> tuple[float, np.ndarray]:
    """Return the ridge parameter ``a`` and ``C`` of ``C C' = Z' W Z + a I``."""
    values = np.maximum(eigvalsh(gram), 0.0)
    alpha = ridge.solve(Spectrum(values, np.ones(len(values))), n_samples)
    return alpha, cholesky(gram + alpha * np.eye(len(gram)), lower=True)


def project_columns(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Return ``L^-T C^-T``, which turns kernel columns into features."""
    inverse = solve_triangular(outer, np.eye(len(outer)), lower=True)
    projection: np.ndarray = solve_triangular(inner, inverse.T, lower=True, trans="T")
    return projection


def _solve_in_place(rows: np.ndarray, factor: np.ndarray) -> None:
    """Replace ``rows`` by ``rows factor^-T``, block by block."""

    def solve(block: slice) -> None:
        rows[block] = solve_triangular(
            factor, rows[block].T, lower=True, check_finite=False
        ).T

    for_blocks(solve, len(rows))


def _weighted_gram(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return ``rows' W rows``, a band of the upper half per thread."""
    gram = np.empty((rows.shape[1], rows.shape[1]))
    weighted = rows * weights[:, None]

    def fill(block: slice) -> None:
        gram[block, block.start :] = weighted[:, block].T @ rows[:, block.start :]

    for_blocks(fill, len(gram), block_rows=128)
    copy_upper_to_lower(gram)
    return gram
