import numpy as np
import scipy.sparse as sp

from maxmargin.selection.no_clusters import (
    LEAST,
    MARGIN,
    principal_deviations,
    separation_without_clusters,
)


def test_deviations_are_those_of_the_principal_axes(random):
    for shape in ((50, 4), (20, 60)):
        X = random.normal(size=shape) + 3.0
        expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[: shape[0] - 1]
        expected /= np.sqrt(shape[0])
        np.testing.assert_allclose(principal_deviations(X)[::-1], expected)
        np.testing.assert_allclose(
            principal_deviations(sp.csr_array(X)), principal_deviations(X)
        )


def test_long_samples_have_a_larger_limit():
    X = np.random.RandomState(0).normal(size=(150, 30))
    long = X * np.append([30.0, 30.0], np.ones(28))
    assert separation_without_clusters(long) > separation_without_clusters(X)


def test_the_limit_does_not_depend_on_the_unit_or_the_order(random):
    X = random.normal(size=(60, 3))
    limit = separation_without_clusters(X)
    assert limit >= LEAST + MARGIN
    np.testing.assert_allclose(separation_without_clusters(4.0 * X[::-1] + 1.0), limit)
