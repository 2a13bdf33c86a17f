"""Semidefinite relaxations: bounds on what any labels can reach, for few samples.

Both problems are over labels y. MMC (Xu, Neufeld, Larson and Schuurmans, 2004) is the
dual of a support vector machine without bias,

    minimise over y   max over 0 <= a <= C w   of   2 a'1 - a' (K o y y') a,

relaxed by a matrix M in place of ``y y'`` with ones on its diagonal (problem 5 of
Zhang, Tsang and Kwok, 2007). GMMC (Valizadegan and Jin, 2007) has a bias and squared
slacks: with ``f_i = y_i (1 + v_i)``, ``v_i >= 0``, values of the decision function,

    minimise over f, b   (f - b)' (K + D)^-1 (f - b) + c (w'f)^2,   f_i^2 >= 1,

``D = diag(1 / (C w))``, the last term keeping the clusters balanced. The best b put in,
it is ``f' Q f``, relaxed to ``<Q, M>`` with ``M_ii >= 1``, whose dual has n unknowns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize, nnls


@dataclass(frozen=True)
class Relaxation:
    """A matrix in place of ``y y'``, and a bound below the value of any labels."""

    matrix: np.ndarray  # (n, n)
    bound: float
    n_iter: int
    converged: bool


def relax_mmc(
    K: np.ndarray,
    weights: np.ndarray,
    C: float,
    slack: float,
    tol: float = 1e-5,
    max_iter: int = 100_000,
) -> Relaxation:
    """Solve the relaxation of MMC, ``|sum_i w_i y_i| <= slack``, by scs.

    In the form of the papers, with ``t`` to be minimised, ``u, v >= 0``, blocks

        [ M o K          1 + u - v      ]
        [ (1 + u - v)'   t - 2 C w'v    ]   and M positive semidefinite,

    and ``-slack <= M w <= slack``. The diagonal of M is one and no unknown.
    """
    scs = _import_scs()
    rows, right, cones = mmc_constraints(K, weights, C, slack)
    cost = np.zeros(rows.shape[1])
    cost[-1] = 1.0
    data = {"A": rows, "b": right, "c": cost}
    solver = scs.SCS(
        data, cones, eps_abs=tol, eps_rel=tol, max_iters=max_iter, verbose=False
    )
    answer = solver.solve()
    info = answer["info"]
    n = len(K)
    matrix = np.eye(n)
    lower = _below_diagonal(n)
    matrix[lower] = matrix.T[lower] = answer["x"][: len(lower[0])]
    return Relaxation(
        matrix,
        float(min(info["pobj"], info["dobj"])),
        int(info["iter"]),
        info["status"] == "solved",
    )


def _import_scs() -> Any:
    try:
        import scs
    except ImportError as error:
        raise ImportError(
            "formulation='mmc' needs a semidefinite solver: "
            "pip install 'maxmargin[sdp]', or use formulation='gmmc'."
        ) from error
    return scs


