r"""The Wolfe duals of paper 002, solved by an interior point method.

Planes bound losses from below, one loss for each slack. The primal problem

    minimise over v, xi >= 0    1/2 v'Pv + q'v + sum_g C_g xi_g
    subject to                  a_k + s_k'v <= xi_g(k)    for each plane k,
                                h_j'v <= e_j              for each constraint j,

has the dual, of which equations (24), (26) and (29) are cases,

    minimise over x >= 0    1/2 x'Kx - r'x
    subject to              sum of the x_k of the planes of slack g <= C_g,
                            S_F'x = -q_F,

with the slopes S of planes and constraints, the coordinates F of v without curvature,
such as a bias, ``K = S P^-1 S'`` and ``r = a - S P^-1 q`` over the others. Then
``v = -P^-1 (q + S'x)``, and the multipliers of the equations are ``-v_F`` and ``xi``.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from maxmargin.published.hinge.master_problem import LinearConstraints, Quadratic

MAX_STEPS = 100
TOLERANCE = 1e-13  # of residuals and products, in units of the data
STEP = 0.995  # share of the way to the boundary
REGULARISED = 1e-14  # of a system that may be singular


class Plane(NamedTuple):
    """The plane ``offset + slope'v`` below the loss of a slack."""

    slope: np.ndarray
    offset: float
    slack: int


class DualSolution(NamedTuple):
    """The minimiser of the primal problem."""

    v: np.ndarray
    xi: np.ndarray  # (number of slacks,)


def solve_planes(
    quadratic: Quadratic,
    constraints: LinearConstraints,
    planes: list[Plane],
    weights: np.ndarray,
) -> DualSolution:
    """Solve the problem for planes and the weights C_g of the slacks."""
    slopes = np.array([plane.slope for plane in planes])
    offsets = np.array([plane.offset for plane in planes])
    # Constraints in the size of the planes, so that no digits of these are lost.
    units = np.abs(constraints.rows).max(axis=1)
    units /= max(np.abs(slopes).max(), 1e-300)
    slopes = np.vstack([slopes, constraints.rows / units[:, None]])
    offsets = np.concatenate([offsets, -constraints.bounds / units])
    caps = np.zeros((len(weights), len(slopes)))
    for k, plane in enumerate(planes):
        caps[plane.slack, k] = 1.0
    flat = quadratic.diagonal <= 0.0
    solved = _solve_curvature(quadratic, flat, slopes)
    start = _solve_curvature(quadratic, flat, quadratic.linear[None, :])[0]
    n_slacks = len(weights)
    # The variables are the multipliers, and what is left of each weight.
    H = np.zeros((len(slopes) + n_slacks,) * 2)
    H[: len(slopes), : len(slopes)] = slopes @ solved.T
    c = np.concatenate([offsets - slopes @ start, np.zeros(n_slacks)])
    A = np.block(
        [
            [slopes[:, flat].T, np.zeros((int(flat.sum()), n_slacks))],
            [caps, np.eye(n_slacks)],
        ]
    )
    b = np.concatenate([-quadratic.linear[flat], weights])
    y, equations = minimise_quadratic(H, c, A, b)
    v = -start - y[: len(slopes)] @ solved
    v[flat] = -equations[: int(flat.sum())]
    return DualSolution(v, np.maximum(equations[int(flat.sum()) :], 0.0))


def _solve_curvature(quadratic: Quadratic, flat, slopes: np.ndarray) -> np.ndarray:
    """Return the rows ``P^-1 slope``, with zeros at coordinates without curvature."""
    result = np.zeros(slopes.shape)
    if quadratic.curvature.ndim == 2:
        factor = cho_factor(quadratic.curvature[np.ix_(~flat, ~flat)])
        result[:, ~flat] = cho_solve(factor, slopes[:, ~flat].T).T
    else:
        result[:, ~flat] = slopes[:, ~flat] / quadratic.curvature[~flat]
    return result


def minimise_quadratic(
    H: np.ndarray, c: np.ndarray, A: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise ``1/2 y'Hy - c'y`` with ``A y = b``, ``y >= 0``; return y, multipliers.

    Mehrotra's predictor and corrector: Newton steps for ``Hy - c + A'm - z = 0``,
    ``Ay = b`` and ``y_i z_i = t``, t going to zero.
    """
    n = len(c)
    unit = max(np.abs(c).max(initial=0.0), np.abs(H).max(initial=0.0), 1e-300)
    H, c = H / unit, c / unit  # the multipliers are scaled back at the end
    size = max(np.abs(b).max(initial=0.0), 1.0)
    y, z, m = np.full(n, size), np.ones(n), np.zeros(len(b))
    for _ in range(MAX_STEPS):
        dual, primal = H @ y - c + A.T @ m - z, A @ y - b
        gap = y @ z / n
        small = np.abs(dual).max() <= TOLERANCE * (1 + np.abs(m).max(initial=0.0))
        small &= np.abs(primal).max(initial=0.0) <= TOLERANCE * size
        if small and gap <= TOLERANCE * size:
            break
        system = np.block([[H + np.diag(z / y), A.T], [A, np.zeros((len(b),) * 2)]])
        system[np.diag_indices(n + len(b))] += np.repeat(
            [REGULARISED, -REGULARISED], [n, len(b)]
        )

        def step(target, system=system, dual=dual, primal=primal, y=y, z=z):
            right = np.concatenate([-dual - z + target / y, -primal])
            found = np.linalg.solve(system, right)
            dy = found[:n]
            return dy, found[n:], (target - z * dy) / y - z

        dy, _, dz = step(np.zeros(n))
        length = min(_longest(y, dy), _longest(z, dz))
        ahead = (y + length * dy) @ (z + length * dz) / n
        # Not ahead**3 / gap**2, which may be 0 / 0; and the gap itself may underflow.
        centred = (ahead / gap) ** 3 * gap if gap > 0 else 0.0
        dy, dm, dz = step(np.full(n, centred) - dy * dz)
        length = STEP * min(_longest(y, dy), _longest(z, dz))
        y, m, z = y + length * dy, m + length * dm, z + length * dz
    return y, m * unit


def _longest(x: np.ndarray, step: np.ndarray) -> float:
    """Return the longest step, at most 1 / STEP, that keeps x positive."""
    falling = step < 0
    ratios = -x[falling] / step[falling]
    return float(min(ratios.min(initial=np.inf), 1.0 / STEP))
