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

import numpy as np

from maxmargin.resources import available_memory, format_bytes
from maxmargin.smoothers.cholesky import invert_in_place
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
    def rows(self, indices) -> np.ndarray:
        """Return some rows of ``S``."""

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

    def rows(self, indices) -> np.ndarray:  # noqa: D102
        return self.values[indices]

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


def check_memory(n_samples: int, limit: float | None = None) -> None:
    """Raise an error if an exact kernel needs more memory than the limit.

    The default limit is the memory that is free.
    """
    limit = available_memory() if limit is None else limit
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
