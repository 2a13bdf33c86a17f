"""Equal rows found."""

import numpy as np
import scipy.sparse as sp


def group_equal_rows(X) -> tuple[np.ndarray, np.ndarray]:
    """Return one row of each kind, and for every row the position of its kind.

    The kinds are ordered by their values, not by where they stand.
    """
    _, first, groups = np.unique(_row_keys(X), return_index=True, return_inverse=True)
    return first, groups.reshape(-1)


def _row_keys(X) -> np.ndarray:
    """Return one sortable key for each row, equal if and only if the rows are."""
    if sp.issparse(X):
        X = X.tocsr(copy=True)
        X.sum_duplicates()
        X.eliminate_zeros()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        return np.array(
            [(X.indices[a:b].tobytes() + X.data[a:b].tobytes()).hex() for a, b in ends]
        )
    X = np.ascontiguousarray(X + 0.0)  # makes -0.0 the zero that it equals
    return X.view(np.dtype((np.void, X.dtype.itemsize * X.shape[1]))).ravel()
