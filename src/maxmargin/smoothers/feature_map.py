"""Features of any sample, in which the fitted functions are linear.

A method that is linear in its input becomes one for any kernel when samples are
replaced by rows ``Z(x)`` with ``k(x, y) = Z(x) Z(y)'``. For the linear kernel that is
the sample itself. For others it is ``Z(x) = k(x, B) L^-T`` with ``k(B, B) = L L'``:
exact on the span of the basis samples B, hence on all training samples if B are all of
them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.rows.preparation import Preparation
from maxmargin.smoothers.distances import shift
from maxmargin.smoothers.kernel import Kernel


class FeatureMap(ABC):
    """A map to features, in which the fitted functions are linear."""

    @abstractmethod
    def __call__(self, X) -> Any:
        """Return the features of samples X (n x m)."""


@dataclass(frozen=True)
class KernelColumns(FeatureMap):
    """Kernel values with some basis samples."""

    kernel: Kernel
    basis: Any

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.basis)


@dataclass(frozen=True)
class PreparedFeatures(FeatureMap):
    """The features of rows as they are given, of a map for prepared rows."""

    features: FeatureMap
    preparation: Preparation

    def __call__(self, X) -> Any:  # noqa: D102
        return self.features(self.preparation(X))


@dataclass(frozen=True)
class LinearBasis(FeatureMap):
    """The samples themselves, dense or sparse."""

    def __call__(self, X):  # noqa: D102
        return X.astype(np.float64, copy=False)


@dataclass(frozen=True)
class ShiftedFeatures(FeatureMap):
    """Features of the differences from an origin, whose products lose no digits."""

    features: FeatureMap
    origin: np.ndarray

    def __call__(self, X):  # noqa: D102
        return self.features(shift(X, self.origin))


@dataclass(frozen=True)
class KernelBasis(FeatureMap):
    """``Z(x) = k(x, B) P`` with ``P = L^-T`` and ``k(B, B) = L L'``."""

    kernel: Kernel
    samples: Any  # B, or column numbers of a precomputed kernel
    projection: np.ndarray  # (m, m)

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.samples) @ self.projection
