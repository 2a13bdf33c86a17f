"""Passes over all samples at once."""

import numpy as np
import pytest

from maxmargin.rows.blocks import ArrayBlocks
from maxmargin.search.balance import make_balance
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import Objective
from maxmargin.search.passes import (
    add_sums,
    decide_by,
    pass_block,
    pass_over,
    repeat_passes,
    sum_columns,
    value_of,
)

KERNEL = Objective(power=0.7)


@pytest.fixture
def problem(random):
    columns = random.randn(120, 6)
    projection = random.randn(6, 5)
    weights = random.randint(1, 4, 120).astype(float)
    labels = random.randint(3, size=120)
    return columns, projection, weights, labels


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_objective_is_that_of_the_smoother(problem, power):
    columns, projection, weights, labels = problem
    features = columns @ projection
    S = weights[:, None] * (features @ features.T) * weights
    direct = sum(
        (labels == h) @ S @ (labels == h) / weights[labels == h].sum() ** power
        for h in range(3)
    )
    sums = sum_columns(columns, weights, labels, 3)
    assert value_of(sums, projection, Objective(power)) == pytest.approx(direct)


@pytest.mark.parametrize("power", [0.0, 0.3, 0.7, 1.0])
def test_a_pass_never_lowers_the_objective(problem, power):
    columns, projection, weights, labels = problem
    sums, objective = sum_columns(columns, weights, labels, 3), Objective(power)
    for _ in range(10):
        before = value_of(sums, projection, objective)
        sums = pass_block(columns, weights, decide_by(sums, projection, objective))
        assert value_of(sums, projection, objective) >= before * (1 - 1e-12)


def test_blocks_add_up(problem):
    columns, projection, weights, labels = problem
    decisions = decide_by(sum_columns(columns, weights, labels, 3), projection, KERNEL)
    whole = pass_block(columns, weights, decisions)
    parts = add_sums(
        [
            pass_block(columns[rows], weights[rows], decisions)
            for rows in (slice(0, 7), slice(7, 80), slice(80, 120))
        ]
    )
    assert np.allclose(whole.columns, parts.columns)
    assert np.allclose(whole.sizes, parts.sizes)


def test_passes_end_where_labels_stay(problem):
    columns, projection, weights, labels = problem
    start = decide_by(sum_columns(columns, weights, labels, 3), projection, KERNEL)
    decisions, history, converged = repeat_passes(
        lambda d: pass_block(columns, weights, d), start, projection, KERNEL
    )
    assert converged
    assert np.all(np.diff(history) > 0)
    _, more, _ = repeat_passes(
        lambda d: pass_block(columns, weights, d),
        decisions,
        projection,
        KERNEL,
    )
    assert more[-1] == pytest.approx(history[-1], rel=1e-3)


def test_a_pass_within_limits_labels_all_blocks_at_once(problem):
    columns, projection, weights, labels = problem
    start = decide_by(sum_columns(columns, weights, labels, 3), projection, KERNEL)
    balance = make_balance("equal", 3, weights, KERNEL)
    rows = (slice(0, 50), slice(50, 120))
    blocks = ArrayBlocks([(columns[own], weights[own]) for own in rows])
    found = pass_over(blocks, balance, weights.sum())(start)
    values = columns @ start.coefficients + start.offsets
    limits = balance.of_part(weights, weights.sum()).limits
    expected = assign_within_limits(values, weights, limits)
    sums = sum_columns(columns, weights, expected, 3)
    np.testing.assert_allclose(found.columns, sums.columns)
    np.testing.assert_allclose(found.sizes, sums.sizes)
    assert (found.sizes >= limits[0]).all()
    assert (found.sizes <= limits[1]).all()
