"""Solvers for one function, against each other and against a general optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from maxmargin.published.hinge.function_solvers import (
    RidgeSolver,
    SupportVectorSolver,
    shrink,
    splitting_solver,
)
from maxmargin.published.hinge.margin_loss import make_loss
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother

PIECEWISE_LINEAR = ("laplacian", "hinge", "epsilon_insensitive")


@pytest.fixture
def problem(random):
    X = random.randn(40, 2)
    targets = np.where(X[:, 0] + 0.5 * random.randn(40) > 0, 1.0, -1.0)
    weights = random.randint(1, 4, 40).astype(float)
    kernel = Kernel("rbf", {"gamma": 0.5})
    return X, kernel, kernel(X, X), targets, weights


def cost(function, targets, weights, loss, C):
    losses = loss.of_margins(targets * (function.values + function.bias))
    return function.norm + 2 * C * weights @ losses


def features_of(K):
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_libsvm_and_splitting_reach_the_same_cost(name, C, problem):
    _, _, K, targets, weights = problem
    loss = make_loss(name, 0.2)
    exact = SupportVectorSolver(K, weights, loss, C).fit(targets)
    features = features_of(K)
    split = splitting_solver(features, weights, loss, C).fit(targets)
    lowest = cost(exact, targets, weights, loss, C)
    assert cost(split, targets, weights, loss, C) == pytest.approx(lowest, rel=0.01)
    np.testing.assert_allclose(features @ split.coefficients, split.values, atol=1e-8)
    assert split.norm == pytest.approx(split.coefficients @ split.coefficients)
    np.testing.assert_allclose(K @ exact.coefficients, exact.values)


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_a_warm_start_changes_nothing_but_time(name, problem, random):
    _, _, K, targets, weights = problem
    loss = make_loss(name, 0.2)
    solver = splitting_solver(features_of(K), weights, loss, 1.0)
    other = np.where(random.rand(40) < 0.1, -targets, targets)
    warm = solver.fit(other, solver.fit(targets))
    cold = solver.fit(other)
    assert cost(warm, other, weights, loss, 1.0) == pytest.approx(
        cost(cold, other, weights, loss, 1.0), rel=0.01
    )


def test_squared_loss_is_minimal(problem):
    X, kernel, K, targets, weights = problem
    C = 3.0
    ridge = Ridge(alpha=1 / (2 * C))
    smoother = exact_smoother(kernel, X, weights, np.arange(40), ridge)
    function = RidgeSolver(smoother, K).fit(targets)
    features, loss = features_of(K), make_loss("squared")

    def naive(v):
        values = features @ v[:-1] + v[-1]
        return v[:-1] @ v[:-1] + 2 * C * weights @ (targets - values) ** 2

    smallest = minimize(naive, np.zeros(41), method="BFGS", options={"gtol": 1e-4}).fun
    assert cost(function, targets, weights, loss, C) == pytest.approx(
        smallest, rel=1e-5
    )
    np.testing.assert_allclose(K @ function.coefficients, function.values, atol=1e-9)


def test_equal_targets_have_a_constant_function(problem):
    _, _, K, _, weights = problem
    for name in PIECEWISE_LINEAR:
        solver = SupportVectorSolver(K, weights, make_loss(name), 1.0)
        function = solver.fit(-np.ones(40))
        assert function.bias == -1.0
        assert not function.values.any()


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_shrinking_is_the_minimum(name):
    loss, step = make_loss(name, 0.2), 0.7
    grid = np.linspace(-4, 4, 8001)
    for margin in np.linspace(-2, 3, 21):
        costs = step * loss.of_margins(grid) + (grid - margin) ** 2 / 2
        found = shrink(np.array([margin]), loss, step)[0]
        assert found == pytest.approx(grid[costs.argmin()], abs=1e-3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
@pytest.mark.parametrize("C", [1.0, 500.0])
def test_huge_kernel_values(name, C, random):
    """libsvm would not end; no function is better than that of an interior point."""
    X = 1e5 * random.standard_cauchy((40, 3))
    targets, weights = np.where(random.rand(40) < 0.5, -1.0, 1.0), np.ones(40)
    loss = make_loss(name, 0.2)
    found = SupportVectorSolver(X @ X.T, weights, loss, C).fit(targets)
    lowest = cost(found, targets, weights, loss, C)
    assert abs(found.coefficients.sum()) < 1e-9 * np.abs(found.coefficients).sum()
    slope = X.T @ found.coefficients
    for _ in range(50):
        moved = slope * (1 + 1e-2 * random.randn(3))
        bias = found.bias + 1e-2 * random.randn()
        losses = loss.of_margins(targets * (X @ moved + bias))
        assert lowest <= (moved @ moved + 2 * C * weights @ losses) * (1 + 1e-6)


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_the_interior_point_method_reaches_the_cost_of_libsvm(name, problem):
    _, _, K, targets, weights = problem
    loss = make_loss(name, 0.2)
    solver = SupportVectorSolver(K, weights, loss, 2.0)
    usual, other = solver.fit(targets), solver._fit_by_interior_point(targets)
    expected = cost(usual, targets, weights, loss, 2.0)
    assert cost(other, targets, weights, loss, 2.0) == pytest.approx(expected, rel=1e-3)
    np.testing.assert_allclose(
        other.values + other.bias, usual.values + usual.bias, atol=0.02
    )
    np.testing.assert_allclose(K @ other.coefficients, other.values, atol=1e-5)


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_a_constant_added_to_the_kernel_changes_nothing(name, problem):
    _, _, K, targets, weights = problem
    loss = make_loss(name, 0.2)
    near = SupportVectorSolver(K, weights, loss, 2.0).fit(targets)
    far = SupportVectorSolver(K + 1e6, weights, loss, 2.0).fit(targets)
    np.testing.assert_allclose(far.coefficients, near.coefficients, atol=1e-3)
    np.testing.assert_allclose(
        far.values + far.bias, near.values + near.bias, atol=1e-3
    )


def test_squared_loss_of_tiny_kernel_values(problem):
    """Values are those of the coefficients to the last digits, not 1e-16 beside."""
    X, _, _, targets, weights = problem
    kernel, ridge = Kernel("linear"), Ridge(alpha=50.0)
    smoother = exact_smoother(kernel, 1e-10 * X, weights, np.arange(40), ridge)
    K = kernel(1e-10 * X, 1e-10 * X)
    function = RidgeSolver(smoother, K).fit(targets)
    np.testing.assert_allclose(K @ function.coefficients, function.values, rtol=1e-9)
    limit = K @ (weights * (targets - weights @ targets / weights.sum())) / 50.0
    np.testing.assert_allclose(function.values, limit, rtol=1e-6)


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_kernel_values_far_larger_than_their_differences(name, random):
    """The values of the function are those of its coefficients for other samples."""
    X = 1e4 + random.randn(12, 1)
    K = (X @ X.T) ** 3
    targets = np.where(X[:, 0] > 1e4, 1.0, -1.0)
    loss = make_loss(name, 0.1)
    found = SupportVectorSolver(K, np.ones(12), loss, 500.0).fit(targets)
    np.testing.assert_allclose(K @ found.coefficients, found.values, atol=0.05)
    assert (targets * (found.values + found.bias) > 0).mean() > 0.7


@pytest.mark.parametrize("name", PIECEWISE_LINEAR)
def test_a_kernel_that_is_constant_up_to_rounding(name, random):
    X = 1e4 + 1e-9 * random.randn(9, 3)
    targets = np.array([1.0] * 5 + [-1.0] * 4)
    found = SupportVectorSolver(X @ X.T, np.ones(9), make_loss(name, 0.1), 500.0).fit(
        targets
    )
    np.testing.assert_array_equal(found.values, 0)
    assert found.bias == 1 and found.norm == 0
