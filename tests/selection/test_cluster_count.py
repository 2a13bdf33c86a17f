import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs, make_circles
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.selection import cluster_count, select_n_clusters
from maxmargin.selection.cluster_count import MIN_SCORE


@pytest.mark.parametrize("n_clusters", [3, 6])
def test_blobs(seed, n_clusters):
    X, _ = make_blobs(
        300, centers=n_clusters, n_features=5, cluster_std=0.7, random_state=seed
    )
    assert select_n_clusters(X, random_state=seed).best == n_clusters


def test_sizes_may_differ(seed):
    X, _ = make_blobs([300, 120, 60, 30], n_features=4, random_state=4)
    assert select_n_clusters(X, range(1, 12), random_state=seed).best == 4


def test_more_clusters_than_are_scored_first(monkeypatch):
    monkeypatch.setattr(cluster_count, "FIRST_CLUSTERS", 6)
    monkeypatch.setattr(cluster_count, "MAX_CLUSTERS", 12)
    X, _ = make_blobs(270, centers=9, n_features=8, random_state=0)
    table = select_n_clusters(X, random_state=0)
    np.testing.assert_array_equal(table.to_dict()["n_clusters"], np.arange(1, 13))
    assert table.best == 9


def test_groups_of_clusters(random):
    # Two groups far apart, each of six clusters that are close to each other.
    X, _ = make_blobs(300, centers=6, n_features=9, random_state=random)
    X = np.concatenate([X, X + random.normal(size=X.shape) + 1000.0])
    assert select_n_clusters(X, range(1, 16), random_state=0).best == 12


@pytest.mark.parametrize("n_features", [2, 10])
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_no_clusters(draw, n_features, random):
    found = []
    for _ in range(3):
        X = getattr(random, draw)(size=(300, n_features))
        found.append(select_n_clusters(X, range(1, 8), random_state=0).best)
    assert np.median(found) == 1


def test_long_samples_without_clusters(random):
    X = random.normal(size=(200, 2)) * [20.0, 1.0]
    table = select_n_clusters(X, range(1, 6), scale=False, random_state=0)
    assert table.best == 1
    assert table.rows[0].score > MIN_SCORE  # by references that are as long


def test_auto_in_the_estimator(seed):
    X, _ = make_circles(400, factor=0.4, noise=0.04, random_state=seed)
    model = MaxMarginClustering("auto", random_state=seed).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 2
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    wine = StandardScaler().fit_transform(load_wine().data)
    assert MaxMarginClustering("auto", random_state=seed).fit(wine).n_clusters_ == 3


def test_one_cluster_in_the_estimator():
    X = np.random.RandomState(0).normal(size=(100, 5))
    model = MaxMarginClustering("auto", probability=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.labels_, np.zeros(100))
    np.testing.assert_array_equal(model.predict(X[:9] + 0.1), np.zeros(9))
    np.testing.assert_allclose(model.predict_proba(X), np.ones((100, 1)))


@pytest.mark.parametrize("n_samples", [2, 3, 4, 9])
def test_auto_with_few_samples(n_samples, recwarn, random):
    X = random.randn(n_samples, 2)
    assert MaxMarginClustering("auto", random_state=0).fit(X).n_clusters_ == 1
    assert not recwarn


def test_the_number_does_not_depend_on_a_seed():
    X = np.random.RandomState(3).normal(size=(150, 2))
    tables = [select_n_clusters(X, range(1, 9), random_state=seed) for seed in (0, 1)]
    assert tables[0] == tables[1]


def test_table():
    X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    table = select_n_clusters(X, range(1, 7), random_state=0)
    columns = table.to_dict()
    separation = np.maximum(columns["separation"], 0.0)
    expected = columns["pairs"] * separation**2
    np.testing.assert_allclose(columns["score"][1:], expected[1:])
    assert columns["pairs"][0] == columns["score"][0] - MIN_SCORE == 0.0
    assert columns["n_clusters"][columns["score"].argmax()] == table.best == 4
    assert columns["leaving"][3] < columns["inner"][3]
    assert str(table).count("\n") == 6
    assert "4" in next(line for line in str(table).splitlines() if "best" in line)


@pytest.mark.parametrize("counts", [[], [0, 2], [2, 60]])
def test_bad_numbers(counts):
    with pytest.raises(ValueError, match="from 1 to half of the 100 distinct"):
        select_n_clusters(np.random.RandomState(0).randn(100, 2), counts)


def test_auto_needs_samples():
    with pytest.raises(ValueError, match="precomputed"):
        MaxMarginClustering("auto", kernel="precomputed").fit(np.eye(20))
