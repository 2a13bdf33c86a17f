"""Clusters taught by pairs: slopes, reach, and the way to many constraints."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import softmax
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.classification.pair_model import (
    _pair_loss,
    fit_pairs,
    mean_clustering,
)


def test_slopes_of_the_pair_loss(random):
    must, cannot = random.randint(8, size=(2, 6, 2))

    def value(flat):
        return _pair_loss(softmax(flat.reshape(8, 3), axis=1), must, cannot)[0]

    def slopes(flat):
        probabilities = softmax(flat.reshape(8, 3), axis=1)
        return _pair_loss(probabilities, must, cannot)[1].ravel()

    start = random.randn(24)
    assert check_grad(value, slopes, start) < 1e-4 * np.linalg.norm(slopes(start))
    probabilities = softmax(start.reshape(8, 3), axis=1)
    joint = probabilities @ probabilities.T
    expected = -np.log(joint[must[:, 0], must[:, 1]]).sum()
    expected -= np.log(1 - joint[cannot[:, 0], cannot[:, 1]]).sum()
    assert value(start) == pytest.approx(expected)


def test_clusterings_are_matched_before_they_are_averaged():
    first = np.array([0, 0, 1, 1, 2, 2])
    second = np.array([2, 2, 0, 0, 1, 0])
    shares = mean_clustering([first, second], 3, np.ones(6))
    np.testing.assert_allclose(shares[:5], np.eye(3)[first[:5]])
    np.testing.assert_allclose(shares[5], [0, 0.5, 0.5])


def test_pairs_decide_where_clusterings_do_not(random):
    X = random.randn(200, 2)
    y = (X[:, 0] > 0).astype(int)
    wrong = np.eye(2)[(X[:, 1] > 0).astype(int)]
    features = np.column_stack([np.ones(200), 3 * X])
    pairs = random.randint(200, size=(150, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    none = np.empty((0, 2), dtype=int)
    before = fit_pairs(features, wrong, np.ones(200), none, none)
    after = fit_pairs(features, wrong, np.ones(200), pairs[same], pairs[~same])
    assert adjusted_rand_score(y, before.probabilities.argmax(axis=1)) < 0.1
    assert adjusted_rand_score(y, after.probabilities.argmax(axis=1)) > 0.9


def test_pairs_reach_the_neighbours(random):
    """Also samples that are in no pair are clustered better."""
    X, y = load_wine(return_X_y=True)
    nothing = np.full(len(y), -1)
    pairs = random.randint(len(y), size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    model = SemiSupervisedMaxMargin(3, random_state=0)
    others = np.setdiff1d(np.arange(len(y)), pairs)
    before = model.fit(X, nothing).labels_
    found = model.fit(
        X, nothing, must_link=pairs[same], cannot_link=pairs[~same]
    ).labels_
    np.testing.assert_array_equal(found[pairs[:, 0]] == found[pairs[:, 1]], same)
    scores = [adjusted_rand_score(y[others], one[others]) for one in (before, found)]
    assert scores[1] >= scores[0]
    assert adjusted_rand_score(y, found) > adjusted_rand_score(y, before)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert (model.predict(X) == found).mean() > 0.95
