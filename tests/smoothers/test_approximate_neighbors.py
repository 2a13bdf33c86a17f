"""Approximate neighbours against exact ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers import neighbor_index as neighbors
from maxmargin.smoothers.approximate_neighbors import ApproximateNeighbors
from maxmargin.smoothers.neighbor_index import ONE_SIDED, NeighborIndex, mutual_graph


def recall(X, positions):
    """Return the share of neighbours that are as near as the exact ones."""
    k = positions.shape[1]
    exact = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(X)[0][:, -1]
    found = np.linalg.norm(X[:, None] - X[positions], axis=2)
    return np.mean(found <= exact[:, None] * (1 + 1e-4) + 1e-9)


def assert_neighbors(positions):
    assert (positions >= 0).all()
    for i, row in enumerate(positions):
        assert i not in row
        assert len(set(row)) == len(row)


@pytest.mark.parametrize(
    ("n_samples", "n_features"), [(40, 3), (300, 2), (3000, 12), (2000, 80)]
)
def test_recall_without_structure(random, n_samples, n_features):
    X = random.randn(n_samples, n_features)
    positions = ApproximateNeighbors(X, 10).neighbors()
    assert_neighbors(positions)
    assert recall(X, positions) > 0.94


def test_recall_of_clusters_in_many_dimensions(seed):
    X, _ = make_blobs(2500, n_features=200, centers=12, random_state=seed)
    assert recall(X, ApproximateNeighbors(X, 15).neighbors()) > 0.94


def test_ties_and_integers(random):
    X = np.unique(random.randint(0, 4, size=(3000, 8)), axis=0).astype(float)
    positions = ApproximateNeighbors(X, 15).neighbors()
    assert_neighbors(positions)
    assert recall(X, positions) > 0.95


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e60])
def test_shift_and_scale_do_not_matter(random, shift, scale):
    X = random.randn(1000, 15)
    positions = ApproximateNeighbors((X + shift) * scale, 10).neighbors()
    assert recall(X, positions) > 0.95


def test_the_same_for_any_number_of_threads(random):
    X = random.randn(6000, 30)
    with single_threaded_libraries(n_threads=1):
        one = ApproximateNeighbors(X, 15).neighbors()
    with single_threaded_libraries(n_threads=3):
        np.testing.assert_array_equal(ApproximateNeighbors(X, 15).neighbors(), one)


@pytest.mark.parametrize(("n_samples", "n_features"), [(30, 2), (3000, 8), (2000, 90)])
def test_neighbors_of_further_samples(seed, n_samples, n_features):
    X, _ = make_blobs(n_samples + 200, n_features, centers=5, random_state=seed)
    X, further = X[200:], X[:200]
    distances, positions = ApproximateNeighbors(X, 10).query(further, 10)
    exact, _ = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(further)
    assert np.mean(distances <= exact[:, -1:] * (1 + 1e-4)) > 0.85
    lengths = np.linalg.norm(further[:, None] - X[positions], axis=2)
    np.testing.assert_allclose(distances, lengths, rtol=1e-3)
    assert (np.diff(distances, axis=1) >= 0).all()


def test_a_sample_finds_itself(random):
    X = random.randn(3000, 20)
    distances, positions = ApproximateNeighbors(X, 10).query(X, 1)
    assert np.mean(positions[:, 0] == np.arange(3000)) == 1.0
    assert distances.max() < 1e-3


def test_exact_where_there_is_no_structure(random, monkeypatch):
    monkeypatch.setattr(neighbors, "EXACT_OPERATIONS", 0.0)
    X = random.randn(2500, 150)
    found = NeighborIndex(X).neighbors(15)
    exact = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(return_distance=False)
    np.testing.assert_array_equal(found, exact)


def test_equal_samples_do_not_hide_each_other(random):
    X = np.repeat(random.randn(30, 2), 20, axis=0)  # more equal ones than neighbours
    found = NeighborIndex(X).neighbors(5)
    assert_neighbors(found)
    np.testing.assert_array_equal(X[found], np.repeat(X[:, None], 5, axis=1))


def test_graph_of_many_samples(random, monkeypatch):
    """The weights are those of nearly the exact graph."""
    monkeypatch.setattr(neighbors, "EXACT_OPERATIONS", 0.0)
    X = random.randn(5200, 12)
    graph = mutual_graph(NeighborIndex(X).neighbors(15)).tocsr()
    _, exact = NearestNeighbors(n_neighbors=16).fit(X).kneighbors(X)
    assert (abs(graph - graph.T) > 0).nnz == 0
    nearest = 15 / 16  # the share of the first of 15 neighbours
    assert graph.data.min() == pytest.approx(ONE_SIDED / 16)
    assert graph.data.max() == pytest.approx(nearest**2 + 2 * ONE_SIDED * nearest)
    same = sum(graph[[i]][:, row[1:]].nnz for i, row in enumerate(exact[:200]))
    assert same > 0.95 * 200 * 15


@pytest.mark.parametrize("n_features", [2, 20])
def test_dense_and_sparse_samples_are_searched_among_each_other(random, n_features):
    X, more = random.randn(50, n_features), random.randn(9, n_features)
    expected = NearestNeighbors(n_neighbors=4).fit(X).kneighbors(more)
    for fitted in (X, sp.csr_array(X)):
        for rows in (more, sp.csr_array(more)):
            distances, positions = NeighborIndex(fitted).query(rows, 4)
            np.testing.assert_array_equal(positions, expected[1])
            np.testing.assert_allclose(distances, expected[0])


@pytest.mark.parametrize("n_features", [2, 20])
def test_a_constant_column_of_huge_values_changes_nothing(random, n_features):
    X = random.randn(80, n_features)
    far = np.column_stack([np.full(80, 1e12), X])
    near, found = NeighborIndex(X).query(X, 5), NeighborIndex(far).query(far, 5)
    np.testing.assert_array_equal(found[1], near[1])
    np.testing.assert_allclose(found[0], near[0], atol=1e-6)


def test_more_neighbors_than_before(monkeypatch):
    """Approximate lists are made anew, and fewer neighbours are taken from them."""
    monkeypatch.setattr("maxmargin.smoothers.neighbor_index.EXACT_OPERATIONS", 0)
    X = np.random.RandomState(0).randn(2500, 6)
    index = NeighborIndex(X)
    few, many = index.neighbors(5), index.neighbors(12)
    assert few.shape == (2500, 5) and many.shape == (2500, 12)
    truth = np.argsort(cdist(X[:50], X), axis=1)[:, 1:13]
    shared = [len(np.intersect1d(*one)) for one in zip(many[:50], truth, strict=True)]
    assert np.mean(shared) > 0.95 * 12
    np.testing.assert_array_equal(index.neighbors(5), many[:, :5])
