"""The master problem of a cutting-plane method, kept from round to round."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from maxmargin.hinge.quadratic import solve_dual

# Weight of the term that holds coordinates without curvature near where they were, in
# units of the mean curvature of the others: where it starts, by what it falls from
# round to round, and where it stays.
PROXIMAL = 1e-2
PROXIMAL_FALL = 0.25
PROXIMAL_LEAST = 1e-6
PROXIMAL_ROUNDS = 30

# Up to which relative gap between value and bound these rounds go on.
GAP = 1e-10

# A plane that had no weight for so many rounds is dropped.
IDLE_ROUNDS = 30


@dataclass(frozen=True)
class Quadratic:
    """The regulariser ``1/2 v'Pv + q'v``.

    ``curvature`` is P, or its diagonal. Where the diagonal is zero, as for a bias, the
    coordinate is free of cost.
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
class Limits:
    """Linear limits ``rows v <= bounds``."""

    rows: np.ndarray  # (p, d)
    bounds: np.ndarray  # (p,)

    def hold(self, v: np.ndarray) -> bool:
        """Tell whether v is within the limits, up to rounding."""
        slack = 1e-9 * (1.0 + np.abs(self.bounds))
        return bool((self.rows @ v <= self.bounds + slack).all())


class Master:
    """Minimise ``1/2 v'Pv + q'v + C max(0, planes)`` within limits, plane by plane.

    Coordinates without curvature are found by the proximal point method: with the term
    ``rho/2 |v - center|^2`` added for them, P becomes regular, and when the answer is
    the center itself the term has no effect. What is left of its effect is known: with
    the Lagrange function L at the multipliers found,

        F(u) >= L(u) >= L(v) - rho (v - center)'(u - v)    for every u,

    so that each answer comes with a lower bound of the optimum.
    """

    def __init__(self, quadratic: Quadratic, limits: Limits, C: float, v: np.ndarray):
        self.quadratic = quadratic
        self.C = C
        diagonal = quadratic.diagonal
        self.loose = diagonal <= 0.0
        self.scale = diagonal[~self.loose].mean() if not self.loose.all() else 1.0
        self.center = v[self.loose]
        if quadratic.curvature.ndim == 2:
            firm = ~self.loose
            self._factor = cho_factor(quadratic.curvature[np.ix_(firm, firm)])
        self.slopes = np.empty((0, len(v)))
        self.solved = np.empty((0, len(v)))  # slopes times the inverse of P
        self.offsets = np.empty(0)
        self.capped = np.empty(0)
        self.gram = np.empty((0, 0))
        self.weights = np.empty(0)
        self.idle = np.empty(0, dtype=np.int64)
        for row, bound in zip(limits.rows, limits.bounds, strict=True):
            self._append(row, -bound, 0.0)

    def add(self, slope: np.ndarray, offset: float) -> None:
        """Add the plane ``offset + slope'v`` below the loss; drop planes out of use."""
        kept = (self.idle < IDLE_ROUNDS) | (self.capped == 0.0)
        if not kept.all():
            for name in ("slopes", "solved", "offsets", "capped", "weights", "idle"):
                setattr(self, name, getattr(self, name)[kept])
            self.gram = np.ascontiguousarray(self.gram[np.ix_(kept, kept)])
        self._append(slope, offset, 1.0)

    def _append(self, slope, offset, capped):
        solved = self._solve(slope)
        self.slopes = np.vstack([self.slopes, slope])
        self.solved = np.vstack([self.solved, solved])
        self.offsets = np.append(self.offsets, offset)
        self.capped = np.append(self.capped, capped)
        self.weights = np.append(self.weights, 0.0)
        self.idle = np.append(self.idle, 0)
        row = self.slopes @ solved
        self.gram = np.block([[self.gram, row[:-1, None]], [row[None, :]]])

    def _solve(self, slope):
        """Return the slope times the inverse of P, zero where P is."""
        result = np.zeros(len(slope))
        firm = ~self.loose
        if self.quadratic.curvature.ndim == 2:
            result[firm] = cho_solve(self._factor, slope[firm])
        else:
            result[firm] = slope[firm] / self.quadratic.curvature[firm]
        return result

    def solve(self) -> tuple[np.ndarray, float]:
        """Return the minimiser, and a lower bound of the minimum."""
        firm_answer = -self._solve(self.quadratic.linear)
        firm_rest = self.offsets + self.slopes @ firm_answer
        loose_slopes = self.slopes[:, self.loose]
        loose_gram = loose_slopes @ loose_slopes.T
        loose_linear = self.quadratic.linear[self.loose]
        rho = PROXIMAL * self.scale
        best, smallest_gap, lower = firm_answer, np.inf, -np.inf
        for _ in range(PROXIMAL_ROUNDS if self.loose.any() else 1):
            K = self.gram + loose_gram / rho
            r = firm_rest + loose_slopes @ (self.center - loose_linear / rho)
            solve_dual(K, r, self.capped, self.C, self.weights, 100 + 20 * len(K))
            v = firm_answer - self.weights @ self.solved
            pull = loose_linear + self.weights @ loose_slopes
            v[self.loose] = self.center - pull / rho
            value, bound = self._bounds(v, pull)
            lower = max(lower, bound)
            self.center = v[self.loose]
            if value - lower < smallest_gap:
                best, smallest_gap = v, value - lower
            if smallest_gap <= GAP * (abs(value) + 1.0):
                break
            rho = max(rho * PROXIMAL_FALL, PROXIMAL_LEAST * self.scale)
        self.idle = np.where(self.weights > 0.0, 0, self.idle + 1)
        return best, lower

    def _bounds(self, v, pull):
        """Return the value of the model at v and what its optimum cannot be below.

        The optimum is looked for no further away than one and the size of v.
        """
        values = self.offsets + self.slopes @ v
        xi = values[self.capped > 0.0].max(initial=0.0)
        value = self.quadratic.value(v) + self.C * xi
        unused = self.C * xi - self.weights @ values  # zero at the optimum
        reach = 1.0 + np.abs(v[self.loose]).max(initial=0.0)
        return value, value - unused - np.abs(pull).sum() * reach
