"""The confidence of predict_proba against refits that it has not seen."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.engine import probability
from maxmargin.engine.options import Options
from maxmargin.engine.probability import (
    MembershipProbability,
    calibrate,
    refit_labels,
    share_out,
)
from maxmargin.rows.sample import whole_sample

X, _ = make_blobs(400, centers=4, cluster_std=1.9, random_state=1)
OPTIONS = Options(4)


def calibration_error(confidence, agreement):
    """Return the mean difference, over bins of equal confidence."""
    bins = (confidence * 10).astype(int)
    sums = np.bincount(bins, confidence - agreement)
    return np.abs(sums).sum() / len(bins)


def fitted(decisions):
    """Return the result of a fit with these decision values at its samples."""
    n_samples, n_clusters = decisions.shape
    clusters = SimpleNamespace(
        X=np.arange(float(n_samples))[:, None],
        sample=whole_sample(np.ones(n_samples)),
        n_clusters=n_clusters,
    )
    model = SimpleNamespace(decide=lambda X: decisions)
    return SimpleNamespace(clusters=clusters, model=model)


@pytest.fixture(scope="module")
def model():
    return MaxMarginClustering(4, probability=True, random_state=0).fit(X)


def test_chances_add_up_and_agree_with_labels(model):
    chances = model.predict_proba(X)
    assert chances.shape == (400, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(chances.argmax(axis=1), model.labels_)


def test_confidence_is_agreement_under_resampling(model):
    """Of samples given about 0.9, about nine in ten keep their cluster."""
    random = np.random.RandomState(99)
    refits = np.stack(
        [
            refit_labels(OPTIONS, X, np.ones(400), model.labels_, random)
            for _ in range(20)
        ]
    )
    chances = model.predict_proba(X)
    confidence = chances.max(axis=1)
    agreement = np.mean(refits == chances.argmax(axis=1), axis=0)
    about = (confidence > 0.85) & (confidence < 0.95)
    assert about.sum() > 20
    assert agreement[about].mean() == pytest.approx(0.9, abs=0.05)
    assert confidence.mean() == pytest.approx(agreement.mean(), abs=0.03)
    assert calibration_error(confidence, agreement) < 0.04
    sure = confidence > 0.95
    assert agreement[sure].mean() > agreement[confidence < 0.7].mean() + 0.1


def test_only_when_asked_for():
    assert not hasattr(MaxMarginClustering(), "predict_proba")


@pytest.mark.parametrize("name", ["iris", "noise"])
def test_calibration_where_clusters_are_not_stable(name):
    rows = StandardScaler().fit_transform(load_iris().data)
    if name == "noise":
        rows = np.random.RandomState(3).randn(150, 2)
    model = MaxMarginClustering(3, probability=True, random_state=0).fit(rows)
    chances = model.predict_proba(rows)
    labels = model.predict(rows)
    np.testing.assert_array_equal(chances.argmax(axis=1), labels)
    random, weights = np.random.RandomState(5), np.ones(len(rows))
    options = Options(3)
    refits = [refit_labels(options, rows, weights, labels, random) for _ in range(80)]
    agreement = np.mean(np.stack(refits) == labels, axis=0)
    confidence = chances.max(axis=1)
    assert agreement.mean() < 0.9
    # The means of 60 and of 80 refits that move whole clusters differ by chance.
    assert confidence.mean() == pytest.approx(agreement.mean(), abs=0.05)
    assert calibration_error(confidence, agreement) < 0.07


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "neighbors"},
        {"kernel": "rbf", "n_init": 2},
        {"kernel": "linear", "n_init": 2},
        {"balance": "equal", "n_init": 1},
    ],
)
def test_the_label_has_the_largest_probability(random, monkeypatch, parameters):
    monkeypatch.setattr(probability, "MIN_REFITS", 3)
    monkeypatch.setattr(probability, "MAX_REFITS", 3)
    rows = random.randn(60, 3)
    model = MaxMarginClustering(3, probability=True, random_state=0, **parameters)
    new = 3 * random.randn(200, 3)
    chances = model.fit(rows).predict_proba(new)
    np.testing.assert_array_equal(chances.argmax(axis=1), model.predict(new))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert chances.min() >= 0


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 8])
def test_any_labels_of_refits(random, n_clusters):
    """Whatever the refits do, the label has the largest probability."""
    decisions = random.randn(100, n_clusters)
    if n_clusters == 8:
        decisions[:, 3:6] = -np.inf  # empty clusters
    drawn = random.choice([0, n_clusters - 1], size=(20, 100))
    chances = calibrate(decisions, drawn, random.rand(100))(decisions)
    np.testing.assert_array_equal(chances.argmax(axis=1), decisions.argmax(axis=1))
    second = np.sort(chances, axis=1)[:, -2:-1]
    assert (second < chances.max(axis=1, keepdims=True)).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (chances[np.isinf(decisions)] == 0).all()


def test_a_cluster_that_refits_move():
    """40 % keep the label, 60 % get one other: the third cluster gets the rest."""
    decisions = np.repeat(np.eye(3), 40, axis=0)
    drawn = np.repeat(decisions.argmax(axis=1)[None], 10, axis=0)
    drawn[:6, :40] = 1
    chances = calibrate(decisions, drawn, np.ones(120))(decisions)
    np.testing.assert_allclose(chances[0], [0.4, 0.4, 0.2], atol=1e-4)
    np.testing.assert_allclose(chances[40:], decisions[40:], atol=1e-4)


def test_agreement_grows_with_the_gap(random):
    gaps = np.sort(random.rand(2000))
    decisions = np.stack([gaps, np.zeros(2000)], axis=1)
    drawn = (random.rand(50, 2000) > 0.5 + gaps / 2).astype(int)
    chances = calibrate(decisions, drawn, np.ones(2000))(decisions)
    assert (np.diff(chances[:, 0]) >= -1e-12).all()
    np.testing.assert_allclose(chances[:, 0], 0.5 + gaps / 2, atol=0.04)


@pytest.mark.parametrize(("spread", "expected"), [(0.0, 20), (0.05, 25), (0.5, 60)])
def test_refits_go_on_while_they_disagree(spread, expected):
    """Until the standard error of the mean share is 0.01."""
    decisions = np.tile([1.0, 0.0], (100, 1))
    shares = 0.5 + spread * np.resize([-1.0, 1.0], 100)
    moved = iter(np.arange(100) >= np.rint(100 * share) for share in shares)
    rows = np.arange(100.0)[:, None]
    with patch.object(
        probability, "refit_labels", side_effect=lambda *_: next(moved).astype(int)
    ) as refit:
        probability.fit_probability(
            fitted(decisions), rows, OPTIONS, np.random.RandomState(0)
        )
    assert refit.call_count == expected


def test_share_out():
    shares = np.array([[3.0, 1.0, 0.0], [1.0, 1.0, 2.0], [8.0, 1.5, 0.5]])
    total, limit = np.array([0.4, 0.8, 0.9]), np.array([0.6, 0.35, 0.4])
    expected = [[0.3, 0.1, 0], [0.225, 0.225, 0.35], [0.4, 0.375, 0.125]]
    np.testing.assert_allclose(share_out(total, shares, limit), expected)
    np.testing.assert_array_equal(share_out(total, 0 * shares, limit), 0 * shares)


def test_confusion_divides_the_rest():
    """Of refits that move a sample, the confusion matrix tells where to."""
    confusion = np.array([[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    agreement = tuple(np.array([[0.0], [share]]) for share in (0.7, 1.0, 1.0))
    chances = MembershipProbability(agreement, 0.1, confusion)(9.0 * np.eye(3))
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
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.labels_)
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
    np.testing.assert_array_equal(chances.argmax(axis=1), given.predict(kernel))


def test_equal_decision_values():
    """Where most samples have no larger value, the temperature is not zero."""
    decisions = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [1.0, 0.0]])
    rows = np.arange(4.0)[:, None]
    with patch.object(probability, "refit_labels", return_value=np.zeros(4, int)):
        chances = probability.fit_probability(
            fitted(decisions), rows, OPTIONS, np.random.RandomState(0)
        )(decisions)
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_fewer_distinct_samples_than_clusters_are_warned_of_once():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    model = MaxMarginClustering(3, probability=True, random_state=0)
    with pytest.warns(ConvergenceWarning, match="Only 2 distinct samples") as found:
        model.fit(X)
    assert len(found) == 1
    expected = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 20, axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
