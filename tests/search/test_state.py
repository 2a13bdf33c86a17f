import numpy as np
import pytest
from tests.search import naive

from maxmargin.search.objective import MEANS, PLAIN_SUM, Objective
from maxmargin.search.state import best_target, move, new_state, objective_of

UNLIMITED = np.array([[-np.inf] * 3, [np.inf] * 3])


def test_plain_sum_is_the_objective_of_the_paper(random, smoother_matrix):
    """``Q = n (k - (k - 2)^2 ...)``: Q and the sum differ by a constant and -4."""
    R, K = smoother_matrix(random, 30)
    draws = [random.randint(3, size=30) for _ in range(20)]
    states = [new_state(R, np.ones(30), UNLIMITED, c, PLAIN_SUM) for c in draws]
    sums = [objective_of(state) for state in states]
    published = [naive.paper_objective(K, 0.5, c, 3) for c in draws]
    constant = np.array(published) + 4 * np.array(sums)
    np.testing.assert_allclose(constant, constant[0], rtol=1e-10)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_state_after_many_moves_equals_a_fresh_one(random, smoother_matrix, power):
    R, K = smoother_matrix(random, 60)
    weights = np.ones(60)
    state = new_state(R, weights, UNLIMITED, np.arange(60) % 3, Objective(power))
    start = naive.paper_objective(K, 0.5, state.labels, 3)
    start_sum = state.within.sum()
    for _ in range(10_000):
        j = random.randint(60)
        if np.sum(state.labels == state.labels[j]) > 1:
            d = (state.labels[j] + 1 + random.randint(2)) % 3
            move(state, j, d)
    fresh = new_state(R, weights, UNLIMITED, state.labels, Objective(power))
    np.testing.assert_allclose(state.scores, fresh.scores, atol=1e-8)
    np.testing.assert_allclose(state.within, fresh.within, atol=1e-8)
    np.testing.assert_allclose(state.sizes, fresh.sizes, atol=1e-8)
    published = naive.paper_objective(K, 0.5, state.labels, 3)
    change = start - 4 * (state.within.sum() - start_sum)
    assert published == pytest.approx(change, abs=1e-8)
    expected = naive.power_sum(R, state.labels, 3, power)
    assert objective_of(state) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_gain_of_a_move_is_the_difference_of_objectives(random, smoother_matrix, power):
    R, _ = smoother_matrix(random, 12)
    weights = random.uniform(0.5, 2, size=12)
    S = weights[:, None] * R * weights
    labels = np.arange(12) % 3
    state = new_state(S, weights, UNLIMITED, labels, Objective(power))
    before = objective_of(state)
    for j in range(12):
        d, gain = best_target(state, j)
        changes = []
        for target in range(3):
            other = new_state(S, weights, UNLIMITED, labels, Objective(power))
            if target != labels[j]:
                move(other, j, target)
                changes.append((objective_of(other) - before, target))
        assert (gain, d) == (pytest.approx(max(changes)[0], abs=1e-12), max(changes)[1])


def test_limits_forbid_moves(smoother_matrix):
    R, _ = smoother_matrix(np.random.RandomState(0), 9)
    exact = np.array([[3.0] * 3, [3.0] * 3])
    state = new_state(R, np.ones(9), exact, np.arange(9) % 3, MEANS)
    assert all(best_target(state, j)[1] == -np.inf for j in range(9))
