"""Neighbours of sparse samples against brute force on the same dense samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers import sparse_neighbors
from maxmargin.smoothers.neighbor_index import NeighborIndex
from maxmargin.smoothers.sparse_neighbors import SparseNeighbors


def documents(random, n_samples, n_features, n_topics=5, length=60):
    """Return word counts of documents with one topic each, as CSR."""
    frequencies = 1.0 / np.arange(1, n_features + 1)
    frequencies *= 0.1 * n_features / frequencies.sum()
    topics = random.dirichlet(frequencies, size=n_topics)
    drawn = [
        random.multinomial(length, topics[h])
        for h in random.randint(n_topics, size=n_samples)
    ]
    return sp.csr_array(np.array(drawn, dtype=float))


def exact(X, queries, k):
    return NearestNeighbors(n_neighbors=k, algorithm="brute").fit(X).kneighbors(queries)


def assert_nearest(X, queries, k, found):
    distances, positions = found
    expected, _ = exact(X, queries, k)
    np.testing.assert_allclose(distances, expected, rtol=1e-9, atol=1e-5)
    lengths = np.linalg.norm(queries[:, None] - X[positions], axis=2)
    np.testing.assert_allclose(distances, lengths, rtol=1e-9, atol=1e-12)
    assert (np.diff(distances, axis=1) >= 0).all()
    assert all(len(set(row)) == k for row in positions)


@pytest.mark.parametrize("shape", [(300, 400), (50, 3), (8, 2000)])
@pytest.mark.parametrize("tile", [16, 8192])
def test_nearest_documents(random, monkeypatch, shape, tile):
    monkeypatch.setattr(sparse_neighbors, "TILE_ROWS", tile)
    monkeypatch.setattr(sparse_neighbors, "MAX_TILE_ROWS", tile)
    X, queries = documents(random, *shape), documents(random, 70, shape[1])
    k = min(10, shape[0])
    found = SparseNeighbors(X).query(queries, k)
    assert_nearest(X.toarray(), queries.toarray(), k, found)


@pytest.mark.parametrize("density", [0.01, 0.3, 1.0])
def test_any_density_and_sign(random, density):
    X = sp.random_array(
        (400, 60), density=density, random_state=random, data_sampler=None
    )
    X = sp.csr_array(X)
    X.data = random.randn(X.nnz)
    queries = X[::3].toarray() + random.randn(134, 60) * (random.rand(134, 60) < 0.1)
    found = SparseNeighbors(X).query(sp.csr_array(queries), 8)
    assert_nearest(X.toarray(), queries, 8, found)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_scale_and_a_large_mean(random, scale):
    """Frequent columns with a large mean do not hide the distances in the others."""
    X = documents(random, 200, 300).toarray()
    expected = exact(X, X, 6)[0]
    X[:, 0] += 1e5
    distances, _ = SparseNeighbors(sp.csr_array(X * scale)).query(X * scale, 6)
    np.testing.assert_allclose(distances / scale, expected, atol=1e-5)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_array, "wild"])
def test_formats(random, kind):
    X = documents(random, 200, 300)
    expected = SparseNeighbors(X).query(X, 5)
    if kind == "wild":  # columns in any order, with duplicates
        owners = np.repeat(np.arange(200), np.diff(2 * X.indptr))
        order = np.lexsort((random.rand(2 * X.nnz), owners))
        parts = np.repeat(X.data / 2, 2)[order], np.repeat(X.indices, 2)[order]
        X = sp.csr_array((*parts, 2 * X.indptr), X.shape)
    else:
        X = kind(X)
    found = SparseNeighbors(X).query(X, 5)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(NeighborIndex(X).query(X, 5)[1], expected[1])


def test_integers_and_single_precision(random):
    X = documents(random, 200, 300)
    expected = SparseNeighbors(X).query(X, 5)[1]
    for dtype in (np.float32, np.int64, np.uint8):
        other = X.astype(dtype)
        found = SparseNeighbors(other).query(other, 5)[1]
        np.testing.assert_array_equal(found, expected)


def test_rows_without_entries(random):
    X = documents(random, 60, 100).toarray()
    X[:20] = 0.0
    X[20:25] = X[25]
    assert_nearest(X, X, 7, SparseNeighbors(sp.csr_array(X)).query(X, 7))
    nothing = sp.csr_array((30, 4))
    distances, positions = SparseNeighbors(nothing).query(nothing, 3)
    assert (distances == 0).all()
    assert (positions == [0, 1, 2]).all()


def test_the_same_for_any_number_of_threads(random):
    X = documents(random, 1000, 500)
    with single_threaded_libraries(n_threads=1):
        one = NeighborIndex(X).neighbors(15)
    with single_threaded_libraries(n_threads=3):
        np.testing.assert_array_equal(NeighborIndex(X).neighbors(15), one)


def test_neighbors_equal_those_of_dense_rows(random):
    """Among continuous values there are no ties."""
    X = documents(random, 500, 400).toarray() * random.uniform(1, 2, size=(500, 400))
    found = NeighborIndex(sp.csr_array(X)).neighbors(15)
    np.testing.assert_array_equal(found, NeighborIndex(X).neighbors(15))
