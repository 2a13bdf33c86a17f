"""Squared distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.smoothers.distances import SquaredDistances, squared_distances


def by_differences(X, Y):
    return ((X[:, None].astype(float) - Y[None].astype(float)) ** 2).sum(axis=2)


def offset(X):
    return np.column_stack([X, np.full(len(X), 1e15)])


def far_row(X):
    return np.concatenate([X, np.full((1, X.shape[1]), 1e12)])


def two_far_groups(X):
    return np.concatenate([X, X + 1e12])


@pytest.mark.parametrize("change", [np.asarray, offset, far_row, two_far_groups])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_distances_have_a_small_relative_error(random, change, convert):
    X = change(random.randn(40, 3))
    Y = X[::2]
    expected = by_differences(X, Y)
    assert_allclose(squared_distances(convert(X), convert(Y)), expected, rtol=1e-8)
    assert_allclose(squared_distances(convert(X), Y), expected, rtol=1e-8)
    assert_allclose(squared_distances(X, convert(Y)), expected, rtol=1e-8)


def test_distances_of_single_precision_do_not_overflow(random):
    X = (1e30 * random.randn(20, 3)).astype(np.float32)
    assert_allclose(squared_distances(X, X), by_differences(X, X), rtol=1e-8)


def test_sparse_columns_stay_sparse(random):
    X = sp.random(200, 1000, 0.01, format="csr", random_state=random)
    distances = SquaredDistances(X)
    assert distances._columns.nnz <= X.nnz
    dense = X.toarray()
    assert_allclose(distances(X), by_differences(dense, dense), atol=1e-12)
