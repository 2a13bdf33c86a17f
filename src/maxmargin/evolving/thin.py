"""The same decision functions from fewer landmarks, to label many rows in less time.

Landmarks are there for every function that the ridge allows; the few functions that
were found need fewer. In the order of the pivots of a Cholesky factor, in which each is
the one that those before it span least, the first r are kept, and the decision values
at some samples are fitted by least squares. With ``k(X, landmarks) = Q R`` their
coefficients solve ``R_rr c = Q_r' d``, so that one factor serves all r.
"""

from dataclasses import replace

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.linalg.lapack import dpstrf

from maxmargin.clustering.model import MarginModel
from maxmargin.kernels.feature_map import KernelColumns

# The largest change of a decision value, in shares of their standard deviation.
CHANGE = 1e-2
STEP = 4  # landmarks


def thinned(model: MarginModel, X) -> MarginModel:
    """Return the model with fewer landmarks, the same at samples X up to `CHANGE`."""
    columns_of = model.feature_map
    if not isinstance(columns_of, KernelColumns) or columns_of.kernel.name != "rbf":
        return model
    basis = columns_of.basis
    if X.shape[0] <= basis.shape[0]:
        return model
    pivots, rank = dpstrf(columns_of.kernel(basis, basis), lower=1)[1:3]
    order = pivots[:rank] - 1
    columns = columns_of(X)
    values = columns @ model.coefficients
    Q, R = qr(columns[:, order], mode="economic")
    parts = Q.T @ values
    allowed = CHANGE * values.std(axis=0).max()
    left = values.copy()
    for size in range(STEP, rank, STEP):
        new = slice(size - STEP, size)
        left -= Q[:, new] @ parts[new]
        if np.abs(left).max() <= allowed:
            coefficients = solve_triangular(R[:size, :size], parts[:size])
            few = replace(columns_of, basis=basis[order[:size]])
            return MarginModel(few, coefficients, model.offsets)
    return model
