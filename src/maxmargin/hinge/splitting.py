"""Functions of features fitted to labels, for many samples.

With features ``Z`` (n x m) in place of a kernel matrix, the problem of
`maxmargin.hinge.function` is split between the function and its values v,

    minimise  |u|^2 / 2 + C sum_i w_i l(y_i v_i)   subject to  v = Z u + b,

and solved by alternating directions (Boyd et al., Distributed optimization and
statistical learning via the alternating direction method of multipliers, 2011). The
first part is a ridge regression. In the eigenvectors of the centred ``Z' W Z``, found
once, it takes two products with n x m numbers for any penalty. The second part is one
formula for each sample.
"""

from dataclasses import dataclass

import numpy as np

from maxmargin.hinge.function import FittedFunction, FunctionSolver
from maxmargin.hinge.loss import Loss
from maxmargin.kernels.feature_map import FeatureMap

MAX_ROUNDS = 500
# Rounds end when values are known to this accuracy; labels are at -1 and 1.
TOLERANCE = 1e-3
RELAXATION = 1.6  # the usual over-relaxation
REVIEW = 10  # the penalty is reviewed after so many rounds


@dataclass(frozen=True)
class SplitFunction(FittedFunction):
    """A function with what the next fit can start from."""

    split_values: np.ndarray  # (n,), v
    multipliers: np.ndarray  # (n,), scaled by the penalty
    penalty: float


@dataclass(frozen=True)
class SplittingSolver(FunctionSolver):
    """Laplacian, epsilon-insensitive and hinge loss in a space of features."""

    feature_map: FeatureMap
    rotated: np.ndarray  # (n, m), centred features in the eigenvectors
    eigenvalues: np.ndarray  # (m,)
    vectors: np.ndarray  # (m, m)
    mean: np.ndarray  # (m,), of the features
    weights: np.ndarray
    loss: Loss
    C: float

    def fit(self, targets, previous=None):  # noqa: D102
        shares = self.weights / self.weights.sum()
        if isinstance(previous, SplitFunction):
            v, d, penalty = (
                previous.split_values,
                previous.multipliers,
                previous.penalty,
            )
        else:
            v, d, penalty = targets.copy(), np.zeros(len(targets)), self.C
        for iteration in range(1, MAX_ROUNDS + 1):
            u, level, f = self._regress(v - d, penalty, shares)
            relaxed = RELAXATION * f + (1 - RELAXATION) * v
            before = v
            v = targets * shrink(targets * (relaxed + d), self.loss, self.C / penalty)
            d = d + relaxed - v
            primal = np.sqrt(shares @ (f - v) ** 2)
            dual = np.sqrt(shares @ (v - before) ** 2)
            if max(primal, dual, dual * penalty / self.C) < TOLERANCE:
                break
            if iteration % REVIEW == 0 and not 0.1 < primal / max(dual, 1e-300) < 10:
                factor = 2.0 if primal > dual else 0.5
                penalty *= factor
                d = d / factor
        coefficients = self.vectors @ u
        bias = level - self.mean @ coefficients
        return SplitFunction(
            f - bias, float(bias), float(u @ u), coefficients, v, d, penalty
        )

    def _regress(self, aims, penalty, shares):
        """Return u in the eigenvectors, the mean of the aims, and the fitted values."""
        u = self.rotated.T @ (self.weights * aims) / (self.eigenvalues + 1 / penalty)
        level = shares @ aims
        return u, level, self.rotated @ u + level


def splitting_solver(
    feature_map: FeatureMap,
    features: np.ndarray,
    weights: np.ndarray,
    loss: Loss,
    C: float,
) -> SplittingSolver:
    """Prepare fits on the given features (n x m)."""
    mean = weights @ features / weights.sum()
    centred = features - mean
    eigenvalues, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    return SplittingSolver(
        feature_map, centred @ vectors, eigenvalues, vectors, mean, weights, loss, C
    )


def shrink(margins: np.ndarray, loss: Loss, step: float) -> np.ndarray:
    """Return for each margin q the t that minimises ``step l(t) + (t - q)^2 / 2``.

    Below its first knot the loss falls with slope 1, above its last one it rises with
    slope 1 or stays zero, and between them it is zero.
    """
    low, high = loss.knots[0], loss.knots[-1]
    result = np.where(margins < low, np.minimum(margins + step, low), margins)
    if loss.pieces[-1, 1] > 0:
        result = np.where(margins > high, np.maximum(margins - step, high), result)
    return result
