"""Rows as they are given."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import MaxMarginClustering
from maxmargin.published import ReducedSVC
from maxmargin.rows.validation import check_magnitude, named_sources, with_short_indices


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


def test_the_matrix_of_the_caller_is_not_changed(wide):
    """Its indices may be in any order, some twice, and other threads may read it."""
    twice = np.repeat(wide.data / 2, 2)[::-1], np.repeat(wide.indices, 2)[::-1]
    X = sp.csr_array((*map(np.copy, twice), 2 * wide.indptr), wide.shape)
    X = X[::-1]
    data, indices = X.data.copy(), X.indices.copy()
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert np.array_equal(X.indices, indices)
    assert np.array_equal(X.data, data)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.fit_predict(X.toarray()), model.labels_)
    assert np.array_equal(X.indices, indices)


def test_masked_values_are_refused():
    X = np.ma.masked_array(np.eye(6), mask=np.eye(6) > 0)
    for given in (X, [X, np.eye(6)]):
        with pytest.raises(ValueError, match="has masked values: fill them"):
            MaxMarginClustering(2).fit(given)
    X.mask = False
    assert MaxMarginClustering(2).fit(X).n_clusters_ == 2


def test_estimators_take_them(wide):
    model = MaxMarginClustering(2, random_state=0)
    expected = model.fit_predict(wide.toarray())
    assert np.array_equal(model.fit_predict(wide), expected)
    assert np.array_equal(model.predict(wide), model.predict(wide.toarray()))
    svc = ReducedSVC("k-means", n_centers=10, random_state=0)
    y = np.repeat([0, 1], 30)
    assert svc.fit(wide, y).score(wide, y) == 1.0


@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e160, 1e300])
def test_values_without_squares_are_refused(factor):
    with pytest.raises(ValueError, match=r"too (large|small) to compute squared"):
        check_magnitude(np.array([[0.0, factor]]))
    with pytest.raises(ValueError, match="scale the features"):
        check_magnitude(sp.csr_array([[0.0, -factor]]))


def test_zeros_are_accepted():
    check_magnitude(np.zeros((2, 2)))
    check_magnitude(sp.csr_array((2, 2)))


def test_what_is_a_source(random):
    X = random.randn(6, 2)
    assert list(named_sources([X, sp.csr_array(X)])) == ["0", "1"]
    assert list(named_sources({"words": X, 7: X})) == ["words", "7"]
    assert named_sources(X) is None
    assert named_sources(list(X)) is None  # rows
    assert named_sources(X.tolist()) is None
    assert named_sources([]) is None
