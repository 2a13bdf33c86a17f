import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs, make_circles
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.graph.spectral_smoother import NeighborGraph
from maxmargin.selection import select_n_clusters
from maxmargin.selection.cluster_count import silhouette_by_centers


@pytest.mark.parametrize("n_clusters", [3, 6])
def test_blobs(seed, n_clusters):
    X, _ = make_blobs(
        300, centers=n_clusters, n_features=5, cluster_std=0.7, random_state=seed
    )
    assert select_n_clusters(X, range(2, 10), random_state=seed).best == n_clusters


def test_sizes_may_differ(seed):
    X, _ = make_blobs([300, 120, 60, 30], n_features=4, random_state=4)
    assert select_n_clusters(X, range(2, 9), random_state=seed).best == 4


def test_auto_in_the_estimator(seed):
    X, _ = make_circles(400, factor=0.4, noise=0.04, random_state=seed)
    model = MaxMarginClustering("auto", random_state=seed).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 2
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    wine = StandardScaler().fit_transform(load_wine().data)
    assert MaxMarginClustering("auto", random_state=seed).fit(wine).n_clusters_ == 3


@pytest.mark.parametrize("n_samples", [2, 3, 4])
def test_auto_with_few_samples(n_samples, recwarn, random):
    X = random.randn(n_samples, 2)
    assert MaxMarginClustering("auto", random_state=0).fit(X).n_clusters_ == 2
    assert not recwarn


def test_table():
    X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    table = select_n_clusters(X, range(2, 7), random_state=0)
    columns = table.to_dict()
    placed = columns["silhouette"] * columns["stability"]
    np.testing.assert_allclose(columns["score"], columns["pairs"] * placed**2)
    good = columns["score"] >= 0.95 * columns["score"].max()
    assert columns["n_clusters"][good].min() == table.best
    assert str(table).count("\n") == 5
    assert "4" in next(line for line in str(table).splitlines() if "best" in line)


def test_silhouette_by_centres_is_close_to_that_by_pairs(random):
    X = np.concatenate([random.randn(60, 2) + 6 * h for h in range(3)])
    smoother = NeighborGraph(X, np.ones(180), 3).hard_smoother(3)
    labels = np.repeat([0, 1, 2], 60)
    by_pairs = silhouette_score(smoother.features, labels)
    assert silhouette_by_centers(smoother, labels, 3) == pytest.approx(
        by_pairs, abs=0.1
    )


@pytest.mark.parametrize("counts", [[], [1, 2], [2, 60]])
def test_bad_numbers(counts):
    with pytest.raises(ValueError, match="from 2 to half of the 100 distinct"):
        select_n_clusters(np.random.RandomState(0).randn(100, 2), counts)


def test_auto_needs_samples():
    with pytest.raises(ValueError, match="precomputed"):
        MaxMarginClustering("auto", kernel="precomputed").fit(np.eye(20))
