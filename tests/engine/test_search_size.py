"""The number of samples that a search works on."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.engine.fit import GRAPH_PART, MAX_GRAPH_SAMPLES, search_size
from maxmargin.engine.options import Options
from maxmargin.rows.blocks import ArraySource


def options(memory):
    return Options.of(MaxMarginClustering(5, memory_limit=memory))


def row_length(X):
    return ArraySource(X, np.ones(X.shape[0])).row_length


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_sparse_samples_are_searched_as_dense_ones(kind):
    X = kind(np.eye(10))
    allowed = options("100 GB")
    for n_samples in (20_001, MAX_GRAPH_SAMPLES):
        assert search_size(n_samples, row_length(X), allowed) == n_samples
    assert search_size(MAX_GRAPH_SAMPLES + 1, row_length(X), allowed) == GRAPH_PART


def test_memory_of_sparse_samples_is_that_of_their_entries():
    """Empty columns take no memory."""
    few = sp.csr_array(np.eye(10))
    wide = sp.csr_array((few.data, few.indices, few.indptr), shape=(10, 10**6))
    assert row_length(wide) == row_length(few)
    full = sp.csr_array(np.ones((10, 500)))
    sizes = [search_size(10**5, row_length(X), options("50 MB")) for X in (wide, full)]
    assert 10_000 < sizes[0] < 20_000
    assert sizes[1] < sizes[0] / 5
