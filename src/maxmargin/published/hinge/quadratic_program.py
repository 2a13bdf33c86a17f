"""An active-set solver for the quadratic program of the master problem.

Planes ``a_k + s_k'v`` bound a convex loss from below. The master problem

    minimise over v, xi >= 0    1/2 v'Pv + q'v + C xi
    subject to                  a_k + s_k'v <= xi    for each plane,
                                h_j'v <= g_j         for each constraint,

has the dual

    minimise over x >= 0    1/2 x'Kx - r'x    subject to   sum over planes of x <= C

with ``K = S P^-1 S'`` and ``r = a - S P^-1 q``. A constraint is a plane with the slope
h_j and the offset -g_j whose multiplier is not part of the sum. The solution of the
master problem is ``v = -P^-1 (q + S'x)``, and ``xi`` is the multiplier of the bound on
the sum.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled

# Added to the diagonal of K before it is factored, in units of its largest entry:
# parallel planes and dependent samples make K singular.
RIDGE = 1e-12

# Number of steps of iterative refinement of a linear system.
REFINEMENTS = 2

# A plane is violated if it exceeds xi by more than this, in units of the largest |r|.
FEASIBLE = 1e-11

# What stops a step, unless it is a member that becomes zero.
NOTHING = -1
BOUND_ON_SUM = -2


class DualResult(NamedTuple):
    """How the dual was solved; the solution itself is written to x."""

    xi: float  # the multiplier of the bound on the sum
    n_steps: int
    converged: bool


@compiled
def _factor(K, ridge, members, size, factor):
    """Write the Cholesky factor of the rows and columns of K of the members."""
    for i in range(size):
        for j in range(i + 1):
            value = K[members[i], members[j]]
            for h in range(j):
                value -= factor[i, h] * factor[j, h]
            if i == j:
                factor[i, i] = np.sqrt(max(value + ridge, ridge))
            else:
                factor[i, j] = value / factor[j, j]


@compiled
def _substitute(factor, size, values):
    """Solve the linear system with the given Cholesky factor in place."""
    for i in range(size):
        for h in range(i):
            values[i] -= factor[i, h] * values[h]
        values[i] /= factor[i, i]
    for i in range(size - 1, -1, -1):
        for h in range(i + 1, size):
            values[i] -= factor[h, i] * values[h]
        values[i] /= factor[i, i]


@compiled
def _free_optimum(K, ridge, r, capped, total, tight, members, size, work):
    """Write the optimum over the members without ``x >= 0`` to target; return xi.

    If the bound on the sum is active, the optimum y solves ``K y + xi g = r`` and
    ``g'y = total`` with the indicator g of the planes; else xi is zero. Iterative
    refinement removes the errors of the ridge and of rounding.
    """
    factor, target, unit, rest = work
    _factor(K, ridge, members, size, factor)
    per_unit = 0.0
    for i in range(size):
        unit[i] = capped[members[i]]
        target[i] = 0.0
    _substitute(factor, size, unit)
    for i in range(size):
        per_unit += capped[members[i]] * unit[i]
    xi = 0.0
    for _ in range(1 + REFINEMENTS):
        missing = total
        for i in range(size):
            rest[i] = r[members[i]] - xi * capped[members[i]]
            for h in range(size):
                rest[i] -= K[members[i], members[h]] * target[h]
            missing -= capped[members[i]] * target[i]
        _substitute(factor, size, rest)
        change = 0.0
        if tight:
            for i in range(size):
                missing -= capped[members[i]] * rest[i]
            change = -missing / per_unit
        xi += change
        for i in range(size):
            target[i] += rest[i] - change * unit[i]
    return xi


@compiled
def _longest_step(x, capped, total, tight, members, size, target):
    """Return the longest feasible step from x to the target, at most 1, and its stop.

    The stop is the position of the member that becomes zero, NOTHING or BOUND_ON_SUM.
    """
    step = 1.0
    stop = NOTHING
    now = 0.0
    then = 0.0
    for i in range(size):
        old = x[members[i]]
        now += capped[members[i]] * old
        then += capped[members[i]] * target[i]
        if target[i] <= 0.0:
            length = old / (old - target[i]) if old > target[i] else 0.0
            if length < step:
                step, stop = length, i
    if not tight and then > total:
        length = max((total - now) / (then - now), 0.0)
        if length < step:
            step, stop = length, BOUND_ON_SUM
    return step, stop


@compiled
def _most_violated(K, r, capped, xi, x, inside, barred, tolerance):
    """Return the most violated plane that is not a member, or -1."""
    best = -1
    worst = tolerance
    for j in range(x.shape[0]):
        if inside[j] or barred[j]:
            continue
        violation = r[j] - xi * capped[j]
        for i in range(x.shape[0]):
            if inside[i]:
                violation -= K[j, i] * x[i]
        if violation > worst:
            best, worst = j, violation
    return best


@compiled
def solve_dual(K, r, capped, total, x, max_steps):
    """Minimise ``1/2 x'Kx - r'x`` over ``x >= 0``, ``capped'x <= total``, from x on.

    An active-set method. Members are the variables that may be positive. A step moves x
    towards the optimum over the members; it drops a member that becomes zero, or, at
    that optimum, adds the most violated plane. Each step decreases the objective and
    keeps x feasible, so that few steps are needed from the previous solution. Where K
    is singular, a ridge on its diagonal selects one of the optima. ``capped`` has 1 for
    planes and 0 for constraints; x must be feasible and is overwritten by the solution.
    """
    m = x.shape[0]
    members = np.empty(m, dtype=np.int64)
    inside = np.zeros(m, dtype=np.bool_)
    barred = np.zeros(m, dtype=np.bool_)
    target = np.empty(m)
    work = np.empty((m, m)), target, np.empty(m), np.empty(m)
    size = 0
    for j in range(m):
        if x[j] > 0.0:
            members[size] = j
            inside[j] = True
            size += 1
        else:
            x[j] = 0.0
    tight = (capped * x).sum() >= total * (1.0 - 1e-12)
    tolerance = FEASIBLE * max(1e-300, np.abs(r).max())
    ridge = RIDGE * max(1e-280, np.diag(K).max())
    newest = -1
    xi = 0.0
    for step_count in range(max_steps):
        xi = _free_optimum(K, ridge, r, capped, total, tight, members, size, work)
        step, stop = _longest_step(x, capped, total, tight, members, size, target)
        for i in range(size):
            j = members[i]
            x[j] = target[i] if stop == NOTHING else x[j] + step * (target[i] - x[j])
        if step > 0.0:
            barred[:] = False
        if stop == BOUND_ON_SUM:
            tight = True
        elif stop >= 0:
            j = members[stop]
            barred[j] = j == newest and step == 0.0  # added by rounding errors
            inside[j] = False
            x[j] = 0.0
            size -= 1
            members[stop] = members[size]
        elif tight and xi < -tolerance:
            tight = False
        else:
            newest = _most_violated(K, r, capped, xi, x, inside, barred, tolerance)
            if newest < 0:
                return DualResult(max(xi, 0.0), step_count + 1, True)
            members[size] = newest
            inside[newest] = True
            size += 1
    return DualResult(max(xi, 0.0), max_steps, False)
