import numpy as np
import pytest

from maxmargin.selection.cluster_separation import (
    inner_shares,
    measure_separation,
    soft_features,
)
from maxmargin.smoothers.spectral_smoother import NeighborGraph


def three_groups(random):
    return np.concatenate([random.randn(60, 2) + 8 * h for h in range(3)])


def test_separation_is_largest_at_the_number_of_groups(random):
    graph = NeighborGraph(three_groups(random), np.ones(180), 18)
    found = {k: measure_separation(graph, k) for k in range(2, 7)}
    assert max(found, key=lambda k: found[k].score) == 3
    assert found[3].leaving < 0.02 < found[3].inner
    assert found[3].pairs == pytest.approx(2 / 3)


def test_inner_share_is_that_of_the_best_split(random):
    # Of two groups in one cluster, the split that crosses no edge is found.
    graph = NeighborGraph(three_groups(random), np.ones(180), 9)
    labels = np.repeat([0, 0, 1], 60)
    shares = inner_shares(graph, labels, 2, soft_features(graph, 3))
    assert shares[0] == pytest.approx(0.5 / 61, abs=0.01)
    assert shares[1] > 0.03
    # A cluster of one sample cannot be split.
    labels[0] = 2
    assert inner_shares(graph, labels, 3, soft_features(graph, 3))[2] == 1.0


def test_quick_and_thorough_search_agree_on_clear_groups(random):
    graph = NeighborGraph(three_groups(random), np.ones(180), 9)
    quick = measure_separation(graph, 3, thorough=False)
    assert quick == pytest.approx(measure_separation(graph, 3))
