"""The smoother of the neighbour graph."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles

from maxmargin.smoothers.neighbor_index import ONE_SIDED, NeighborIndex, mutual_graph
from maxmargin.smoothers.spectral_smoother import (
    NeighborFeatures,
    NeighborGraph,
    count_neighbors,
)


def naive_graph(X):
    """The weights of the graph, pair by pair."""
    n_neighbors = count_neighbors(len(X))
    order = np.argsort(cdist(X, X), axis=1, kind="stable")
    B = np.zeros((len(X), len(X)))
    for i, row in enumerate(order):
        for rank in range(1, n_neighbors + 1):
            B[i, row[rank]] = 1 - rank / (n_neighbors + 1)
    return B * B.T + ONE_SIDED * (B + B.T)


@pytest.fixture
def X(random):
    return random.randn(60, 3)


def test_weights_of_the_graph(X):
    graph = mutual_graph(NeighborIndex(X).neighbors(count_neighbors(60)))
    np.testing.assert_allclose(graph.toarray(), naive_graph(X))


def test_soft_smoother_is_that_of_the_laplacian(X):
    """All vectors kept, rows rescaled: ``(I + b L)^-1`` in the metric of cosines."""
    W = naive_graph(X)
    roots = 1 / np.sqrt(W.sum(axis=1))
    L = np.eye(60) - roots[:, None] * W * roots
    smoother = NeighborGraph(X, np.ones(60), 60).soft_smoother(7.0)
    R = np.linalg.inv(np.eye(60) + smoother.alpha * L)
    assert np.trace(R) == pytest.approx(7.0)
    lengths = np.sqrt(np.diag(R))
    expected = R / lengths[:, None] / lengths * 7.0 / 60
    np.testing.assert_allclose(smoother.matrix(), expected, atol=1e-8)
    assert smoother.degrees_of_freedom == pytest.approx(7.0)


def test_sparse_and_dense_eigenvectors_span_the_same(random):
    X = random.randn(450, 3)  # beyond the dense solver
    features = NeighborGraph(X, np.ones(450), 12).soft_smoother(6.0)
    W = naive_graph(X)
    roots = 1 / np.sqrt(W.sum(axis=1))
    values, vectors = np.linalg.eigh(roots[:, None] * W * roots)
    values, vectors = 1 - values[-12:], vectors[:, -12:]
    rows = vectors / np.sqrt(1 + features.alpha * values)
    rows *= np.sqrt(6 / 450) / np.linalg.norm(rows, axis=1)[:, None]
    np.testing.assert_allclose(features.matrix(), rows @ rows.T, atol=1e-3)


def test_separate_parts_each_have_a_vector(random):
    """Eigenvalue zero comes as often as there are parts, whatever their sizes."""
    X = np.concatenate(
        [random.randn(n, 2) + 50 * h for h, n in enumerate((400, 60, 30))]
    )
    graph = NeighborGraph(X, np.ones(490), 6)
    assert np.sum(graph.values < 1e-8) == 3
    rows = graph.hard_smoother(3).features
    parts = np.repeat([0, 1, 2], (400, 60, 30))
    same = parts[:, None] == parts
    np.testing.assert_allclose(rows @ rows.T, same * 3 / 490, atol=1e-8)


def test_training_samples_have_their_own_features(X):
    smoother = NeighborGraph(X, np.ones(60), 9).soft_smoother(4.0)
    np.testing.assert_allclose(smoother.feature_map(X), smoother.features, atol=1e-9)


def test_neighbors_grow_with_the_logarithm_of_few_samples():
    assert [count_neighbors(n) for n in (16, 256, 1024, 5000)] == [10, 20, 25, 25]
    assert count_neighbors(5001) == 15


def test_graph_of_fewer_neighbors_is_that_of_the_nearest(X):
    graph = NeighborGraph(X, np.ones(60), 9)
    fine = graph.with_neighbors(6, 4)
    expected = mutual_graph(NeighborIndex(X).neighbors(6))
    np.testing.assert_allclose(fine.graph.toarray(), expected.toarray())
    assert fine.vectors.shape == (60, 4)
    assert graph.with_neighbors(99, 4) is graph


def test_leaving_shares_add_up_to_the_normalised_cut(X, random):
    graph = NeighborGraph(X, np.ones(60), 3)
    labels = random.randint(3, size=60)
    W = naive_graph(X)
    expected = [
        W[np.ix_(labels == h, labels != h)].sum() / W[labels == h].sum()
        for h in range(3)
    ]
    np.testing.assert_allclose(graph.leaving_shares(labels, 4), [*expected, 0.0])


def test_label_smoother_gives_each_sample_its_cluster(X, random):
    labels = random.randint(3, size=60)
    smoother = NeighborGraph(X, np.ones(60), 3).label_smoother(labels, 3)
    values = smoother.feature_map(X + 1e-12)
    np.testing.assert_array_equal(values.argmax(axis=1), labels)
    same = labels[:, None] == labels
    np.testing.assert_allclose(smoother.matrix(), same * 3 / 60)


def test_new_samples_have_features_of_their_neighbours():
    X, y = make_circles(400, factor=0.4, noise=0.03, random_state=0)
    smoother = NeighborGraph(X, np.ones(400), 6).hard_smoother(2)
    inner = smoother.feature_map(X[y == 1] * 1.02)
    outer = smoother.feature_map(X[y == 0] * 1.02)
    assert np.abs(inner @ outer.T).max() < 0.2 * np.abs(inner @ inner.T).max()


def test_too_many_degrees_are_refused(X):
    with pytest.raises(ValueError, match="not below the 9 features"):
        NeighborGraph(X, np.ones(60), 9).soft_smoother(9.5)


def test_least_share_is_a_lower_bound(random):
    """No labels cut fewer edges than the eigenvalues allow, by brute force over all."""
    X = random.randn(9, 2)
    graph = NeighborGraph(X, np.ones(9), 5)
    shares = [
        graph.leaving_shares(np.array(labels), 2).mean()
        for labels in product(range(2), repeat=9)
        if 0 < sum(labels) < 9
    ]
    assert 0 < graph.least_share(2) <= min(shares) + 1e-12
    assert graph.least_share(2) > 0.2 * min(shares)


def test_a_training_sample_has_its_own_features():
    """Also if others are nearer than the rounding of distances."""
    random = np.random.RandomState(0)
    X = 5.0 * random.randn(60, 4)
    X[:5] = X[0] + 1e-9 * random.randn(5, 4)
    features = random.randn(60, 3)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    for rows in (X, sp.csr_array(X)):
        found = NeighborFeatures(NeighborIndex(rows), features, 1.0)(rows)
        np.testing.assert_allclose(found, features, atol=1e-12)
