"""The largest eigenvalues of a symmetric matrix, and their vectors."""

import numpy as np
from scipy.linalg import eigh


def largest_eigenpairs(
    matrix: np.ndarray, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, in increasing order, and their vectors.

    LAPACK counts the eigenvalues in an interval, and finds fewer than asked for if they
    are equal, such as those of a multiple of the identity. Then all are computed.
    """
    size = len(matrix)
    values, vectors = eigh(matrix, subset_by_index=(size - number, size - 1))
    if len(values) < number:
        values, vectors = eigh(matrix)
    return values[-number:], vectors[:, -number:]
