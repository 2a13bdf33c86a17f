"""Cholesky factors of kernel matrices, and what is computed from them in place."""

import numpy as np
from scipy.linalg import cholesky, eigvalsh, get_lapack_funcs, qr
from scipy.linalg.lapack import dpstrf

# A pivot below this share of the largest diagonal value is rounding error.
NEGLIGIBLE = 1e-10


def pivoted_cholesky(
    matrix: np.ndarray, tolerance: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``L`` and the pivots of ``matrix[pivots][:, pivots] ~ L L'``.

    Each pivot is the row that the rows before it span least. There are as many as the
    numerical rank: the factor ends where the next pivot falls below ``tolerance``, by
    default `NEGLIGIBLE` times the largest diagonal value; -1 is LAPACK's own.
    """
    if tolerance is None:
        tolerance = NEGLIGIBLE * max(np.diagonal(matrix).max(), 0.0)
    factor, pivots, rank, info = dpstrf(matrix, tol=tolerance, lower=1)
    if info < 0 or rank == 0:
        raise ValueError(
            "The kernel matrix is zero or not positive semidefinite: use a positive "
            "semidefinite kernel."
        )
    return factor[:rank, :rank], pivots[:rank] - 1


def cholesky_of_landmarks(corner: np.ndarray) -> np.ndarray:
    """Factor the landmarks' kernel matrix, with a small ridge against rounding."""
    ridge = NEGLIGIBLE * max(np.trace(corner) / len(corner), np.finfo(float).tiny)
    try:
        factor: np.ndarray = cholesky(corner + ridge * np.eye(len(corner)), lower=True)
    except np.linalg.LinAlgError as error:
        smallest = eigvalsh(corner, subset_by_index=[0, 0])[0]
        raise ValueError(
            "The kernel matrix of the landmarks is not positive semidefinite (smallest "
            f"eigenvalue {smallest:.3g}): use a positive semidefinite kernel."
        ) from error
    return factor


def factor_rows(rows: np.ndarray, ridges: np.ndarray) -> np.ndarray:
    """Return the upper triangular R of ``rows' rows + diag(ridges) = R' R``.

    If the ridges are lost beside the sums of squares, R is taken from the rows
    themselves, which is slower and loses half as many digits.
    """
    gram = rows.T @ rows
    gram.flat[:: len(gram) + 1] += ridges
    try:
        factor: np.ndarray = cholesky(gram)
    except np.linalg.LinAlgError:
        rows = np.concatenate([rows, np.diag(np.sqrt(ridges))])
        factor = qr(rows, mode="r")[0][: len(gram)]
        diagonal = np.abs(factor.flat[:: len(gram) + 1])
        factor.flat[:: len(gram) + 1] = np.maximum(diagonal, np.finfo(float).tiny)
    return factor


def invert_in_place(values: np.ndarray) -> None:
    """Replace a symmetric positive definite matrix by its inverse."""
    factor, invert = get_lapack_funcs(("potrf", "potri"), (values,))
    # LAPACK is column-major: the lower half of the transpose is our upper half.
    _, info = factor(values.T, lower=True, overwrite_a=True, clean=False)
    if info != 0:
        raise ValueError(
            "The kernel matrix is not positive semidefinite: its Cholesky factor broke "
            f"down at row {info}. Use a positive semidefinite kernel or raise alpha."
        )
    invert(values.T, lower=True, overwrite_c=True)
    copy_upper_to_lower(values)


def copy_upper_to_lower(values: np.ndarray, block: int = 512) -> None:
    """Copy the upper half of a matrix to the lower one, block by block, in place."""
    for start in range(0, len(values), block):
        rows = slice(start, start + block)
        corner = values[rows, rows]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        values[start + block :, rows] = values[rows, start + block :].T
