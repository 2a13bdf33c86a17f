"""Passes over all samples at once."""

import numpy as np
import pytest

from maxmargin.search.passes import (
    add_sums,
    decide_by,
    descend_by_passes,
    objective_of,
    pass_block,
    repeat_passes,
    sum_columns,
)


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
    assert objective_of(sums, projection, power) == pytest.approx(direct)


@pytest.mark.parametrize("power", [0.0, 0.3, 0.7, 1.0])
def test_a_pass_never_lowers_the_objective(problem, power):
    columns, projection, weights, labels = problem
    sums = sum_columns(columns, weights, labels, 3)
    for _ in range(10):
        before = objective_of(sums, projection, power)
        sums = pass_block(columns, weights, decide_by(sums, projection, power))
        assert objective_of(sums, projection, power) >= before * (1 - 1e-12)


def test_blocks_add_up(problem):
    columns, projection, weights, labels = problem
    decisions = decide_by(sum_columns(columns, weights, labels, 3), projection, 0.7)
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
    start = decide_by(sum_columns(columns, weights, labels, 3), projection, 0.7)
    decisions, history, converged = repeat_passes(
        lambda d: pass_block(columns, weights, d), start, projection, 0.7
    )
    assert converged
    assert np.all(np.diff(history) > 0)
    _, more, _ = repeat_passes(
        lambda d: pass_block(columns, weights, d),
        decisions,
        projection,
        0.7,
    )
    assert more[-1] == pytest.approx(history[-1], rel=1e-3)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_descent_by_passes_ends_where_no_pass_gains(problem, power):
    columns, _, weights, labels = problem
    run = descend_by_passes(columns, weights, labels, 3, power)
    identity = np.eye(6)
    start = objective_of(sum_columns(columns, weights, labels, 3), identity, power)
    sums = sum_columns(columns, weights, run.labels, 3)
    assert run.history[0] == pytest.approx(start)
    assert np.all(np.diff(run.history) > 0)
    assert run.objective == pytest.approx(objective_of(sums, identity, power))
    again = pass_block(columns, weights, decide_by(sums, identity, power))
    assert objective_of(again, identity, power) <= run.objective * (1 + 1e-8)


def test_descent_by_passes_keeps_an_optimum(random):
    X = np.concatenate([random.randn(20, 2), random.randn(20, 2) + 30])
    labels = np.repeat([0, 1], 20)
    run = descend_by_passes(X, np.ones(40), labels, 2, 1.0)
    np.testing.assert_array_equal(run.labels, labels)
    assert len(run.history) == 1
