"""Leader clustering against the algorithm written out."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.smoothers.leader import find_leaders, leader_centers


def naive_leaders(X, radius):
    """Return the means of the clusters, computed from their members each time."""
    clusters = []
    for x in X:
        centers = [np.mean(members, axis=0) for members in clusters]
        distances = [np.linalg.norm(x - center) for center in centers]
        if distances and min(distances) < radius:
            clusters[int(np.argmin(distances))].append(x)
        else:
            clusters.append([x])
    return np.array([np.mean(members, axis=0) for members in clusters])


@pytest.mark.parametrize("n_features", [1, 3, 37, 70])
def test_equals_the_algorithm_written_out(random, n_features):
    X = random.randn(300, n_features)
    radius = 1.05 * np.sqrt(n_features)
    centers = leader_centers(X, np.ones(300), radius)
    expected = naive_leaders(X, radius)
    assert 1 < len(expected) < 300
    assert np.allclose(centers, expected)


def test_many_centers_and_a_limit(random):
    X = random.rand(500, 2)
    assert len(leader_centers(X, np.ones(500), 1e-6)) == 500
    assert len(leader_centers(X, np.ones(500), 1e-6, max_centers=499)) == 0
    assert len(leader_centers(X, np.ones(500), 1e-6, max_centers=500)) == 500


def test_sparse_equals_dense(random):
    X = sp.random_array((1500, 40), density=0.1, random_state=random, format="csr")
    dense = leader_centers(X.toarray(), np.ones(1500), 0.8)
    assert np.allclose(leader_centers(X, np.ones(1500), 0.8), dense)
    assert np.allclose(
        find_leaders(X, np.ones(1500), 50).centers,
        find_leaders(X.toarray(), np.ones(1500), 50).centers,
    )


def test_weights_are_repetitions(random):
    X = random.randn(200, 3)
    weights = random.randint(4, size=200)
    repeated = np.repeat(X, weights, axis=0)
    assert np.allclose(
        leader_centers(X, weights.astype(float), 1.5),
        leader_centers(repeated, np.ones(len(repeated)), 1.5),
    )


@pytest.mark.parametrize("n_centers", [1, 2, 10, 57, 300])
def test_radius_for_a_number_of_centers(random, n_centers):
    X = random.randn(400, 5).astype(np.float32)
    leaders = find_leaders(X, np.ones(400), n_centers)
    assert 0.9 * n_centers <= len(leaders.centers) <= n_centers
    assert np.array_equal(
        leaders.centers, leader_centers(X, np.ones(400), leaders.radius)
    )


def test_no_more_centers_than_distinct_samples(random):
    X = np.repeat(random.randn(7, 2), 10, axis=0)
    found = find_leaders(X, np.ones(70), 20)
    assert np.allclose(found.centers, X[::10])
    assert len(find_leaders(np.ones((5, 2)), np.ones(5), 1).centers) == 1
