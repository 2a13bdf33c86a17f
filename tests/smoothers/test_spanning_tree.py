"""Single linkage with a size limit against naive versions."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import adjusted_rand_score

from maxmargin.smoothers import spanning_tree as module
from maxmargin.smoothers.neighbor_index import NeighborIndex, mutual_graph
from maxmargin.smoothers.spanning_tree import (
    cluster_by_gaps,
    connected_parts,
    spanning_edges,
)


def gini(sizes):
    sizes = np.asarray(sizes, dtype=float)
    pairs = np.abs(sizes[:, None] - sizes).sum() / 2
    return pairs / ((len(sizes) - 1) * sizes.sum()) if len(sizes) > 1 else 0.0


def naive_clusters(X, n_clusters, limit):
    """Merge the nearest clusters, or the nearest to a smallest one."""
    D = cdist(X, X)
    clusters = [[i] for i in range(len(X))]
    while len(clusters) > n_clusters:
        sizes = [len(c) for c in clusters]
        limited = gini(sizes) > limit
        best = min(
            (D[np.ix_(a, b)].min(), i, j)
            for i, a in enumerate(clusters)
            for j, b in enumerate(clusters[:i])
            if not limited or min(len(a), len(b)) == min(sizes)
        )
        clusters[best[2]] += clusters.pop(best[1])
    labels = np.empty(len(X), dtype=int)
    for h, members in enumerate(clusters):
        labels[members] = h
    return labels


@pytest.mark.parametrize("n_clusters", [1, 2, 5])
def test_equals_merging_one_by_one(random, n_clusters):
    X = random.randn(60, 2)
    labels = cluster_by_gaps(
        X, mutual_graph(NeighborIndex(X).neighbors(15)), n_clusters
    )
    expected = naive_clusters(X, n_clusters, module.MAX_GINI)
    assert adjusted_rand_score(expected, labels) == 1.0
    assert set(labels) == set(range(n_clusters))


def test_without_a_size_limit_it_is_single_linkage(random, monkeypatch):
    monkeypatch.setattr(module, "MAX_GINI", 1.0)
    X = random.randn(200, 3)
    merge = getattr(module.merge_along_edges, "py_func", module.merge_along_edges)
    monkeypatch.setattr(module, "merge_along_edges", merge)
    labels = cluster_by_gaps(X, mutual_graph(NeighborIndex(X).neighbors(15)), 6)
    expected = fcluster(linkage(X, "single"), 6, "maxclust")
    assert adjusted_rand_score(expected, labels) == 1.0


def test_tree_is_the_minimum_of_all_pairs(random):
    X = np.concatenate([random.randn(50, 2), random.randn(60, 2) + 40])
    graph = mutual_graph(NeighborIndex(X).neighbors(12))
    first, second, lengths = spanning_edges(X, graph)
    assert len(lengths) == 109
    np.testing.assert_allclose(lengths, np.linalg.norm(X[first] - X[second], axis=1))
    complete = minimum_spanning_tree(sp.csr_array(cdist(X, X)))
    assert lengths.sum() == pytest.approx(complete.sum())


def test_connected_parts_are_those_of_scipy(random):
    graph = sp.random(300, 300, 0.004, format="csr", random_state=random)
    graph = (graph + graph.T).tocsr()
    n_parts, expected = connected_components(graph, directed=False)
    assert n_parts > 20
    np.testing.assert_array_equal(connected_parts(graph), expected)


def test_sparse_samples(random):
    X = sp.random(150, 20, 0.3, format="csr", random_state=random)
    graph = mutual_graph(NeighborIndex(X).neighbors(10))
    labels = cluster_by_gaps(X, graph, 4)
    dense = cluster_by_gaps(X.toarray(), graph, 4)
    np.testing.assert_array_equal(labels, dense)


def test_many_separate_parts_are_joined_by_the_nearest(random, monkeypatch):
    """With few connecting samples the order of far parts is still right."""
    monkeypatch.setattr(module, "N_CONNECTING", 60)
    places = 100.0 * np.array([0, 1, 10, 11, 30, 31])
    X = np.repeat(places, 20)[:, None] + random.rand(120, 1)
    labels = cluster_by_gaps(X, mutual_graph(NeighborIndex(X).neighbors(8)), 3)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 40), labels) == 1.0
    assert pdist(X).max() > 3000
