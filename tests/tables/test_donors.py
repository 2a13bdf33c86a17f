"""Missing numbers from near rows, against distances of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances

from maxmargin.tables.donors import N_DONORS, choose_donors, mean_squares


@pytest.fixture
def X(random):
    X = random.randn(60, 5)
    X[:, 1:4][random.rand(60, 3) < 0.3] = np.nan
    return X


def test_distances_over_shared_features(X):
    expected = nan_euclidean_distances(X, X[:20]) ** 2 / 5
    np.testing.assert_allclose(mean_squares(X, X[:20]), expected, atol=1e-12)
    first, second = np.array([[1.0, np.nan]]), np.array([[np.nan, 1.0]])
    assert np.isinf(mean_squares(first, second))


def test_the_mean_of_the_nearest_rows_that_have_the_number(X):
    filled = X.copy()
    choose_donors(X).fill(filled, np.zeros_like(X))
    distances = nan_euclidean_distances(X)
    for row, column in np.argwhere(np.isnan(X)):
        donors = np.flatnonzero(~np.isnan(X[:, column]))
        nearest = donors[np.argsort(distances[row, donors])[:N_DONORS]]
        assert filled[row, column] == pytest.approx(X[nearest, column].mean())
    known = ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])


def test_a_number_that_no_row_has_is_the_expected_one(random):
    X = random.randn(20, 3)
    donors = X.copy()
    donors[:, 1] = np.nan
    gaps = donors.copy()
    choose_donors(donors).fill(gaps, np.full_like(X, 7.0))
    assert (gaps[:, 1] == 7.0).all()


def test_rows_are_chosen_evenly(random):
    X = random.randn(2500, 2)
    np.testing.assert_array_equal(choose_donors(X).rows, X[::3])
