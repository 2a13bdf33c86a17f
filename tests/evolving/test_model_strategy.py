"""The strategy model beside its definition, evaluated naively."""

import itertools

import numpy as np
from benchmarks.evolving.events import draw_stream
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.evolving.model_strategy import memberships, near_state
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM, Objective
from maxmargin.search.state import best_target, move, objective_of
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother

KERNEL = Kernel("rbf", {"gamma": 0.5})


def smoother_of(X):
    rows = np.arange(len(X))
    return exact_smoother(KERNEL, X, np.ones(len(X)), rows, Ridge(0.5))


def test_pull_is_the_least_squares_problem_with_two_targets(random):
    """For p = 0 the objective is minus the minimum, up to a constant and a factor."""
    n, a, ridge = 7, 0.6, 0.5  # c = (1 - a) / a, all divided by 1 + c
    X = random.randn(n, 2)
    smoother = smoother_of(X)
    g = random.rand(n, 2)
    K = KERNEL(X, X)

    def minimum(labels):
        total = 0.0
        for h in range(2):
            z = (labels == h) * 1.0
            t = a * z + (1 - a) * g[:, h]  # the optimum, found from the gradient
            c = np.linalg.solve(K + ridge * np.eye(n), t)
            f = K @ c
            total += a * np.sum((z - f) ** 2) + (1 - a) * np.sum((f - g[:, h]) ** 2)
            total += ridge * c @ K @ c
        return total

    pull = (1 - a) / a * g
    balance = make_balance("free", 2, np.ones(n), PLAIN_SUM)
    values, minima = [], []
    for labels in itertools.product(range(2), repeat=n):
        labels = np.array(labels)
        state = near_state(smoother.matrix(), np.ones(n), balance, labels, pull)
        values.append(objective_of(state))
        minima.append(minimum(labels))
    assert_allclose(
        np.array(minima) - minima[0],
        -(a**2) * (np.array(values) - values[0]),
        atol=1e-9,
    )


def test_moves_keep_the_pulled_state(random):
    n = 12
    smoother = smoother_of(random.randn(n, 2)).matrix()
    pull = memberships(random.randn(n, 3)) * 0.4
    balance = make_balance("free", 3, np.ones(n), Objective(0.7))
    labels = np.arange(n) % 3
    state = near_state(smoother, np.ones(n), balance, labels, pull)
    for j in range(n):
        d, gain = best_target(state, j)
        before = objective_of(state)
        move(state, j, d)
        assert_allclose(objective_of(state) - before, gain, atol=1e-12)
    fresh = near_state(smoother, np.ones(n), balance, state.labels, pull)
    assert_allclose(state.scores, fresh.scores, atol=1e-12)
    assert_allclose(state.sizes, fresh.sizes)


def test_memberships_are_parts_of_one():
    values = memberships(np.array([[0.2, -0.1], [3.0, 1.0], [0.5, 0.5]]))
    assert_allclose(values, [[0.2, 0.0], [0.75, 0.25], [0.5, 0.5]])


def test_the_past_of_all_equal_objects_counts(random):
    """Objects at the same place now, and in different clusters before."""
    before = random.randn(40, 2) + np.repeat([[0.0], [4.0]], 20, axis=0)
    now = np.repeat(random.randn(20, 2) * 2, 2, axis=0)
    ids = np.stack([np.arange(20), 39 - np.arange(20)], axis=1)
    records = []
    for order in (ids, ids[:, ::-1]):
        model = EvolvingMaxMarginClustering(2, strategy="model", random_state=0)
        model.partial_fit(before).partial_fit(now, ids=order.ravel())
        records.append(model.history_[-1])
    assert_allclose(records[0].objective, records[1].objective)
    assert_allclose(records[0].temporal_cost, records[1].temporal_cost)
    assert_array_equal(records[0].labels, records[1].labels)


def test_one_more_cluster_is_found_where_the_starts_miss_it():
    """Labels of a stream in which a cluster splits into parts far from others."""
    model = EvolvingMaxMarginClustering("auto", strategy="model", random_state=1)
    for step, _ in itertools.islice(draw_stream(1), 7):
        model.partial_fit(step.X, ids=step.ids, time=step.time)
        assert adjusted_rand_score(step.y, model.labels_) > 0.95
