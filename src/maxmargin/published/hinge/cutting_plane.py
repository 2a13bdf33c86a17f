r"""Minimise a margin objective that is a difference of convex functions.

With decision values ``f = A v`` that are linear in the coefficients v, the problem is

    minimise over v    1/2 v'Pv + q'v + C R(A v)    under linear constraints,

where R is a mean of losses that are not convex, such as ``max(0, 1 - |f_i|)`` of
maximum margin clustering. Two nested loops solve it:

- `descend`, the concave-convex procedure, replaces R by a convex loss that equals R at
  the current f and is at least as large elsewhere. Minimising it never increases the
  objective.
- `minimise_convex`, the cutting-plane method, replaces the convex loss L by the maximum
  of its tangent planes found so far, ``L(A v) >= L(A u) + g'A (v - u)`` with a
  subgradient g at ``A u``. For the hinge loss a plane is the most violated constraint
  of the formulation with one slack variable. It takes one pass over the data.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maxmargin.published.hinge.master_problem import (
    LinearConstraints,
    MasterProblem,
    Quadratic,
)
from maxmargin.published.hinge.standard_features import StandardFeatures


class LossValue(NamedTuple):
    """The value of a convex loss and a subgradient by the decision values."""

    value: float
    subgradient: np.ndarray


# A convex function of the decision values.
ConvexLoss = Callable[[np.ndarray], LossValue]

# Decision values f to a convex loss that equals the true loss at f and bounds it from
# above elsewhere.
Majoriser = Callable[[np.ndarray], ConvexLoss]

# The next plane touches the loss at this fraction of the way from the best point to the
# solution of the master problem.
TOUCH = 0.1

BISECTION_STEPS = 10
MAX_PLANES = 1000


@dataclass(frozen=True)
class MarginProblem:
    """``1/2 v'Pv + q'v + C R(A v)`` under constraints, with the tolerance ``C tol``."""

    features: StandardFeatures  # the map A
    majorise: Majoriser  # of R
    quadratic: Quadratic
    constraints: LinearConstraints
    C: float
    tol: float


@dataclass(frozen=True)
class MarginSolution:
    """The result of a run."""

    v: np.ndarray  # the coefficients
    decisions: np.ndarray
    C: float
    history: tuple[float, ...]  # the objective at the start and after each round
    converged: bool

    @property
    def objective(self) -> float:
        """Return the objective at v; smaller is better."""
        return self.history[-1]


def descend(
    problem: MarginProblem,
    v: np.ndarray,
    *,
    loss: ConvexLoss | None = None,
    max_iter: int = 100,
    on_iteration: Callable[[int, float], None] | None = None,
) -> MarginSolution:
    """Run the concave-convex procedure from feasible coefficients.

    It stops when a round decreases the objective by no more than the tolerance of the
    convex problem. ``loss`` replaces the first convex loss, for example by that of
    given labels. If the majoriser does not touch the true loss and the previous convex
    loss is smaller, the previous one is kept.
    """
    f = problem.features.decide(v)
    loss = problem.majorise(f) if loss is None else loss
    history = [problem.quadratic.value(v) + problem.C * loss(f).value]
    converged = False
    for iteration in range(1, max_iter + 1):
        v, f, solved = minimise_convex(problem, loss, v, f)
        loss = min(problem.majorise(f), loss, key=lambda one: one(f).value)
        history.append(problem.quadratic.value(v) + problem.C * loss(f).value)
        if on_iteration is not None:
            on_iteration(iteration, -history[-1])
        if history[-2] - history[-1] <= problem.tol * problem.C:
            converged = solved
            break
    return MarginSolution(v, f, problem.C, tuple(history), converged)


def minimise_convex(
    problem: MarginProblem, loss: ConvexLoss, v: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Minimise ``1/2 v'Pv + q'v + C L(A v)`` up to ``C tol``, starting at ``f = A v``.

    Returns v and f at the minimum, and whether they are within the tolerance. The best
    point so far moves along the line to the minimiser of the master problem, and the
    next plane touches the loss a little further along that line [1]_. The optimum lies
    between the minimum of the master problem and the objective at the best point.

    References
    ----------
    .. [1] V. Franc, S. Sonnenburg. Optimized cutting plane algorithm for large-scale
       risk minimization. Journal of Machine Learning Research 10, 2009.
    """
    master = MasterProblem(problem.quadratic, problem.constraints, problem.C, v)
    value = _add_plane(master, problem, loss, v, f)
    best = problem.quadratic.value(v) + problem.C * value
    for _ in range(MAX_PLANES):
        u, lower_bound = master.solve()
        if best - lower_bound <= problem.C * problem.tol:
            return v, f, True
        dv, df = u - v, problem.features.decide(u) - f
        t, reached = _search_line(problem, loss, v, f, dv, df)
        touch = t + TOUCH * (1.0 - t)
        touch_v, touch_f = v + touch * dv, f + touch * df
        if reached < best:
            v, f, best = v + t * dv, f + t * df, reached
        _add_plane(master, problem, loss, touch_v, touch_f)
    return v, f, False


def _add_plane(
    master: MasterProblem,
    problem: MarginProblem,
    loss: ConvexLoss,
    v: np.ndarray,
    f: np.ndarray,
) -> float:
    """Add the tangent plane of the loss at ``f = A v``; return the loss there."""
    value, g = loss(f)
    slope = problem.features.transpose_dot(g)
    master.add(slope, value - slope @ v)
    return value


def _search_line(problem, loss, v, f, dv, df) -> tuple[float, float]:
    """Return the step in [0, 1] along (dv, df) with the smallest objective, and that.

    Bisection on the sign of the derivative, which increases along the line.
    """
    quadratic, C = problem.quadratic, problem.C
    curvature = float(dv @ quadratic.times(dv))
    slope = float(dv @ quadratic.times(v) + quadratic.linear @ dv)
    level = quadratic.value(v)

    def derivative(t, g):
        return slope + t * curvature + C * float(np.vdot(g, df))

    def objective(t, value):
        return level + t * slope + 0.5 * t * t * curvature + C * value

    low, high = 0.0, 1.0
    value, g = loss(f + 1.0 * df)
    best, smallest = 1.0, objective(1.0, value)
    if derivative(1.0, g) <= 0.0:
        return best, smallest
    for _ in range(BISECTION_STEPS):
        middle = 0.5 * (low + high)
        value, g = loss(f + middle * df)
        if objective(middle, value) < smallest:
            best, smallest = middle, objective(middle, value)
        if derivative(middle, g) > 0.0:
            high = middle
        else:
            low = middle
    return best, smallest
