"""Random walks against the inverse of a dense matrix, and against simulated walks."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.semi_supervised.random_walk import RandomWalk
from maxmargin.smoothers.neighbor_index import NeighborIndex
from maxmargin.smoothers.scaled_graph import scaled_graph


def naive_walk(W, length):
    step = W / W.sum(axis=1, keepdims=True)
    return np.linalg.inv((1 + length) * np.eye(len(W)) - length * step)


@pytest.mark.parametrize("length", [0.5, 10.0, 200.0])
def test_it_is_the_inverse(random, length):
    graph = scaled_graph(NeighborIndex(random.randn(90, 3)))
    expected = naive_walk(graph.toarray(), length)
    walk = RandomWalk(graph, length)
    np.testing.assert_allclose(expected.sum(axis=1), 1.0)
    targets = random.rand(90, 4)
    np.testing.assert_allclose(walk.spread(targets), expected @ targets, rtol=1e-6)
    rows = np.array([3, 50, 7])
    found = walk.returns(rows)
    np.testing.assert_allclose(found, np.diag(expected)[rows], rtol=2e-2)
    assert walk.trace() == pytest.approx(np.trace(expected), rel=0.3)


def test_walks_stop_where_they_should(random):
    """On a path of three samples, walks of two steps in the mean are simulated."""
    W = np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]])
    ends = np.zeros(3)
    for _ in range(20_000):
        place = 0
        while random.rand() < 2 / 3:
            place = random.choice(3, p=W[place] / W[place].sum())
        ends[place] += 1
    found = RandomWalk(sp.csr_array(W), 2.0).spread(np.eye(3))[0]
    np.testing.assert_allclose(ends / ends.sum(), found, atol=0.02)
