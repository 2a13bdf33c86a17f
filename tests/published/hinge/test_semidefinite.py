"""Relaxations against the costs of all labels."""

import itertools
import sys

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel, sigmoid_kernel

from maxmargin.published.hinge.semidefinite import (
    check_semidefinite,
    gmmc_cost,
    gmmc_matrix,
    mmc_cost,
    relax_gmmc,
    relax_mmc,
)

N = 12


def all_labels(slack, weights):
    for signs in itertools.product((-1.0, 1.0), repeat=len(weights) - 1):
        y = np.array((1.0, *signs))
        if abs(weights @ y) <= slack:
            yield y


@pytest.fixture(params=[0])
def kernel_matrix(request):
    random = np.random.RandomState(request.param)
    X = random.randn(N, 2) + 2 * (np.arange(N) < N // 2)[:, None]
    return rbf_kernel(X, gamma=0.3)


def test_mmc_bound_is_below_all_labels(kernel_matrix):
    pytest.importorskip("scs")
    weights, C, slack = np.ones(N), 1.0, 2.0
    relaxed = relax_mmc(kernel_matrix, weights, C, slack, tol=1e-7)
    M = relaxed.matrix
    smallest = min(
        mmc_cost(kernel_matrix, weights, C, y) for y in all_labels(slack, weights)
    )
    assert relaxed.converged
    assert 0 < relaxed.bound <= smallest
    # M is feasible: ones on its diagonal, semidefinite, balanced.
    np.testing.assert_array_equal(np.diagonal(M), 1.0)
    assert np.linalg.eigvalsh(M)[0] > -1e-4
    assert np.abs(M @ weights).max() <= slack + 1e-4


def test_mmc_bound_is_the_value_of_its_matrix(kernel_matrix):
    # For M fixed, the program has the value max 2 a'1 - a' (K o M) a.
    pytest.importorskip("scs")
    relaxed = relax_mmc(kernel_matrix, np.ones(N), 1.0, 2.0, tol=1e-7)
    value = mmc_cost(kernel_matrix * relaxed.matrix, np.ones(N), 1.0, np.ones(N))
    assert relaxed.bound == pytest.approx(value, rel=1e-4)


def test_mmc_is_exact_where_labels_are_fixed(random):
    # Two samples in different clusters: M has no free entry.
    pytest.importorskip("scs")
    K = rbf_kernel(random.randn(2, 2))
    relaxed = relax_mmc(K, np.ones(2), 1.0, 0.0, tol=1e-8)
    expected = mmc_cost(K, np.ones(2), 1.0, np.array([1.0, -1.0]))
    assert relaxed.bound == pytest.approx(expected, rel=1e-4)


def test_mmc_weights_are_repetitions(random):
    pytest.importorskip("scs")
    K = rbf_kernel(random.randn(6, 2))
    counts = random.randint(1, 3, 6)
    rows = np.repeat(np.arange(6), counts)
    once = relax_mmc(K, counts.astype(float), 0.5, 3.0, tol=1e-7)
    many = relax_mmc(K[np.ix_(rows, rows)], np.ones(len(rows)), 0.5, 3.0, tol=1e-7)
    assert once.bound == pytest.approx(many.bound, rel=1e-4)


def test_gmmc_bound_is_below_all_labels(kernel_matrix):
    weights = np.ones(N)
    Q = gmmc_matrix(kernel_matrix, weights, 1.0)
    relaxed = relax_gmmc(Q, tol=1e-6)
    smallest = min(gmmc_cost(Q, y) for y in all_labels(N, weights))
    assert relaxed.converged
    assert 0 < relaxed.bound <= smallest
    assert np.linalg.eigvalsh(relaxed.matrix)[0] >= -1e-12
    assert np.diagonal(relaxed.matrix).min() >= 1 - 1e-12
    assert np.vdot(Q, relaxed.matrix) == pytest.approx(relaxed.bound, rel=1e-5)


def test_gmmc_matrix_has_the_best_bias(kernel_matrix, random):
    C, weights, f = 2.0, random.randint(1, 4, N).astype(float), random.randn(N)
    inverse = np.linalg.inv(kernel_matrix + np.diag(1 / (C * weights)))
    biases = np.linspace(-5, 5, 20001)
    costs = [(f - b) @ inverse @ (f - b) for b in biases]
    Q = gmmc_matrix(kernel_matrix, weights, C)
    penalty = np.ones(N) @ Q @ np.ones(N) * (weights @ f / weights.sum()) ** 2
    assert f @ Q @ f - penalty == pytest.approx(min(costs), rel=1e-4)


@pytest.mark.parametrize("penalty", [0.01, 3.0])
def test_the_balance_constant_of_gmmc_is_that_of_the_formula(
    penalty, kernel_matrix, random
):
    weights = 0.5 + random.rand(N)
    f, C = random.randn(N), 2.0
    G = np.linalg.inv(kernel_matrix + np.diag(1 / (C * weights)))
    ones = np.ones(N)
    b = ones @ G @ f / (ones @ G @ ones)
    expected = (f - b) @ G @ (f - b) + penalty * (weights @ f) ** 2
    Q = gmmc_matrix(kernel_matrix, weights, C, penalty)
    assert f @ Q @ f == pytest.approx(expected, rel=1e-6)


def test_gmmc_cost_is_minimal(kernel_matrix, random):
    Q = gmmc_matrix(kernel_matrix, np.ones(N), 1.0)
    y = np.where(random.rand(N) < 0.5, 1.0, -1.0)
    answer = minimize(
        lambda f: f @ Q @ f,
        y,
        jac=lambda f: 2 * Q @ f,
        constraints={
            "type": "ineq",
            "fun": lambda f: y * f - 1,
            "jac": lambda f: np.diag(y),
        },
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert gmmc_cost(Q, y) == pytest.approx(answer.fun, rel=1e-6)


def test_without_the_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "scs", None)
    with pytest.raises(ImportError, match=r"maxmargin\[sdp\]"):
        relax_mmc(np.eye(3), np.ones(3), 1.0, 1.0)


def test_gmmc_of_huge_and_of_far_kernel_values(random):
    X = random.randn(N, 2)
    far = gmmc_matrix(X @ X.T + 1e8, np.ones(N), 1.0)
    np.testing.assert_allclose(far, gmmc_matrix(X @ X.T, np.ones(N), 1.0), atol=1e-6)
    Q = gmmc_matrix(1e12 * X @ X.T, np.ones(N), 1.0)
    relaxed = relax_gmmc(Q)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    assert relaxed.converged
    assert 0 < relaxed.bound <= gmmc_cost(Q, y)


def test_indefinite_kernels_are_refused(kernel_matrix, random):
    X = random.randn(N, 2)
    check_semidefinite(kernel_matrix)
    check_semidefinite(X @ X.T - 1.0)  # no matter to functions with a bias
    check_semidefinite(1e-10 * X @ X.T + 1e8)  # rounding errors
    with pytest.raises(ValueError, match="kernel matrix is not positive semidefinite"):
        check_semidefinite(sigmoid_kernel(X, gamma=1.0, coef0=-1.0))


def test_a_balance_penalty_far_above_the_rest_of_the_cost():
    K = 1e24 * np.array([[1.0, 0.5], [0.5, 1.0]])
    Q = gmmc_matrix(K, np.array([3.0, 2.0]), 1.0, 100.0)
    relaxation = relax_gmmc(Q)
    assert np.isfinite(relaxation.matrix).all()
    rounding = 1e-11 * np.abs(Q).max()
    assert relaxation.bound <= gmmc_cost(Q, np.array([1.0, -1.0])) + rounding
