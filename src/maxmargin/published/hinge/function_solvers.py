"""Fit a decision function to given labels: solvers for each loss and data size.

For targets ``y_i = -1`` or ``1``, weights ``w_i`` and a loss l, every solver finds the
function ``f = g + b`` that minimises

    |g|^2 + 2 C sum_i w_i l(y_i f(x_i)),

with g in the feature space of the kernel. What does not depend on the targets, such as
the kernel matrix or a factor of it, is computed once.
"""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from maxmargin.published.hinge.interior_point import minimise_errors
from maxmargin.published.hinge.margin_loss import MarginLoss
from maxmargin.smoothers.cholesky import NEGLIGIBLE
from maxmargin.smoothers.smoother import Smoother

# Steps after which libsvm stops: far more than it needs if C suits the kernel.
MIN_STEPS = 10_000
STEPS_PER_SAMPLE = 20
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
    """Laplacian, epsilon-insensitive and hinge loss on a kernel matrix, by libsvm.

    libsvm stores kernel values in single precision. As the coefficients add up to zero,
    a kernel matrix whose rows and columns are centred has the same solution, up to the
    bias, and so has a matrix divided by s with C multiplied by it. So libsvm is given
    the centred matrix, in units of its largest value. Where kernel values differ by far
    more than 1 / C, it would need too many steps: an interior point method takes over.
    """

    kernel_matrix: np.ndarray  # (n, n)
    weights: np.ndarray
    loss: MarginLoss
    C: float

    @cached_property
    def _means(self) -> np.ndarray:
        """Return the mean of each row of the kernel matrix."""
        means: np.ndarray = self.kernel_matrix.mean(axis=1)
        return means

    @cached_property
    def _centred(self) -> np.ndarray:
        """Return the kernel matrix with rows and columns of mean zero."""
        centred = self.kernel_matrix - self._means
        centred -= centred.mean(axis=1)[:, None]
        return centred

    @cached_property
    def _rounding(self) -> float:
        """Return the largest value of the centred matrix that may be rounding error."""
        largest = float(np.abs(self.kernel_matrix).max())
        return len(self.kernel_matrix) * np.finfo(float).eps * largest

    @cached_property
    def _spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the eigenvalues of the centred matrix and its eigenvectors.

        Those that are rounding errors are left out.
        """
        values, vectors = np.linalg.eigh(self._centred)
        kept = values > max(NEGLIGIBLE * values[-1], self._rounding)
        return values[kept], vectors[:, kept]

    def fit(self, targets, previous=None):  # noqa: D102
        coefficients = np.zeros(len(targets))
        scale = float(np.abs(self._centred).max())
        # libsvm needs two classes, and a kernel that is not the same everywhere.
        if (targets == targets[0]).all() or scale <= self._rounding:
            majority = 1.0 if self.weights @ targets >= 0 else -1.0
            return FittedFunction(coefficients, majority, 0.0, coefficients)
        svm = self._machine(scale, max(MIN_STEPS, STEPS_PER_SAMPLE * len(targets)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svm.fit(self._centred / scale, targets, sample_weight=self.weights)
        if np.max(svm.n_iter_) >= svm.max_iter:
            return self._fit_by_interior_point(targets)
        coefficients[svm.support_] = svm.dual_coef_[0] / scale
        values = self._centred @ coefficients
        return self._function(values, float(svm.intercept_[0]), coefficients)

    def _function(self, values, bias: float, coefficients) -> FittedFunction:
        """Return the function with these values of the centred kernel."""
        level = float(self._means @ coefficients)
        norm = float(coefficients @ values)
        return FittedFunction(values + level, bias - level, norm, coefficients)

    def _machine(self, scale: float, max_iter: int) -> SVC | SVR:
        options: dict[str, Any] = {"C": self.C * scale, "kernel": "precomputed"}
        options["max_iter"] = max_iter
        if self.loss.name == "hinge":
            return SVC(**options)
        return SVR(epsilon=float(self.loss.knots[-1]) - 1.0, **options)

    def _fit_by_interior_point(self, targets: np.ndarray) -> FittedFunction:
        """Fit a function on the eigenvectors of the centred kernel matrix.

        Of all coefficients with the same function, the smallest ones are returned:
        large ones would cancel each other.
        """
        eigenvalues, vectors = self._spectrum
        A = np.column_stack([vectors, np.ones(len(targets))])
        ridges, bound = np.append(1 / eigenvalues, 0.0), self.C * self.weights
        epsilon = float(self.loss.knots[-1]) - 1.0
        if self.loss.name == "hinge":
            low, high = np.minimum(targets * bound, 0), np.maximum(targets * bound, 0)
        elif epsilon == 0:
            low, high = -bound, bound
        else:  # errors below -epsilon, and those above epsilon
            A = np.concatenate([A, A])
            targets = np.concatenate([targets - epsilon, targets + epsilon])
            low = np.concatenate([0 * bound, -bound])
            high = np.concatenate([bound, 0 * bound])
        solution, converged = minimise_errors(A, ridges, targets, low, high)
        if not converged:
            warnings.warn(
                "The support vector machine did not converge, because kernel values "
                "differ by far more than 1 / C: scale the features, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        *weights, bias = solution
        coefficients = vectors @ (weights / eigenvalues)
        coefficients -= coefficients.mean()  # a sum of zero, up to rounding so far
        values = self._centred @ coefficients
        return self._function(values, float(bias), coefficients)


@dataclass(frozen=True)
class RidgeSolver(FunctionSolver):
    """Squared loss, by a smoother with the ridge ``a = 1 / (2 C)``.

    For a bias b the smallest sum of squares plus ``a |g|^2`` is
    ``(y - b)' (W - S) (y - b)``. The best bias is
    ``b = 1' (W - S) y / 1' (W - S) 1``. The values are those of the coefficients, as
    they are for other samples: ``S y`` loses the digits of small kernel values.
    """

    smoother: Smoother
    features: np.ndarray  # (n, m), of the samples

    def fit(self, targets, previous=None):  # noqa: D102
        weights = self.smoother.weights
        columns = np.column_stack([targets, np.ones(len(targets))])
        residual = weights[:, None] * columns - self.smoother.dot(columns)
        level = residual[:, 1].sum()  # zero if the smoother reproduces constants
        rounding = len(targets) * np.finfo(float).eps * weights.sum()
        bias = residual[:, 0].sum() / level if level > rounding else 0.0
        centred = targets - bias
        coefficients = self.smoother.coefficients(centred[:, None])[:, 0]
        values = self.features @ coefficients
        norm = (weights * (centred - values)) @ values / self.smoother.alpha
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
            # If one residual is ten times the other, the penalty is wrong.
            unbalanced = not 0.1 < primal / max(dual, 1e-300) < 10
            if iteration % PENALTY_ROUNDS == 0 and unbalanced:
                factor = 2.0 if primal > dual else 0.5
                penalty *= factor
                d = d / factor
        coefficients = self.vectors @ u
        bias = level - self.mean @ coefficients
        return SplitFunction(
            f - bias, float(bias), float(u @ u), coefficients, v, d, penalty
        )


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
