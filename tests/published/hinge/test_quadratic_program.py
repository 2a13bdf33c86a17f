"""The active-set method against the optimality conditions."""

import numpy as np
import pytest

from maxmargin.published.hinge.quadratic_program import solve_dual


def test_optimality_conditions(random):
    """Feasibility and complementary slackness."""
    m, total = 30, 2.0
    A = random.randn(m, 6)
    K = A @ A.T
    r = random.randn(m)
    capped = (np.arange(m) >= 4).astype(float)
    x = np.zeros(m)
    result = solve_dual(K, r, capped, total, x, 1000)
    slack = r - K @ x - result.xi * capped
    assert result.converged
    assert (x >= 0).all() and capped @ x <= total + 1e-9
    assert result.xi * (total - capped @ x) == pytest.approx(0.0, abs=1e-8)
    assert slack.max() <= 1e-8
    np.testing.assert_allclose(slack[x > 0], 0.0, atol=1e-8)


def test_a_warm_start_takes_few_steps(random):
    A = random.randn(40, 60)
    K, r = A @ A.T + 1e-9 * np.eye(40), random.rand(40)
    capped = np.ones(40)
    cold = np.zeros(40)
    n_steps = solve_dual(K, r, capped, 1.0, cold, 1000).n_steps
    warm = np.maximum(cold, 0.0)
    assert solve_dual(K, r, capped, 1.0, warm, 1000).n_steps == 1 < n_steps
    np.testing.assert_allclose(warm, cold, atol=1e-9)
