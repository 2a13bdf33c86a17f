"""The number of clusters of a given graph."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from maxmargin.selection.graph_count import (
    dimension_of,
    score_graph,
    share_of_triangles,
)


def graph_of(X, n_neighbors=15):
    binary = sp.csr_array(kneighbors_graph(X, n_neighbors))
    return (binary + binary.T) / 2


def test_share_of_triangles_counted(random):
    W = graph_of(random.randn(30, 2), 4).toarray() > 0
    closed = pairs = 0
    for i in range(30):
        own = np.flatnonzero(W[i])
        for a in own:
            for b in own:
                if a != b:
                    pairs += 1
                    closed += W[a, b]
    assert share_of_triangles(sp.csr_array(W * 1.0)) == pytest.approx(closed / pairs)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_dimension_of_points_within_a_radius(dimension):
    """On a torus, which has no border, the formula is exact up to chance."""
    random = np.random.RandomState(0)
    angles = random.uniform(0, 2 * np.pi, size=(3000, dimension))
    circles = np.hstack([np.cos(angles), np.sin(angles)])
    radius = {1: 0.05, 2: 0.3, 3: 0.6, 5: 1.0}[dimension]
    assert dimension_of(radius_neighbors_graph(circles, radius)) == dimension


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (make_blobs(400, centers=5, cluster_std=0.8, random_state=4)[0], 5),
        (make_blobs(300, centers=3, random_state=1)[0], 3),
        (make_moons(400, noise=0.06, random_state=0)[0], 2),
        (load_iris().data, 2),
        (np.random.RandomState(0).uniform(size=(1000, 2)), 1),
        (np.random.RandomState(0).randn(500, 5), 1),
        (np.random.RandomState(0).randn(700, 50), 1),
    ],
    ids=["blobs", "three", "moons", "iris", "square", "normal", "wide"],
)
def test_number_of_clusters(X, expected):
    assert score_graph(graph_of(X), np.ones(len(X))).best == expected


def test_a_graph_of_few_samples_has_a_number():
    W = sp.block_diag([sp.csr_array(np.ones((4, 4)))] * 2, "csr")
    assert score_graph(W, np.ones(8)).best in (1, 2)
