"""Data that change over time: generators, networks and loaders."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.data.evolving_sets import EVOLVING, load_evolving
from benchmarks.data.suite import MissingData
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.datasets import (
    adjacency_snapshot,
    drift_classes,
    make_evolving_gaussians,
    network_snapshots,
)


def test_gaussians_pass_each_other(seed):
    steps = make_evolving_gaussians(2000, 12, random_state=seed)
    assert len(steps) == 13
    for t, step in enumerate(steps):
        gap = step.X[step.y == 0].mean(axis=0) - step.X[step.y == 1].mean(axis=0)
        assert_allclose(gap, [0.5 * t, 4 - 0.5 * t], atol=0.25)
        assert_array_equal(step.ids, steps[0].ids)


def test_classes_drift_within_their_signs(random):
    X, y = random.randn(50, 4), random.randint(3, size=50)
    steps = drift_classes(X, y, 3, drift=0.2, random_state=random)
    assert steps[0].X.min() == 0.0
    assert steps[0].X.max() == 1.0
    move = steps[3].X - steps[2].X
    assert np.abs(move).max() <= 0.2
    for h in range(3):
        signs = np.sign(move[y == h])
        assert (signs == signs[0]).all()


def test_network_rows_are_those_of_the_normalised_adjacency():
    edges = [(0, 0, 1), (5, 1, 0), (3, 1, 2), (12, 3, 2)]
    first, second = network_snapshots(edges, n_nodes=5, width=10)
    assert (first.time, second.time) == (0, 1)
    assert_array_equal(first.ids, [0, 1, 2])
    assert_array_equal(second.ids, [2, 3])
    a, b = np.log(3.0), np.log(2.0)
    A = np.array([[a, a, 0], [a, a, b], [0, b, b]])
    rows = A / np.sqrt(np.outer(A.sum(axis=1), A.sum(axis=1)))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert_allclose(first.X.toarray()[:, :3], rows)
    assert first.X.shape == (3, 5)


def test_bad_edges():
    with pytest.raises(ValueError, match="two nodes"):
        network_snapshots([(0, 1)], 2)
    with pytest.raises(ValueError, match="n_nodes"):
        network_snapshots([(0, 1, 2)], 2)


def test_missing_data_are_named(monkeypatch):
    monkeypatch.delenv("MAXMARGIN_DATA", raising=False)
    with pytest.raises(MissingData, match="keystroke"):
        load_evolving("keystroke")
    with pytest.raises(ValueError, match="not known"):
        load_evolving("iris")


@pytest.mark.parametrize("name", sorted(EVOLVING))
def test_public_data_have_time_steps(name, data_folder):
    if not (data_folder / f"{name}.npz").exists():
        pytest.skip(f"needs {name} in the data folder")
    steps = load_evolving(name)
    assert len(steps) >= 2
    assert len({step.X.shape[1] for step in steps}) == 1
    for step in steps:
        assert step.X.shape[0] == len(step.ids) == len(step.y)
        assert len(np.unique(step.ids)) == len(step.ids)
    assert all(a.time < b.time for a, b in pairwise(steps))


def test_senators_are_in_their_party(data_folder):
    step = load_evolving("us_senate_rollcalls_80_110")[-1]
    X = step.X.toarray() @ step.X.toarray().T
    same = step.y[:, None] == step.y
    assert X[same].mean() > X[~same].mean() + 0.1


def test_adjacency_of_the_present_nodes_equals_the_list_of_edges():
    edges = np.array([(0, 5, 1), (0, 1, 3), (0, 3, 5), (0, 2, 3)])
    (expected,) = network_snapshots(edges, n_nodes=7)
    ids = np.array([5, 3, 1, 2, 6])
    A = np.zeros((5, 5))
    for _, a, b in edges:
        i, j = np.flatnonzero(ids == a)[0], np.flatnonzero(ids == b)[0]
        A[i, j] = A[j, i] = np.log1p(1.0)
    for given in (A, sp.csr_array(A)):
        found = adjacency_snapshot(given, ids, n_nodes=7, time=0)
        assert_array_equal(found.ids, expected.ids)  # 6 has no edge
        assert_allclose(found.X.toarray(), expected.X.toarray())


@pytest.mark.parametrize(
    ("A", "ids", "message"),
    [
        (np.eye(2), [0, 1, 2], "shape"),
        (np.eye(2), [0, 9], "between 0 and"),
        (np.eye(2), [1, 1], "distinct"),
        (-np.eye(2), [0, 1], "negative"),
    ],
)
def test_adjacency_that_is_none_is_refused(A, ids, message):
    with pytest.raises(ValueError, match=message):
        adjacency_snapshot(A, ids, n_nodes=3)
