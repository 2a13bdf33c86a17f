import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from maxmargin.search import relocation
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.state import new_state, objective_of


def free_objective(features, weights, labels, n_clusters):
    weighted = features * weights[:, None]
    limits = np.repeat([[0.0], [np.inf]], n_clusters, axis=1)
    return objective_of(new_state(weighted @ weighted.T, weights, limits, labels, 1.0))


def test_objective_is_that_of_the_smoother(random):
    features, weights = random.randn(80, 4), random.uniform(0.5, 2, 80)
    run = relocate_centers(features, weights, 5, random)
    value = free_objective(features, weights, run.labels, 5)
    assert run.objective == pytest.approx(value)
    assert run.history[-1] == run.objective
    assert list(run.history) == sorted(run.history)


def test_finds_what_one_start_of_k_means_misses(seed):
    X, _ = make_blobs(
        600, centers=25, center_box=(-20, 20), cluster_std=0.5, random_state=seed
    )
    random = np.random.RandomState(seed)
    run = relocate_centers(X, np.ones(600), 25, random, n_random=1)
    many = KMeans(25, n_init=200, random_state=0).fit(X)
    best = np.sum(X**2) - many.inertia_
    assert run.objective >= best * (1 - 1e-6)


def test_labels_are_those_of_the_nearest_mean(random):
    features = random.randn(200, 3)
    run = relocate_centers(features, np.ones(200), 6, random)
    means = np.stack([features[run.labels == h].mean(axis=0) for h in range(6)])
    distances = ((features[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), run.labels)


def test_a_part_of_many_samples_is_searched(seed, monkeypatch):
    X, _ = make_blobs(
        5000, centers=12, center_box=(-20, 20), cluster_std=0.7, random_state=seed
    )
    weights = np.random.RandomState(seed).uniform(0.5, 2.0, 5000)
    whole = relocate_centers(X, weights, 12, np.random.RandomState(0))
    monkeypatch.setattr(relocation, "PART_SIZE", 700)
    run = relocate_centers(X, weights, 12, np.random.RandomState(0))
    assert run.objective == pytest.approx(whole.objective, rel=1e-3)
    assert list(run.history) == sorted(run.history)
    means = np.stack(
        [np.average(X[run.labels == h], 0, weights[run.labels == h]) for h in range(12)]
    )
    value = np.bincount(run.labels, weights) @ (means**2).sum(axis=1)
    assert value == pytest.approx(run.objective, rel=1e-6)


def test_fewer_samples_than_clusters(random):
    run = relocate_centers(random.randn(3, 2), np.ones(3), 5, random)
    assert sorted(run.labels) == [0, 1, 2]


def test_samples_at_their_centers(random):
    features = np.repeat(np.eye(4), 20, axis=0)
    run = relocate_centers(features, np.ones(80), 4, random)
    assert run.objective == pytest.approx(80.0)


def test_one_cluster(random):
    run = relocate_centers(random.randn(30, 2), np.ones(30), 1, random)
    assert set(run.labels) == {0}
