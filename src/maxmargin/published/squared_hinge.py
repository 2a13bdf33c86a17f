"""Linear classifiers with the squared hinge loss, by liblinear and Newton's method.

Minimises ``(w'w + b^2) / 2 + C sum_i c_i max(0, 1 - y_i (z_i w + b))^2``.
"""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from maxmargin.smoothers.cholesky import NEGLIGIBLE

# Tolerance of liblinear. It takes conjugate gradient steps, and needs many of them if
# features are nearly dependent, as those of a kernel are.
ROUGH = 1e-2
BLOCK_ROWS = 4096


class Planes(NamedTuple):
    """Separating planes: one for each class against the rest, one for two classes."""

    coefficients: np.ndarray  # (m, p)
    intercepts: np.ndarray  # (p,)
    objectives: np.ndarray  # (p,)
    n_iter: int
    converged: bool


def separate(
    Z: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
) -> Planes:
    """Find the planes for samples ``Z`` with classes 0, 1, ... and weights ``c``.

    With two classes, y is 1 for the second. liblinear finds a starting point at which
    most of the samples within the margin are known; Newton's method, with a Cholesky
    factorisation of the Hessian, then takes few steps.
    """
    solver = LinearSVC(C=C, dual=False, tol=ROUGH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        solver.fit(Z, codes, sample_weight=weights)
    points = np.column_stack([solver.coef_, solver.intercept_])
    positive = range(len(points)) if len(points) > 1 else [1]
    results = []
    for h, start in zip(positive, points, strict=True):
        problem = BinaryProblem(Z, np.where(codes == h, 1.0, -1.0), C * weights)
        results.append(newton(problem, start, tol, max_iter))
    solution = np.array([result.point for result in results])
    return Planes(
        np.ascontiguousarray(solution[:, :-1].T),
        solution[:, -1],
        np.array([result.objective for result in results]),
        max(result.n_iter for result in results),
        all(result.converged for result in results),
    )


@dataclass(frozen=True)
class BinaryProblem:
    """The problem of two classes; a point has the coefficients and then the bias."""

    Z: np.ndarray  # (n, m)
    signs: np.ndarray  # (n,), the labels -1 and 1
    costs: np.ndarray  # (n,), C times the weights

    def margins(self, point: np.ndarray) -> np.ndarray:
        """Return ``y_i (z_i w + b)``."""
        return self.signs * (self.Z @ point[:-1] + point[-1])

    def objective(self, point: np.ndarray, margins: np.ndarray) -> float:
        """Return the objective at a point with the given margins."""
        slack = np.maximum(1.0 - margins, 0.0)
        return float(0.5 * point @ point + self.costs @ slack**2)

    def derivatives(self, point: np.ndarray, margins: np.ndarray):
        """Return gradient and Hessian, sums over the samples within the margin."""
        rows = np.flatnonzero(margins < 1.0)
        hessian = np.eye(len(point))
        gradient = point.copy()
        for start in range(0, len(rows), BLOCK_ROWS):
            block = rows[start : start + BLOCK_ROWS]
            scaled = self._scaled(block)
            slacks = self.signs[block] * (1.0 - margins[block])
            gradient -= (np.sqrt(2.0 * self.costs[block]) * slacks) @ scaled
            hessian += scaled.T @ scaled
        return gradient, hessian

    def newton_step(self, point: np.ndarray, margins: np.ndarray):
        """Return the gradient and the step to the minimum of the quadratic model."""
        gradient, hessian = self.derivatives(point, margins)
        try:
            factor = cho_factor(hessian, lower=True)
            pivots = factor[0].diagonal() ** 2 / hessian.diagonal()
            dependent = pivots.min() < NEGLIGIBLE
        except np.linalg.LinAlgError:
            dependent = True
        if dependent:  # the features are large, and so the regulariser is lost
            return gradient, self._least_squares_step(point, margins)
        return gradient, -cho_solve(factor, gradient)

    def _least_squares_step(self, point: np.ndarray, margins: np.ndarray) -> np.ndarray:
        """Return the same step without the squares of the features."""
        rows = np.flatnonzero(margins < 1.0)
        slacks = self.signs[rows] * (1.0 - margins[rows])
        right = np.concatenate([np.sqrt(2.0 * self.costs[rows]) * slacks, -point])
        left = np.concatenate([self._scaled(rows), np.eye(len(point))])
        units = np.linalg.norm(left, axis=0)
        step: np.ndarray = lstsq(left / units, right)[0] / units
        return step

    def _scaled(self, rows: np.ndarray) -> np.ndarray:
        """Return rows of ``(Z, 1)`` times the roots of their second derivatives."""
        scaled = np.column_stack([self.Z[rows], np.ones(len(rows))])
        scaled *= np.sqrt(2.0 * self.costs[rows])[:, None]
        return scaled

    def line_search(self, point, step, margins, change) -> float:
        """Return the step length with the smallest objective, the root of its slope."""

        def slope(length: float) -> float:
            slack = np.maximum(1.0 - margins - length * change, 0.0)
            inner = (point + length * step) @ step
            return float(inner - 2.0 * (self.costs * slack) @ change)

        upper = 1.0
        while slope(upper) < 0.0:
            upper *= 2.0
        return upper if slope(0.0) >= 0.0 else float(brentq(slope, 0.0, upper))


class NewtonResult(NamedTuple):
    """The minimum that Newton's method found."""

    point: np.ndarray  # (m + 1,)
    objective: float
    n_iter: int
    converged: bool


def newton(
    problem: BinaryProblem, point: np.ndarray, tol: float, max_iter: int
) -> NewtonResult:
    """Minimise from ``point`` by Newton's method with an exact line search.

    The objective is quadratic as long as the same samples are within the margin, so
    that the last step is exact and there are finitely many steps [1]_. Iterations stop
    when the quadratic model predicts a decrease below ``tol`` times the objective, or
    when a step does not decrease it.

    References
    ----------
    .. [1] O. L. Mangasarian. A finite Newton method for classification. Optimization
       Methods and Software 17(5), 2002. doi:10.1080/1055678021000028375
    """
    margins = problem.margins(point)
    objective = problem.objective(point, margins)
    for n_iter in range(1, max_iter + 1):
        gradient, step = problem.newton_step(point, margins)
        decrease = -0.5 * gradient @ step
        if decrease <= tol * objective:
            return NewtonResult(point, objective, n_iter, True)
        change = problem.margins(step)
        length = problem.line_search(point, step, margins, change)
        next_point, next_margins = point + length * step, margins + length * change
        reached = problem.objective(next_point, next_margins)
        if reached >= objective:  # by rounding
            return NewtonResult(point, objective, n_iter, True)
        point, margins, objective = next_point, next_margins, reached
    return NewtonResult(point, objective, max_iter, False)
