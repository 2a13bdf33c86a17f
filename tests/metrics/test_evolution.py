"""Costs over two snapshots, and churn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.metrics import churn, km_cost


def within(X, labels):
    return sum(
        np.sum((X[labels == h] - X[labels == h].mean(axis=0)) ** 2)
        for h in np.unique(labels)
    )


def test_km_cost_is_equation_20(random):
    X, previous = random.randn(20, 3), random.randn(15, 3)
    labels, before = random.randint(3, size=20), random.randint(4, size=15)
    cost = km_cost(X, labels, previous, before, weight=0.6)
    assert_allclose(cost.snapshot, within(X, labels))
    assert_allclose(cost.temporal, within(previous, before))
    assert_allclose(cost.total, 0.6 * cost.snapshot + 0.4 * cost.temporal)
    assert_allclose(km_cost(sp.csr_matrix(X), labels).total, within(X, labels))


def test_churn_counts_changes(random):
    labels = random.randint(3, size=30)
    assert churn(labels, labels) == 0.0
    assert churn((labels + 1) % 3, labels) == 1.0
    assert churn((labels + 1) % 3, labels, rename=True) == 0.0
    assert churn([], []) == 0.0
    with pytest.raises(ValueError, match="inconsistent"):
        churn([0, 1], [0])


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_km_cost_does_not_depend_on_the_origin(random, convert):
    X, labels = random.randn(50, 2), random.randint(2, size=50)
    far = X + np.where(labels, 1e8, -1e8)[:, None]
    assert_allclose(km_cost(convert(far), labels).total, within(X, labels), rtol=1e-6)
