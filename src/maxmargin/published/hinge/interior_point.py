"""An interior point method for support vector machines with huge kernel values.

For features ``A`` (n x m), targets p and ridges r it solves

    minimise over c   1/2 sum_j r_j c_j^2 + sum_i max(low_i e_i, high_i e_i)

with the errors ``e = p - A c``. For the hinge loss and the target 1 the slopes low and
high are 0 and C. At the minimum ``r_j c_j = (A'x)_j`` with slopes x between low and
high, which are the coefficients of the dual problem. A method that changes two of them
at a time, such as that of libsvm, takes more steps the smaller the ridges are. The
number of steps here hardly depends on them, and a step takes ``O(n m^2)`` operations.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve

from maxmargin.smoothers.cholesky import factor_rows

MAX_STEPS = 100
TOLERANCE = 1e-9  # of residuals and complementarity; targets and slopes are about one
SHORTEN = 0.995  # the share of the way to the bounds that a step takes


def minimise_errors(
    A: np.ndarray,
    ridges: np.ndarray,
    targets: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, bool]:
    """Return the solution c, and whether it is one up to the tolerance.

    Mehrotra's predictor and corrector steps [1]_ find it.

    References
    ----------
    .. [1] J. Nocedal, S. J. Wright. Numerical optimization, chapter 16. Springer, 2006.
    """
    unit = float((high - low).max())
    low, high, ridges = low / unit, high / unit, ridges / unit
    c, x = np.zeros(A.shape[1]), (low + high) / 2
    slack = np.stack([x - low, high - x])
    dual = np.ones_like(slack)
    for _ in range(MAX_STEPS):
        errors = A @ c - targets - dual[0] + dual[1]
        balance = ridges * c - A.T @ x
        gap = float((slack * dual).mean())
        worst = max(float(np.abs(errors).max()), float(np.abs(balance).max()), gap)
        if worst <= TOLERANCE:
            break
        system = _NewtonSystem(A, ridges, slack, dual, errors, balance)
        step = system.solve(np.zeros_like(slack))
        length = _longest(slack, step.slack, dual, step.dual)
        predicted = (slack + length * step.slack) * (dual + length * step.dual)
        centring = (float(predicted.mean()) / gap) ** 3 * gap
        step = system.solve(centring - step.slack * step.dual)
        length = min(1.0, SHORTEN * _longest(slack, step.slack, dual, step.dual))
        c = c + length * step.coefficients
        x = x + length * step.slack[0]
        slack = slack + length * step.slack
        dual = dual + length * step.dual
    return c, worst <= np.sqrt(TOLERANCE)


class _Step(NamedTuple):
    coefficients: np.ndarray  # (m,)
    slack: np.ndarray  # (2, n)
    dual: np.ndarray  # (2, n)


class _NewtonSystem:
    """The linear system of a step, factored once for predictor and corrector."""

    def __init__(self, A, ridges, slack, dual, errors, balance):
        self.A, self.slack, self.dual = A, slack, dual
        self.errors, self.balance = errors, balance
        self.inverse = 1.0 / (dual / slack).sum(axis=0)
        self.factor = factor_rows(np.sqrt(self.inverse)[:, None] * A, ridges)

    def solve(self, products: np.ndarray) -> _Step:
        """Return the step after which slacks times multipliers are these products."""
        pull = products / self.slack - self.dual
        rest = pull[0] - pull[1] - self.errors
        right = self.A.T @ (self.inverse * rest) - self.balance
        c = cho_solve((self.factor, False), right)
        change = self.inverse * (rest - self.A @ c)
        moved = np.stack([change, -change])
        return _Step(c, moved, pull - self.dual / self.slack * moved)


def _longest(slack, slack_step, dual, dual_step) -> float:
    """Return the longest step, at most 1, after which all values are positive."""
    values = np.concatenate([slack, dual])
    steps = np.concatenate([slack_step, dual_step])
    falling = steps < 0
    return float(min(1.0, (values[falling] / -steps[falling]).min(initial=np.inf)))
