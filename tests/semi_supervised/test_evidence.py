"""The evidence of labels left out against fits without them."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.semi_supervised import evidence as module
from maxmargin.semi_supervised.evidence import (
    Evidence,
    KnownLabels,
    combine,
    fit_weights,
    graph_evidence,
    kernel_evidence,
)
from maxmargin.semi_supervised.random_walk import RandomWalk
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.neighbor_index import NeighborIndex
from maxmargin.smoothers.scaled_graph import scaled_graph


@pytest.fixture
def labels(random):
    rows = np.sort(random.choice(60, 12, replace=False))
    return KnownLabels(rows, np.arange(12) % 3, random.uniform(0.5, 2, 12), 3)


def without(labels, j):
    return labels.take(np.delete(np.arange(len(labels.rows)), j))


def test_labels_left_out_on_the_graph(random, labels, monkeypatch):
    monkeypatch.setattr(module, "SMALLEST_SHARE", 0.0)
    walk = RandomWalk(scaled_graph(NeighborIndex(random.randn(60, 2))), 20.0)
    some = np.arange(12)
    found = graph_evidence(walk, labels, 60, some).left_out
    for j in some:
        fewer = without(labels, j)
        expected = graph_evidence(walk, fewer, 60, some[:0]).of_all[labels.rows[j]]
        np.testing.assert_allclose(found[j], expected, atol=0.1)


def test_labels_left_out_with_a_kernel(random, labels):
    X, some = random.randn(60, 2), np.arange(12)
    labels = labels._replace(weights=np.ones(12))
    kernel = Kernel("rbf", {"gamma": 0.3})
    found = kernel_evidence(kernel, 0.1, X, labels, some)
    K = rbf_kernel(X, X[labels.rows], gamma=0.3)
    for j in some:
        fewer = without(labels, j)
        expected = kernel_evidence(kernel, 0.1, X, fewer, some[:0]).of_all
        np.testing.assert_allclose(
            found.left_out[j] + 10 / 3, expected[labels.rows[j]] + 10 / 3
        )
    naive = np.linalg.solve(K[labels.rows] + 0.1 * np.eye(12), labels.targets - 1 / 3)
    np.testing.assert_allclose(found.of_all, 10 * K @ naive, atol=1e-8)


def test_weights_are_most_probable(random):
    classes = random.randint(3, size=40)
    good = 2.0 * np.eye(3)[classes] + random.randn(40, 3)
    pair = [Evidence(one, one) for one in (random.randn(40, 3), good)]
    prior = np.array([1.0, 0.1])
    weights, fit = fit_weights(pair, classes, prior)
    assert weights[1] > weights[0] >= 0

    def loss(weights):
        total = sum(w * one.left_out for w, one in zip(weights, pair, strict=True))
        logs = log_softmax(total, axis=1)[np.arange(40), classes]
        return -logs.sum() + 5 * ((weights - prior) ** 2).sum()

    for change in ([0.05, 0], [0, 0.05], [0, -0.05]):
        assert loss(weights) <= loss(weights + np.array(change))
    probabilities = combine(pair, weights)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert fit == pytest.approx(np.log(probabilities[np.arange(40), classes]).mean())


def test_without_labels_to_leave_out_the_prior_stays(random):
    nothing = [Evidence(random.randn(9, 4), np.empty((0, 4)))]
    weights, fit = fit_weights(nothing, np.empty(0, dtype=int), np.array([1.0]))
    assert weights.tolist() == [1.0]
    assert fit == pytest.approx(-np.log(4))


def test_some_labels_of_each_class():
    classes = np.array([0, 0, 0, 0, 1, 2, 2])
    labels = KnownLabels(np.arange(7), classes, np.ones(7), 3)
    assert labels.ranks().tolist() == [0, 1, 2, 3, 0, 0, 1]
    assert labels.repeated.tolist() == [True] * 4 + [False] + [True] * 2
    assert labels.first(5).rows.tolist() == [0, 1, 4, 5, 6]
    assert labels.first(1).rows.tolist() == [0, 4, 5]


def test_gamma_of_scikit_learn():
    X, y = make_blobs(60, 4, centers=3, random_state=0)
    known = np.where(np.arange(60) < 12, y, -1)
    default = SemiSupervisedMaxMargin(gamma=None, random_state=0).fit(X, known)
    given = SemiSupervisedMaxMargin(gamma=0.25, random_state=0).fit(X, known)
    np.testing.assert_array_equal(default.transduction_, given.transduction_)
    np.testing.assert_allclose(default.predict_proba(X), given.predict_proba(X))


def test_a_class_that_loses_its_samples_to_equal_ones():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [5.0, 5.0]])
    model = SemiSupervisedMaxMargin(n_clusters=2)
    model.fit(X, [0, 1, 1], sample_weight=[0.8, 1.1, 0.7])
    np.testing.assert_array_equal(model.transduction_[1:], 1)
