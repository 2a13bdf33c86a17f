"""The terms of the objective, against sums by hand and numerical derivatives."""

import numpy as np
import pytest
from tests.search.naive import power_sum

from maxmargin.search.objective import (
    MEANS,
    PLAIN_SUM,
    Objective,
    decision_terms,
    share,
    total_share,
)

OBJECTIVES = [
    PLAIN_SUM,
    MEANS,
    Objective(power=0.3),
    Objective(power=0.7),
    Objective(power=0.0, root=0.5),
    Objective(power=0.2, root=0.75),
]
every = pytest.mark.parametrize("objective", OBJECTIVES)


def value(sums, sizes, objective):
    """Return the objective of the sums of features, from the formula."""
    power, root = objective
    squares = (sums**2).sum(axis=1)
    return float(np.sum(squares**root / sizes**power))


@every
def test_the_sum_of_shares_is_the_naive_one(random, smoother_matrix, objective):
    S, _ = smoother_matrix(random, 15)
    weights, labels = random.uniform(0.5, 2.0, 15), random.randint(3, size=15)
    labels[:3] = range(3)
    expected = power_sum(S, labels, 4, objective.power, weights, objective.root)
    z = np.eye(4)[labels]
    within, sizes = np.einsum("ih,ij,jh->h", z, S, z), weights @ z
    assert total_share(within, sizes, objective) == pytest.approx(expected)
    terms = [
        share(one, size, objective) for one, size in zip(within, sizes, strict=True)
    ]
    assert sum(terms) == pytest.approx(expected)


@every
def test_an_empty_cluster_has_no_share(objective):
    assert share(0.0, 0.0, objective) == 0.0
    assert share(-1e-18, 0.0, objective) == pytest.approx(0.0, abs=1e-8)


@every
def test_decision_values_are_derivatives(random, objective):
    """Of the objective, for a small weight of a sample in each cluster."""
    sums, sizes = random.randn(4, 3), random.uniform(1.0, 5.0, 4)
    x, step = random.randn(3), 1e-6
    factors, offsets = decision_terms((sums**2).sum(axis=1), sizes, objective)
    found = factors * (sums @ x) + offsets
    for h in range(4):
        one = np.eye(4)[h] * step
        more = value(sums + one[:, None] * x, sizes + one, objective)
        less = value(sums - one[:, None] * x, sizes - one, objective)
        slope = (more - less) / (2 * step)
        unit = sizes.mean() ** objective.power
        assert found[h] == pytest.approx(unit * slope, rel=1e-5, abs=1e-7)


@every
def test_an_empty_cluster_is_the_last_choice(objective):
    within, sizes = np.array([2.0, 0.0, 1.0]), np.array([3.0, 0.0, 2.0])
    factors, offsets = decision_terms(within, sizes, objective)
    assert factors[1] == 0.0
    assert np.isneginf(offsets).tolist() == [False, True, False]
    assert np.isfinite(factors).all()


@every
def test_convex_in_the_sums(random, objective):
    """No value between two points is above the line between theirs."""
    for _ in range(200):
        ends = [(random.randn(3, 2), random.uniform(0.1, 4.0, 3)) for _ in range(2)]
        t = random.rand()
        between = [t * one + (1 - t) * other for one, other in zip(*ends, strict=True)]
        line = t * value(*ends[0], objective) + (1 - t) * value(*ends[1], objective)
        assert value(*between, objective) <= line + 1e-9


def test_the_tangent_is_below(random):
    """So a pass, which moves samples by the decision values, loses nothing."""
    for objective in OBJECTIVES:
        for _ in range(100):
            sums, others = random.randn(2, 3, 2)
            sizes, new = random.uniform(0.1, 4.0, (2, 3))
            within = (sums**2).sum(axis=1)
            factors, offsets = decision_terms(within, sizes, objective)
            unit = sizes.mean() ** objective.power
            slopes = (factors[:, None] * sums / unit, offsets / unit)
            step = np.sum(slopes[0] * (others - sums)) + slopes[1] @ (new - sizes)
            gain = value(others, new, objective) - value(sums, sizes, objective)
            assert gain >= step - 1e-9
