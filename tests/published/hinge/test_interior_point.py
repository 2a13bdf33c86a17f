"""The interior point method against a linear program and a general optimiser."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from maxmargin.published.hinge.interior_point import minimise_errors


def objective(c, A, ridges, targets, low, high):
    errors = targets - A @ c
    return 0.5 * ridges @ c**2 + np.maximum(low * errors, high * errors).sum()


@pytest.fixture
def problem(random):
    A = np.column_stack([random.randn(30, 3), np.ones(30)])
    high = random.uniform(0.5, 2.0, 30)
    return A, np.where(random.rand(30) < 0.5, -1.0, 1.0), -high, high


def test_without_ridges_it_is_a_linear_program(problem):
    A, targets, low, high = problem
    n, m = A.shape
    found, converged = minimise_errors(A, np.zeros(m), targets, low, high)
    assert converged
    bounds = [(None, None)] * m + [(0, None)] * (2 * n)
    rows = np.column_stack([A, np.eye(n), -np.eye(n)])  # errors are differences
    costs = np.concatenate([np.zeros(m), high, -low])
    best = linprog(costs, A_eq=rows, b_eq=targets, bounds=bounds)
    value = objective(found, A, np.zeros(m), targets, low, high)
    assert value == pytest.approx(best.fun, rel=1e-6)


@pytest.mark.parametrize("ridge", [1e-12, 1.0, 1e4])
def test_no_point_near_the_solution_is_better(problem, random, ridge):
    A, targets, low, high = problem
    ridges = np.array([ridge, ridge, ridge, 0.0])
    found, converged = minimise_errors(A, ridges, targets, low, high)
    assert converged
    arguments = (A, ridges, targets, low, high)
    value = objective(found, *arguments)
    best = minimize(objective, found, arguments, method="Nelder-Mead")
    assert value <= best.fun * (1 + 1e-7)
    for _ in range(100):
        near = found + 1e-3 * random.randn(4)
        assert value <= objective(near, *arguments) * (1 + 1e-9)
