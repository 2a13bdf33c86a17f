"""Missing numbers from near rows, against a search of all rows."""

import numpy as np
import pytest

from maxmargin.tables.donors import N_DONORS, choose_donors


@pytest.fixture
def X(random):
    X = random.randn(60, 5)
    X[:, 1:4][random.rand(60, 3) < 0.3] = np.nan
    return X


def test_the_median_of_the_nearest_rows_that_have_the_number(X, random):
    expected = np.where(np.isnan(X), random.randn(60, 5), X)
    filled = X.copy()
    choose_donors(X, expected).fill(filled, expected)
    for row, column in np.argwhere(np.isnan(X)):
        donors = np.flatnonzero(~np.isnan(X[:, column]))
        distances = ((expected[donors] - expected[row]) ** 2).sum(axis=1)
        nearest = donors[np.argsort(distances)[:N_DONORS]]
        assert filled[row, column] == pytest.approx(np.median(X[nearest, column]))
    known = ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])


def test_the_nearer_one_of_two_rows():
    rows = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, np.nan]])
    expected = np.nan_to_num(rows)
    gap = np.array([[0.9, np.nan]])
    choose_donors(rows, expected).fill(gap, np.array([[0.9, 1.4]]))
    assert gap[0, 1] == 2.0


def test_a_number_that_no_row_has_is_the_expected_one(random):
    X = random.randn(20, 3)
    donors = X.copy()
    donors[:, 1] = np.nan
    gaps, expected = donors.copy(), np.where(np.isnan(donors), 7.0, donors)
    choose_donors(donors, expected).fill(gaps, expected)
    assert (gaps[:, 1] == 7.0).all()


def test_groups_are_not_connected(random):
    # The gap of a row between two groups takes the value of one of them.
    low, high = random.randn(50, 2) - 8.0, random.randn(50, 2) + 8.0
    rows = np.concatenate([low, high])
    gaps = np.column_stack([np.linspace(-1, 1, 40), np.full(40, np.nan)])
    choose_donors(rows, rows).fill(gaps, np.nan_to_num(gaps))
    assert (np.abs(gaps[:, 1]) > 3.0).all()


def test_rows_are_chosen_evenly(random):
    X = random.randn(2500, 2)
    found = choose_donors(X, -X)
    np.testing.assert_array_equal(found.rows, X[::3])
    np.testing.assert_array_equal(found.expected, -X[::3])
