"""Cutting planes and the concave-convex procedure, against direct evaluation."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.svm import LinearSVC

from maxmargin.datasets import load_dataset
from maxmargin.hinge.clusters import bias_limits, cluster_problem, solve_clusters
from maxmargin.hinge.cutting_plane import descend, minimise_convex
from maxmargin.hinge.directions import leading_directions
from maxmargin.hinge.features import standardise
from maxmargin.hinge.margin_loss import (
    hinge_loss,
    many_sided_hinge,
    multiclass_loss,
    two_sided_hinge,
)
from maxmargin.search.balance import make_balance


def standard(X, weights):
    """Return the standard form, written out."""
    shares = weights / weights.sum()
    centred = X - shares @ X
    return centred / np.sqrt(shares @ (centred**2).sum(axis=1)), shares


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


def two_groups(random, n=80, d=5):
    X = random.randn(n, d)
    X[: n // 2, 0] += 5.0
    return X, random.randint(1, 4, n).astype(float)


@pytest.mark.parametrize("sparse", [False, True])
def test_features_are_the_standard_form(random, sparse):
    X, weights = two_groups(random)
    X[np.abs(X) < 0.5] = 0.0
    features = standardise(sp.csr_array(X) if sparse else X, weights, 3)
    Z, shares = standard(X, weights)
    v = random.randn(features.n_coefficients)
    W, b = features.split(v)
    np.testing.assert_allclose(features.decide(v), Z @ W + b, atol=1e-12)
    g = random.randn(len(X), 3)
    expected = np.concatenate([(Z.T @ g).ravel(), g.sum(axis=0)])
    np.testing.assert_allclose(features.collect(g), expected, atol=1e-11)
    coefficients, offsets = features.plain(v)
    np.testing.assert_allclose(X @ coefficients + offsets, Z @ W + b, atol=1e-12)
    np.testing.assert_allclose(features.squared_norms(), (Z**2).sum(axis=1))
    assert shares @ features.squared_norms() == pytest.approx(1.0)


@pytest.mark.parametrize("d", [3, 60])
def test_leading_directions(random, d):
    X = random.randn(200, d) * np.linspace(3, 1, d)
    features = standardise(X, np.ones(200))
    found = leading_directions(features, 3, random)
    Z, _ = standard(X, np.ones(200))
    values, axes = np.linalg.eigh(Z.T @ Z / 200)
    np.testing.assert_allclose(found.variances, values[::-1][:3], rtol=1e-6)
    overlap = np.abs((found.axes * axes[:, ::-1][:, :3]).sum(axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-4)
    assert ((Z @ found.axes) ** 3).mean(axis=0).min() >= 0


@pytest.mark.parametrize("k", [2, 4])
def test_majoriser_touches_and_lies_above(random, k):
    shares = random.dirichlet(np.ones(30))
    limits = np.array([[-np.inf] * k, [np.inf] * k])
    shape = 30 if k == 2 else (30, k)
    f = random.randn(*np.atleast_1d(shape))
    majorise = two_sided_hinge(shares) if k == 2 else many_sided_hinge(shares, limits)

    def true_loss(f):
        if k == 2:
            return shares @ np.maximum(0.0, 1.0 - np.abs(f))
        top = np.sort(f, axis=1)
        return shares @ np.maximum(0.0, 1.0 - top[:, -1] + top[:, -2])

    loss = majorise(f)
    value, g = loss(f)
    assert value == pytest.approx(true_loss(f))
    for _ in range(20):
        u = 2 * random.randn(*f.shape)
        above, _ = loss(u)
        assert above >= true_loss(u) - 1e-12
        assert above >= value + np.vdot(g, u - f) - 1e-12  # a subgradient


@pytest.mark.parametrize("C", [0.5, 20.0, 500.0])
def test_convex_problem_reaches_the_promised_precision(random, C):
    """With given labels it is a support vector machine, which liblinear solves."""
    X, weights = two_groups(random)
    y = np.where(random.rand(len(X)) < 0.5, 1.0, -1.0)
    features = standardise(X, weights)
    limits = np.array([[-10.0, -10.0], [10.0, 10.0]])
    problem = cluster_problem(features, limits, C, 1e-6)
    loss = hinge_loss(y, features.shares)
    start = np.zeros(features.n_coefficients)
    v, f, _, finished = minimise_convex(problem, loss, start, features.decide(start))
    assert finished
    np.testing.assert_allclose(f, features.decide(v), atol=1e-9)
    Z, shares = standard(X, weights)
    grid = np.linspace(-1, 1, 41)  # the bias is within its limits, hence no intercept
    peer = min(
        _svm_without_intercept(Z, y, shares, C, b) for b in [v[-1], *grid] if abs(b) < 1
    )
    value = 0.5 * v[:-1] @ v[:-1] + C * loss(f)[0]
    assert value <= peer + C * 1e-5


def _svm_without_intercept(Z, y, shares, C, b):
    """Return an upper bound of the optimum for a given bias: a margin of 1 - y b."""
    svm = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-6, max_iter=10_000)
    svm.fit(Z, y, sample_weight=shares)
    w = svm.coef_[0]
    return 0.5 * w @ w + C * shares @ np.maximum(0.0, 1.0 - y * (Z @ w + b))


@pytest.mark.parametrize("k", [2, 3])
def test_objective_is_that_of_the_paper_and_never_rises(random, k):
    X, weights = two_groups(random)
    balance = make_balance(0.5, k, weights)
    features = standardise(X, weights)
    solution, C = solve_clusters(features, balance, epsilon=1e-4, random=random)
    W, b = features.with_columns(1 if k == 2 else k).split(solution.v)
    direct = (
        objective_of_paper(X, weights, W[:, 0], b[0], C)
        if k == 2
        else multiclass_objective_of_paper(X, weights, W, b, C)
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
    solution, _ = solve_clusters(features, balance, C=20.0, epsilon=1e-6, random=random)
    problem = cluster_problem(features, balance.limits / 9, 20.0, 1e-6)
    start = np.zeros(features.n_coefficients)
    values = []
    for signs in itertools.product([-1.0, 1.0], repeat=8):
        loss = hinge_loss(np.array([1.0, *signs]), features.shares)
        v, f, _, _ = minimise_convex(problem, loss, start, features.decide(start))
        values.append(problem.quadratic.value(v) + 20.0 * loss(f)[0])
    assert solution.objective == pytest.approx(min(values), abs=20 * 2e-6)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_mean_decisions_keep_their_limits(random, k):
    X, _ = make_blobs([100, 20, 10], 4, random_state=random)
    weights = np.ones(len(X))
    balance = make_balance(0.2, k, weights)
    features = standardise(X, weights)
    solution, _ = solve_clusters(features, balance, random=random)
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


def test_labels_of_the_start_are_used_once(random):
    X, weights = two_groups(random)
    features = standardise(X, weights, 3)
    limits = np.array([[0.0] * 3, [1.0] * 3])
    problem = cluster_problem(features, limits, 10.0, 1e-3)
    loss = multiclass_loss(random.randint(3, size=len(X)), features.shares)
    solution = descend(problem, np.zeros(features.n_coefficients), loss=loss)
    assert solution.history[0] == pytest.approx(10.0)  # all within the margin
    assert (np.diff(solution.history) <= 1e-9).all()


@pytest.mark.parametrize("C", [1.0, 1e2, 1e4])
def test_it_ends_on_letters(data_folder, C):
    X = load_dataset("letter A-B").prepared().X
    weights = np.ones(len(X))
    solution, _ = solve_clusters(
        standardise(X, weights),
        make_balance(0.03, 2, weights),
        C=C,
        n_init=1,
        random=np.random.RandomState(0),
    )
    assert solution.converged
