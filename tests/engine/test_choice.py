"""Strengths of membership and outlier scores."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.engine.choice import membership_strengths


def test_strengths_by_the_formula(random):
    decisions = random.randn(30, 4)
    labels = decisions.argmax(axis=1)
    ordered = np.sort(decisions, axis=1)
    unit = np.median(ordered[:, -1] - ordered[:, 0])
    expected = 1 / (1 + np.exp(-2.5 * (ordered[:, -1] - ordered[:, -2]) / unit))
    found = membership_strengths(decisions, labels)
    np.testing.assert_allclose(found, expected)
    moved = membership_strengths(7 * decisions - 3, labels)
    np.testing.assert_allclose(moved, found)


def test_an_empty_cluster_has_no_strength():
    decisions = np.array([[0.5, 0.5, -np.inf], [1.0, 0.0, -np.inf]])
    found = membership_strengths(decisions, np.array([0, 0]))
    assert found[0] == pytest.approx(0.5)
    assert found[1] == pytest.approx(1 / (1 + np.exp(-5.0)))  # the unit is 1/2


@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf"])
def test_firm_inside_and_weak_at_the_border(kernel):
    X = np.random.RandomState(0).randn(1500, 2)
    X[:750, 0] += 4.0
    model = MaxMarginClustering(2, kernel=kernel, random_state=0).fit(X)
    strengths, decisions = model.probabilities_, model.decision_function(X)
    assert strengths.shape == (1500,)
    assert ((strengths > 0) & (strengths <= 1)).all()
    gaps = np.abs(decisions[:, 0] - decisions[:, 1])
    order = np.argsort(gaps)
    assert strengths[order[:15]].mean() < 0.7 < strengths[order[750:]].mean()


def test_equal_rows_have_equal_strengths():
    X = np.repeat(load_iris().data, 2, axis=0)
    model = MaxMarginClustering(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.probabilities_[::2], model.probabilities_[1::2])
    assert len(model.outlier_scores_) == 300


def test_outlier_scores_are_mean_distances(random):
    X = random.randn(200, 3)
    model = MaxMarginClustering(2, random_state=0).fit(X)
    distances, _ = NearestNeighbors(n_neighbors=16).fit(X).kneighbors(X)
    means = distances[:, 1:].mean(axis=1)
    expected = means / np.median(means)
    np.testing.assert_allclose(model.outlier_scores_, expected, rtol=1e-6)


def test_known_outliers_have_large_scores(seed):
    X, _ = make_blobs(500, centers=3, n_features=4, random_state=seed)
    far = np.random.RandomState(seed).uniform(X.min(), X.max(), size=(15, 4))
    model = MaxMarginClustering(3, random_state=0).fit(np.vstack([X, far]))
    is_far = np.arange(515) >= 500
    assert roc_auc_score(is_far, model.outlier_scores_) > 0.95


def test_what_is_there_after_other_fits(tmp_path):
    X = load_iris().data
    model = MaxMarginClustering(3, random_state=0).partial_fit(X)
    assert model.probabilities_.shape == (150,)
    assert 0 < model.probabilities_.min() < model.probabilities_.max() <= 1
    assert model.outlier_scores_ is None
    assert MaxMarginClustering(3, kernel="rbf").fit(X).outlier_scores_ is None
    one = MaxMarginClustering(1).fit(X)
    np.testing.assert_array_equal(one.probabilities_, 1.0)
    save_model(tmp_path / "m.npz", one)
    np.testing.assert_array_equal(load_model(tmp_path / "m.npz").probabilities_, 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("shift", [0.0, -3.0])
def test_strengths_of_values_that_are_not_positive(random, shift):
    decisions = np.minimum(random.randn(30, 3), 0.0) + shift
    decisions[:, 2] = -np.inf
    labels = decisions.argmax(axis=1)
    found = membership_strengths(decisions, labels)
    assert ((found >= 0.5) & (found <= 1.0)).all()
    np.testing.assert_array_equal(membership_strengths(np.zeros((4, 2)), [0] * 4), 0.5)
