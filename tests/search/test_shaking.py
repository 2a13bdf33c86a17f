"""Shaking makes move for move what a naive implementation makes."""

import numpy as np
import pytest
from tests.search import naive
from tests.search.states import make_state, recorded_moves

from maxmargin.search import shaking as shaking_module
from maxmargin.search.shaking import intensities, shake


def test_shaking(problem, monkeypatch):
    S, labels, n_clusters = problem
    expected, moves = naive.shaking(S, labels, n_clusters)
    states = [labels.copy()]
    claim = shaking_module.claim

    def claim_one_by_one(state, d, n_claims, gains):
        total = 0
        for _ in range(n_claims):
            total += claim(state, d, 1, gains)
            states.append(state.labels.copy())
        return total

    run = shake(make_state(S, labels, n_clusters), np.full(n_clusters, 24 / n_clusters))
    np.testing.assert_array_equal(run.labels, expected)
    assert run.n_moves == len(moves)
    monkeypatch.setattr(shaking_module, "claim", claim_one_by_one)
    shake(make_state(S, labels, n_clusters), np.full(n_clusters, 24 / n_clusters))
    assert recorded_moves(states) == moves


@pytest.mark.parametrize(
    ("decay", "shares"),
    [
        (1.5, [1.5**-i for i in range(36)]),
        (4.0, [4.0**-i for i in range(11)]),
        ("linear", [1 - i / 20 for i in range(21)]),
    ],
)
def test_the_speed_of_the_decrease(problem, decay, shares):
    S, labels, n_clusters = problem
    np.testing.assert_allclose(intensities(decay), shares)
    expected, moves = naive.shaking(S, labels, n_clusters, shares)
    state, targets = make_state(S, labels, n_clusters), np.full(n_clusters, 24.0)
    run = shake(state, targets / n_clusters, decay=decay)
    np.testing.assert_array_equal(run.labels, expected)
    assert run.n_moves == len(moves)


def test_shaking_leaves_the_state_as_a_fresh_one(problem):
    S, labels, n_clusters = problem
    state = make_state(S, labels, n_clusters)
    shake(state, np.full(n_clusters, 24 / n_clusters))
    fresh = make_state(S, state.labels, n_clusters)
    np.testing.assert_allclose(state.scores, fresh.scores, atol=1e-10)
    np.testing.assert_allclose(state.within, fresh.within, atol=1e-10)
    np.testing.assert_allclose(state.sizes, fresh.sizes)


def test_shaking_of_two_clusters_forgets_the_start_unless_told(smoother_matrix):
    R, _ = smoother_matrix(np.random.RandomState(0), 30)
    starts = [np.random.RandomState(s).randint(2, size=30) for s in range(8)]

    def results(first_round):
        return {
            tuple(
                shake(
                    make_state(R, c, 2), np.full(2, 15.0), first_round=first_round
                ).labels
            )
            for c in starts
        }

    assert len(results(0)) == 1
    assert len(results(1)) > 1
