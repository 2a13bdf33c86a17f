"""The choice among similarities without labels."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.clustering.candidates import Similarity
from maxmargin.kernels.sample import draw_sample
from maxmargin.kernels.smoother import Ridge


def candidates(kernel="auto", degrees="auto", n_samples=300):
    random = np.random.RandomState(0)
    X = random.randn(n_samples, 2)
    weights = np.ones(n_samples)
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    similarity = Similarity(kernel, "median", 3, 1, None, Ridge(None, degrees), "auto")
    return similarity.candidates(X, sample, 3, random, 1)


def test_auto_tries_graph_and_kernel():
    soft, hard, kernel = candidates()
    assert soft.smoother.degrees_of_freedom == pytest.approx(1.35 * 3)
    assert hard.smoother.degrees_of_freedom == pytest.approx(3)
    assert 20 < kernel.smoother.degrees_of_freedom <= 61  # a fifth, or half the rank
    assert (soft.power, hard.power) == (1, 1)
    assert 0 < kernel.power < 1


def test_given_degrees_leave_nothing_to_choose():
    (only,) = candidates(degrees=20)
    assert only.smoother.degrees_of_freedom == pytest.approx(20, rel=1e-3)


def test_neighbors_is_the_graph_alone():
    (only,) = candidates("neighbors", degrees=5)
    assert only.smoother.degrees_of_freedom == pytest.approx(5)


def test_judge_looks_at_some_of_many_samples():
    soft, _, kernel = candidates(n_samples=1500)
    assert len(soft.sample.indices) == 1500
    assert len(kernel.sample.indices) == 1000


def test_circles(seed):
    X, y = make_circles(500, factor=0.4, noise=0.06, random_state=seed)
    labels = MaxMarginClustering(2, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.95


def test_clusters_of_very_different_sizes(seed):
    X, y = make_blobs(
        [700, 90, 30], centers=[[0, 0], [9, 0], [0, 9]], random_state=seed
    )
    labels = MaxMarginClustering(3, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.95


def test_a_dense_cluster_inside_a_broad_one(seed):
    """The graph sees no gap there, the kernel does, and the judge knows."""
    random = np.random.RandomState(seed)
    X = np.concatenate([2.5 * random.randn(500, 20), random.randn(500, 20)])
    labels = MaxMarginClustering(2, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1], 500), labels) > 0.7


def test_word_counts():
    """Documents of very different length about two topics."""
    random = np.random.RandomState(0)
    topics = random.dirichlet(np.full(400, 0.05), size=2)
    y = random.randint(2, size=200)
    X = np.stack([random.multinomial(random.choice([10, 60]), topics[h]) for h in y])
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X * 3), model.predict(X))
