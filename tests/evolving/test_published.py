"""The terms as printed in the paper, against naive versions of the formulas."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from maxmargin.datasets import make_evolving_gaussians
from maxmargin.evolving.model_strategy import Gone, near_state
from maxmargin.evolving.shared_slack import (
    SharedSlack,
    descend_with_two_labels,
    pairs_of,
)
from maxmargin.published import EvolvingMMC
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM, Objective
from maxmargin.search.state import best_target, move, objective_of
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother, features_of

KERNEL, RIDGE = Kernel("rbf", {"gamma": 0.5}), 0.5


def smoother_of(X, weights):
    return exact_smoother(KERNEL, X, weights, np.arange(len(X)), Ridge(RIDGE))


def test_two_labels_minimise_equation_8(random):
    """The functions solve the convex problem with a slack for each object."""
    n, units = 9, np.array([0, 1, 2, 3, 4, 2, 6, 0, 4])
    X, weights = random.randn(n, 2), np.repeat([0.7, 0.3], [5, 4])
    smoother = smoother_of(X, weights)
    problem = SharedSlack(features_of(smoother), weights, *pairs_of(units))
    start = (X[:, 0] > 0).astype(int)
    found = descend_with_two_labels(problem, start, 2)
    z = np.eye(2)[found.labels]
    K = KERNEL(X, X)
    names, groups = np.unique(units, return_inverse=True)

    def of(v):  # coefficients of the kernel, then the slacks
        c, slacks = v[: 2 * n].reshape(n, 2), v[2 * n :]
        return slacks.sum() + RIDGE * np.sum(c * (K @ c))

    def gaps(v):
        c, slacks = v[: 2 * n].reshape(n, 2), v[2 * n :]
        return slacks[groups] - weights * ((z - K @ c) ** 2).sum(axis=1)

    first = np.concatenate([np.zeros(2 * n), np.ones(len(names))])
    naive = minimize(
        of,
        first,
        method="SLSQP",
        constraints={"type": "ineq", "fun": gaps},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert naive.success
    assert_allclose(-found.objective, naive.fun, rtol=5e-3)
    fitted = smoother.dot(found.targets) / weights[:, None]
    expected = K @ naive.x[: 2 * n].reshape(n, 2)
    assert_allclose(fitted, expected, atol=0.02)
    assert np.array_equal(fitted.argmax(axis=1), found.labels)


def test_objects_that_left_enter_with_the_mean_value(random):
    """For p = 0 the objective is minus the minimum, up to a constant and a factor."""
    n, m, c = 6, 4, 0.8
    X, g, g_left = random.randn(n, 2), random.rand(n, 2), random.rand(m, 2)
    smoother, K = smoother_of(X, np.ones(n)), KERNEL(X, X)
    gone = Gone(m, g_left.mean(axis=0), c)
    # The ridge of the smoother is that of the problem over 1 + c.
    P = np.vstack([np.eye(n), np.full((m, n), 1 / n)])

    def solve(z, h):
        weights = np.r_[np.full(n, 1 + c), np.full(m, c)]
        target = np.r_[(z + c * g[:, h]) / (1 + c), g_left[:, h]]
        A = (P @ K).T @ (weights[:, None] * (P @ K)) + (1 + c) * RIDGE * K
        return K @ np.linalg.solve(A, (P @ K).T @ (weights * target))

    def minimum(labels):
        total = 0.0
        for h in range(2):
            z = (labels == h) * 1.0
            f = solve(z, h)
            total += np.sum((z - f) ** 2) + c * np.sum((f - g[:, h]) ** 2)
            total += c * np.sum((f.mean() - g_left[:, h]) ** 2)
            total += (1 + c) * RIDGE * f @ np.linalg.solve(K, f)
        return total

    balance = make_balance("free", 2, np.ones(n), PLAIN_SUM)
    values, minima = [], []
    for labels in itertools.product(range(2), repeat=n):
        labels = np.array(labels)
        matrix = smoother.matrix()
        state = near_state(matrix, np.ones(n), balance, labels, c * g, gone)
        values.append(objective_of(state))
        minima.append(minimum(labels))
        mixed = np.eye(2)[labels] + c * g
        raised = mixed + gone.raise_targets(matrix, np.ones(n), mixed)
        fitted = smoother.dot(raised / (1 + c))
        assert_allclose(fitted[:, 1], solve((labels == 1) * 1.0, 1), atol=1e-7)
    differences = (np.array(values) - values[0]) / (1 + c)
    assert_allclose(np.array(minima) - minima[0], -differences, atol=1e-7)


def test_moves_keep_the_state_with_objects_that_left(random):
    n = 10
    matrix = smoother_of(random.randn(n, 2), np.ones(n)).matrix()
    prior, gone = 0.3 * random.rand(n, 3), Gone(5, random.rand(3), 0.4)
    balance = make_balance("free", 3, np.ones(n), Objective(0.7))
    state = near_state(matrix, np.ones(n), balance, np.arange(n) % 3, prior, gone)
    for j in range(n):
        d, gain = best_target(state, j)
        before = objective_of(state)
        move(state, j, d)
        assert_allclose(objective_of(state) - before, gain, atol=1e-12)
    fresh = near_state(matrix, np.ones(n), balance, state.labels, prior, gone)
    assert_allclose(objective_of(fresh), objective_of(state))


@pytest.mark.parametrize("loss", ["squared", "hinge"])
@pytest.mark.parametrize("strategy", ["individual", "model"])
def test_published_form_follows_moving_clusters(loss, strategy):
    model = EvolvingMMC(2, strategy=strategy, loss=loss, random_state=0)
    for step in make_evolving_gaussians(200, 3, random_state=0):
        kept = slice(0, 200 - 10 * step.time)  # some objects leave
        model.partial_fit(step.X[kept], ids=step.ids[kept], time=step.time)
        wrong = np.mean(model.labels_ != step.y[kept])
        assert min(wrong, 1 - wrong) < 0.15


def test_an_object_may_have_two_labels(random):
    """Objects that change places have the label of their row, not of their past."""
    X = random.randn(60, 2) + np.repeat([[0.0, 0.0], [7.0, 0.0]], 30, axis=0)
    now = X.copy()
    now[:5], now[30:35] = X[30:35], X[:5]
    labels = {}
    for formulation in ("adapted", "published"):
        model = EvolvingMMC(
            2,
            strategy="individual",
            weight=0.4,
            loss="squared",
            formulation=formulation,
            random_state=0,
        )
        labels[formulation] = model.partial_fit(X).partial_fit(now).labels_
    swapped = np.r_[0:5, 30:35]
    rest = labels["published"][5:30][0], labels["published"][35:][0]
    assert np.array_equal(
        labels["published"][swapped], np.repeat([rest[1], rest[0]], 5)
    )
    assert not np.array_equal(labels["adapted"], labels["published"])


def test_refuses_another_formulation():
    with pytest.raises(ValueError, match="formulation"):
        EvolvingMMC(2, formulation="printed").fit([[0.0], [1.0]])
