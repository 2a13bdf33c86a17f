r"""Minimise a margin objective that is a difference of convex functions.

With decision values ``f = A v`` that are linear in the coefficients v, the problem is

    minimise over v    1/2 v'Pv + q'v + C R(A v)    within linear limits,

where R is an average of losses that are not convex, as ``max(0, 1 - |f_i|)`` of
maximum margin clustering. Two loops solve it:

- `descend`, the concave-convex procedure: at the present f a convex loss that touches R
  at f and lies above it elsewhere takes its place. Minimising that never raises the
  objective.
- `minimise_convex`, cutting planes: the convex loss L is replaced by the planes found
  so far, ``L(A v) >= L(A u) + g'A (v - u)`` with a subgradient g at ``A u``. For the
  hinge this is the most violated constraint of the formulation with one slack, found in
  one pass over the data.

What a method has to bring are its map A and a function that makes the convex loss.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from maxmargin.hinge.master import Limits, Master, Quadratic

# A convex loss: decision values to (value, subgradient with respect to them).
Loss = Callable[[np.ndarray], tuple[float, np.ndarray]]

# Decision values to a convex loss that lies above the true one and touches it there.
Majoriser = Callable[[np.ndarray], Loss]

# Where between the best point and that of the master problem the next plane touches.
TOUCH = 0.1

SEARCH_STEPS = 10
MAX_PLANES = 1000


class LinearMap(Protocol):
    """Coefficients to decision values, and back."""

    def decide(self, v: np.ndarray) -> np.ndarray:
        """Return the decision values ``A v``."""

    def collect(self, g: np.ndarray) -> np.ndarray:
        """Return ``A'g``."""


@dataclass(frozen=True)
class MarginProblem:
    """``1/2 v'Pv + q'v + C R(A v)`` within limits, to be solved up to ``C epsilon``."""

    map: LinearMap
    majorise: Majoriser
    quadratic: Quadratic
    limits: Limits
    C: float
    epsilon: float


@dataclass(frozen=True)
class MarginSolution:
    """Where a run ended.

    Attributes
    ----------
    v : ndarray of shape (d,)
        The coefficients.
    decisions : ndarray
        The decision values there.
    objective : float
        The objective there, smaller is better.
    history : tuple of float
        The objective at the start and after each round.
    n_planes : int
        Passes over the data.
    converged : bool
        Whether the run ended by itself and not at a limit of rounds or planes.
    """

    v: np.ndarray
    decisions: np.ndarray
    objective: float
    history: tuple[float, ...]
    n_planes: int
    converged: bool


def descend(
    problem: MarginProblem,
    v: np.ndarray,
    *,
    loss: Loss | None = None,
    max_iter: int = 100,
    on_iteration: Callable[[int, float], None] | None = None,
) -> MarginSolution:
    """Run the concave-convex procedure from coefficients within the limits.

    It ends when a round lowers the objective by no more than the precision to which a
    round is solved. A ``loss`` is used in place of the first one, as that of given
    labels. A convex loss that fails to touch the true one is not taken if the one
    before is lower.
    """
    f = problem.map.decide(v)
    loss = problem.majorise(f) if loss is None else loss
    history = [problem.quadratic.value(v) + problem.C * loss(f)[0]]
    n_planes = 0
    converged = False
    for round_ in range(1, max_iter + 1):
        v, f, planes, finished = minimise_convex(problem, loss, v, f)
        n_planes += planes
        loss = min(problem.majorise(f), loss, key=lambda one: one(f)[0])
        history.append(problem.quadratic.value(v) + problem.C * loss(f)[0])
        if on_iteration is not None:
            on_iteration(round_, -history[-1])
        if history[-2] - history[-1] <= problem.epsilon * problem.C:
            converged = finished
            break
    return MarginSolution(v, f, history[-1], tuple(history), n_planes, converged)


def minimise_convex(
    problem: MarginProblem, loss: Loss, v: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Minimise ``1/2 v'Pv + q'v + C L(A v)`` from v on, up to ``C epsilon``.

    The best point so far moves along the line to the minimiser of the master problem,
    and the next plane touches a little further on [1]_. The objective there and the
    minimum of the master problem enclose the optimum.

    Returns the coefficients, their decision values, the number of planes, and whether
    the precision was reached.

    References
    ----------
    .. [1] V. Franc, S. Sonnenburg. Optimized cutting plane algorithm for large-scale
       risk minimization. Journal of Machine Learning Research 10, 2009.
    """
    quadratic, C = problem.quadratic, problem.C
    master = Master(quadratic, problem.limits, C, v)
    value, g = loss(f)
    best = quadratic.value(v) + C * value
    slope = problem.map.collect(g)
    master.add(slope, value - slope @ v)
    for n_planes in range(1, MAX_PLANES + 1):
        u, lower = master.solve()
        if best - lower <= C * problem.epsilon:
            return v, f, n_planes, True
        fu = problem.map.decide(u)
        t, reached = _search_line(quadratic, C, loss, v, f, u - v, fu - f)
        touch = t + TOUCH * (1.0 - t)
        v_touch, f_touch = v + touch * (u - v), f + touch * (fu - f)
        if reached < best:
            v, f, best = v + t * (u - v), f + t * (fu - f), reached
        value, g = loss(f_touch)
        slope = problem.map.collect(g)
        master.add(slope, value - slope @ v_touch)
    return v, f, MAX_PLANES, False


def _search_line(quadratic, C, loss, v, f, dv, df) -> tuple[float, float]:
    """Return the step in [0, 1] along (dv, df) with the least objective, and that.

    Bisection on the sign of the derivative, which grows along the line.
    """
    bend = float(dv @ quadratic.times(dv))
    climb = float(dv @ quadratic.times(v) + quadratic.linear @ dv)
    level = quadratic.value(v)

    def look(t):
        value, g = loss(f + t * df)
        height = level + t * climb + 0.5 * t * t * bend + C * value
        return height, climb + t * bend + C * float(np.vdot(g, df))

    low, high = 0.0, 1.0
    best, rise = look(1.0)
    step = 1.0
    if rise <= 0.0:
        return step, best
    for _ in range(SEARCH_STEPS):
        middle = 0.5 * (low + high)
        height, rise = look(middle)
        if height < best:
            step, best = middle, height
        if rise > 0.0:
            high = middle
        else:
            low = middle
    return step, best
