"""The confidence of predict_proba against refits that it has not seen."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import MaxMarginClustering
from maxmargin.clustering import probability
from maxmargin.clustering.probability import MembershipProbability, refit_labels
from maxmargin.rows.sample import whole_sample

X, _ = make_blobs(400, centers=4, cluster_std=1.9, random_state=1)


@pytest.fixture(scope="module")
def model():
    return MaxMarginClustering(4, probability=True, random_state=0).fit(X)


def test_chances_add_up_and_agree_with_labels(model):
    chances = model.predict_proba(X)
    assert chances.shape == (400, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(chances.argmax(axis=1) == model.labels_) > 0.97


def test_confidence_is_agreement_under_resampling(model):
    """Of samples given about 0.9, about nine in ten keep their cluster."""
    random = np.random.RandomState(99)
    refits = np.stack(
        [refit_labels(model, X, np.ones(400), model.labels_, random) for _ in range(20)]
    )
    chances = model.predict_proba(X)
    confidence = chances.max(axis=1)
    agreement = np.mean(refits == chances.argmax(axis=1), axis=0)
    about = (confidence > 0.85) & (confidence < 0.95)
    assert about.sum() > 20
    assert agreement[about].mean() == pytest.approx(0.9, abs=0.1)
    assert confidence.mean() == pytest.approx(agreement.mean(), abs=0.07)
    sure = confidence > 0.95
    assert agreement[sure].mean() > agreement[confidence < 0.7].mean() + 0.1


def test_only_when_asked_for():
    assert not hasattr(MaxMarginClustering(), "predict_proba")


def test_confusion_limits_what_a_decision_can_promise():
    confusion = np.array([[0.7, 0.3], [0.0, 1.0]])
    chances = MembershipProbability(0.1, confusion)(np.array([[9.0, 0.0], [0.0, 9.0]]))
    np.testing.assert_allclose(chances, confusion, atol=1e-8)


def test_sparse_samples():
    """Sparse rows have the probabilities of the same dense rows."""
    rows = np.where(np.abs(X) < 1, 0.0, X)
    dense = MaxMarginClustering(4, probability=True, random_state=0).fit(rows)
    sparse = MaxMarginClustering(4, probability=True, random_state=0)
    sparse.fit(sp.csr_array(rows))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    found = sparse.predict_proba(sp.csr_array(rows))
    np.testing.assert_allclose(found, dense.predict_proba(rows), atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_sparse_counts():
    """Refits treat counts as the fit does, whatever their own share of zeros."""
    random = np.random.RandomState(0)
    topics = random.dirichlet(np.full(300, 0.05), size=3)
    y = np.arange(150) % 3
    counts = np.stack([random.multinomial(60, topics[h]) for h in y]).astype(float)
    model = MaxMarginClustering(3, probability=True, random_state=0)
    probabilities = model.fit(sp.csr_array(counts)).predict_proba(counts * 4)
    assert np.mean(probabilities.argmax(axis=1) == model.labels_) > 0.97
    assert probabilities.max(axis=1).mean() > 0.9


def test_kernel_matrix():
    """Refits on some of the samples use their rows and columns of the matrix."""
    rows = X[:80]
    kernel = rbf_kernel(rows, gamma=0.02)
    given = MaxMarginClustering(
        4, kernel="precomputed", n_init=2, probability=True, random_state=0
    ).fit(kernel)
    chances = given.predict_proba(kernel)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(chances.argmax(axis=1) == given.labels_) > 0.9


def test_equal_decision_values():
    """Where most samples have no larger value, the temperature is not zero."""
    decisions = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [1.0, 0.0]])
    estimator = SimpleNamespace(
        _model=SimpleNamespace(decide=lambda X: decisions),
        kernel="rbf",
        n_clusters_=2,
    )
    rows = np.arange(4.0)[:, None]
    sample = whole_sample(np.ones(4))
    with patch.object(probability, "refit_labels", return_value=np.zeros(4, int)):
        chances = probability.fit_probability(
            estimator, rows, rows, sample, np.random.RandomState(0)
        )(decisions)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
