"""Sparse arrays of SciPy are taken wherever sparse matrices are."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

from maxmargin import (
    EvolvingMaxMarginClustering,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
)
from maxmargin.published import (
    CuttingPlaneMaxMarginClustering,
    EvolutionaryMaxMarginClustering,
    IterativeMaxMarginClustering,
    LeaderClustering,
    LeastSquaresMaxMarginClustering,
    RecursiveBisection,
    SemidefiniteMaxMarginClustering,
)

ARRAYS = (sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_array, sp.dok_array)
ESTIMATORS = [
    MaxMarginClustering(2, random_state=0),
    MaxMarginClustering("auto", random_state=0),
    MaxMarginClustering(2, kernel="rbf", random_state=0),
    SemiSupervisedMaxMargin(random_state=0),
    EvolvingMaxMarginClustering(2, random_state=0),
    CuttingPlaneMaxMarginClustering(random_state=0),
    EvolutionaryMaxMarginClustering(n_init=2, random_state=0),
    IterativeMaxMarginClustering(random_state=0),
    LeaderClustering(),
    LeastSquaresMaxMarginClustering(2, power=0.7, random_state=0),
    RecursiveBisection(IterativeMaxMarginClustering(balance=0.6), 2, random_state=0),
    SemidefiniteMaxMarginClustering(formulation="gmmc"),
]


def samples():
    """Two groups of sparse rows, and a class for the first row of each."""
    random = np.random.RandomState(0)
    X = random.rand(40, 12) * (random.rand(40, 12) < 0.4)
    X[:20, 0] += 4
    X[20:, 1] += 4
    y = np.full(40, -1)
    y[[0, 20]] = 0, 1
    return X, y


@pytest.mark.parametrize("make", ARRAYS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_labels_are_those_of_a_sparse_matrix(estimator, make):
    X, y = samples()
    expected = clone(estimator).fit(sp.csr_matrix(X), y)
    model = clone(estimator).fit(make(X), y)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(
            model.predict(make(X)), expected.predict(sp.csr_matrix(X))
        )


@pytest.mark.parametrize("make", ARRAYS)
def test_streams_weights_and_scores(make):
    X, _ = samples()
    dense = MaxMarginClustering(2, random_state=0).fit(X)
    model = MaxMarginClustering(2, random_state=0)
    for rows in (slice(0, 20), slice(20, 40)):
        model.partial_fit(make(X[rows]))
    assert model.n_samples_seen_ == 40
    np.testing.assert_array_equal(model.predict(make(X)) == model.predict(make(X))[0],
                                  dense.labels_ == dense.labels_[0])  # fmt: skip
    sparse = clone(model).fit(make(X), sample_weight=np.ones(40))
    np.testing.assert_array_equal(sparse.representatives(make(X)).shape, (2,))
    assert sparse.score(make(X)) == pytest.approx(dense.score(X))
    decisions = sparse.decision_function(make(X))
    np.testing.assert_allclose(decisions, dense.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("make", ARRAYS)
def test_a_graph_may_be_a_sparse_array(make):
    nearest = kneighbors_graph(samples()[0], 5)
    affinities = nearest.maximum(nearest.T).toarray()
    model = MaxMarginClustering(2, kernel="precomputed", random_state=0)
    labels = model.fit(make(affinities)).labels_
    assert len(set(labels[:20])) == len(set(labels[20:])) == 1
    assert labels[0] != labels[20]


@pytest.mark.parametrize("make", ARRAYS)
def test_indices_of_64_bits(make):
    X, _ = samples()
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = (
        one.astype(np.int64) for one in (wide.indices, wide.indptr)
    )
    expected = MaxMarginClustering(2, random_state=0).fit(make(X)).labels_
    labels = MaxMarginClustering(2, random_state=0).fit(wide).labels_
    np.testing.assert_array_equal(labels, expected)
