"""Semidefinite relaxations: lower bounds of the cost of any labels, for few samples.

Both problems are over labels y. MMC (Xu, Neufeld, Larson and Schuurmans, 2004) is the
dual of a support vector machine without bias,

    minimise over y   max over 0 <= a <= C w   of   2 a'1 - a' (K o y y') a,

relaxed by a matrix M in place of ``y y'`` with ones on its diagonal (problem 5 of
Zhang, Tsang and Kwok, 2007). GMMC (Valizadegan and Jin, 2007) has a bias and squared
slacks. With the values ``f_i = y_i (1 + v_i)``, ``v_i >= 0``, of the decision function
and ``D = diag(1 / (C w))`` it is

    minimise over f, b   (f - b)' (K + D)^-1 (f - b) + c (w'f)^2,   f_i^2 >= 1,

where the last term keeps the clusters balanced. With the best b the objective is
``f' Q f``. It is relaxed to ``<Q, M>`` with ``M_ii >= 1``, whose dual has n variables.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize, nnls

from maxmargin.search.state import OnIteration
from maxmargin.smoothers.cholesky import NEGLIGIBLE

REPORTED = 1000  # rounds of the solver of MMC between two reports
# The smallest eigenvalue of the cost of GMMC, as a share of the largest one.
SMALLEST = 1e-6
# Eigenvalues of the cost below this share of the largest one are rounding.
SINGULAR = 1e-12
# Negative eigenvalues of a kernel matrix up to this share of the largest are rounding.
INDEFINITE = 1e-6


@dataclass(frozen=True)
class Relaxation:
    """The solution of a relaxation: a matrix M and a lower bound for any labels."""

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
    on_iteration: OnIteration | None = None,
) -> Relaxation:
    """Solve the relaxation of MMC with ``|sum_i w_i y_i| <= slack`` by scs.

    The solver is stopped every `REPORTED` rounds, to report minus its objective, and
    goes on from where it was.

    As in the papers, t is minimised over ``u, v >= 0`` and M, subject to
    ``-slack <= M w <= slack`` and positive semidefinite matrices M and

        [ M o K          1 + u - v      ]
        [ (1 + u - v)'   t - 2 C w'v    ].

    The diagonal of M is one and not a variable.
    """
    scs = _import_scs()
    program = mmc_program(K, weights, C, slack)
    data = {"A": program.A, "b": program.b, "c": program.c}
    rounds = min(max_iter, REPORTED)
    options = {"eps_abs": tol, "eps_rel": tol, "max_iters": rounds, "verbose": False}
    solver = scs.SCS(data, program.cones, **options)
    solution, n_iter = solver.solve(), 0
    while True:
        info = solution["info"]
        n_iter += int(info["iter"])
        if on_iteration is not None:
            on_iteration(n_iter, -float(info["pobj"]))
        if info["status"] == "solved" or n_iter >= max_iter:
            break
        solution = solver.solve(warm_start=True)
    n = len(K)
    matrix = np.eye(n)
    lower = _below_diagonal(n)
    matrix[lower] = matrix.T[lower] = solution["x"][: len(lower[0])]
    return Relaxation(
        matrix,
        float(min(info["pobj"], info["dobj"])),
        n_iter,
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
    """Return the indices of the entries below the diagonal, column by column."""
    columns, rows = np.triu_indices(n, 1)
    return rows, columns


class ConicProgram(NamedTuple):
    """Minimise ``c'x`` subject to ``A x + s = b``, s in a product of cones."""

    A: sp.csc_matrix
    b: np.ndarray
    c: np.ndarray
    cones: dict[str, Any]  # as scs takes them


def _conic_program(blocks: list, c: np.ndarray, cones: dict[str, Any]) -> ConicProgram:
    """Return the program of rows ``s = b + parts``, block by block.

    A block has b and its parts, a part has (row, variable, coefficient).
    """
    entries, n_rows = [], 0
    for b, *parts in blocks:
        for row, column, value in parts:
            entry = np.broadcast_arrays(np.atleast_1d(row) + n_rows, column, -value)
            entries.append(np.stack(entry))
        n_rows += len(b)
    row, column, value = np.concatenate(entries, axis=1)
    index = (row.astype(np.int64), column.astype(np.int64))
    A = sp.csc_matrix((value, index), shape=(n_rows, len(c)))
    return ConicProgram(A, np.concatenate([b for b, *_ in blocks]), c, cones)


