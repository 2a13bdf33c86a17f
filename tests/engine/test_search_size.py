"""The number of samples that a search works on."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.engine.fit import row_length, search_size
from maxmargin.engine.options import GRAPH_PART, MAX_GRAPH_SAMPLES, Options


def options(X, memory):
    return Options.of(MaxMarginClustering(5, memory_limit=memory), X)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_sparse_samples_are_searched_as_dense_ones(kind):
    X = kind(np.eye(10))
    allowed = options(X, "100 GB")
    for n_samples in (20_001, MAX_GRAPH_SAMPLES):
        assert search_size(n_samples, row_length(X), allowed) == n_samples
    assert search_size(MAX_GRAPH_SAMPLES + 1, row_length(X), allowed) == GRAPH_PART


def test_memory_of_sparse_samples_is_that_of_their_entries():
    """Empty columns take no memory."""
    few = sp.csr_array(np.eye(10))
    wide = sp.csr_array((few.data, few.indices, few.indptr), shape=(10, 10**6))
    assert row_length(wide) == row_length(few)
    full = sp.csr_array(np.ones((10, 500)))
    sizes = [
        search_size(10**5, row_length(X), options(X, "50 MB")) for X in (wide, full)
    ]
    assert 10_000 < sizes[0] < 20_000
    assert sizes[1] < sizes[0] / 5
