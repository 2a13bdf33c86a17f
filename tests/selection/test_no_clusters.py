import numpy as np
import scipy.sparse as sp

from maxmargin.selection.no_clusters import (
    LEAST,
    References,
    principal_deviations,
    references_without_clusters,
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


def test_long_samples_are_separated_better():
    X = np.random.RandomState(0).normal(size=(150, 30))
    long = X * np.append([30.0, 30.0], np.ones(28))
    found = [references_without_clusters(rows)(8) for rows in (long, X)]
    assert found[0] > found[1]


def test_references_do_not_depend_on_the_unit_or_the_order(random):
    X = random.normal(size=(60, 3))
    found = references_without_clusters(X)
    assert (found.separations >= LEAST).all()
    other = references_without_clusters(4.0 * X[::-1] + 1.0)
    np.testing.assert_array_equal(found.numbers, other.numbers)
    np.testing.assert_allclose(found.separations, other.separations)


def test_numbers_between_two_are_interpolated():
    found = References(np.array([2, 8]), np.array([0.1, 0.3]))
    np.testing.assert_allclose([found(k) for k in (2, 4, 8, 99)], [0.1, 0.2, 0.3, 0.3])


def test_single_precision_far_from_zero():
    """The mean of such rows is rounded by more than they differ."""
    steps = np.random.RandomState(0).randint(0, 3, size=(30, 4))
    X = (1e4 + 2.0**-10 * steps).astype(np.float32)
    expected = principal_deviations(X.astype(np.float64))
    assert len(expected) == 4
    np.testing.assert_allclose(principal_deviations(X), expected)
