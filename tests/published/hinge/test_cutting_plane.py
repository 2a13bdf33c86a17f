"""Cutting planes and the concave-convex procedure, against other solvers."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC
from tests.published.hinge.standard_form import standard, two_groups

from maxmargin.published.hinge.convex_losses import hinge_loss, multiclass_hinge_loss
from maxmargin.published.hinge.cutting_plane import descend, minimise_convex
from maxmargin.published.hinge.cutting_plane_clustering import cluster_problem
from maxmargin.published.hinge.standard_features import standardise


@pytest.mark.parametrize("C", [0.5, 20.0, 500.0])
def test_convex_problem_reaches_its_tolerance(random, C):
    """With given labels it is a support vector machine, which liblinear solves."""
    X, weights = two_groups(random)
    y = np.where(random.rand(len(X)) < 0.5, 1.0, -1.0)
    features = standardise(X, weights)
    limits = np.array([[-10.0, -10.0], [10.0, 10.0]])
    problem = cluster_problem(features, limits, C, 1e-6)
    loss = hinge_loss(y, features.shares)
    start = np.zeros(features.n_coefficients)
    v, f, converged = minimise_convex(problem, loss, start, features.decide(start))
    assert converged
    np.testing.assert_allclose(f, features.decide(v), atol=1e-9)
    Z, shares = standard(X, weights)
    grid = np.linspace(-1, 1, 41)  # the bias is within its limits, hence no intercept
    peer = min(
        _svm_without_intercept(Z, y, shares, C, b) for b in [v[-1], *grid] if abs(b) < 1
    )
    value = 0.5 * v[:-1] @ v[:-1] + C * loss(f).value
    assert value <= peer + C * 1e-5


def _svm_without_intercept(Z, y, shares, C, b):
    """Return an upper bound of the optimum for a given bias: a margin of 1 - y b."""
    svm = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-6, max_iter=10_000)
    svm.fit(Z, y, sample_weight=shares)
    w = svm.coef_[0]
    return 0.5 * w @ w + C * shares @ np.maximum(0.0, 1.0 - y * (Z @ w + b))


def test_labels_of_the_start_are_used_once(random):
    X, weights = two_groups(random)
    features = standardise(X, weights).with_functions(3)
    limits = np.array([[0.0] * 3, [1.0] * 3])
    problem = cluster_problem(features, limits, 10.0, 1e-3)
    loss = multiclass_hinge_loss(random.randint(3, size=len(X)), features.shares)
    solution = descend(problem, np.zeros(features.n_coefficients), loss=loss)
    assert solution.history[0] == pytest.approx(10.0)  # all within the margin
    assert (np.diff(solution.history) <= 1e-9).all()
