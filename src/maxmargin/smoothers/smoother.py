"""The smoother: regularised least squares as a matrix that acts on labels.

For targets ``z``, weights ``w`` and a ridge parameter ``a``, weighted regularised least
squares

    minimise over f   sum_i w_i (z_i - f(x_i))^2 + a ||f||^2

has the closed-form solution ``f(x) = feature_map(x) c``. Its minimum is
``sum_i w_i z_i^2 - z' S z`` with a symmetric positive semidefinite matrix ``S``, and
its fitted values are ``f(x_i) = (S z)_i / w_i``. Without weights, ``S`` is the smoother
``R = K (K + a I)^-1``. A search needs nothing else than ``S``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, eigvalsh, solve_triangular
from scipy.linalg.blas import dsyrk

from maxmargin.resources import available_memory, format_bytes
from maxmargin.rows.blocks import Blocks
from maxmargin.rows.threads import for_blocks
from maxmargin.smoothers.cholesky import (
    NEGLIGIBLE,
    cholesky_of_landmarks,
    copy_upper_to_lower,
    invert_in_place,
)
from maxmargin.smoothers.degrees_of_freedom import Ridge, Spectrum, estimate_spectrum
from maxmargin.smoothers.feature_map import FeatureMap, KernelColumns
from maxmargin.smoothers.kernel import Kernel

# Leverages count as at most 0.99 in the leave-one-out error.
MIN_RESIDUAL = 0.01


@dataclass(frozen=True)
class Smoother(ABC):
    """A smoother on some samples; subclasses differ in how ``S`` is stored."""

    feature_map: FeatureMap
    weights: np.ndarray
    alpha: float

    @property
    def degrees_of_freedom(self) -> float:
        """Return ``tr(R)``, the effective number of parameters."""
        return float((self.diagonal() / self.weights).sum())

    @abstractmethod
    def matrix(self) -> np.ndarray:
        """Return ``S`` (n x n)."""

    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """Return the diagonal of ``S``."""

    @abstractmethod
    def dot(self, targets: np.ndarray) -> np.ndarray:
        """Return ``S Z`` for targets ``Z`` (n x k)."""

    @abstractmethod
    def coefficients(self, targets: np.ndarray) -> np.ndarray:
        """Return ``C`` with ``f(x) = feature_map(x) C`` fitted to the targets."""

    def fitted(self, X, targets: np.ndarray) -> np.ndarray:
        """Return the values at samples X of the functions fitted to the targets."""
        values: np.ndarray = self.feature_map(X) @ self.coefficients(targets)
        return values

    def losses(self, targets: np.ndarray) -> np.ndarray:
        """Return ``sum_h (z_ih - f_h(x_i))^2`` of functions fitted to the targets."""
        fitted = self.dot(targets) / self.weights[:, None]
        squares: np.ndarray = ((targets - fitted) ** 2).sum(axis=1)
        return squares

    def mean_loss(self, targets: np.ndarray) -> float:
        """Return the weighted mean of the losses."""
        return float(self.losses(targets) @ self.weights / self.weights.sum())


def leave_one_out_error(smoother: Smoother, targets: np.ndarray) -> float:
    """Return the leave-one-out error of least squares on indicators.

    With the smoother ``S``, weights ``w``, leverages ``h_j = S_jj / w_j`` and
    indicators ``Z`` (n x k), the function fitted to all samples but j has at j the
    error ``(Z_j - (S Z)_j / w_j) / (1 - h_j)``: no function is fitted twice. The
    weighted sum of squares is divided by the variance of ``Z``: predicting the sizes of
    the clusters has error 1, perfect prediction error 0.
    """
    weights = smoother.weights
    leverage = smoother.diagonal() / weights
    residuals = targets - smoother.dot(targets) / weights[:, None]
    residuals /= np.maximum(1.0 - leverage, MIN_RESIDUAL)[:, None]
    shares = weights @ targets / weights.sum()
    spread = weights.sum() * np.sum(shares * (1.0 - shares))
    if spread <= 0:
        return 1.0
    return float(weights @ np.sum(residuals**2, axis=1) / spread)


@dataclass(frozen=True)
class DenseSmoother(Smoother):
    """A smoother that stores the matrix ``S``."""

    values: np.ndarray

    def matrix(self) -> np.ndarray:  # noqa: D102
        return self.values

    def diagonal(self) -> np.ndarray:  # noqa: D102
        return np.diagonal(self.values)

    def dot(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.values @ targets


@dataclass(frozen=True)
class ExactSmoother(DenseSmoother):
    """``S = W^1/2 (I - a (W^1/2 K W^1/2 + a I)^-1) W^1/2`` of a whole kernel matrix.

    The coefficients need no second factorisation: ``C = (W Z - S Z) / a``.
    """

    def coefficients(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return (self.weights[:, None] * targets - self.dot(targets)) / self.alpha


def exact_smoother(
    kernel: Kernel, X, weights: np.ndarray, indices: np.ndarray, ridge: Ridge
) -> ExactSmoother:
    """Build the smoother on the samples ``X[indices]`` from a Cholesky factor.

    One n x n matrix is overwritten step by step: kernel, factor, inverse, result.
    """
    n_samples = len(indices)
    check_memory(n_samples)
    basis = kernel.take(X, indices)
    root = np.sqrt(weights)
    values = kernel(X[indices], basis)
    values *= root[:, None]
    values *= root
    spectrum = estimate_spectrum(values)
    if kernel.precomputed:
        _check_semidefinite(spectrum)
    alpha = ridge.solve(spectrum, n_samples)
    values.flat[:: n_samples + 1] += alpha
    invert_in_place(values)
    values *= -alpha
    values.flat[:: n_samples + 1] += 1.0
    values *= root[:, None]
    values *= root
    return ExactSmoother(KernelColumns(kernel, basis), weights, alpha, values)


def check_memory(n_samples: int) -> None:
    """Raise an error if an exact kernel needs more memory than is free."""
    limit = available_memory()
    needed = 3 * 8 * n_samples**2
    if needed > limit:
        raise ValueError(
            f"The exact kernel of {n_samples} samples needs about "
            f"{format_bytes(needed)} and {format_bytes(limit)} are free: "
            "use landmarks='auto' or landmarks=1000."
        )


def _check_semidefinite(spectrum: Spectrum) -> None:
    smallest, largest = spectrum.values.min(), spectrum.values.max()
    if smallest < -1e-6 * max(largest, 0.0):
        raise ValueError(
            "A precomputed kernel must be positive semidefinite, and the smallest "
            f"eigenvalue of this one is {smallest:.3g}: add {-smallest:.3g} to its "
            "diagonal, or use another kernel."
        )


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
