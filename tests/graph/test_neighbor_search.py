"""Approximate neighbours against exact ones."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from maxmargin.graph import neighbors
from maxmargin.graph.neighbor_search import (
    LEAF_SIZE,
    approximate_neighbors,
    split_samples,
)
from maxmargin.graph.neighbors import ONE_SIDED, mutual_graph
from maxmargin.resources import single_threaded_libraries


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
    positions = approximate_neighbors(X, 10)
    assert_neighbors(positions)
    assert recall(X, positions) > 0.94


def test_recall_of_clusters_in_many_dimensions(seed):
    X, _ = make_blobs(2500, n_features=200, centers=12, random_state=seed)
    assert recall(X, approximate_neighbors(X, 15)) > 0.94


def test_ties_and_integers(random):
    X = np.unique(random.randint(0, 4, size=(3000, 8)), axis=0).astype(float)
    positions = approximate_neighbors(X, 15)
    assert_neighbors(positions)
    assert recall(X, positions) > 0.95


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e60])
def test_shift_and_scale_do_not_matter(random, shift, scale):
    X = random.randn(1000, 15)
    positions = approximate_neighbors((X + shift) * scale, 10)
    assert recall(X, positions) > 0.95


def test_the_same_for_any_number_of_threads(random):
    X = random.randn(6000, 30)
    with single_threaded_libraries(n_threads=1):
        one = approximate_neighbors(X, 15)
    with single_threaded_libraries(n_threads=3):
        np.testing.assert_array_equal(approximate_neighbors(X, 15), one)


def test_leaves_are_halves_of_halves(random):
    X = random.randn(1000, 5).astype(np.float32)
    order = np.arange(1000, dtype=np.int32)
    leaves = np.empty((64, 2), np.int64)
    directions = random.randn(64, 5).astype(np.float32)
    n_leaves = split_samples(X, order, directions, leaves)
    assert sorted(order) == list(range(1000))
    sizes = np.diff(leaves[:n_leaves], axis=1).ravel()
    assert sizes.sum() == 1000
    assert LEAF_SIZE / 2 - 1 <= sizes.min() <= sizes.max() <= LEAF_SIZE
    first = X[order] @ directions[0]
    assert first[:500].max() <= first[500:].min()


def test_graph_of_many_samples(random, monkeypatch):
    """The weights are those of nearly the exact graph."""
    monkeypatch.setattr(neighbors, "EXACT_OPERATIONS", 0.0)
    X = random.randn(5200, 12)
    graph = mutual_graph(NearestNeighbors().fit(X), X).tocsr()
    _, exact = NearestNeighbors(n_neighbors=16).fit(X).kneighbors(X)
    assert (abs(graph - graph.T) > 0).nnz == 0
    assert set(np.unique(graph.data)) == {ONE_SIDED, 1 + 2 * ONE_SIDED}
    same = sum(graph[i, row[1:]].count_nonzero() for i, row in enumerate(exact[:200]))
    assert same > 0.95 * 200 * 15
