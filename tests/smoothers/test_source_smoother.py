"""The smoother of several sources: the sum of theirs, and the weights in it."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin.rows.sample import indicators
from maxmargin.rows.sources import Sources
from maxmargin.search.objective import DIRECTIONS
from maxmargin.search.relocation import relocate_centers
from maxmargin.smoothers.source_smoother import (
    agreement,
    mean_cosine,
    smoother_of_source,
    source_smoother,
)
from maxmargin.smoothers.spectral_smoother import NeighborGraph

TWO = Sources(("a", "b"), (2, 3), (False, False))


@pytest.fixture
def X(random):
    return random.randn(60, 5)


def test_smoother_is_the_weighted_sum(X):
    joint = source_smoother(X, np.ones(60), TWO, 4.0, 3, DIRECTIONS)
    shares = joint.feature_map.shares
    assert shares.sum() == pytest.approx(1)
    parts = [
        NeighborGraph(part, np.ones(60), 9, 3).soft_smoother(4.0).matrix()
        for part in (X[:, :2], X[:, 2:])
    ]
    expected = shares[0] * parts[0] + shares[1] * parts[1]
    np.testing.assert_allclose(joint.matrix(), expected, atol=1e-8)
    assert joint.degrees_of_freedom == pytest.approx(4.0)


def test_sum_of_the_losses_of_all_sources(X, random):
    """Classifiers of each source leave what the sum of smoothers says."""
    joint = source_smoother(X, np.ones(60), TWO, 4.0, 3, DIRECTIONS)
    targets = indicators(random.randint(3, size=60), 3)
    total = 0.0
    for share, part in zip(joint.feature_map.shares, TWO.split(X), strict=True):
        own = NeighborGraph(part, np.ones(60), 9, 3).soft_smoother(4.0).matrix()
        total += share * (60 - np.trace(targets.T @ own @ targets))
    found = 60 - np.einsum("nh,nh->", targets, joint.dot(targets))
    assert found == pytest.approx(total)


def test_search_finds_the_best_of_all_labellings(random):
    X = np.hstack([make_blobs(9, 2, centers=2, random_state=s)[0] for s in (1, 2)])
    two = Sources(("a", "b"), (2, 2), (False, False))
    smoother = source_smoother(X, np.ones(9), two, 2.7, 2, DIRECTIONS)
    S = smoother.matrix()

    def objective(labels):
        Z = indicators(np.array(labels), 2)
        return np.sqrt(np.maximum(np.einsum("nh,nm,mh->h", Z, S, Z), 0.0)).sum()

    best = max(objective(labels) for labels in product(range(2), repeat=9))
    run = relocate_centers(
        smoother.features, np.ones(9), 2, random, objective=DIRECTIONS
    )
    assert run.objective == pytest.approx(best)


def test_samples_have_their_own_features(X):
    smoother = source_smoother(X, np.ones(60), TWO, 4.0, 3, DIRECTIONS)
    np.testing.assert_allclose(smoother.feature_map(X), smoother.features, atol=1e-9)


def test_samples_that_are_equal_in_a_source_are_one(random):
    """Half of the rows of a source are equal: one node, and no island."""
    part = random.randn(80, 2)
    part[40:] = 0.1
    smoother, sample = smoother_of_source(part, np.ones(80), 4.0, 3)
    assert len(sample.indices) == 41
    assert smoother.weights.sum() == pytest.approx(80)
    rows = smoother.features[sample.groups]
    np.testing.assert_array_equal(rows[40:], np.tile(rows[40], (40, 1)))


def test_mean_cosine_written_out(random):
    rows = random.randn(30, 4)
    rows *= 0.3 / np.linalg.norm(rows, axis=1)[:, None]
    labels, weights = random.randint(3, size=30), random.uniform(0.5, 2.0, size=30)
    total = 0.0
    for h in range(3):
        center = sum(weights[i] * rows[i] for i in range(30) if labels[i] == h)
        center = center / np.linalg.norm(center)
        total += sum(
            weights[i] * (rows[i] / 0.3) @ center for i in range(30) if labels[i] == h
        )
    found = mean_cosine(rows, weights, labels, 3)
    assert found == pytest.approx(total / weights.sum())


def test_a_source_of_noise_has_the_smallest_weight(random):
    blobs = make_blobs(300, centers=4, cluster_std=1.0, random_state=3)[0]
    parts = [
        blobs,
        blobs @ random.randn(2, 3) + random.randn(300, 3),
        random.randn(300, 4),
    ]
    features = [
        (found := smoother_of_source(part, np.ones(300), 5.4, 4))[0].features[
            found[1].groups
        ]
        for part in parts
    ]
    shares = agreement(features, np.ones(300), 4, DIRECTIONS)
    assert shares.argmin() == 2
    assert shares[2] < 0.5 * shares[0]
    assert shares.sum() == pytest.approx(1)


def test_equal_sources_have_equal_weights(X):
    twice = Sources(("a", "b"), (5, 5), (False, False))
    both = source_smoother(np.hstack([X, X]), np.ones(60), twice, 4.0, 3, DIRECTIONS)
    np.testing.assert_allclose(both.feature_map.shares, 0.5)
    alone = NeighborGraph(X, np.ones(60), 9, 3).soft_smoother(4.0)
    np.testing.assert_allclose(both.matrix(), alone.matrix(), atol=1e-8)
