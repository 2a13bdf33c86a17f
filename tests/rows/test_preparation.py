"""Counts, and columns on different scales."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler, minmax_scale

from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.preparation import (
    ScaledRows,
    are_scales_different,
    check_scale,
    choose_scale,
    column_statistics,
    divide_columns,
    divisors,
    hellinger,
    is_count_data,
    join_columns,
    merge_statistics,
    outweighing_column,
)

COUNTS = np.zeros((20, 50))
COUNTS[np.arange(20), np.arange(20)] = 3
COUNTS[:, 49] = 1


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_counts_are_sparse_integers(container):
    assert is_count_data(container(COUNTS))
    assert not is_count_data(container(COUNTS + 0.5 * (COUNTS == 3)))
    assert not is_count_data(container(-COUNTS))
    assert not is_count_data(container(COUNTS[:, [0, 49]]))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_a_weight_counts_as_repeated_rows(container):
    """Whether there are enough zeros depends on the row with many words."""
    rows = np.vstack([COUNTS, np.ones(50)])
    for times, expected in ((1, True), (2, False)):
        weights = np.array([1] * 20 + [times])
        assert is_count_data(container(rows), weights) is expected
        repeated = np.repeat(rows, weights, axis=0)
        assert is_count_data(container(repeated)) is expected


@pytest.mark.parametrize("factor", [0.5, 1 / 255, 1e6])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_common_factor_does_not_matter(factor, kind):
    assert is_count_data((COUNTS * factor).astype(kind))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_hellinger_distance_of_the_proportions(container):
    rows = hellinger(container(COUNTS))
    rows = rows.toarray() if sp.issparse(rows) else rows
    p = COUNTS[:2] / COUNTS[:2].sum(axis=1, keepdims=True)
    expected = np.sum((np.sqrt(p[0]) - np.sqrt(p[1])) ** 2)
    assert np.sum((rows[0] - rows[1]) ** 2) == pytest.approx(expected)
    np.testing.assert_allclose(np.sum(rows**2, axis=1), 1)


def statistics_of(X, weights=None):
    return column_statistics(X, np.ones(len(X)) if weights is None else weights)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_tables_of_different_quantities_are_on_different_scales(load):
    X = load().data
    assert are_scales_different(statistics_of(X))
    assert not are_scales_different(statistics_of(StandardScaler().fit_transform(X)))
    assert not are_scales_different(statistics_of(minmax_scale(X)))


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_columns_of_one_unit_are_not(factor, random):
    plane = random.randn(200, 2) * [100.0, 1.0]
    line = random.randn(200, 1)
    for X in (load_digits().data, load_iris().data, plane, line):
        assert not are_scales_different(statistics_of(factor * X + 3.0 * factor))


def test_pixels_at_the_border_do_not_matter(random):
    """Few bright pixels: small deviations in most columns, but not small ranges."""
    X = np.zeros((2000, 40))
    X[:, :10] = random.randint(256, size=(2000, 10))
    X[random.randint(2000, size=60), np.tile(np.arange(10, 40), 2)] = 200.0
    deviations = X.std(axis=0)
    assert np.mean(deviations < 0.1 * deviations.max()) > 0.5
    assert not are_scales_different(statistics_of(X))


def test_outliers_of_a_standardised_column_do_not_matter(random):
    X = random.randn(5000, 4)
    X[0, 0] = 1e4
    X = StandardScaler().fit_transform(X)
    assert np.sum(np.ptp(X, axis=0) < 0.2 * np.ptp(X[:, 0])) == 3
    assert not are_scales_different(statistics_of(X))


def test_constant_columns_are_left_out(random):
    X = np.column_stack([random.randn(50, 2), np.full((50, 6), 0.1)])
    assert not are_scales_different(statistics_of(X))
    assert divisors(statistics_of(X))[2:].tolist() == [1.0] * 6
    assert not are_scales_different(statistics_of(np.ones((5, 3))))


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_are_merged(weighted, random):
    X = random.randn(10_000, 5) * [1, 10, 1e-3, 1e5, 1] + [1e6, 0, 0, 0, -1e3]
    weights = random.randint(4, size=len(X)).astype(float) if weighted else None
    whole = statistics_of(X, weights)
    source = ArraySource(X, np.ones(len(X)) if weights is None else weights)
    merged = source.column_statistics()
    for one, other in zip(whole, merged, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    repeated = X if weights is None else np.repeat(X, weights.astype(int), axis=0)
    np.testing.assert_allclose(divisors(merged), repeated.std(axis=0), rtol=1e-7)
    np.testing.assert_array_equal(divisors(merged), divisors(statistics_of(repeated)))


def test_rows_without_weight_do_not_count(random):
    X = random.randn(100, 3)
    weights = np.repeat([1.0, 0.0], 50)
    X[60] = 1e9
    empty = column_statistics(X[50:], weights[50:])
    half = column_statistics(X[:50], weights[:50])
    for found in (column_statistics(X, weights), merge_statistics([empty, half])):
        np.testing.assert_allclose(found.deviation, X[:50].std(axis=0))
        np.testing.assert_array_equal(found.high, X[:50].max(axis=0))


def test_the_order_of_the_rows_does_not_matter(random):
    X = random.randn(9000, 20) * np.logspace(-3, 3, 20) + 5.0
    expected = divisors(ArraySource(X, np.ones(9000)).column_statistics())
    shuffled = X[random.permutation(9000)]
    found = divisors(ArraySource(shuffled, np.ones(9000)).column_statistics())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
def test_sparse_statistics(container, random):
    X = random.randn(60, 7) * (random.rand(60, 7) < 0.3) + [0, 0, 0, 0, 0, 0, 3]
    weights = random.rand(60)
    dense, sparse = (column_statistics(A, weights) for A in (X, container(X)))
    for one, other in zip(dense, sparse, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14)
    divided = divide_columns(container(X), divisors(dense))
    np.testing.assert_allclose(divided.toarray(), X / divisors(dense))


def test_statistics_of_columns_are_joined(random):
    X = random.randn(30, 3)
    columns = [statistics_of(X[:, [j]]) for j in range(3)]
    for one, other in zip(join_columns(columns), statistics_of(X), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_divided_when_taken(dtype, random):
    X = random.randn(20, 3).astype(dtype)
    rows = ScaledRows(X, np.array([2.0, 4.0, 0.5]))
    assert rows.shape == (20, 3)
    for part in (slice(3, 9), np.array([5, 1])):
        assert rows[part].dtype == dtype
        np.testing.assert_array_equal(rows[part], X[part] / [2, 4, 0.5])
    assert X[0, 0] != rows[:1][0, 0]


def test_the_option():
    X = load_wine().data

    def statistics():
        return statistics_of(X)

    np.testing.assert_allclose(choose_scale("auto", 13, statistics), X.std(axis=0))
    assert choose_scale(False, 13, statistics) is None
    assert choose_scale(np.False_, 13, statistics) is None
    assert choose_scale("auto", 4, lambda: statistics_of(load_iris().data)) is None
    assert choose_scale(True, 4, lambda: statistics_of(load_iris().data)) is not None
    given = np.arange(1.0, 14.0)
    np.testing.assert_array_equal(choose_scale(list(given), 13, statistics), given)
    with pytest.raises(ValueError, match="scale has 13 divisors: give one for each"):
        choose_scale(given, 4, statistics)


@pytest.mark.parametrize("scale", ["yes", None, 2.0, [[1.0]], [1.0, 0.0], [np.nan]])
def test_other_options_are_refused(scale):
    with pytest.raises(ValueError, match="scale="):
        check_scale(scale)


def test_a_column_that_outweighs_the_other_is_named(random):
    X = random.randn(50, 2) * [1.0, 1e4]
    with pytest.warns(UserWarning, match="Column 1 outweighs the other one.*scale="):
        assert choose_scale("auto", 2, lambda: statistics_of(X)) is None
    constant = np.column_stack([X, np.ones(50)])
    assert outweighing_column(statistics_of(constant)) == 1
    assert outweighing_column(statistics_of(X * [1e4, 1.0])) is None
    assert outweighing_column(statistics_of(X[:, 1:])) is None
    assert outweighing_column(statistics_of(np.ones((5, 3)))) is None
    # Three columns are divided, so that none outweighs the others.
    assert are_scales_different(statistics_of(np.column_stack([X, X[::-1, 0]])))
