"""The smoother of a given graph against dense linear algebra, and what is refused."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.neighbors import kneighbors_graph

from maxmargin.smoothers.affinity_graph import (
    AffinityGraph,
    check_affinities,
    check_affinity_rows,
    warn_if_scattered,
)


def affinities_of(X, n_neighbors=10):
    """Return radial affinities of mutual or one-sided neighbours, symmetric."""
    distances = kneighbors_graph(X, n_neighbors, mode="distance")
    distances = sp.csr_array(distances.maximum(distances.T))
    distances.data = np.exp(-((distances.data / np.median(distances.data)) ** 2))
    return distances


@pytest.fixture
def W(random):
    return affinities_of(random.randn(60, 3))


def test_soft_smoother_is_that_of_the_laplacian(W):
    dense = W.toarray()
    roots = 1 / np.sqrt(dense.sum(axis=1))
    L = np.eye(60) - roots[:, None] * dense * roots
    smoother = AffinityGraph(W, np.ones(60), 60).soft_smoother(7.0)
    R = np.linalg.inv(np.eye(60) + smoother.alpha * L)
    assert np.trace(R) == pytest.approx(7.0)
    lengths = np.sqrt(np.diag(R))
    expected = R / lengths[:, None] / lengths * 7.0 / 60
    np.testing.assert_allclose(smoother.matrix(), expected, atol=1e-8)


@pytest.mark.parametrize("kind", ["soft_smoother", "hard_smoother"])
def test_training_samples_have_their_own_features(W, kind):
    smoother = getattr(AffinityGraph(W, np.ones(60), 9), kind)(4)
    np.testing.assert_allclose(smoother.feature_map(W), smoother.features, atol=1e-9)


def test_a_further_sample_has_the_value_of_the_eigenvector_equation(W, random):
    """Written out for one vector: ``sum_j a_j v_j / sqrt(D_j) / (1 - e)``, scaled."""
    graph = AffinityGraph(W, np.ones(60), 5)
    smoother = graph.hard_smoother(5)
    a = sp.random_array((1, 60), density=0.2, random_state=random, format="csr")
    degrees = W.sum(axis=1)
    values = [
        sum(a[0, j] * v[j] / np.sqrt(degrees[j]) for j in range(60)) / (1 - e)
        for v, e in zip(graph.vectors.T, graph.values, strict=True)
    ]
    expected = np.array(values) / np.linalg.norm(values) * np.sqrt(5 / 60)
    np.testing.assert_allclose(smoother.feature_map(a)[0], expected, atol=1e-9)


def test_affinities_of_samples_with_themselves_do_not_count(W):
    with_own = W + sp.diags_array(np.full(60, 7.0))
    plain = AffinityGraph(W, np.ones(60), 9).soft_smoother(4.0)
    same = AffinityGraph(with_own, np.ones(60), 9).soft_smoother(4.0)
    np.testing.assert_allclose(same.matrix(), plain.matrix(), atol=1e-9)


DATA = {
    "blobs": make_blobs(300, centers=4, random_state=0)[0],
    "moons": make_moons(300, noise=0.05, random_state=0)[0],
    "digits": load_digits().data[:600],
    "noise": np.random.RandomState(0).randn(500, 40),
}


@pytest.mark.parametrize("name", DATA)
def test_distances_are_refused_and_affinities_are_not(name):
    X = DATA[name]
    near = kneighbors_graph(X, 15, mode="distance")
    some = X[:150]
    for distances in (near, near.maximum(near.T), sp.csr_array(cdist(some, some))):
        with pytest.raises(ValueError, match="has distances"):
            check_affinities(distances)
    binary = kneighbors_graph(X, 15)
    full = cdist(some, some)
    check_affinities(affinities_of(X, 15))
    check_affinities(binary.maximum(binary.T))
    check_affinities((binary + binary.T) / 2)
    check_affinities(sp.csr_array(1 / (1 + full)))
    check_affinities(sp.csr_array(np.exp(-((full / np.median(full)) ** 2))))


def test_weights_without_order_are_no_distances(random):
    """Random weights obey all triangles here, and chance must not refuse them."""
    W = sp.random_array((400, 400), density=0.05, random_state=random)
    W.data = 0.5 + W.data / 2
    check_affinities(sp.csr_array(W + W.T))


def test_a_graph_that_is_not_valid_is_refused(W):
    with pytest.raises(ValueError, match=r"square to fit, .* \(40, 60\)"):
        check_affinities(W[:40])
    upper = sp.csr_array(sp.triu(W) + 0.5 * sp.tril(W))
    with pytest.raises(ValueError, match=r"must be symmetric, .* \(W \+ W.T\) / 2"):
        check_affinities(upper)
    with pytest.raises(ValueError, match="must not be negative, and the smallest is -"):
        check_affinities(W - 2 * (W > 0.5))
    alone = W.tolil()
    alone[7, :] = alone[:, 7] = 0.0
    alone[7, 7] = 1.0
    with pytest.raises(ValueError, match="1 samples, the first in row 7, have no aff"):
        check_affinities(alone.tocsr())
    with pytest.raises(ValueError, match="2 samples, the first in row 1, have no aff"):
        check_affinity_rows(sp.csr_array(np.eye(3, 60)[[0, 0, 0]] * [[1], [0], [0]]))


def test_components_without_a_vector_are_told():
    blocks = sp.block_diag([sp.csr_array(np.ones((m, m))) for m in (9, 5, 3)], "csr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_scattered(AffinityGraph(blocks, np.ones(17), 3), 2)
    with pytest.warns(UserWarning, match="3 connected components .* the 3 samples"):
        warn_if_scattered(AffinityGraph(blocks, np.ones(17), 2), 2)
