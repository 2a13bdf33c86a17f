"""The smoother: regularised least squares as a matrix that acts on labels.

For targets ``z``, weights ``w`` and a ridge ``a``, weighted regularised least squares

    minimise over f   sum_i w_i (z_i - f(x_i))^2 + a ||f||^2

has the closed-form solution ``f(x) = feature_map(x) c``. Its best value is
``sum_i w_i z_i^2 - z' S z`` with a symmetric positive semidefinite matrix ``S``, and
its fitted values are ``f(x_i) = (S z)_i / w_i``. Without weights, ``S`` is the smoother
``R = K (K + a I)^-1``. All that a search has to know is in ``S``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from maxmargin.kernels.degrees_of_freedom import (
    Spectrum,
    auto_degrees,
    choose_degrees,
    count_degrees,
    solve_alpha,
)
from maxmargin.kernels.feature_map import FeatureMap


@dataclass(frozen=True)
class Ridge:
    """How strongly to regularise: a ridge, or the degrees of freedom to reach.

    ``degrees_of_freedom`` is a share of the samples below 1, a number from 1 on, or
    ``"auto"``, of which there are ``at_most`` so many; it counts unless ``alpha`` is
    given.
    """

    alpha: float | None = None
    degrees_of_freedom: float | str = "auto"
    at_most: float = np.inf

    def solve(self, spectrum: Spectrum, n_samples: int) -> float:
        """Return the ridge for a kernel matrix with the given eigenvalues."""
        if self.alpha is not None:
            return self.alpha
        target = choose_degrees(self.degrees_of_freedom, spectrum, n_samples)
        if isinstance(self.degrees_of_freedom, str):
            target = min(target, self.at_most)
        return solve_alpha(target, spectrum)

    def expected_degrees(self, n_samples: int) -> float:
        """Return the degrees of freedom before any eigenvalue is known."""
        wish = self.degrees_of_freedom
        if self.alpha is not None or isinstance(wish, str):
            return min(auto_degrees(n_samples), self.at_most)
        return count_degrees(wish, n_samples)


@dataclass(frozen=True)
class Smoother(ABC):
    """A smoother on some samples; what differs is how ``S`` is represented."""

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


@dataclass(frozen=True)
class WholeSmoother(Smoother):
    """A smoother whose ``S`` is kept as it is."""

    values: np.ndarray

    def matrix(self) -> np.ndarray:  # noqa: D102
        return self.values

    def rows(self, indices) -> np.ndarray:  # noqa: D102
        return self.values[indices]

    def diagonal(self) -> np.ndarray:  # noqa: D102
        return np.diagonal(self.values)

    def dot(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.values @ targets
