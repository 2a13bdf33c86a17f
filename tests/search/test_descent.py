"""Each search makes move for move what a naive implementation makes."""

import naive
import numpy as np
import pytest
from states import make_state, recorded_moves

from maxmargin.search.descent import steepest_descent, stochastic_descent
from maxmargin.search.shaking import shake


def test_stochastic_descent(problem):
    S, labels, n_clusters = problem
    expected, moves = naive.stochastic(S, labels, n_clusters)
    run = stochastic_descent(make_state(S, labels, n_clusters))
    np.testing.assert_array_equal(run.labels, expected)
    assert run.n_moves == len(moves)
    assert run.converged
    for n_moves in range(1, len(moves)):
        assert_prefix(problem, moves[:n_moves])


def assert_prefix(problem, moves):
    """The same sweep, stopped by the order of samples after the given moves."""
    from maxmargin.search.descent import sweep_moves

    S, labels, n_clusters = problem
    state = make_state(S, labels, n_clusters)
    for j, d in moves:
        assert sweep_moves(state, np.array([j]), 1e-10) == 1
        assert state.labels[j] == d


def test_steepest_descent(problem):
    from maxmargin.search.descent import steepest_moves

    S, labels, n_clusters = problem
    expected, moves = naive.steepest(S, labels, n_clusters)
    state = make_state(S, labels, n_clusters)
    states = [labels]
    while steepest_moves(state, 1, 1e-10):
        states.append(state.labels.copy())
    assert recorded_moves(states) == moves
    run = steepest_descent(make_state(S, labels, n_clusters))
    np.testing.assert_array_equal(run.labels, expected)
    assert (run.n_moves, run.converged) == (len(moves), True)


def test_hook_and_history_tell_the_same(problem):
    S, labels, n_clusters = problem
    seen = []
    run = shake(
        make_state(S, labels, n_clusters),
        np.full(n_clusters, 24 / n_clusters),
        on_iteration=lambda iteration, value: seen.append((iteration, value)),
    )
    assert seen == list(enumerate(run.history))[1:]
    assert run.n_iter == len(seen) == 21
    assert run.objective == pytest.approx(naive.plain_sum(S, run.labels, n_clusters))
