"""Distinct samples and their weights."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.rows.sample import draw_part, draw_sample, group_equal_rows


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_equal_rows_are_grouped_in_an_order_of_their_own(random, container):
    kinds = random.randint(3, size=(10, 4)).astype(float)
    rows = random.randint(10, size=50)
    X = kinds[rows]
    X[X == 0] = -0.0
    first, groups = group_equal_rows(container(X))
    np.testing.assert_array_equal(X[first][groups], X)
    assert len(np.unique(X, axis=0)) == len(first)
    order = random.permutation(50)
    again, _ = group_equal_rows(container(X[order]))
    np.testing.assert_array_equal(X[order][again], X[first])


def test_sample_adds_weights_and_leaves_out_what_has_none(random):
    X = np.array([[1.0], [2.0], [1.0], [3.0]])
    weights = np.array([1.0, 0.0, 2.5, 1.0])
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    found = dict(zip(X[sample.indices, 0], sample.weights, strict=True))
    assert found == {1.0: 3.5, 3.0: 1.0}
    assert sample.inverse[1] == -1
    np.testing.assert_array_equal(
        X[sample.indices][sample.inverse[[0, 2, 3]]], X[[0, 2, 3]]
    )
    assert sample.complete


def test_sample_is_limited(random):
    X = random.randn(100, 2)
    sample = draw_sample(X, np.ones(100), merge=True, limit=30, random=random)
    assert len(sample.indices) == 30
    assert np.sum(sample.inverse >= 0) == 30
    assert not sample.complete


def test_a_part_of_a_sample_keeps_the_equal_rows(random):
    X = np.repeat(random.randn(20, 2), 3, axis=0)
    sample = draw_sample(X, np.ones(60), merge=True, limit=None, random=random)
    part = draw_part(sample, 8, random)
    drawn = np.flatnonzero(part.inverse >= 0)
    assert len(drawn) == 24
    np.testing.assert_array_equal(X[part.indices][part.inverse[drawn]], X[drawn])
    assert not part.complete


def test_memory_of_a_part_does_not_grow_with_the_rows(random):
    X = random.randn(5000, 2)
    sample = draw_sample(X, np.ones(5000), merge=True, limit=50, random=random)
    assert max(np.size(field) for field in sample) == 50
