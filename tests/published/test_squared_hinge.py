"""The planes of the squared hinge loss."""

import numpy as np
import pytest
from scipy.optimize import minimize

from maxmargin.published.squared_hinge import BinaryProblem, newton, separate


def objective(point, Z, signs, costs):
    lacking = np.maximum(1.0 - signs * (Z @ point[:-1] + point[-1]), 0.0)
    return 0.5 * point @ point + costs @ lacking**2


def gradient(point, Z, signs, costs):
    lacking = np.maximum(1.0 - signs * (Z @ point[:-1] + point[-1]), 0.0)
    slopes = 2.0 * costs * lacking * signs
    return point - np.append(slopes @ Z, slopes.sum())


@pytest.mark.parametrize("spread", [0, 6])
def test_the_gradient_is_zero_at_the_end(random, spread):
    """For features of equal scales and of scales from 1 to 1e-6."""
    Z = random.randn(300, 8) * np.logspace(0, -spread, 8) * 1000.0
    signs = np.where(Z[:, 0] + 300 * random.randn(300) > 0, 1.0, -1.0)
    costs = random.uniform(1.0, 10.0, size=300)
    end = newton(BinaryProblem(Z, signs, costs), np.zeros(9), 1e-12, 200)
    assert end.converged
    assert end.objective == pytest.approx(objective(end.point, Z, signs, costs))
    scale = np.abs(2 * costs @ np.abs(Z)).max()
    assert np.abs(gradient(end.point, Z, signs, costs)).max() < 1e-9 * scale


def test_equals_a_general_minimiser(random):
    Z = random.randn(90, 4)
    codes = random.randint(3, size=90)
    weights = random.uniform(0.5, 2.0, size=90)
    planes = separate(Z, codes, weights, 2.0, 1e-12, 100)
    for h in range(3):
        signs = np.where(codes == h, 1.0, -1.0)
        best = minimize(
            objective,
            np.zeros(5),
            (Z, signs, 2.0 * weights),
            jac=gradient,
            options={"gtol": 1e-8},
        )
        assert planes.objectives[h] == pytest.approx(best.fun, rel=1e-9)
        assert np.allclose(planes.coefficients[:, h], best.x[:-1], atol=1e-5)


def test_not_converged_within_max_iter(random):
    Z, signs = random.randn(50, 3), np.where(random.rand(50) > 0.5, 1.0, -1.0)
    problem = BinaryProblem(Z, signs, np.full(50, 100.0))
    assert not newton(problem, np.ones(4), 1e-12, 1).converged


def test_huge_and_dependent_features(random):
    """One is lost beside the values of their Hessian."""
    Z = random.randn(60, 4) @ np.diag([1e13, 1e9, 1e5, 1.0])
    Z = np.column_stack([Z, Z[:, 0] + Z[:, 1]])
    signs = np.where(random.rand(60) < 0.5, 1.0, -1.0)
    end = newton(BinaryProblem(Z, signs, np.full(60, 100.0)), np.zeros(6), 1e-10, 1000)
    small = Z[:, :4] / np.array([1e13, 1e9, 1e5, 1.0])
    problem = BinaryProblem(small, signs, np.full(60, 1e9))  # hardly a regulariser
    limit = newton(problem, np.zeros(5), 1e-12, 99)
    assert end.objective == pytest.approx(limit.objective * 1e-7, rel=1e-3)
