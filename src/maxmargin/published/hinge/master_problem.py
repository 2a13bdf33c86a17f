"""The master problem of the cutting-plane method, updated plane by plane."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from maxmargin.published.hinge.quadratic_program import solve_dual

# The weight of the proximal term, in units of the mean positive curvature: its first
# value, the factor by which it decreases in each step, and its last value.
PROXIMAL_WEIGHT = 1e-2
PROXIMAL_FACTOR = 0.25
SMALLEST_PROXIMAL_WEIGHT = 1e-6
PROXIMAL_STEPS = 30

# The proximal steps stop at this relative gap between the value and its lower bound.
GAP = 1e-10

# A plane whose multiplier was zero in this many solutions in a row is dropped.
IDLE_ROUNDS = 30


@dataclass(frozen=True)
class Quadratic:
    """The regulariser ``1/2 v'Pv + q'v``.

    ``curvature`` is P or its diagonal. A coordinate without curvature, such as a bias,
    has a zero there.
    """

    curvature: np.ndarray  # (d,) or (d, d)
    linear: np.ndarray  # (d,)

    def value(self, v: np.ndarray) -> float:
        """Return ``1/2 v'Pv + q'v``."""
        return float(0.5 * (v @ self.times(v)) + self.linear @ v)

    def times(self, v: np.ndarray) -> np.ndarray:
        """Return ``P v``."""
        if self.curvature.ndim == 1:
            return self.curvature * v
        return self.curvature @ v

    @property
    def diagonal(self) -> np.ndarray:
        """Return the diagonal of P."""
        return self.curvature if self.curvature.ndim == 1 else self.curvature.diagonal()


@dataclass(frozen=True)
class LinearConstraints:
    """The linear constraints ``rows v <= bounds``."""

    rows: np.ndarray  # (p, d)
    bounds: np.ndarray  # (p,)

    def satisfied_by(self, v: np.ndarray) -> bool:
        """Return True if v satisfies the constraints up to rounding errors."""
        tolerance = 1e-9 * (1.0 + np.abs(self.bounds))
        return bool((self.rows @ v <= self.bounds + tolerance).all())


class MasterProblem:
    """Minimise ``1/2 v'Pv + q'v + C max(0, planes)`` under linear constraints.

    P is singular where coordinates have no curvature. For these coordinates the
    proximal point method adds the term ``rho/2 |v - center|^2`` and repeats with the
    solution as the new center. At a fixed point the term has no effect. Before that its
    effect is bounded: with the Lagrange function L at the multipliers found,

        F(u) >= L(u) >= L(v) - rho (v - center)'(u - v)    for every u,

    so that each solution comes with a lower bound of the optimum.
    """

    def __init__(
        self,
        quadratic: Quadratic,
        constraints: LinearConstraints,
        C: float,
        v: np.ndarray,
    ):
        self.quadratic = quadratic
        self.C = C
        diagonal = quadratic.diagonal
        self.flat = diagonal <= 0.0  # coordinates without curvature
        self.scale = diagonal[~self.flat].mean() if not self.flat.all() else 1.0
        self.center = v[self.flat]
        if quadratic.curvature.ndim == 2:
            curved = ~self.flat
            self._factor = cho_factor(quadratic.curvature[np.ix_(curved, curved)])
        self.slopes = np.empty((0, len(v)))
        self.solved_slopes = np.empty((0, len(v)))  # slopes times the inverse of P
        self.offsets = np.empty(0)
        self.capped = np.empty(0)  # 1 for planes, 0 for constraints
        self.gram = np.empty((0, 0))
        self.multipliers = np.empty(0)
        self.idle = np.empty(0, dtype=np.int64)
        for row, bound in zip(constraints.rows, constraints.bounds, strict=True):
            self._append(row, -bound, 0.0)

    def add(self, slope: np.ndarray, offset: float) -> None:
        """Add the plane ``offset + slope'v`` and drop planes that are not in use."""
        kept = (self.idle < IDLE_ROUNDS) | (self.capped == 0.0)
        if not kept.all():
            self.slopes = self.slopes[kept]
            self.solved_slopes = self.solved_slopes[kept]
            self.offsets = self.offsets[kept]
            self.capped = self.capped[kept]
            self.multipliers = self.multipliers[kept]
            self.idle = self.idle[kept]
            self.gram = np.ascontiguousarray(self.gram[np.ix_(kept, kept)])
        self._append(slope, offset, 1.0)

    def _append(self, slope, offset, capped):
        solved = self._solve_curvature(slope)
        self.slopes = np.vstack([self.slopes, slope])
        self.solved_slopes = np.vstack([self.solved_slopes, solved])
        self.offsets = np.append(self.offsets, offset)
        self.capped = np.append(self.capped, capped)
        self.multipliers = np.append(self.multipliers, 0.0)
        self.idle = np.append(self.idle, 0)
        row = self.slopes @ solved
        self.gram = np.block([[self.gram, row[:-1, None]], [row[None, :]]])

    def _solve_curvature(self, slope):
        """Return ``P^-1 slope``, with zeros at coordinates without curvature."""
        result = np.zeros(len(slope))
        curved = ~self.flat
        if self.quadratic.curvature.ndim == 2:
            result[curved] = cho_solve(self._factor, slope[curved])
        else:
            result[curved] = slope[curved] / self.quadratic.curvature[curved]
        return result

    def solve(self) -> tuple[np.ndarray, float]:
        """Return the minimiser and a lower bound of the minimum."""
        unconstrained = -self._solve_curvature(self.quadratic.linear)
        curved_part = self.offsets + self.slopes @ unconstrained
        flat_slopes = self.slopes[:, self.flat]
        flat_gram = flat_slopes @ flat_slopes.T
        flat_linear = self.quadratic.linear[self.flat]
        rho = PROXIMAL_WEIGHT * self.scale
        best, smallest_gap, lower = unconstrained, np.inf, -np.inf
        for _ in range(PROXIMAL_STEPS if self.flat.any() else 1):
            K = self.gram + flat_gram / rho
            r = curved_part + flat_slopes @ (self.center - flat_linear / rho)
            solve_dual(K, r, self.capped, self.C, self.multipliers, 100 + 20 * len(K))
            v = unconstrained - self.multipliers @ self.solved_slopes
            flat_gradient = flat_linear + self.multipliers @ flat_slopes
            v[self.flat] = self.center - flat_gradient / rho
            value, bound = self._value_and_bound(v, flat_gradient)
            lower = max(lower, bound)
            self.center = v[self.flat]
            if value - lower < smallest_gap:
                best, smallest_gap = v, value - lower
            if smallest_gap <= GAP * (abs(value) + 1.0):
                break
            rho = max(rho * PROXIMAL_FACTOR, SMALLEST_PROXIMAL_WEIGHT * self.scale)
        self.idle = np.where(self.multipliers > 0.0, 0, self.idle + 1)
        return best, lower

    def _value_and_bound(self, v, flat_gradient) -> tuple[float, float]:
        """Return the objective of the master problem at v and a bound of its optimum.

        The bound assumes that a flat coordinate of the optimum differs from that of v
        by at most one plus the largest flat coordinate of v.
        """
        values = self.offsets + self.slopes @ v
        xi = values[self.capped > 0.0].max(initial=0.0)
        value = self.quadratic.value(v) + self.C * xi
        # The complementary slackness, which is zero at the optimum.
        slackness = self.C * xi - self.multipliers @ values
        reach = 1.0 + np.abs(v[self.flat]).max(initial=0.0)
        return value, value - slackness - np.abs(flat_gradient).sum() * reach
