"""Fit a decision function to given labels: solvers for each loss and data size.

For targets ``y_i = -1`` or ``1``, weights ``w_i`` and a loss l, every solver finds the
function ``f = g + b`` that minimises

    |g|^2 + 2 C sum_i w_i l(y_i f(x_i)),

with g in the feature space of the kernel. What does not depend on the targets, such as
the kernel matrix or a factor of it, is computed once.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.svm import SVC, SVR

from maxmargin.hinge.margin_loss import MarginLoss
from maxmargin.kernels.smoother import Smoother

# Limits of the alternating direction method of multipliers (ADMM).
MAX_ROUNDS = 500
TOLERANCE = 1e-3  # of the values; the targets are -1 and 1
RELAXATION = 1.6  # the usual over-relaxation
PENALTY_ROUNDS = 10  # rounds between two adaptations of the penalty


@dataclass(frozen=True)
class FittedFunction:
    """The function ``f(x) = features(x)' coefficients + bias``.

    The features are kernel values with the samples, or those that the solver was given.
    """

    values: np.ndarray  # (n,), of f - bias at the samples
    bias: float
    norm: float  # |g|^2
    coefficients: np.ndarray  # (m,)


class FunctionSolver(ABC):
    """Fits a function to targets, for one set of samples and many targets."""

    @abstractmethod
    def fit(
        self, targets: np.ndarray, previous: FittedFunction | None = None
    ) -> FittedFunction:
        """Fit a function to targets -1 and 1; ``previous`` may be used as a start."""


@dataclass(frozen=True)
class SupportVectorSolver(FunctionSolver):
    """Laplacian, epsilon-insensitive and hinge loss on a kernel matrix, by libsvm."""

    kernel_matrix: np.ndarray  # (n, n)
    weights: np.ndarray
    loss: MarginLoss
    C: float

    def fit(self, targets, previous=None):  # noqa: D102
        coefficients = np.zeros(len(targets))
        if (targets == targets[0]).all():  # libsvm needs two classes
            return FittedFunction(coefficients, float(targets[0]), 0.0, coefficients)
        if self.loss.name == "hinge":
            svm = SVC(C=self.C, kernel="precomputed")
        else:
            epsilon = float(self.loss.knots[-1]) - 1.0
            svm = SVR(C=self.C, kernel="precomputed", epsilon=epsilon)
        svm.fit(self.kernel_matrix, targets, sample_weight=self.weights)
        coefficients[svm.support_] = svm.dual_coef_[0]
        values = self.kernel_matrix @ coefficients
        norm = float(coefficients @ values)
        return FittedFunction(values, float(svm.intercept_[0]), norm, coefficients)


@dataclass(frozen=True)
class RidgeSolver(FunctionSolver):
    """Squared loss, by a smoother with the ridge ``a = 1 / (2 C)``.

    For a bias b the smallest sum of squares plus ``a |g|^2`` is
    ``(y - b)' (W - S) (y - b)``. The best bias is
    ``b = 1' (W - S) y / 1' (W - S) 1``.
    """

    smoother: Smoother

    def fit(self, targets, previous=None):  # noqa: D102
        weights = self.smoother.weights
        columns = np.column_stack([targets, np.ones(len(targets))])
        residual = weights[:, None] * columns - self.smoother.dot(columns)
        bias = residual[:, 0].sum() / residual[:, 1].sum()
        centred = targets - bias
        values = self.smoother.dot(centred[:, None])[:, 0] / weights
        norm = (weights * (centred - values)) @ values / self.smoother.alpha
        coefficients = self.smoother.coefficients(centred[:, None])[:, 0]
        return FittedFunction(values, float(bias), float(norm), coefficients)


@dataclass(frozen=True)
class SplitFunction(FittedFunction):
    """A function with the state of ADMM, from which the next fit can start."""

    split_values: np.ndarray  # (n,), v
    multipliers: np.ndarray  # (n,), divided by the penalty
    penalty: float


@dataclass(frozen=True)
class SplittingSolver(FunctionSolver):
    """Laplacian, epsilon-insensitive and hinge loss on features, for many samples.

    With features ``Z`` (n x m) in place of a kernel matrix, the problem is split
    between the function and its values v,

        minimise  |u|^2 / 2 + C sum_i w_i l(y_i v_i)   subject to  v = Z u + b,

    and solved by ADMM [1]_. The first part is a ridge regression. In the basis of the
    eigenvectors of the centred ``Z' W Z``, which are computed once, it takes two
    products with an n x m matrix for any penalty. The second part has a closed form for
    each sample.

    References
    ----------
    .. [1] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein. Distributed optimization
       and statistical learning via the alternating direction method of multipliers.
       Foundations and Trends in Machine Learning 3(1), 2011.
    """

    rotated: np.ndarray  # (n, m), centred features in the basis of the eigenvectors
    eigenvalues: np.ndarray  # (m,)
    vectors: np.ndarray  # (m, m)
    mean: np.ndarray  # (m,), of the features
    weights: np.ndarray
    loss: MarginLoss
    C: float

    def fit(self, targets, previous=None):  # noqa: D102
        shares = self.weights / self.weights.sum()
        v, d, penalty = targets.copy(), np.zeros(len(targets)), self.C
        if isinstance(previous, SplitFunction):
            v, d = previous.split_values, previous.multipliers
            penalty = previous.penalty
        for iteration in range(1, MAX_ROUNDS + 1):
            aims = v - d  # to which the ridge regression is fitted
            inner = self.rotated.T @ (self.weights * aims)
            u = inner / (self.eigenvalues + 1 / penalty)
            level = shares @ aims
            f = self.rotated @ u + level
            relaxed = RELAXATION * f + (1 - RELAXATION) * v
            before = v
            v = targets * shrink(targets * (relaxed + d), self.loss, self.C / penalty)
            d = d + relaxed - v
            primal = np.sqrt(shares @ (f - v) ** 2)
            dual = np.sqrt(shares @ (v - before) ** 2)
            if max(primal, dual, dual * penalty / self.C) < TOLERANCE:
                break
            if iteration % PENALTY_ROUNDS == 0 and _unbalanced(primal, dual):
                factor = 2.0 if primal > dual else 0.5
                penalty *= factor
                d = d / factor
        coefficients = self.vectors @ u
        bias = level - self.mean @ coefficients
        return SplitFunction(
            f - bias, float(bias), float(u @ u), coefficients, v, d, penalty
        )


def _unbalanced(primal: float, dual: float) -> bool:
    """Return True if one residual is ten times the other, so the penalty is wrong."""
    return not 0.1 < primal / max(dual, 1e-300) < 10


def splitting_solver(
    features: np.ndarray, weights: np.ndarray, loss: MarginLoss, C: float
) -> SplittingSolver:
    """Return the solver for the given features (n x m) of the samples."""
    mean = weights @ features / weights.sum()
    centred = features - mean
    eigenvalues, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    return SplittingSolver(
        centred @ vectors, eigenvalues, vectors, mean, weights, loss, C
    )


def shrink(margins: np.ndarray, loss: MarginLoss, step: float) -> np.ndarray:
    """Return for each margin q the t that minimises ``step l(t) + (t - q)^2 / 2``.

    The loss decreases with slope 1 below its first knot and is zero between its knots.
    Above its last knot it increases with slope 1 or is zero.
    """
    low, high = loss.knots[0], loss.knots[-1]
    result = np.where(margins < low, np.minimum(margins + step, low), margins)
    if loss.pieces[-1, 1] > 0:
        result = np.where(margins > high, np.maximum(margins - step, high), result)
    return result
