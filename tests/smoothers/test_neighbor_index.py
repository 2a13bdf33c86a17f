"""The graph of neighbours against its formula."""

import numpy as np
import pytest

from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers.neighbor_index import ONE_SIDED, mutual_graph


def random_lists(random, n_samples, n_neighbors):
    """Return neighbours of each sample, some of them missing."""
    others = [random.permutation(n_samples - 1)[:n_neighbors] for _ in range(n_samples)]
    lists = np.array(others) + (np.array(others) >= np.arange(n_samples)[:, None])
    return np.where(random.uniform(size=lists.shape) < 0.1, -1, lists)


@pytest.mark.parametrize("n_samples", [2, 9, 60])
def test_mutual_graph_is_that_of_the_formula(random, n_samples):
    k = min(6, n_samples - 1)
    lists = random_lists(random, n_samples, k)
    B = np.zeros((n_samples, n_samples))
    for i in range(n_samples):
        for r, j in enumerate(lists[i], 1):
            if j >= 0:
                B[i, j] = 1 - r / (k + 1)
    graph = mutual_graph(lists)
    np.testing.assert_allclose(graph.toarray(), B * B.T + ONE_SIDED * (B + B.T))
    assert graph.has_canonical_format
    assert (graph.toarray() == graph.toarray().T).all()


def test_mutual_graph_whatever_the_threads(random):
    lists = random_lists(random, 3000, 5)
    graphs = []
    for n_threads in (1, 3):
        with single_threaded_libraries(n_threads):
            graphs.append(mutual_graph(lists))
    assert (graphs[0] != graphs[1]).nnz == 0