def mmc_program(
    K: np.ndarray, weights: np.ndarray, C: float, slack: float
) -> ConicProgram:
    """Return the relaxation of MMC; the variables are M below its diagonal, u, v, t."""
    n = len(K)
    i, j = _below_diagonal(n)
    m = len(i)
    variable = np.zeros((n, n), dtype=np.int64)
    variable[i, j] = variable[j, i] = np.arange(m)
    u, v, t = m + np.arange(n), m + n + np.arange(n), m + 2 * n
    positive = np.zeros(2 * n), (np.arange(2 * n), np.concatenate([u, v]), 1.0)
    a, b = np.nonzero(~np.eye(n, dtype=bool))
    balance = [
        (slack - sign * weights, (a, variable[a, b], -sign * weights[b]))
        for sign in (1.0, -1.0)
    ]
    # scs takes the lower triangle by columns, off-diagonal entries times sqrt(2).
    root = np.sqrt(2.0)
    position = _triangle_positions(n)
    diagonal = position[np.arange(n), np.arange(n)]
    ones = np.zeros(n * (n + 1) // 2)
    ones[diagonal] = 1.0
    matrix = ones, (position[i, j], np.arange(m), root)
    position = _triangle_positions(n + 1)
    diagonal, border = position[np.arange(n), np.arange(n)], position[n, :n]
    constant = np.zeros((n + 1) * (n + 2) // 2)
    constant[diagonal] = np.diagonal(K)
    constant[border] = root
    bordered = (
        constant,
        (position[i, j], np.arange(m), root * K[i, j]),
        (border, u, root),
        (border, v, -root),
        (position[n, n], t, 1.0),
        (position[n, n], v, -2 * C * weights),
    )
    cost = np.zeros(t + 1)
    cost[t] = 1.0
    blocks = [positive, *balance, matrix, bordered]
    return _conic_program(blocks, cost, {"l": 4 * n, "s": [n, n + 1]})


def _triangle_positions(n: int) -> np.ndarray:
    """Return the position of each entry of the lower triangle, column by column."""
    columns, rows = np.triu_indices(n)
    positions = np.zeros((n, n), dtype=np.int64)
    positions[rows, columns] = np.arange(len(rows))
    return positions


def mmc_cost(K: np.ndarray, weights: np.ndarray, C: float, y: np.ndarray) -> float:
    """Return the cost of labels, ``max over 0 <= a <= C w of 2 a'1 - a'(K o yy')a``."""
    G = K * np.outer(y, y)

    def negative(a: np.ndarray) -> tuple[float, np.ndarray]:
        Ga = G @ a
        return a @ Ga - 2 * a.sum(), 2 * Ga - 2

    bounds = [(0.0, C * w) for w in weights]
    result = minimize(
        negative, np.zeros(len(y)), jac=True, bounds=bounds, method="L-BFGS-B"
    )
    return -float(result.fun)


def check_semidefinite(K: np.ndarray) -> None:
    """Raise an error if K is indefinite on the vectors that add up to zero."""
    Z = _basis_of_zero_sum(len(K))
    values = np.linalg.eigvalsh(Z.T @ K @ Z)
    if values[0] < -INDEFINITE * values[-1] - NEGLIGIBLE * np.abs(K).max():
        raise ValueError(
            "The kernel matrix is not positive semidefinite (smallest eigenvalue "
            f"{values[0]:.3g}), so that its relaxation is no bound: use a positive "
            "semidefinite kernel, for example 'rbf'."
        )


def _basis_of_zero_sum(n: int) -> np.ndarray:
    """Return an orthonormal basis (n x n-1) of the vectors that add up to zero."""
    columns = np.eye(n)
    columns[:, 0] = 1.0
    return np.linalg.qr(columns)[0][:, 1:]


def gmmc_matrix(
    K: np.ndarray, weights: np.ndarray, C: float, penalty: float | None = None
) -> np.ndarray:
    """Return the Q of the cost ``f' Q f`` of values f with their best bias.

    With ``G = (K + D)^-1`` it is ``G - G 1 1' G / 1' G 1 + c w w'``. The first two
    terms are invariant to a shift of f: with an orthonormal basis Z of the vectors that
    add up to zero they are ``Z (Z' (K + D) Z)^-1 Z'``, which loses no digits if K has a
    large mean. Their smallest eigenvalues are raised to a share of the largest one, as
    if the largest kernel values were smaller. ``penalty`` is the constant c; by default
    the last term has the same largest eigenvalue as the first two.
    """
    Z = _basis_of_zero_sum(len(K))
    values, vectors = np.linalg.eigh(Z.T @ (K + np.diag(1 / (C * weights))) @ Z)
    smallest = 1 / (C * weights.max())  # rounding may have made them smaller
    inverse = 1 / np.maximum(values, smallest)
    vectors = Z @ vectors
    H = (vectors * np.maximum(inverse, SMALLEST * inverse.max())) @ vectors.T
    if penalty is None:
        penalty = inverse.max() / (weights @ weights)
    Q = H + penalty * np.outer(weights, weights)
    symmetric: np.ndarray = (Q + Q.T) / 2
    return symmetric


def gmmc_cost(Q: np.ndarray, y: np.ndarray) -> float:
    """Return the cost of labels, the minimum of ``f' Q f`` with ``y_i f_i >= 1``."""
    values, vectors = np.linalg.eigh(Q)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * y
    _, residual = nnls(root, -root.sum(axis=1))
    return float(residual**2)


def relax_gmmc(Q: np.ndarray, tol: float = 1e-5, max_iter: int = 1000) -> Relaxation:
    """Solve the relaxation of GMMC by an interior point method.

    The dual, ``maximise sum_i g_i`` with ``S = Q - diag(g)`` positive semidefinite and
    ``g >= 0``, has n variables. Newton steps maximise ``sum g + (log det S + sum log g)
    / t`` for increasing t: the gradient has ``1 + (1 / g_i - S^-1_ii) / t``, the
    Hessian is ``-(S^-1 o S^-1 + diag(1 / g^2)) / t``, and ``M = S^-1 / t`` converges to
    the primal solution. Every g is feasible, so that its sum is a lower bound. M is
    feasible too, once it is scaled to a diagonal of at least 1. The method stops when
    the gap between both is small.
    """
    scale = np.linalg.norm(Q, 2)
    Q = Q / scale
    n = len(Q)
    smallest = float(np.linalg.eigvalsh(Q)[0])
    if smallest < SINGULAR:  # by rounding: Q is positive definite
        Q = Q + (SINGULAR - smallest) * np.eye(n)
    g = np.full(n, max(smallest, SINGULAR) / 2)
    t = 2 * n / g.sum()
    inverse = _inverse(Q - np.diag(g))
    matrix = inverse / np.diagonal(inverse).min()
    for iteration in range(1, max_iter + 1):
        gradient = t + 1 / g - np.diagonal(inverse)
        # The step is computed in units of g, in which the Hessian is well scaled.
        hessian = inverse**2 * np.outer(g, g) + np.eye(n)
        step = g * np.linalg.solve(hessian, g * gradient)
        decrement = float(step @ gradient)
        # This step length keeps g feasible, as the function is self-concordant.
        step /= 1 + np.sqrt(decrement) if decrement > 0.25 else 1.0
        try:
            inverse = _inverse(Q - np.diag(g + step))
        except np.linalg.LinAlgError:  # by rounding: no better g can be found
            break
        g = g + step
        matrix = inverse / np.diagonal(inverse).min()
        gap = np.vdot(Q, matrix) - g.sum()
        centred = decrement < 0.1
        # The gap of a centred g is 2 n / t, apart from rounding errors.
        if gap <= tol * g.sum() or (centred and 20 * n <= t * tol * g.sum()):
            return Relaxation(matrix, float(scale * g.sum()), iteration, True)
        if centred:
            t *= 3.0
    return Relaxation(matrix, float(scale * g.sum()), iteration, False)


def _inverse(S: np.ndarray) -> np.ndarray:
    """Return the inverse of a positive definite matrix, exactly symmetric."""
    inverse = cho_solve(cho_factor(S), np.eye(len(S)))
    result: np.ndarray = (inverse + inverse.T) / 2
    return result
