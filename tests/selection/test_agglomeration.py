import numpy as np
from scipy.sparse import csr_array
from tests.selection.naive import merge_all
from tests.selection.test_separation import random_graph

from maxmargin.selection.agglomeration import agglomerate


def test_as_one_pair_after_the_other(random):
    for _ in range(5):
        graph = random_graph(random, 25)
        found = agglomerate(csr_array(graph), np.ones(25))
        naive = merge_all(graph)
        np.testing.assert_allclose(found.similarities, naive[:, 0])
        np.testing.assert_allclose(found.shares, naive[:, 1])


def test_every_group_is_merged_once_and_after_it_was_made(random):
    found = agglomerate(csr_array(random_graph(random, 40)), np.ones(40))
    assert sorted(found.pairs.ravel()) == list(range(78))
    assert (found.pairs < 40 + np.arange(39)[:, None]).all()
    assert (np.diff(found.similarities) <= 0).all()


def test_parts_without_edges_are_merged_at_last():
    graph = np.zeros((5, 5))
    graph[0, 1] = graph[1, 0] = graph[2, 3] = graph[3, 2] = 1.0
    found = agglomerate(csr_array(graph), np.ones(5))
    assert found.similarities.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert {*found.pairs[2]} & {4}  # the smallest part is merged first


def test_one_node():
    assert len(agglomerate(csr_array((1, 1)), np.ones(1)).pairs) == 0
