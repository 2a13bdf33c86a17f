"""Rows in half precision are accepted everywhere, and computed in single precision."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.preprocessing import normalize

from maxmargin import (
    EvolvingMaxMarginClustering,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
)
from maxmargin.published import LeastSquaresMaxMarginClustering, ReducedSVC
from maxmargin.rows.validation import accepted_types
from maxmargin.selection import select_n_clusters

X, y = make_blobs(120, centers=3, random_state=0)
HALF = X.astype(np.float16)
SINGLE = HALF.astype(np.float32)


def test_types():
    assert accepted_types(HALF) == [np.float32, np.float64]
    assert accepted_types(X) == accepted_types(X.tolist()) == [np.float64, np.float32]


@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf", "linear"])
def test_half_precision_is_single_precision(kernel):
    models = [
        MaxMarginClustering(3, kernel=kernel, random_state=0).fit(rows)
        for rows in (HALF, SINGLE)
    ]
    np.testing.assert_array_equal(*(model.labels_ for model in models))
    np.testing.assert_array_equal(
        models[0].decision_function(HALF), models[1].decision_function(SINGLE)
    )
    np.testing.assert_array_equal(models[0].predict(HALF), models[0].labels_)


@pytest.mark.parametrize(
    "rows",
    [
        HALF,
        pd.DataFrame(HALF, columns=["a", "b"]),
        np.abs(HALF),
        np.asfortranarray(HALF),
    ],
    ids=["array", "frame", "positive", "columns"],
)
def test_kinds_of_rows(rows):
    model = MaxMarginClustering(3, random_state=0).fit(rows)
    assert len(np.unique(model.labels_)) == 3
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    model.partial_fit(rows)
    assert model.labels_.shape == model.probabilities_.shape == (120,)


def test_other_estimators():
    given = np.where(np.arange(120) % 10 == 0, y, -1)
    SemiSupervisedMaxMargin(random_state=0).fit(HALF, given).predict(HALF)
    EvolvingMaxMarginClustering(3, random_state=0).partial_fit(HALF)
    LeastSquaresMaxMarginClustering(3, n_init=2, random_state=0).fit(HALF)
    assert ReducedSVC().fit(HALF, y).score(HALF, y) > 0.8
    assert select_n_clusters(HALF, [2, 3]).rows[0].n_clusters == 2


def test_sources_and_graphs():
    parts = [HALF, SINGLE]
    assert (
        MaxMarginClustering(3, random_state=0).fit(parts).predict(parts).shape
        == y.shape
    )
    K = np.exp(-0.1 * ((X[:, None] - X) ** 2).sum(axis=2))
    K[K < 0.2] = 0.0
    graph = MaxMarginClustering(3, kernel="precomputed", random_state=0)
    assert len(np.unique(graph.fit_predict(sp.csr_array(K.astype(np.float32))))) == 3


def test_neighbours_of_unit_rows_are_those_by_cosine():
    """So nothing has to be recognised: the graph of such rows is that of cosines."""
    rows = normalize(load_digits().data[:300])
    from maxmargin.smoothers.neighbor_index import NeighborIndex

    found = NeighborIndex(rows).neighbors(10)
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    by_cosine = np.sort(cosines, axis=1)[:, :-11:-1]
    np.testing.assert_allclose(
        np.take_along_axis(cosines, found, axis=1), by_cosine, atol=1e-12
    )
