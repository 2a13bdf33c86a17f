"""One function fitted to labels, whichever loss and whichever solver.

For targets ``y_i = -1`` or ``1``, weights ``w_i`` and a loss l, every solver here finds
the function ``f = g + b`` that minimises

    |g|^2 + 2 C sum_i w_i l(y_i f(x_i)),

g lying in the space of the kernel. What does not depend on the targets, the kernel
matrix or a factor, is computed once and serves all targets.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.svm import SVC, SVR

from maxmargin.hinge.loss import Loss
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.smoother import Smoother


@dataclass(frozen=True)
class FittedFunction:
    """``f(x) = feature_map(x) coefficients + bias``."""

    values: np.ndarray  # (n,), of g at the samples
    bias: float
    norm: float  # |g|^2
    coefficients: np.ndarray  # (m,)


class FunctionSolver(ABC):
    """Fits functions to one target vector after another."""

    feature_map: FeatureMap

    @abstractmethod
    def fit(
        self, targets: np.ndarray, previous: FittedFunction | None = None
    ) -> FittedFunction:
        """Fit a function to targets -1 and 1, if it helps starting from another one."""


@dataclass(frozen=True)
class SupportVectorSolver(FunctionSolver):
    """Laplacian, epsilon-insensitive and hinge loss by libsvm."""

    feature_map: FeatureMap
    kernel_matrix: np.ndarray  # (n, n)
    weights: np.ndarray
    loss: Loss
    C: float

    def fit(self, targets, previous=None):  # noqa: D102
        coefficients = np.zeros(len(targets))
        if (targets == targets[0]).all():  # libsvm wants two classes
            return FittedFunction(coefficients, float(targets[0]), 0.0, coefficients)
        if self.loss.name == "hinge":
            machine = SVC(C=self.C, kernel="precomputed")
        else:
            epsilon = float(self.loss.knots[-1]) - 1.0
            machine = SVR(C=self.C, kernel="precomputed", epsilon=epsilon)
        machine.fit(self.kernel_matrix, targets, sample_weight=self.weights)
        coefficients[machine.support_] = machine.dual_coef_[0]
        values = self.kernel_matrix @ coefficients
        return FittedFunction(
            values,
            float(machine.intercept_[0]),
            float(coefficients @ values),
            coefficients,
        )


@dataclass(frozen=True)
class RidgeSolver(FunctionSolver):
    """Square loss through a smoother with the ridge ``a = 1 / (2 C)``.

    For a bias b the least sum of squares plus ``a |g|^2`` is ``(y - b)' (W - S) (y -
    b)``, so that ``b = 1' (W - S) y / 1' (W - S) 1``.
    """

    smoother: Smoother

    @property
    def feature_map(self) -> FeatureMap:  # type: ignore[override]
        """Return the map in which the functions are linear."""
        return self.smoother.feature_map

    def fit(self, targets, previous=None):  # noqa: D102
        weights = self.smoother.weights
        columns = np.column_stack([targets, np.ones(len(targets))])
        left = weights[:, None] * columns - self.smoother.dot(columns)
        bias = left[:, 0].sum() / left[:, 1].sum()
        centred = targets - bias
        values = self.smoother.dot(centred[:, None])[:, 0] / weights
        residuals = centred - values
        norm = (weights * residuals) @ values / self.smoother.alpha
        coefficients = self.smoother.coefficients(centred[:, None])[:, 0]
        return FittedFunction(values, float(bias), float(norm), coefficients)
