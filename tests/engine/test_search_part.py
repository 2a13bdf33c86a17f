"""The number of samples that a search works on."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.engine import fit, search_part
from maxmargin.engine.options import Options
from maxmargin.engine.search_part import (
    GRAPH_PART,
    LABELS_PER_SEARCH,
    MAX_GRAPH_SAMPLES,
    part_sizes,
    search_size,
)
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
    more = MAX_GRAPH_SAMPLES + 10 * LABELS_PER_SEARCH
    assert search_size(more, row_length(X), allowed) == MAX_GRAPH_SAMPLES + 10


def test_the_part_grows_with_the_rows_without_a_jump():
    allowed = options("10 TB")
    numbers = np.unique(np.geomspace(1000, 10**8, 2000).astype(int))
    sizes = np.array([search_size(n, 20, allowed) for n in numbers])
    assert (sizes <= numbers).all()
    assert (np.diff(sizes) >= 0).all()
    assert (np.diff(sizes) <= np.diff(numbers)).all()
    assert search_size(10**8, 20, options(float("inf"))) == 10**8


def test_a_first_part_is_tried_only_if_not_all_are_searched():
    allowed = options("10 TB")
    assert part_sizes(10**5, 10**5, allowed) == [10**5]
    assert part_sizes(10**6, 200_000, allowed) == [GRAPH_PART, 200_000]
    assert part_sizes(10**6, 10_000, allowed) == [10_000]
    assert part_sizes(10**6, 10**6, options(float("inf"))) == [10**6]
    kernel = Options.of(MaxMarginClustering(5, kernel="rbf"))
    assert part_sizes(10**6, 4000, kernel) == [4000]


@pytest.mark.parametrize(("spread", "n_parts"), [(0.3, 1), (3.0, 2)])
def test_a_larger_part_is_searched_where_there_is_no_gap(monkeypatch, spread, n_parts):
    """The first part suffices for clusters apart, and not for those that overlap."""
    monkeypatch.setattr(search_part, "MAX_GRAPH_SAMPLES", 1500)
    monkeypatch.setattr(search_part, "GRAPH_PART", 600)
    sizes = []
    make_task = fit.make_task

    def record(source, drawn, preparation, X, sample, *others):
        sizes.append(len(sample.indices))
        return make_task(source, drawn, preparation, X, sample, *others)

    monkeypatch.setattr(fit, "make_task", record)
    X, y = make_blobs(3000, 5, centers=4, cluster_std=spread, random_state=0)
    labels = MaxMarginClustering(4, random_state=0).fit_predict(X)
    assert sizes == [600, 1500 + 1500 // LABELS_PER_SEARCH][:n_parts]
    assert adjusted_rand_score(y, labels) > 0.8


def test_memory_of_sparse_samples_is_that_of_their_entries():
    """Empty columns take no memory."""
    few = sp.csr_array(np.eye(10))
    wide = sp.csr_array((few.data, few.indices, few.indptr), shape=(10, 10**6))
    assert row_length(wide) == row_length(few)
    full = sp.csr_array(np.ones((10, 500)))
    sizes = [search_size(10**5, row_length(X), options("50 MB")) for X in (wide, full)]
    assert 10_000 < sizes[0] < 20_000
    assert sizes[1] < sizes[0] / 5
