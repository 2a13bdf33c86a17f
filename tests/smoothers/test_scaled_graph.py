"""The graph along which labels spread, and its inverse."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from maxmargin.smoothers.degrees_of_freedom import EXACT_SIZE
from maxmargin.smoothers.neighbor_index import ONE_SIDED, NeighborIndex, mutual_graph
from maxmargin.smoothers.scaled_graph import N_NEIGHBORS, graph_inverse, scaled_graph


def naive_graph(X):
    """The weights of the graph, from all distances."""
    D = cdist(X, X)
    order = np.argsort(D, axis=1, kind="stable")
    B = np.zeros(D.shape)
    shares = 1 - np.arange(1, N_NEIGHBORS + 1) / (N_NEIGHBORS + 1)
    np.put_along_axis(B, order[:, 1 : N_NEIGHBORS + 1], shares, axis=1)
    scales = D[np.arange(len(X)), order[:, 3]]
    ratios = D**2 / np.outer(scales, scales)
    return (B * B.T + ONE_SIDED * (B + B.T)) * np.exp(-np.minimum(ratios, 14.0))


@pytest.mark.parametrize(("n_samples", "degrees"), [(60, 12), (500, 100), (500, 25)])
def test_it_is_the_inverse_in_the_metric_of_cosines(random, n_samples, degrees):
    X = random.randn(n_samples, 3)
    weights = random.uniform(0.5, 2.0, n_samples)
    smoother = graph_inverse(X, weights, degrees)
    W = naive_graph(X)
    roots = 1 / np.sqrt(W.sum(axis=1))
    L = np.eye(n_samples) - roots[:, None] * W * roots
    R = np.linalg.inv(np.eye(n_samples) + smoother.alpha * L)
    near = 0.15 if n_samples > EXACT_SIZE else 1e-6
    assert np.trace(R) == pytest.approx(degrees, rel=near)
    lengths = np.sqrt(np.diag(R))
    expected = R / np.outer(lengths, lengths) * np.trace(R) / weights.sum()
    expected = weights[:, None] * expected * weights
    np.testing.assert_allclose(smoother.matrix(), expected, atol=1e-10)
    np.testing.assert_allclose(smoother.diagonal(), np.diag(expected), atol=1e-10)


def test_training_samples_have_their_fitted_values(random):
    X = random.randn(80, 4)
    weights = random.uniform(0.5, 2.0, 80)
    smoother = graph_inverse(X, weights, 12.0)
    targets = random.randn(80, 3)
    fitted = smoother.dot(targets) / weights[:, None]
    np.testing.assert_allclose(smoother.fitted(X, targets), fitted, atol=1e-8)


def test_a_new_sample_has_the_average_of_its_neighbours(random):
    X = random.randn(50, 2)
    smoother = graph_inverse(X, np.ones(50), 10.0)
    targets = random.randn(50, 1)
    x = random.randn(1, 2)
    distances = np.linalg.norm(X - x, axis=1)
    near = np.argsort(distances)[:N_NEIGHBORS]
    shares = 1 / distances[near] ** 4
    expected = shares @ smoother.dot(targets)[near] / shares.sum()
    np.testing.assert_allclose(smoother.fitted(x, targets)[0], expected)


def test_parts_are_joined_at_their_nearest_samples(random):
    X = np.repeat(np.arange(6) * 100.0, 12)[:, None] + random.rand(72, 1)
    near = mutual_graph(NeighborIndex(X).neighbors(N_NEIGHBORS))
    assert connected_components(near)[0] == 6
    joined = scaled_graph(NeighborIndex(X))
    assert connected_components(joined)[0] == 1
    rows, columns = np.nonzero(joined.toarray() * (near.toarray() == 0))
    assert len(rows) == 10  # five bridges, in both directions
    members = np.arange(12)
    for i, j in zip(rows, columns, strict=True):
        low, high = sorted((i // 12, j // 12))
        assert high == low + 1
        gaps = X[high * 12 + members] - X[low * 12 + members].T
        assert abs(X[i, 0] - X[j, 0]) == gaps.min()
        assert joined[i, j] == pytest.approx(ONE_SIDED * np.exp(-14.0))
    smoother = graph_inverse(X, np.ones(72), 3.0)
    assert (smoother.matrix() > 0).all()


@pytest.mark.filterwarnings("error")
def test_equal_and_far_rows(random):
    """Equal rows have a scale of zero; rows far from zero lose no digits."""
    X = np.repeat(random.randn(8, 2), 6, axis=0)
    X[0] += 1e100
    assert np.isfinite(graph_inverse(X, np.ones(48), 5.0).values).all()
    near = random.randint(0, 64, (60, 20)) / 64  # sums with 1e12 are exact
    near[:30] += 9.0  # two components, joined by their nearest samples
    expected = graph_inverse(near, np.ones(60), 6.0).values
    found = graph_inverse(near + 2.0**33, np.ones(60), 6.0).values
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
