import numpy as np
import pytest
from scipy.stats import chisquare

from maxmargin.search.features import Problem, make_passes, solution_of
from maxmargin.search.objective import DIRECTIONS, MEANS
from maxmargin.search.starts import (
    draw_position,
    label_by_drawn_centers,
    random_start,
    recombine,
)


def unit_rows(random, n_samples=90, n_features=4):
    rows = random.randn(n_samples, n_features)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_recombined_clusters_are_those_of_the_parents(random):
    """Of equal parents in another order, all clusters but one are left."""
    problem = Problem(unit_rows(random), np.ones(90), 5, DIRECTIONS)
    first = make_passes(problem, random.randint(5, size=90))
    second = solution_of(problem, random.permutation(5)[first.labels])
    sums, sizes = recombine([first, second], random)
    assert sums.shape == (4, 4)
    for one, size in zip(sums, sizes, strict=True):
        gaps = np.abs(first.sums - one).max(axis=1)
        assert gaps.min() < 1e-12
        assert size == pytest.approx(first.sizes[gaps.argmin()])


@pytest.mark.parametrize("objective", [MEANS, DIRECTIONS])
def test_labels_by_drawn_centers_are_the_nearest(random, objective):
    """Centres are rows: of k = n, each row gets its own."""
    rows = unit_rows(random, 20)
    problem = Problem(rows, np.ones(20), 20, objective)
    labels = label_by_drawn_centers(problem, np.empty((0, 4)), np.empty(0), random)
    assert sorted(labels) == list(range(20))
    few = label_by_drawn_centers(
        problem._replace(n_clusters=3), np.empty((0, 4)), np.empty(0), random
    )
    centers = [rows[few == h] for h in range(3)]
    assert all(len(own) for own in centers)


def test_positions_are_drawn_by_their_odds(random):
    odds = np.array([1.0, 0.0, 3.0, 4.0])
    drawn = np.bincount([draw_position(odds, random) for _ in range(4000)], minlength=4)
    assert drawn[1] == 0
    assert chisquare(drawn[[0, 2, 3]], [500, 1500, 2000]).pvalue > 1e-4
    assert draw_position(np.zeros(5), random) in range(5)


def test_random_starts_without_parents(random):
    problem = Problem(unit_rows(random), np.ones(90), 7, DIRECTIONS)
    for number in range(3):
        labels = random_start(problem, [], number, random)
        assert set(labels) == set(range(7))
