"""The semidefinite programme of MMC by an interior point method, as the paper has it.

Our estimator goes to a first-order method, which is much faster at this size.
"""

import clarabel
import numpy as np
import scipy.sparse as sp

from maxmargin.published.hinge.semidefinite import mmc_program


def solve_by_interior_point(K, share):
    """Solve the programme for a kernel matrix, C = 1 and a balance, with clarabel."""
    n = len(K)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    program = mmc_program(K, np.ones(n), 1.0, share * n)
    order = np.concatenate(
        [
            np.arange(4 * n),
            4 * n + upper_order(n),
            4 * n + n * (n + 1) // 2 + upper_order(n + 1),
        ]
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [
        clarabel.NonnegativeConeT(4 * n),
        clarabel.PSDTriangleConeT(n),
        clarabel.PSDTriangleConeT(n + 1),
    ]
    empty = sp.csc_matrix((len(program.c), len(program.c)))
    A, b = program.A[order].tocsc(), program.b[order]
    solver = clarabel.DefaultSolver(empty, program.c, A, b, cones, settings)
    return solver.solve().obj_val


def upper_order(n):
    """Return where the entries of the upper triangle by columns are in scs's order."""
    columns, rows = np.triu_indices(n)
    place = np.zeros((n, n), dtype=int)
    place[rows, columns] = np.arange(len(rows))
    return place[np.tril_indices(n)]
