"""Expectations given the other columns, against regressions done one by one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from maxmargin import MaxMarginClustering
from maxmargin.tables import TableEncoder
from maxmargin.tables.basis import hats, make_knots
from maxmargin.tables.expectations import (
    RIDGE,
    all_functions,
    block_slices,
    leave_one_out,
    regress_blocks,
)
from maxmargin.tables.frames import open_frame


@pytest.fixture
def frame(random):
    n = 400
    group = random.randint(3, size=n)
    return pd.DataFrame(
        {
            "x": group + random.randn(n),
            "c": np.array(list("abc"))[np.where(random.rand(n) < 0.7, group, 0)],
            "d": np.array(list("uvw"))[random.randint(3, size=n)],
            "year": 2000 + (group == 2) + random.randint(2, size=n),
        }
    )


def functions_of(encoder, frame):
    blocks = encoder.features.expectations.blocks
    table = next(open_frame(frame).parts(list(frame), len(frame)))
    return all_functions(table, blocks), block_slices(blocks)


def regress(phi, own, rows):
    """Return the ridge regression of a block on the others, of some rows."""
    others = np.ones(phi.shape[1], dtype=bool)
    others[own] = False
    ridge = Ridge(RIDGE, fit_intercept=False).fit(phi[rows][:, others], phi[rows, own])
    return ridge, others


def test_one_inverse_has_all_regressions(random):
    phi = random.randn(60, 7)
    slices = [slice(0, 2), slice(2, 6), slice(6, 7)]
    inverse = np.linalg.inv(phi.T @ phi + RIDGE * np.eye(7))
    found = regress_blocks(inverse, slices)
    for own in slices:
        ridge, others = regress(phi, own, np.arange(60))
        expected = np.atleast_2d(ridge.coef_).T
        np.testing.assert_allclose(found[others][:, own], expected, atol=1e-10)
        assert not found[own, own].any()


def test_predictions_from_all_other_rows(frame):
    frame = frame[:60]
    phi, slices = functions_of(TableEncoder().fit(frame), frame)
    inverse = np.linalg.inv(phi.T @ phi + RIDGE * np.eye(phi.shape[1]))
    for own, (_, found) in zip(
        slices, leave_one_out(phi, inverse, slices), strict=True
    ):
        for row in range(0, 60, 7):
            ridge, others = regress(phi, own, np.arange(60) != row)
            expected = ridge.predict(phi[[row]][:, others])[0]
            np.testing.assert_allclose(found[row], expected, atol=1e-9)


def test_features_are_fitted_values_with_the_explained_share(frame):
    encoder = TableEncoder().fit(frame)
    phi, slices = functions_of(encoder, frame)
    ridge, others = regress(phi, slices[1], np.arange(len(frame)))
    fitted = ridge.predict(phi[:, others])
    found = fitted_values(encoder, frame)[1]
    ratio = (found * fitted).sum() / (fitted**2).sum()
    np.testing.assert_allclose(found, ratio * fitted, atol=1e-6)
    share = encoder.features.expectations.shares[1]
    np.testing.assert_allclose((found**2).sum(axis=1).mean(), share)
    assert 0.1 < share < 0.5


def fitted_values(encoder, frame):
    """Return the fitted values of each column that is no number, by its block."""
    expectations = encoder.features.expectations
    table = next(open_frame(frame).parts(list(frame), len(frame)))
    return expectations.fitted(expectations.functions(table) @ expectations.maps)


def test_distances_are_those_of_similarities_to_all_rows(frame):
    encoder = TableEncoder().fit(frame)
    plain = np.hstack(list(fitted_values(encoder, frame).values()))
    numbers = [name == "x" for name in encoder.get_feature_names_out()]
    features = encoder.transform(frame)[:, ~np.array(numbers)]
    similarities = plain @ plain.T
    expected = pairwise_distances(similarities[:50], similarities)
    found = pairwise_distances(features[:50], features)
    factor = (found * expected).sum() / (expected**2).sum()
    np.testing.assert_allclose(found, factor * expected, atol=1e-6)
    np.testing.assert_allclose((features**2).sum(), (plain**2).sum())


def test_two_categories_have_their_conditional_frequencies(random):
    """Of many rows, for which the ridge does not matter."""
    n = 10_000
    a = random.randint(3, size=n)
    b = np.where(random.rand(n) < 0.5, a, random.randint(3, size=n))
    names = np.array(list("xyz"))
    frame = pd.DataFrame({"a": names[a], "b": names[b]})
    encoder = TableEncoder().fit(frame)
    found = fitted_values(encoder, frame)[0]
    shares = np.bincount(a) / n
    for value in range(3):
        column = found[
            :, encoder.features.expectations.blocks[0].values.index(names[value])
        ]
        for given in range(3):
            frequency = (a[b == given] == value).mean()
            expected = (frequency - shares[value]) / np.sqrt(1.0 - (shares**2).sum())
            assert column[b == given].mean() == pytest.approx(expected, abs=0.002)
            assert column[b == given].std() < 1e-6
    assert encoder.features.expectations.shares[0] == pytest.approx(0.25, abs=0.02)


def test_weight_is_the_explained_share(random):
    n = 3000
    x = random.randn(n)
    frame = pd.DataFrame(
        {
            "x": x,
            "told": np.where(x > 0, "up", "down"),
            "copy": np.where(x > 0, 1, 0),
            "random": np.array(list("abcd"))[random.randint(4, size=n)],
        }
    )
    columns = TableEncoder().fit(frame).columns_
    assert columns["x"].weight == 1.0
    assert columns["told"].weight == pytest.approx(1.0, abs=0.01)
    assert columns["copy"].weight == pytest.approx(1.0, abs=0.01)
    assert columns["random"].weight < 0.003


def test_a_feature_does_not_know_its_own_value(frame):
    """Rows that differ in one category alone have the same expectation of it."""
    encoder = TableEncoder().fit(frame)
    first, second = (fitted_values(encoder, frame.assign(c=value))[1] for value in "ab")
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_noise_explains_nothing_however_many_columns(random):
    n = 80
    values = np.array(list("abcd"))[random.randint(4, size=(n, 20))]
    frame = pd.DataFrame(values, columns=[f"c{j}" for j in range(20)])
    encoder = TableEncoder().fit(frame.assign(x=random.randn(n)))
    assert encoder.features.expectations.shares[:-1].mean() < 0.02


@pytest.mark.parametrize("n_numbers", [1, 2, 10])
def test_a_category_that_alone_carries_groups_is_used(n_numbers, random):
    values = np.array(list("xyz"))[random.randint(3, size=600)]
    frame = pd.DataFrame(random.randn(600, n_numbers)).rename(columns=str)
    frame.insert(0, "c", values)
    encoder = TableEncoder().fit(frame)
    assert encoder.columns_["c"].weight == pytest.approx(1.0)
    assert "tell nothing" in encoder.columns_["0"].reason
    labels = MaxMarginClustering(3, random_state=0).fit_predict(frame)
    assert adjusted_rand_score(values, labels) > 0.9


@pytest.mark.parametrize("n_numbers", [1, 2])
def test_a_random_category_among_numbers_that_tell_groups_is_not(n_numbers, random):
    group = random.randint(3, size=600)
    means = np.array([[0, 0], [5, 0], [10, 5]])[:, :n_numbers]
    X = means[group] + random.randn(600, n_numbers)
    frame = pd.DataFrame(X).rename(columns=str)
    frame["c"] = np.array(list("xyz"))[random.randint(3, size=600)]
    found = MaxMarginClustering(3, random_state=0).fit(frame)
    assert found.columns_["c"].weight < 0.01
    assert found.columns_["0"].weight == 1.0
    assert adjusted_rand_score(group, found.labels_) > 0.9


def test_noise_numbers_hardly_count(random):
    group = random.randint(3, size=600)
    letters = np.array(list("xyz"))
    frame = pd.DataFrame(
        {
            "c": letters[np.where(random.rand(600) < 0.8, group, 0)],
            "d": letters[np.where(random.rand(600) < 0.8, group, 1)],
            "e": letters[np.where(random.rand(600) < 0.8, group, 2)],
            "noise": random.randn(600),
        }
    )
    columns = TableEncoder().fit(frame).columns_
    assert columns["noise"].weight == 0.001
    assert min(columns[name].weight for name in "cde") > 0.1


def test_hats_are_linear_between_knots(random):
    x = np.append(random.randn(200), np.nan)
    knots = make_knots(x[:-1])
    found = hats(x, knots)
    np.testing.assert_allclose(found[:-1].sum(axis=1), 1.0)
    np.testing.assert_allclose(found[:-1] @ knots, x[:-1], atol=1e-12)
    for k in range(len(knots)):
        expected = np.interp(x[:-1], knots, np.eye(len(knots))[k])
        np.testing.assert_allclose(found[:-1, k], expected, atol=1e-12)
    assert np.isnan(found[-1]).all()
    np.testing.assert_allclose(
        hats(np.array([-99.0, 99.0]), knots)[:, [0, -1]], np.eye(2)
    )


def test_a_frequent_value_has_one_knot():
    x = np.append(np.zeros(900), np.arange(100.0))
    assert len(make_knots(x)) == 6
    assert make_knots(np.ones(5)).tolist() == [1.0, 2.0]
