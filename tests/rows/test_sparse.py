"""Sparse matrices whose indices have 64 bits."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import MaxMarginClustering
from maxmargin.published import ReducedSVC
from maxmargin.rows.sparse import with_short_indices


@pytest.fixture
def wide():
    """Two groups of rows, with indices of 64 bits."""
    random = np.random.RandomState(0)
    X = random.rand(60, 8) * (random.rand(60, 8) < 0.4)
    X[:30, 0] += 3
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def test_the_values_are_kept(wide):
    short = with_short_indices(wide)
    assert short.indices.dtype == short.indptr.dtype == np.int32
    assert np.shares_memory(short.data, wide.data)
    assert np.array_equal(short.toarray(), wide.toarray())
    assert with_short_indices(short) is short
    assert wide.indices.dtype == np.int64


def test_indices_that_need_64_bits():
    X = sp.csr_array((np.ones(1), np.array([2**40]), np.array([0, 1])), (1, 2**41))
    assert with_short_indices(X) is X


def test_estimators_take_them(wide):
    model = MaxMarginClustering(2, random_state=0)
    expected = model.fit_predict(wide.toarray())
    assert np.array_equal(model.fit_predict(wide), expected)
    assert np.array_equal(model.predict(wide), model.predict(wide.toarray()))
    svc = ReducedSVC("k-means", n_centers=10, random_state=0)
    y = np.repeat([0, 1], 30)
    assert svc.fit(wide, y).score(wide, y) == 1.0
