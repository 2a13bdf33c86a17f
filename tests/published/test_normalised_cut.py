"""Normalised cuts against the definition, on dense matrices and all thresholds."""

import numpy as np
import pytest
from scipy.linalg import eigh

from maxmargin.published.normalised_cut import cut_in_two, normalised_cut


def blobs(seed=0, n=24):
    """Return two clouds and features whose products are a Gaussian kernel."""
    random = np.random.RandomState(seed)
    X = random.randn(n, 2) + 2.5 * (np.arange(n)[:, None] % 2)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(K)
    return K, vectors * np.sqrt(np.maximum(values, 0))


def cost_of(K, weights, labels):
    """Return the cost by the definition, pair by pair."""
    cut, volumes = 0.0, [0.0, 0.0]
    for i in range(len(K)):
        for j in range(len(K)):
            mass = weights[i] * weights[j] * K[i, j]
            volumes[labels[i]] += mass
            if labels[i] == 0 and labels[j] == 1:
                cut += mass
    return cut / volumes[0] + cut / volumes[1]


def naive_cut(K, weights):
    """Return the cheapest threshold on the second generalised eigenvector."""
    W = np.diag(weights)
    D = np.diag(weights * (K @ weights))
    y = eigh(W @ K @ W, D)[1][:, -2]
    candidates = [(y > value).astype(int) for value in np.sort(y)[:-1]]
    return min(candidates, key=lambda labels: cost_of(K, weights, labels))


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_cheapest_threshold_of_the_definition(seed):
    K, Z = blobs(seed)
    weights = np.random.RandomState(seed).randint(1, 4, len(K)).astype(float)
    found = cut_in_two(Z, weights)
    expected = naive_cut(K, weights)
    assert found.cost == pytest.approx(cost_of(K, weights, expected), rel=1e-8)
    assert found.cost == pytest.approx(cost_of(K, weights, found.labels), rel=1e-8)


def test_a_weight_of_three_is_the_same_as_three_samples():
    _, Z = blobs()
    weights = np.random.RandomState(1).randint(1, 4, len(Z))
    merged = cut_in_two(Z, weights.astype(float))
    repeated = cut_in_two(np.repeat(Z, weights, axis=0), np.ones(weights.sum()))
    labels = np.repeat(merged.labels, weights)
    same = (labels == repeated.labels).all() or (labels != repeated.labels).all()
    assert same
    assert merged.cost == pytest.approx(repeated.cost)


def test_cuts_the_cheapest_part_again():
    random = np.random.RandomState(0)
    centers = np.array([[0.0, 0], [4, 0], [30, 0]])
    X = np.repeat(centers, 10, axis=0) + 0.3 * random.randn(30, 2)
    K = np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(K)
    labels = normalised_cut(vectors * np.sqrt(np.maximum(values, 0)), np.ones(30), 3)
    assert len(np.unique(labels)) == 3
    assert all(len(set(labels[10 * h : 10 * h + 10])) == 1 for h in range(3))


def test_the_cut_at_zero_is_by_the_sign():
    K, Z = blobs()
    labels = cut_in_two(Z, np.ones(len(K)), at_zero=True).labels
    y = eigh(K, np.diag(K.sum(axis=1)))[1][:, -2]
    assert (labels == (y > 0)).all() or (labels == (y <= 0)).all()


def test_negative_degrees_are_no_similarities():
    with pytest.raises(ValueError, match="init='k-means'"):
        cut_in_two(np.array([[1.0], [-2.0], [0.5]]), np.ones(3))


def test_a_kernel_of_rank_one():
    features = np.array([[1.0], [5.0], [1.1], [4.9]])
    labels = normalised_cut(features, np.ones(4), 3)
    assert len(np.unique(labels)) == 3
    assert labels[0] != labels[1]
