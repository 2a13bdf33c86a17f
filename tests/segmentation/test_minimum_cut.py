"""Minimum cuts, compared with all labels of a few cells."""

from itertools import product

import numpy as np
import pytest

from maxmargin.segmentation.minimum_cut import expand, label_by_cuts, minimum_cut
from maxmargin.segmentation.regions import Borders

N_CELLS = 7


def random_problem(random, n_labels):
    """Return costs of labels, weights of borders, and the borders."""
    pairs = [(i, j) for i in range(N_CELLS) for j in range(i) if random.rand() < 0.5]
    first, second = np.array(pairs).T
    borders = Borders(first, second, np.ones(len(pairs)), np.ones(len(pairs)))
    return 3 * random.rand(N_CELLS, n_labels), random.rand(len(pairs)), borders


def cost_of(labels, costs, weights, borders):
    labels = np.asarray(labels)
    cut = labels[borders.first] != labels[borders.second]
    return costs[np.arange(N_CELLS), labels].sum() + weights[cut].sum()


def random_given(random, n_labels):
    given = np.full(N_CELLS, -1)
    given[random.permutation(N_CELLS)[:n_labels]] = np.arange(n_labels)
    return given


def test_cut_is_the_least_of_all_sets(random):
    for _ in range(20):
        change = random.randn(N_CELLS)
        start, end = random.randint(N_CELLS, size=(2, 12))
        arcs = np.unique(np.stack([start, end])[:, start != end], axis=1)
        weights = random.rand(arcs.shape[1])

        def cost(x, arcs=arcs, change=change, weights=weights):
            x = np.asarray(x)
            return change @ x + weights @ (x[arcs[0]] * (1 - x[arcs[1]]))

        found = minimum_cut(change, *arcs, weights)
        least = min(cost(x) for x in product((0, 1), repeat=N_CELLS))
        assert cost(found.astype(int)) == pytest.approx(least, abs=1e-6)


def test_nothing_to_cut():
    none = np.zeros(0, dtype=np.int64)
    assert not minimum_cut(np.zeros(3), none, none, np.zeros(0)).any()


def test_two_labels_have_the_least_cost(random):
    for _ in range(20):
        problem = random_problem(random, 2)
        given = random_given(random, 2)
        labels = label_by_cuts(*problem, given)
        known = given >= 0
        allowed = [
            y
            for y in product((0, 1), repeat=N_CELLS)
            if np.array_equal(np.array(y)[known], given[known])
        ]
        least = min(cost_of(y, *problem) for y in allowed)
        assert tuple(labels) in allowed
        assert cost_of(labels, *problem) == pytest.approx(least, abs=1e-6)


def test_expansion_is_the_best_of_all(random):
    problem = random_problem(random, 3)
    labels = random.randint(3, size=N_CELLS)
    moves = product((False, True), repeat=N_CELLS)
    least = min(cost_of(np.where(x, 2, labels), *problem) for x in moves)
    found = expand(labels, 2, *problem)
    assert cost_of(found, *problem) == pytest.approx(least, abs=1e-6)


def test_three_labels(random):
    """Expansion moves are at most twice as far from zero as the least cost."""
    for _ in range(5):
        problem = random_problem(random, 3)
        given = random_given(random, 3)
        labels = label_by_cuts(*problem, given)
        known = given >= 0
        assert np.array_equal(labels[known], given[known])
        free = [range(3) if h < 0 else (h,) for h in given]
        least = min(cost_of(y, *problem) for y in product(*free))
        assert least - 1e-6 <= cost_of(labels, *problem) <= 1.05 * least
