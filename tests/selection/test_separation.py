import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.selection import naive

from maxmargin.selection.graph_clusters import GraphClusters
from maxmargin.selection.separation import (
    boundary_shares,
    closest_boundaries,
    inner_shares,
    measure_separation,
    weights_between,
)


def random_graph(random, n_samples=30):
    weights = random.uniform(size=(n_samples, n_samples))
    weights[weights < 0.6] = 0.0
    weights = np.triu(weights, 1)
    return weights + weights.T


def three_groups(random):
    return np.concatenate([random.randn(60, 2) + 8 * h for h in range(3)])


def test_boundaries_by_their_formula(random):
    graph, labels = random_graph(random), random.permutation(np.arange(30) % 4)
    between, sizes = weights_between(csr_array(graph), labels, 4), np.bincount(labels)
    shares = boundary_shares(between, sizes)
    np.testing.assert_allclose(shares, shares.T)
    groups = [np.flatnonzero(labels == h) for h in (1, 3)]
    assert shares[1, 3] == pytest.approx(naive.boundary(graph, *groups))
    np.testing.assert_allclose(
        closest_boundaries(between, sizes), naive.closest_boundaries(graph, labels)
    )


def test_clusters_without_an_edge_do_not_depend_on_the_others():
    found = closest_boundaries(np.diag([30.0, 10.0, 5.0]), np.array([30, 10, 5]))
    np.testing.assert_allclose(found, [0.5 / size for size in (31, 11, 6)])


def test_inner_share_is_that_of_the_best_split_along_a_line(random):
    graph, labels = random_graph(random), np.arange(30) % 3
    line = random.normal(size=(30, 1))
    found = inner_shares(csr_array(graph), np.ones(30), labels, line)
    for h in range(3):
        own = np.flatnonzero(labels == h)
        own = own[np.argsort(line[own, 0])]
        splits = [naive.boundary(graph, own[:i], own[i:]) for i in range(1, len(own))]
        assert found[h] == pytest.approx(min(splits))


def test_one_sample_cannot_be_split(random):
    labels = np.array([0] * 29 + [1])
    graph = csr_array(random_graph(random))
    line = random.normal(size=(30, 1))
    assert inner_shares(graph, np.ones(30), labels, line)[1] == 1.0


def test_means_weight_the_samples(random):
    graph, labels = random_graph(random), np.arange(30) % 3
    line, weights = random.normal(size=(30, 1)), random.uniform(1, 2, 30)
    found = measure_separation(csr_array(graph), weights, labels, line)
    inner = inner_shares(csr_array(graph), weights, labels, line)
    outer = naive.closest_boundaries(graph, labels)
    masses = np.bincount(labels, weights) / weights.sum()
    assert found.separation == pytest.approx(masses @ np.log(inner / outer))
    assert found.boundary == pytest.approx(masses @ outer)
    assert found.inner == pytest.approx(masses @ inner)
    assert found.pairs == pytest.approx(1 - masses @ masses)


def test_separation_is_largest_at_the_number_of_groups(random):
    clusters = GraphClusters(three_groups(random), np.ones(180))
    found = {k: clusters.separation(k) for k in range(2, 7)}
    assert max(found, key=lambda k: found[k].separation) == 3
    assert found[3].boundary < 0.02 < found[3].inner
    assert found[3].pairs == pytest.approx(2 / 3)


@pytest.mark.parametrize("factor", [2.0, 1e6])
def test_nothing_depends_on_the_unit(factor, random):
    X = random.normal(size=(100, 3))
    found = [GraphClusters(rows, np.ones(100)) for rows in (X, factor * X + factor)]
    assert found[0].separation(4) == pytest.approx(found[1].separation(4))
