"""CPMMC against direct evaluation of its objective and constraints."""

import itertools

import numpy as np
import pytest
from benchmarks.data.suite import load_dataset
from sklearn.datasets import make_blobs
from tests.published.hinge.standard_form import standard, two_groups

from maxmargin.published.hinge.convex_losses import hinge_loss
from maxmargin.published.hinge.cutting_plane import minimise_convex
from maxmargin.published.hinge.cutting_plane_clustering import (
    bias_limits,
    cluster_problem,
    solve_clusters,
)
from maxmargin.published.hinge.standard_features import standardise
from maxmargin.search.balance import make_balance


def objective_of_paper(X, weights, w, b, C):
    """Return problem (22) with weights for 1/n."""
    Z, shares = standard(X, weights)
    slack = np.maximum(0.0, 1.0 - np.abs(Z @ w + b))
    return 0.5 * w @ w + C * shares @ slack


def multiclass_objective_of_paper(X, weights, W, b, C):
    """Return the objective of Zhao, Wang and Zhang (ICML 2008), sample by sample."""
    Z, shares = standard(X, weights)
    total = 0.0
    for z, share in zip(Z, shares, strict=True):
        second, first = np.sort(z @ W + b)[-2:]
        total += share * max(0.0, 1.0 - (first - second))
    return 0.5 * (W**2).sum() + C * total


@pytest.mark.parametrize("k", [2, 3])
def test_objective_is_that_of_the_paper_and_never_rises(random, k):
    X, weights = two_groups(random)
    balance = make_balance(0.5, k, weights)
    features = standardise(X, weights)
    solution = solve_clusters(features, balance, tol=1e-4, random=random)
    W, b = features.with_functions(1 if k == 2 else k).standard_units(solution.v)
    direct = (
        objective_of_paper(X, weights, W[:, 0], b[0], solution.C)
        if k == 2
        else multiclass_objective_of_paper(X, weights, W, b, solution.C)
    )
    if k == 2:
        assert solution.objective == pytest.approx(direct, rel=1e-9)
    else:  # labels within limits cost no less than free ones
        assert solution.objective >= direct - 1e-9
    assert (np.diff(solution.history) <= 1e-9).all()
    assert solution.converged


def test_best_labels_of_a_handful(random):
    """The run finds the optimum over all labellings, each solved as an SVM."""
    X = np.concatenate([random.randn(5, 2), random.randn(4, 2) + 4.0])
    weights = np.ones(9)
    balance = make_balance(0.5, 2, weights)
    features = standardise(X, weights)
    solution = solve_clusters(features, balance, C=20.0, tol=1e-6, random=random)
    problem = cluster_problem(features, balance.limits / 9, 20.0, 1e-6)
    start = np.zeros(features.n_coefficients)
    values = []
    for signs in itertools.product([-1.0, 1.0], repeat=8):
        loss = hinge_loss(np.array([1.0, *signs]), features.shares)
        v, f, _ = minimise_convex(problem, loss, start, features.decide(start))
        values.append(problem.quadratic.value(v) + 20.0 * loss(f).value)
    assert solution.objective == pytest.approx(min(values), abs=20 * 2e-6)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_mean_decisions_keep_their_limits(random, k):
    X, _ = make_blobs([100, 20, 10], 4, random_state=random)
    weights = np.ones(len(X))
    balance = make_balance(0.2, k, weights)
    features = standardise(X, weights)
    solution = solve_clusters(features, balance, random=random)
    mean = features.shares @ solution.decisions
    if k == 2:
        assert abs(mean) <= 0.2 + 2 / len(X)
    else:
        assert np.ptp(mean) <= 2 * 0.2 / k + 2 / len(X)


def test_bias_limits():
    share = np.array([[0.35, 0.35], [0.65, 0.65]])
    low, high = bias_limits(share)
    np.testing.assert_allclose([low[0], high[0]], [-0.3, 0.3])
    low, high = bias_limits(np.array([[0.8, 0.2], [0.8, 0.2]]))
    np.testing.assert_allclose([low[0], high[0]], [-0.6, -0.6])
    low, high = bias_limits(np.array([[0.1, 0.1, 0.1], [np.inf, np.inf, np.inf]]))
    np.testing.assert_allclose([low, high], [[0.1] * 3, [0.8] * 3])


@pytest.mark.parametrize("C", [1.0, 1e2, 1e4])
def test_converges_on_letters(data_folder, C):
    X = load_dataset("letter A-B").prepared().X
    weights = np.ones(len(X))
    solution = solve_clusters(
        standardise(X, weights),
        make_balance(0.03, 2, weights),
        C=C,
        n_init=1,
        random=np.random.RandomState(0),
    )
    assert solution.converged
