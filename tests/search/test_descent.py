"""Each search makes move for move what a naive implementation makes."""

import numpy as np
import pytest
from tests.search import naive
from tests.search.states import make_state, recorded_moves

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


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("room", [np.inf, 0.4])
def test_steepest_moves_within_limits(problem, random, power, room):
    from maxmargin.search.descent import steepest_moves
    from maxmargin.search.objective import Objective
    from maxmargin.search.state import new_state

    S, _, n_clusters = problem
    labels = np.arange(len(S)) % n_clusters
    weights = random.uniform(0.8, 1.2, len(S))
    limits = np.repeat([[1 - room], [1 + room]], n_clusters, axis=1)
    limits *= weights.sum() / n_clusters

    def value(labels):
        return naive.power_sum(S, labels, n_clusters, power, weights)

    def allowed(labels):
        sizes = np.bincount(labels, weights, n_clusters)
        return (sizes >= limits[0]).all() and (sizes <= limits[1]).all()

    state = new_state(S, weights, limits, labels, Objective(power))
    expected = labels
    for _ in range(30):
        others = [
            naive.moved(expected, j, d)
            for j in range(len(S))
            for d in range(n_clusters)
        ]
        others = [other for other in others if allowed(other)]
        expected = max([expected, *others], key=value)
    n_moves = steepest_moves(state, 30, 1e-10)
    assert n_moves > 1
    np.testing.assert_array_equal(state.labels, expected)
    np.testing.assert_allclose(state.sizes, np.bincount(expected, weights, n_clusters))


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
