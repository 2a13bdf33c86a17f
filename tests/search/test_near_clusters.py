"""Passes among the clusters near the own one, against comparisons with all of them."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin.search import near_clusters
from maxmargin.search.features import Problem, make_passes, solution_of
from maxmargin.search.near_clusters import NearClusters, near_lists, pass_among_near
from maxmargin.search.objective import DIRECTIONS, MEANS
from maxmargin.search.relocation import largest_entries, relocate_centers
from maxmargin.search.splitting import next_best

OBJECTIVES = [MEANS, DIRECTIONS]


@pytest.fixture
def problem(random):
    features = random.randn(600, 8)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return Problem(features, random.randint(1, 4, 600).astype(float), 80, DIRECTIONS)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_lists_have_the_nearest_clusters(problem, random, objective):
    problem = problem._replace(objective=objective)
    found = solution_of(problem, random.randint(80, size=600))
    lists = near_lists(problem, found)
    centers = found.sums / found.sizes[:, None]
    if objective == MEANS:
        far = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    else:
        units = centers / np.linalg.norm(centers, axis=1, keepdims=True)
        far = -units @ units.T
        np.fill_diagonal(far, -np.inf)
    for h in range(80):
        nearest = np.argsort(far[h])[: near_clusters.N_NEAR]
        np.testing.assert_array_equal(lists[h], np.sort(nearest))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_with_all_clusters_near_passes_are_those_of_all(
    problem, random, objective, monkeypatch
):
    monkeypatch.setattr(near_clusters, "N_NEAR", 80)
    problem = problem._replace(objective=objective)
    start = random.randint(80, size=600)
    found, exact = pass_among_near(problem, start, 300), make_passes(problem, start)
    np.testing.assert_array_equal(found.labels, exact.labels)
    assert found.value == pytest.approx(exact.value)
    near = NearClusters(problem, found)
    slopes = found.slopes(problem)
    second, losses = next_best(slopes, problem.weights, found.labels, 80)
    np.testing.assert_array_equal(near.other, second)
    np.testing.assert_allclose(near.losses(found.labels), losses, atol=1e-9)


def test_skipped_clusters_would_not_have_changed(problem, random):
    """After some moves only lists with a changed cluster are compared again."""
    found = solution_of(problem, random.randint(80, size=600))
    near = NearClusters(problem, found)
    movers = np.arange(5)
    after, changed = near_clusters._move(problem, found, movers, near.other[movers])
    assert 0 < changed.sum() <= 10
    near.compare(after, changed)
    lists, fresh = near.lists, NearClusters(problem, after)
    fresh.lists = lists
    fresh.compare(after, np.ones(80, dtype=bool))
    np.testing.assert_array_equal(near.other, fresh.other)
    np.testing.assert_allclose(near.lead, fresh.lead, atol=1e-12)


def test_moved_sums_are_those_of_the_labels(problem, random):
    found = solution_of(problem, random.randint(80, size=600))
    movers, targets = np.arange(40), random.randint(80, size=40)
    after, _ = near_clusters._move(problem, found, movers, targets)
    expected = solution_of(problem, after.labels)
    np.testing.assert_allclose(after.sums, expected.sums, atol=1e-12)
    np.testing.assert_allclose(after.sizes, expected.sizes)
    assert after.value == pytest.approx(expected.value)
    np.testing.assert_array_equal(found.labels[40:], after.labels[40:])


def test_no_pass_over_all_clusters_gains_at_the_end(random):
    X, y = make_blobs(2000, 6, centers=100, center_box=(-20, 20), random_state=0)
    run = relocate_centers(X, np.ones(2000), 100, random, n_random=1)
    again = make_passes(Problem(X, np.ones(2000), 100), run.labels)
    assert again.value <= run.objective * (1 + 1e-9)
    truth = solution_of(Problem(X, np.ones(2000), 100), y).value
    assert run.objective >= truth * (1 - 1e-6)


def test_the_search_is_about_as_good_as_with_all_clusters(random, monkeypatch):
    X = random.randn(1500, 10)
    start = np.random.RandomState(0)
    near = relocate_centers(X, np.ones(1500), 90, start, n_random=1)
    monkeypatch.setattr("maxmargin.search.relocation.MANY_CLUSTERS", 1000)
    start = np.random.RandomState(0)
    full = relocate_centers(X, np.ones(1500), 90, start, n_random=1)
    assert near.objective > 0.995 * full.objective


def test_largest_entries(random):
    values = random.randint(30, size=(20, 20)).astype(float)
    expected = np.argsort(-values, axis=None, kind="stable")
    for size in (1, 7, 399, 400, 500):
        np.testing.assert_array_equal(largest_entries(values, size), expected[:size])
