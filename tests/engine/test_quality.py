"""`score`, `transform` and `representatives` of the clusterers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline

from maxmargin import MaxMarginClustering
from maxmargin.engine.quality import score_labels, typical_rows
from maxmargin.published import (
    CuttingPlaneMaxMarginClustering,
    EvolutionaryMaxMarginClustering,
    IterativeMaxMarginClustering,
    RecursiveBisection,
    SemidefiniteMaxMarginClustering,
)

BINARY = [
    CuttingPlaneMaxMarginClustering(random_state=0),
    EvolutionaryMaxMarginClustering(n_init=2, random_state=0),
    IterativeMaxMarginClustering(random_state=0),
    MaxMarginClustering(2, random_state=0),
    SemidefiniteMaxMarginClustering(formulation="gmmc"),
]


@pytest.fixture
def blobs(seed):
    return make_blobs(90, centers=8 * np.eye(3), random_state=seed)


@pytest.fixture
def two_blobs(seed):
    return make_blobs(60, centers=8 * np.eye(2, 3), random_state=seed)[0]


def name_of(estimator):
    return type(estimator).__name__


def test_true_clusters_have_the_best_score(blobs):
    X, y = blobs
    ones = np.ones(len(X))
    merged = np.where(y == 2, 1, y)
    split = np.where((y == 0) & (X[:, 2] > 0), 3, y)
    random = np.random.RandomState(0).randint(3, size=len(X))
    scores = [
        score_labels(X, labels, ones, np.random.RandomState(0))
        for labels in (y, split, merged, random, np.zeros(len(X), dtype=int))
    ]
    assert 0.5 < scores[0] < 1
    assert scores[0] > max(scores[1:])
    assert scores[3] < 0.1
    assert scores[4] == 0


def test_weights_of_the_score_are_repetitions(blobs, random):
    X, y = blobs
    weights = random.randint(0, 4, len(X))
    model = MaxMarginClustering(3, random_state=0).fit(X)
    weighted = model.score(X, sample_weight=weights)
    repeated = model.score(np.repeat(X, weights, axis=0))
    assert weighted == pytest.approx(repeated)
    assert model.score(X[::-1], y[::-1]) == pytest.approx(model.score(X))


def test_grid_search_finds_the_number_of_clusters(blobs):
    X, _ = blobs
    search = GridSearchCV(
        MaxMarginClustering(random_state=0), {"n_clusters": [1, 2, 3, 5]}, cv=3
    )
    assert search.fit(X).best_params_ == {"n_clusters": 3}


def test_grid_search_avoids_a_kernel_that_is_too_narrow(blobs):
    X, _ = blobs
    grid = {"gamma": [1e4, 0.05]}
    model = MaxMarginClustering(3, kernel="rbf", n_init=2, random_state=0)
    assert GridSearchCV(model, grid, cv=3).fit(X).best_params_["gamma"] == 0.05
    model = MaxMarginClustering(kernel="precomputed", n_init=2, random_state=0)
    search = GridSearchCV(model, {"n_clusters": [2, 3]}, cv=3)
    assert search.fit(rbf_kernel(X, gamma=0.05)).best_params_["n_clusters"] == 3


@pytest.mark.parametrize("model", BINARY, ids=name_of)
def test_transform_has_the_decision_values(model, two_blobs):
    model = model.fit(two_blobs)
    decisions = model.decision_function(two_blobs)
    np.testing.assert_array_equal(model.transform(two_blobs), decisions)
    np.testing.assert_array_equal(model.fit_transform(two_blobs), decisions)
    assert model.score(two_blobs) > 0.2


def test_output_of_transform_can_be_a_data_frame(two_blobs):
    frame = pd.DataFrame(two_blobs, columns=list("abc"), index=np.arange(60) + 7)
    model = MaxMarginClustering(2, random_state=0).set_output(transform="pandas")
    features = model.fit_transform(frame, sample_weight=np.ones(60))
    names = [f"maxmarginclustering{number}" for number in range(2)]
    assert list(features.columns) == names == list(model.get_feature_names_out())
    assert (features.index == frame.index).all()


def test_names_of_the_output_after_blocks(two_blobs):
    model = MaxMarginClustering(2, random_state=0)
    assert not hasattr(model, "_n_features_out")
    model.partial_fit(two_blobs)
    assert len(model.get_feature_names_out()) == 2


def test_transform_is_a_step_of_a_pipeline(blobs):
    X, y = blobs
    pipeline = make_pipeline(MaxMarginClustering(3, random_state=0), NearestCentroid())
    assert pipeline.fit(X, y).score(X, y) > 0.9


def medoid(distances):
    return distances.sum(axis=1).argmin()


def test_representatives_are_the_medoids(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    rows = model.representatives(X)
    np.testing.assert_array_equal(model.labels_[rows], range(3))
    for label, row in enumerate(rows):
        own = np.flatnonzero(model.labels_ == label)
        distances = np.linalg.norm(X[own, None] - X[own], axis=2)
        assert own[medoid(distances)] == row
    sparse = MaxMarginClustering(3, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(sparse.representatives(sp.csr_matrix(X)), rows)


def test_representatives_of_a_kernel_matrix(two_blobs):
    K = rbf_kernel(two_blobs, gamma=0.1)
    model = MaxMarginClustering(2, kernel="precomputed", random_state=0).fit(K)
    rows = model.representatives(K)
    distances = np.sqrt(np.maximum(2 - 2 * K, 0))
    for label, row in enumerate(rows):
        own = np.flatnonzero(model.labels_ == label)
        assert own[medoid(distances[np.ix_(own, own)])] == row
    with pytest.raises(ValueError, match="must be square"):
        model.representatives(K[:20])


def test_a_cluster_without_rows_has_no_representative(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    some = X[model.labels_ != 1]
    rows = model.representatives(some)
    np.testing.assert_array_equal(model.predict(some)[rows], [0, 2])
    assert model.representatives(X[:1]).tolist() == [0]
    assert model.score(X[:1]) == 0


def test_rows_without_weight_represent_nothing(random):
    X = random.randn(30, 2) + 1e9  # squares of such values have no small digits
    weights = random.randint(0, 3, 30)
    labels = np.zeros(30, dtype=int)
    one = typical_rows(X, labels, weights, False, random)
    repeated = np.repeat(X, weights, axis=0)
    ones, zeros = np.ones(len(repeated)), np.zeros(len(repeated), dtype=int)
    many = typical_rows(repeated, zeros, ones, False, random)
    np.testing.assert_array_equal(X[one], repeated[many])
    distances = np.linalg.norm(X[:, None] - X, axis=2) @ weights
    distances[weights == 0] = np.inf
    assert one == [distances.argmin()]


def test_recursive_bisection_has_both(blobs):
    X, _ = blobs
    tree = RecursiveBisection(n_clusters=3, random_state=0).fit(X)
    assert tree.score(X) > 0.5
    np.testing.assert_array_equal(tree.labels_[tree.representatives(X)], range(3))
