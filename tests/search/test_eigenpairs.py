"""As many eigenvectors as asked for, whatever the eigenvalues are."""

import numpy as np
import pytest

from maxmargin.search.eigenpairs import largest_eigenpairs

RANDOM = np.random.RandomState(0)
SQUARE = RANDOM.randn(15, 15)
MATRICES = {
    "identity": 0.2 * np.eye(15),
    "nearly": 0.2 * np.eye(15) + 1e-17 * (SQUARE + SQUARE.T),
    "zero": np.zeros((15, 15)),
    "two": np.diag([1.0] * 8 + [0.5] * 7),
    "random": SQUARE + SQUARE.T,
}


@pytest.mark.parametrize("number", [1, 2, 14, 15])
@pytest.mark.parametrize("name", MATRICES)
def test_all_vectors_are_found(name, number):
    matrix = MATRICES[name]
    values, vectors = largest_eigenpairs(matrix, number)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[-number:], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(number), atol=1e-12)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)
