"""Sparse matrices as compiled code and scikit-learn take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def take_square(X: Any, rows: np.ndarray) -> Any:
    """Return the values between some samples, of a sparse or dense matrix of pairs."""
    if len(rows) == X.shape[0] and (rows == np.arange(len(rows))).all():
        return X
    return X[rows][:, rows]


def with_short_indices(X: Any) -> Any:
    """Return a CSR matrix with 32-bit indices if they suffice, anything else as it is.

    K-means and the neighbour search take no others. The values are not copied.
    """
    if not sp.issparse(X) or X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, indptr), shape=X.shape)
