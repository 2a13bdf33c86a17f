"""The hinge loss against equations (15) and (16) and a general solver."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from maxmargin.published import EvolvingMMC, evolving_hinge
from maxmargin.published.evolving_hinge import add_squared_shift
from maxmargin.published.hinge.convex_losses import Pairs, hinge_loss
from maxmargin.published.hinge.cutting_plane import minimise_convex
from maxmargin.published.hinge.cutting_plane_clustering import cluster_problem
from maxmargin.published.hinge.standard_features import standardise

LIMITS = np.array([[0.3, 0.3], [0.7, 0.7]])


def rows_of(random, n_now, n_past):
    X = random.randn(n_now + n_past, 3) + np.sign(random.randn(n_now + n_past, 1))
    weights = np.repeat([0.7, 0.3], [n_now, n_past])
    return X, weights


def solve_generally(problem, blocks, C):
    """Minimise 1/2 v'Pv + q'v + C sum_i xi_i, several rows may share a slack xi_i.

    ``blocks`` has (object, share, sign, row): share (1 - sign row'v) <= xi_object.
    """
    d = len(problem.quadratic.linear)
    n = 1 + max(block[0] for block in blocks)
    curvature = problem.quadratic.curvature
    P = np.zeros((d + n, d + n))
    P[:d, :d] = np.diag(curvature) if curvature.ndim == 1 else curvature
    q = np.concatenate([problem.quadratic.linear, np.full(n, C)])
    A = np.zeros((len(blocks) + n + len(problem.constraints.rows), d + n))
    b = np.zeros(len(A))
    for line, (which, share, sign, row) in enumerate(blocks):
        A[line, :d] = -share * sign * row
        A[line, d + which] = -1.0
        b[line] = -share
    A[len(blocks) : len(blocks) + n, d:] = -np.eye(n)
    A[len(blocks) + n :, :d] = problem.constraints.rows
    b[len(blocks) + n :] = problem.constraints.bounds
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(P)),
        q,
        sp.csc_matrix(A),
        b,
        [clarabel.NonnegativeConeT(len(b))],
        settings,
    )
    return solver.solve().obj_val


def value(problem, loss, v):
    decisions = problem.features.decide(v)
    return problem.quadratic.value(v) + problem.C * loss(decisions).value


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
def test_convex_problems_agree_with_a_general_solver(strategy, random):
    n_now, n_past, C = 14, 12, 5.0
    X, weights = rows_of(random, n_now, n_past)
    if strategy == "model":
        X, weights, n_past = X[:n_now], np.ones(n_now), 0
    features = standardise(X, weights)
    problem = cluster_problem(features, LIMITS, C, 1e-9)
    signs = np.sign(random.randn(n_now + n_past))
    shares = features.shares
    loss = hinge_loss(signs, shares)
    objects = np.arange(n_now + n_past)
    if strategy == "individual":  # objects 4 to 11 of the past are 2 to 9 of now
        pairs = Pairs(np.arange(2, 10), n_now + np.arange(4, 12))
        loss = hinge_loss(signs, shares, pairs)
        objects[pairs.second] = pairs.first
    if strategy == "model":
        before, left = random.randn(n_now), random.randn(3)
        problem, constant = add_squared_shift(problem, before, left, 2.0)
    names = np.unique(objects, return_inverse=True)[1]
    A = np.column_stack([(X - features.mean) / features.scale, np.ones(len(X))])
    blocks = list(zip(names, shares, signs, A, strict=True))
    best = solve_generally(problem, blocks, C)
    v = np.zeros(4)
    v, *_ = minimise_convex(problem, loss, v, features.decide(v))
    assert_allclose(value(problem, loss, v), best, rtol=1e-6)
    if strategy == "model":  # the temporal term agrees with its formula
        f = A @ v
        shift = np.concatenate([f - before, f.mean() - left])
        plain = 0.5 * v[:-1] @ v[:-1] + 2.0 * np.mean(shift**2)
        assert_allclose(problem.quadratic.value(v) + constant, plain, rtol=1e-9)


@pytest.mark.parametrize("strategy", ["cohort", "individual"])
def test_objective_of_the_adapted_form(strategy, random):
    a, C = 0.7, 4.0
    before, now = random.randn(20, 2) + 2, random.randn(24, 2) + 2
    ids = np.arange(6, 30)  # 6 left, 10 came
    model = EvolvingMMC(
        2, strategy=strategy, C=C, weight=a, formulation="adapted", random_state=0
    )
    model.partial_fit(before).partial_fit(now, ids=ids)
    f = model.decision_function(np.concatenate([now, before]))[:, 1]
    short = np.maximum(0.0, 1 - np.abs(f)) * np.repeat([a, 1 - a], [24, 20])
    late, early = short[:24], short[24:]
    if strategy == "cohort":
        total = short.sum()
    else:
        both = np.maximum(late[:14], early[6:]).sum()
        total = both + late[14:].sum() + early[:6].sum()
    weights = np.repeat([a, 1 - a], [24, 20])
    features = standardise(np.concatenate([now, before]), weights)
    slope = model.decision_function(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    w = (slope[:2, 1] - slope[2, 1]) * features.scale
    expected = 0.5 * w @ w + C * total / weights.sum()
    assert_allclose(-model.history_[-1].objective, expected, rtol=1e-9)


@pytest.mark.parametrize("strategy", ["cohort", "individual"])
def test_runs_on_a_subset_find_the_same_clusters(strategy, random, monkeypatch):
    X = random.randn(80, 2) + np.repeat([[0.0], [5.0]], 40, axis=0)
    labels = []
    for n_rows in (20, 1000):
        monkeypatch.setattr(evolving_hinge, "SUBSET_ROWS", n_rows)
        model = EvolvingMMC(2, strategy=strategy, formulation="adapted", random_state=0)
        model.partial_fit(X).partial_fit(X[::-1] + 0.3, ids=np.arange(80)[::-1])
        labels.append(model.labels_)
    assert np.mean(labels[0] == labels[1]) > 0.95


def test_a_later_snapshot_smaller_than_the_clusters(random):
    """Without weight on the past it cannot be clustered, else it can."""
    X = random.randn(12, 2)
    alone = EvolvingMMC(2, weight=1, random_state=0)
    with pytest.raises(ValueError, match="n_samples=1 should be >= n_clusters=2"):
        alone.partial_fit(X).partial_fit(X[:1])
    both = EvolvingMMC(2, weight=0.7, random_state=0)
    assert len(both.partial_fit(X).partial_fit(X[:1]).labels_) == 1


def test_a_temporal_term_of_rounding_errors_is_none(random):
    X, weights = rows_of(random, 6, 0)
    problem = cluster_problem(standardise(X, weights), LIMITS, 10.0, 1e-3)
    previous = np.sign(random.randn(6))
    same, constant = add_squared_shift(problem, previous, np.empty(0), 1e-15)
    assert constant == 0.0
    assert same.quadratic.curvature.ndim == 1
    other, _ = add_squared_shift(problem, previous, np.empty(0), 1e-6)
    assert other.quadratic.diagonal[-1] > 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "log"}, "loss"),
        ({"formulation": "printed"}, "formulation"),
        ({"C": -1.0}, "C"),
        ({"max_iter": 0}, "max_iter"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"kernel": "precomputed"}, "precomputed"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        EvolvingMMC(**parameters).fit(np.eye(9))


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
def test_sparse_snapshots_are_the_same_as_dense_ones(strategy, random):
    X = random.randn(60, 5) + np.repeat([[-2], [2]], 30, axis=0)
    X[np.abs(X) < 0.5] = 0.0
    found = []
    for kind in (np.asarray, sp.csr_matrix, sp.csr_array):
        model = EvolvingMMC(2, strategy=strategy, random_state=0)
        model.partial_fit(kind(X)).partial_fit(kind(X + (X != 0) * 0.1))
        found.append(model.decision_function(kind(X))[:, 1])
    assert_allclose(found[1], found[0], atol=1e-6)
    assert_allclose(found[2], found[0], atol=1e-6)