def _below_diagonal(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns below the diagonal, a column after the other."""
    columns, rows = np.triu_indices(n, 1)
    return rows, columns


class _Rows:
    """Rows of ``A x + s = b``, s in a cone, collected entry by entry."""

    def __init__(self) -> None:
        self.entries: list[np.ndarray] = []
        self.right: list[np.ndarray] = []
        self.n_rows = 0

    def block(self, right: np.ndarray, *parts) -> None:
        """Add rows ``b - A x`` with parts (row, column of A, coefficient of x)."""
        for row, column, value in parts:
            entry = np.broadcast_arrays(
                np.atleast_1d(row) + self.n_rows, column, -value
            )
            self.entries.append(np.stack(entry))
        self.right.append(right)
        self.n_rows += len(right)

    def finish(self, n_columns: int) -> tuple[sp.csc_matrix, np.ndarray]:
        row, column, value = np.concatenate(self.entries, axis=1)
        shape = (self.n_rows, n_columns)
        index = (row.astype(np.int64), column.astype(np.int64))
        return sp.csc_matrix((value, index), shape=shape), np.concatenate(self.right)


def mmc_constraints(
    K: np.ndarray, weights: np.ndarray, C: float, slack: float
) -> tuple[sp.csc_matrix, np.ndarray, dict[str, Any]]:
    """Return A, b and the cones. The unknowns are M below its diagonal, u, v and t."""
    n = len(K)
    i, j = _below_diagonal(n)
    m = len(i)
    unknown = np.zeros((n, n), dtype=np.int64)
    unknown[i, j] = unknown[j, i] = np.arange(m)
    u, v, t = m + np.arange(n), m + n + np.arange(n), m + 2 * n
    rows = _Rows()
    rows.block(np.zeros(2 * n), (np.arange(2 * n), np.concatenate([u, v]), 1.0))
    a, b = np.nonzero(~np.eye(n, dtype=bool))
    for sign in (1.0, -1.0):
        rows.block(slack - sign * weights, (a, unknown[a, b], -sign * weights[b]))
    # scs wants the lower triangle by columns, off the diagonal times sqrt(2).
    root = np.sqrt(2.0)
    place, size = _triangle(n)
    right = np.zeros(size)
    right[place[np.arange(n), np.arange(n)]] = 1.0
    rows.block(right, (place[i, j], np.arange(m), root))
    place, size = _triangle(n + 1)
    right = np.zeros(size)
    right[place[np.arange(n), np.arange(n)]] = np.diagonal(K)
    border = place[n, :n]
    right[border] = root
    rows.block(
        right,
        (place[i, j], np.arange(m), root * K[i, j]),
        (border, u, root),
        (border, v, -root),
        (place[n, n], t, 1.0),
        (place[n, n], v, -2 * C * weights),
    )
    A, b_ = rows.finish(t + 1)
    return A, b_, {"l": 4 * n, "s": [n, n + 1]}


def _triangle(n: int) -> tuple[np.ndarray, int]:
    """Return the place of each entry of the lower triangle, and their number."""
    columns, rows = np.triu_indices(n)
    place = np.zeros((n, n), dtype=np.int64)
    place[rows, columns] = np.arange(len(rows))
    return place, len(rows)


def mmc_value(K: np.ndarray, weights: np.ndarray, C: float, y: np.ndarray) -> float:
    """Return ``max over 0 <= a <= C w of 2 a'1 - a' (K o y y') a``."""
    G = K * np.outer(y, y)

    def negative(a: np.ndarray) -> tuple[float, np.ndarray]:
        Ga = G @ a
        return a @ Ga - 2 * a.sum(), 2 * Ga - 2

    bounds = [(0.0, C * w) for w in weights]
    answer = minimize(
        negative, np.zeros(len(y)), jac=True, bounds=bounds, method="L-BFGS-B"
    )
    return -float(answer.fun)


def gmmc_matrix(K: np.ndarray, weights: np.ndarray, C: float) -> np.ndarray:
    """Return Q, the cost ``f' Q f`` of values f with the best bias put in.

    With ``G = (K + D)^-1`` it is ``G - G 1 1' G / 1' G 1 + c w w'``. The first two
    terms do not see a shift of f; ``c`` makes unbalance as dear as the dearest f.
    """
    G = np.linalg.inv(K + np.diag(1 / (C * weights)))
    G = (G + G.T) / 2
    sums = G.sum(axis=1)
    H = G - np.outer(sums, sums) / sums.sum()
    largest = np.linalg.eigvalsh(H)[-1]
    direction = weights / np.linalg.norm(weights)
    return H + largest * np.outer(direction, direction)


def gmmc_value(Q: np.ndarray, y: np.ndarray) -> float:
    """Return the least ``f' Q f`` with ``y_i f_i >= 1``."""
    root = np.linalg.cholesky(Q).T * y
    _, residual = nnls(root, -root.sum(axis=1))
    return float(residual**2)


def relax_gmmc(Q: np.ndarray, tol: float = 1e-5, max_iter: int = 1000) -> Relaxation:
    """Solve the relaxation of GMMC by an interior point method.

    The dual, ``maximise sum_i g_i`` with ``S = Q - diag(g)`` positive semidefinite and
    ``g >= 0``, has n unknowns. Newton steps maximise ``sum g + (log det S + sum log g)
    / t`` for growing t: the gradient has ``1 + (1 / g_i - S^-1_ii) / t``, the Hessian
    ``-(S^-1 o S^-1 + diag(1 / g^2)) / t``, and ``M = S^-1 / t`` tends to the matrix
    sought. Every g on the way is feasible, so its sum is a true bound; M, brought to
    a diagonal of at least 1, is feasible as well, and the gap between both ends it.
    """
    scale = np.linalg.norm(Q, 2)
    Q = Q / scale
    n = len(Q)
    g = np.full(n, np.linalg.eigvalsh(Q)[0] / 2)
    t = 2 * n / g.sum()
    inverse = _inverse(Q - np.diag(g))
    for iteration in range(1, max_iter + 1):
        gradient = t + 1 / g - np.diagonal(inverse)
        # In the units of g, in which the Hessian is well scaled.
        hessian = inverse**2 * np.outer(g, g) + np.eye(n)
        step = g * np.linalg.solve(hessian, g * gradient)
        decrement = float(step @ gradient)
        # The length that keeps a self-concordant function's Newton step inside.
        g = g + step / (1 + np.sqrt(decrement) if decrement > 0.25 else 1.0)
        inverse = _inverse(Q - np.diag(g))
        matrix = inverse / np.diagonal(inverse).min()
        gap = np.vdot(Q, matrix) - g.sum()
        centred = decrement < 0.1
        # The gap of a centred g is 2 n / t; what is above it then is rounding.
        if gap <= tol * g.sum() or (centred and 20 * n <= t * tol * g.sum()):
            return Relaxation(matrix, float(scale * g.sum()), iteration, True)
        if centred:
            t *= 3.0
    return Relaxation(matrix, float(scale * g.sum()), iteration, False)


def _inverse(S: np.ndarray) -> np.ndarray:
    inverse = cho_solve(cho_factor(S), np.eye(len(S)))
    result: np.ndarray = (inverse + inverse.T) / 2
    return result
