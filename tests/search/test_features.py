import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin.search.features import Problem, solution_of
from maxmargin.search.objective import DIRECTIONS, MEANS
from maxmargin.search.splitting import next_best, split_clusters


@pytest.mark.parametrize("objective", [MEANS, DIRECTIONS])
def test_halves_and_their_gains(random, objective):
    """Two separate groups in a cluster are its halves, and the gain is that of both."""
    X, groups = make_blobs(120, n_features=3, centers=6, random_state=0)
    labels = groups // 2
    problem = Problem(X, random.uniform(0.5, 2.0, 120), 3, objective)
    found = solution_of(problem, labels)
    upper, gains = split_clusters(
        X, problem.weights, labels, found.sums, found.sizes, objective
    )
    for g in range(3):
        halves = labels.copy()
        halves[upper & (labels == g)] = 3
        split = solution_of(problem._replace(n_clusters=4), halves)
        assert split.value - found.value == pytest.approx(gains[g], abs=1e-9)
        own = labels == g
        if (
            np.linalg.norm(X[groups == 2 * g].mean(0) - X[groups == 2 * g + 1].mean(0))
            > 6
        ):
            assert len(set(zip(groups[own], upper[own], strict=True))) == 2


def test_a_cluster_of_equal_rows_is_not_split():
    X, labels = np.repeat(np.eye(2), [5, 4], axis=0), np.repeat([0, 1], [5, 4])
    found = solution_of(Problem(X, np.ones(9), 3), labels)
    _, gains = split_clusters(X, np.ones(9), labels, found.sums, found.sizes, MEANS)
    assert (gains == -np.inf).all()


def test_losses_are_those_of_the_second_best(random):
    slopes, weights = random.randn(50, 4), random.uniform(0.5, 2.0, 50)
    labels = slopes.argmax(axis=1)
    second, losses = next_best(slopes, weights, labels, 4)
    ranked = np.argsort(-slopes, axis=1)
    np.testing.assert_array_equal(second, ranked[:, 1])
    top = -np.sort(-slopes, axis=1)
    expected = np.bincount(labels, weights * (top[:, 0] - top[:, 1]), 4)
    np.testing.assert_allclose(losses, expected)
