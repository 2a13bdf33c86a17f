import numpy as np
import scipy.sparse as sp

from maxmargin.selection.no_clusters import (
    principal_deviations,
    score_without_clusters,
)


def test_deviations_are_those_of_the_principal_axes(random):
    X = random.normal(size=(50, 4)) + 3.0
    expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) / np.sqrt(50)
    np.testing.assert_allclose(principal_deviations(X)[::-1], expected)
    np.testing.assert_allclose(
        principal_deviations(sp.csr_array(X)), principal_deviations(X)
    )


def test_long_samples_have_a_larger_limit():
    random = np.random.RandomState(0)
    X = random.normal(size=(150, 3))
    assert score_without_clusters(X * [30.0, 1.0, 1.0], 2) > score_without_clusters(
        X, 2
    )
