"""Multilevel eigenvectors against a dense solver."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs, make_moons

from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers.eigenvectors import (
    DENSE_SIZE,
    merge_edges,
    merge_nodes,
    smoothest_vectors,
)
from maxmargin.smoothers.neighbor_index import NeighborIndex, mutual_graph


def graph_of(X):
    return mutual_graph(NeighborIndex(X).neighbors(15))


def dense_vectors(graph, n_vectors):
    """Return all eigenvalues of the Laplacian, and the smoothest vectors."""
    W = graph.toarray()
    roots = 1 / np.sqrt(W.sum(axis=1))
    values, vectors = np.linalg.eigh(np.eye(len(W)) - roots[:, None] * W * roots)
    return values[:n_vectors][::-1], vectors[:, :n_vectors][:, ::-1]


@pytest.mark.parametrize(
    "X",
    [
        make_moons(1500, noise=0.08, random_state=0)[0],
        make_blobs(1500, 6, centers=8, cluster_std=3.0, random_state=0)[0],
        np.random.RandomState(0).rand(1500, 2),
        np.random.RandomState(0).rand(3000, 1) * [1.0, 0.0],  # a path
    ],
    ids=["moons", "blobs", "square", "path"],
)
def test_the_smoothest_half_are_those_of_a_dense_solver(X):
    graph = graph_of(X)
    values, vectors = smoothest_vectors(graph, 24)
    exact, expected = dense_vectors(graph, 24)
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(24), atol=1e-4)
    np.testing.assert_allclose(values[-12:], exact[-12:], rtol=0.15, atol=1e-5)
    # Cosines of the angles between the spaces.
    cosines = np.linalg.svd(expected[:, -12:].T @ vectors, compute_uv=False)
    assert cosines.min() > 0.99


def test_vectors_of_components_are_exact(random):
    sizes = (700, 300, 60)
    X = np.concatenate([random.randn(n, 2) + 99 * h for h, n in enumerate(sizes)])
    graph = graph_of(X)
    values, vectors = smoothest_vectors(graph, 8)
    np.testing.assert_array_equal(values[-3:], 0.0)
    assert values[-4] > 1e-4
    parts = np.repeat([0, 1, 2], sizes)
    projection = vectors[:, -3:] @ vectors[:, -3:].T
    roots = np.sqrt(graph.sum(axis=1))
    for h in range(3):
        own = roots * (parts == h) / np.linalg.norm(roots[parts == h])
        np.testing.assert_allclose(projection @ own, own, atol=1e-12)
    np.testing.assert_allclose(vectors[:, :-3].T @ vectors[:, -3:], 0.0, atol=1e-4)


def test_more_components_than_vectors(random):
    X = np.concatenate([random.randn(20 + h, 2) + 99 * h for h in range(30)])
    graph = graph_of(X)
    values, vectors = smoothest_vectors(graph, 10)
    np.testing.assert_array_equal(values, 0.0)
    parts = np.repeat(np.arange(30), 20 + np.arange(30))
    assert set(parts[(vectors**2).sum(axis=1) > 0]) == set(range(20, 30))


def test_many_components_and_more_vectors(random):
    X = np.concatenate([random.randn(40, 2) + 99 * h for h in range(60)])
    graph = graph_of(X)
    values, vectors = smoothest_vectors(graph, 100)
    _, expected = dense_vectors(graph, 60)
    assert np.sum(values == 0) == 60
    assert vectors.shape == (2400, 100)
    np.testing.assert_allclose(
        np.linalg.svd(expected.T @ vectors, compute_uv=False), 1.0, atol=1e-4
    )


def test_merged_nodes_are_connected_and_none_is_left_alone(random):
    graph = graph_of(random.randn(900, 3))
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    groups = np.full(900, -1, np.int32)
    n_groups = merge_nodes(graph.indptr, graph.indices, graph.data, degrees, groups)
    sizes = np.bincount(groups)
    assert len(sizes) == n_groups <= 450
    assert sizes.min() >= 2
    inside = csr_array(graph.toarray() * (groups[:, None] == groups))
    assert connected_components(inside)[0] == n_groups


def test_the_same_for_any_number_of_threads(random):
    graph = graph_of(random.randn(20 * DENSE_SIZE, 2))
    with single_threaded_libraries(n_threads=1):
        one = smoothest_vectors(graph, 9)[1]
    with single_threaded_libraries(n_threads=3):
        np.testing.assert_array_equal(smoothest_vectors(graph, 9)[1], one)


def test_one_sample():
    values, vectors = smoothest_vectors(csr_array((1, 1)), 1)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(np.abs(vectors), [[1.0]])


def test_edges_of_merged_groups_are_summed(random, monkeypatch):
    monkeypatch.setattr("maxmargin.smoothers.eigenvectors.ROWS_PER_BLOCK", 7)
    dense = random.uniform(size=(90, 90)) * (random.uniform(size=(90, 90)) < 0.1)
    groups = np.append(np.arange(40), random.randint(40, size=50)).astype(np.int32)
    merged = merge_edges(groups, 40, csr_array(dense))
    members = np.eye(40)[groups]
    np.testing.assert_allclose(merged.toarray(), members.T @ dense @ members)
    assert merged.has_canonical_format
