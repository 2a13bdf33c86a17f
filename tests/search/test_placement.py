"""Linked samples within size limits, against all labellings."""

from itertools import product

import numpy as np
import pytest

from maxmargin.search.constraints import make_constraints, satisfy_constraints
from maxmargin.search.placement import place_within_limits


def draw_problem(seed, n_samples=8, k=2, n_pairs=6):
    """Return values, given labels and pairs that some labels of equal sizes meet."""
    random = np.random.RandomState(seed)
    truth = random.permutation(n_samples) % k
    labels = np.full(n_samples, -1)
    labels[0] = truth[0]
    pairs = np.array([random.choice(n_samples, 2, False) for _ in range(n_pairs)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    values = 3.0 * random.randn(n_samples, k)
    values[:, 0] += 6.0  # so that the first cluster is too large
    return values, make_constraints(labels, pairs[same], pairs[~same])


def feasible(values, constraints, limits):
    """Yield the value of the bound groups for all labels that meet everything."""
    n_groups, k = values.shape
    totals = np.bincount(constraints.groups, minlength=n_groups)
    rows, columns = constraints.apart.nonzero()
    for choice in product(range(k), repeat=n_groups):
        labels = np.array(choice)
        sizes = np.bincount(labels, totals, k)
        given = constraints.labels[constraints.fixed] == labels[constraints.fixed]
        inside = (sizes >= limits[0]).all() and (sizes <= limits[1]).all()
        if given.all() and inside and (labels[rows] != labels[columns]).all():
            bound = constraints.bound
            yield values[bound, labels[bound]].sum()


@pytest.mark.parametrize("seed", range(40))
def test_bound_groups_are_placed_best(seed):
    """Labels that meet the limits are kept, else the best ones are found."""
    k = 2 + seed % 2
    values, constraints = draw_problem(seed, k=k)
    sums = np.zeros((len(constraints.labels), k))
    np.add.at(sums, constraints.groups, values)
    totals = np.bincount(constraints.groups).astype(float)
    limits = np.tile([[8 // k], [-(-8 // k)]], k).astype(float)
    start = satisfy_constraints(sums, constraints)
    found = place_within_limits(start, sums, constraints, totals, limits)
    sizes = np.bincount(found, totals, k)
    assert (sizes >= limits[0]).all()
    assert (sizes <= limits[1]).all()
    rows, columns = constraints.apart.nonzero()
    assert (found[rows] != found[columns]).all()
    bound = constraints.bound
    if not np.array_equal(found[bound], start[bound]):
        best = max(feasible(sums, constraints, limits))
        assert np.isclose(sums[bound, found[bound]].sum(), best)


def test_the_cases_are_hard():
    """In many of the cases above the labels without limits cannot be kept."""
    changed = 0
    for seed in range(40):
        values, constraints = draw_problem(seed)
        sums = np.zeros((len(constraints.labels), 2))
        np.add.at(sums, constraints.groups, values)
        totals = np.bincount(constraints.groups).astype(float)
        start = satisfy_constraints(sums, constraints)
        limits = np.full((2, 2), 4.0)
        found = place_within_limits(start, sums, constraints, totals, limits)
        changed += not np.array_equal(
            found[constraints.bound], start[constraints.bound]
        )
    assert changed >= 7


def test_impossible_limits_are_refused():
    chain = np.array([[0, 1], [1, 2], [2, 3]])
    constraints = make_constraints(np.full(6, -1), chain, np.empty((0, 2), int))
    n_groups = len(constraints.labels)
    totals = np.bincount(constraints.groups).astype(float)
    start = np.zeros(n_groups, dtype=int)
    limits = np.full((2, 2), 3.0)
    with pytest.raises(ValueError, match="with these labels and pairs"):
        place_within_limits(start, np.ones((n_groups, 2)), constraints, totals, limits)
