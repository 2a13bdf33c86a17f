"""Alternation against a naive implementation of the paper."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from maxmargin.published.hinge.alternation import (
    AlternationProblem,
    alternate,
    targets_of,
)
from maxmargin.published.hinge.function_solvers import SupportVectorSolver
from maxmargin.published.hinge.margin_loss import LOSSES, make_loss
from maxmargin.search.runs import random_labels

LOOSE = [0.5, 100.0]


def make_problem(X, n_clusters, limits, name="laplacian", C=1.0):
    loss = make_loss(name)
    solver = SupportVectorSolver(rbf_kernel(X, gamma=0.5), np.ones(len(X)), loss, C)
    limits = np.repeat(np.array(limits, dtype=float)[:, None], n_clusters, axis=1)
    return AlternationProblem(solver, np.ones(len(X)), limits, loss, C)


def naive_rounds(X, labels, low, high, C):
    """Return the labels of iterSVR, with the bias from a search over all candidates."""
    K = rbf_kernel(X, gamma=0.5)
    while True:
        machine = SVR(kernel="precomputed", epsilon=0.0, C=C)
        machine.fit(K, np.where(labels == 1, 1.0, -1.0))
        values = machine.predict(K) - machine.intercept_[0]
        ordered = np.sort(values)
        trials = np.concatenate(
            [-(ordered[:-1] + ordered[1:]) / 2, 1 - values, -1 - values]
        )
        costs = {}
        for bias in trials:
            below = np.sum(values + bias <= 0)
            if low <= below <= high and low <= len(X) - below <= high:
                costs[bias] = np.sum(np.abs(np.abs(values + bias) - 1))
        new = (values + min(costs, key=costs.get) > 0).astype(int)
        if (new == labels).all():
            return labels
        labels = new


def test_rounds_are_those_of_the_paper(random):
    X = np.concatenate([random.randn(25, 2), random.randn(25, 2) + 2.5])
    start = random_labels(50, 2, random)
    run = alternate(make_problem(X, 2, [15, 35], C=1.0), start)
    np.testing.assert_array_equal(run.labels, naive_rounds(X, start, 15, 35, 1.0))
    assert run.converged
    assert len(run.history) == run.n_iter + 1


def naive_algorithm_1(X, labels, C):
    """Return the labels of Algorithm 1: train, take signs, until nothing changes."""
    K = rbf_kernel(X, gamma=0.5)
    while len(set(labels)) == 2:
        machine = SVC(kernel="precomputed", C=C, tol=1e-8)
        machine.fit(K, np.where(labels == 1, 1.0, -1.0))
        new = (machine.decision_function(K) > 0).astype(int)
        if (new == labels).all():
            break
        labels = new
    return labels


@pytest.mark.parametrize("C", [0.05, 0.3, 5.0])
def test_the_bias_of_the_kkt_conditions_is_algorithm_1(C, random):
    X = np.concatenate([random.randn(25, 2), random.randn(25, 2) + 2.5])
    start = (X[:, 0] + 2 * random.randn(50) > 1.2).astype(int)
    problem = replace(make_problem(X, 2, LOOSE, "hinge", C), bias="kkt")
    run = alternate(problem, start)
    np.testing.assert_array_equal(run.labels, naive_algorithm_1(X, start, C))


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "squared"])
def test_objective_never_falls_without_limits(name, random):
    X = np.concatenate([random.randn(25, 2), random.randn(25, 2) + 2])
    labels = (X[:, 0] + random.randn(50) > 1).astype(int)
    run = alternate(make_problem(X, 2, LOOSE, name), labels)
    # libsvm stops at a tolerance of 1e-3.
    assert (np.diff(run.history) > -1e-3 * abs(run.history[0])).all()


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_objective_is_the_formula(n_clusters, random):
    X = random.randn(30, 2)
    problem = make_problem(X, n_clusters, LOOSE, C=0.7)
    run = alternate(problem, random_labels(30, n_clusters, random))
    K = problem.solver.kernel_matrix
    total = 0.0
    for h in range(n_clusters):
        c, y = run.coefficients[:, h], np.where(run.labels == h, 1.0, -1.0)
        total += c @ K @ c + 2 * 0.7 * np.abs(K @ c + run.biases[h] - y).sum()
    # Two clusters have one function; the other is its negative.
    assert -run.objective == pytest.approx(total / (2 if n_clusters == 2 else 1))


def test_three_clusters_by_the_largest_value(random):
    X = np.concatenate([random.randn(20, 2) + 6 * np.eye(3, 2)[h] for h in range(3)])
    truth = np.repeat(np.arange(3), 20)
    start = np.where(random.rand(60) < 0.1, random.randint(0, 3, 60), truth)
    run = alternate(make_problem(X, 3, [14, 26]), start)
    values = rbf_kernel(X, gamma=0.5) @ run.coefficients + run.biases
    np.testing.assert_array_equal(run.labels, values.argmax(axis=1))
    assert np.mean(run.labels == truth) > 0.9


def test_last_round_is_returned_or_the_best(random):
    """With size limits that bind, stable labels may be worse than earlier ones."""
    worse = 0
    for _ in range(30):
        X, start = random.randn(20, 2), random_labels(20, 2, random)
        problem = make_problem(X, 2, [9, 11])
        last = alternate(problem, start)
        best = alternate(replace(problem, keep_best=True), start)
        assert last.history == best.history
        assert last.objective == last.history[-1]
        assert best.objective == max(best.history[1:])
        worse += last.objective < best.objective
    assert worse > 0


def test_targets():
    labels = np.array([0, 1, 2])
    np.testing.assert_array_equal(targets_of(labels, 3), 2 * np.eye(3) - 1)
    np.testing.assert_array_equal(targets_of(labels[:2], 2), [[-1, 1]])


def test_limit_of_rounds_and_progress(random):
    X, rounds = random.randn(40, 2), []
    problem = make_problem(X, 2, [15, 25])
    run = alternate(
        problem,
        random_labels(40, 2, random),
        max_iter=1,
        on_iteration=lambda *arguments: rounds.append(arguments),
    )
    assert rounds == [(1, run.objective)]
