"""Points that stand for samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from maxmargin import MaxMarginClustering
from maxmargin.kernels.centers import CENTERS, find_centers
from maxmargin.metrics import clustering_error


def spread(X, centers):
    """Return the mean squared distance to the nearest centre."""
    return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).mean()


@pytest.mark.parametrize("kind", CENTERS)
def test_number_and_seed(seed, kind):
    X = np.random.RandomState(seed).randn(300, 4)
    weights = np.append(np.ones(150), np.zeros(150))
    first = find_centers(kind, X, weights, 20, np.random.RandomState(seed))
    again = find_centers(kind, X, weights, 20, np.random.RandomState(seed))
    assert first.shape[1] == 4
    assert 18 <= len(first) <= 20
    assert np.array_equal(first, again)
    assert np.abs(first).max() <= np.abs(X[:150]).max()  # the others take no part


@pytest.mark.parametrize("kind", CENTERS)
def test_all_samples_where_they_are_few(random, kind):
    X = random.randn(9, 2)
    assert np.allclose(find_centers(kind, X, np.ones(9), 30, random), X)


def test_centers_cover_better_than_drawn_samples(seed):
    X, _ = make_blobs(500, centers=20, cluster_std=0.1, random_state=seed)
    random = np.random.RandomState(seed)
    drawn = spread(X, find_centers("random", X, np.ones(500), 25, random))
    for kind in ("k-means++", "k-means", "leader"):
        found = find_centers(kind, X, np.ones(500), 25, random)
        assert spread(X, found) < 0.2 * drawn


@pytest.mark.parametrize("kind", ["random", "k-means++", "leader"])
@pytest.mark.parametrize("number", [None, 30])
def test_landmarks_of_a_clustering(seed, kind, number):
    X, y = make_blobs(200, centers=3, cluster_std=0.3, random_state=3)
    landmarks = kind if number is None else (kind, number)
    model = MaxMarginClustering(
        3, kernel="rbf", landmarks=landmarks, n_init=3, random_state=seed
    ).fit(X)
    assert clustering_error(y, model.labels_) == 0
    assert np.array_equal(model.labels_, model.predict(X))
    if number is not None:
        assert 25 <= len(model._model.coefficients) <= 30


def test_leader_landmarks_of_sparse_samples(random):
    X = sp.random_array((200, 30), density=0.2, rng=random, format="csr")
    parameters = {"kernel": "rbf", "landmarks": ("leader", 20), "random_state": 0}
    sparse = MaxMarginClustering(2, **parameters).fit(X)
    dense = MaxMarginClustering(2, **parameters).fit(X.toarray())
    assert clustering_error(dense.labels_, sparse.labels_) == 0
