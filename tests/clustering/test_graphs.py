"""Clusters of a graph that is given as sparse affinities."""

import io
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.smoothers.neighbor_index import NeighborIndex, mutual_graph


def graph_of(X, n_neighbors=15):
    binary = kneighbors_graph(X, n_neighbors)
    return (binary + binary.T) / 2


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(400, centers=5, cluster_std=0.8, random_state=4)
    return X, y, graph_of(X)


def fitted(W, n_clusters=5, **options):
    return MaxMarginClustering(
        n_clusters, kernel="precomputed", random_state=0, **options
    ).fit(W)


def test_clusters_of_a_graph(blobs):
    _, y, W = blobs
    model = fitted(W)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(W), model.labels_)
    assert model.probabilities_.min() > 0 and model.probabilities_.max() <= 1
    assert model.outlier_scores_ is None  # no distance is known
    assert len(np.unique(model.labels_at(3))) == 3
    assert len(np.unique(model.labels_at(9))) == 9
    assert model.source_weights_ is None


def test_the_number_of_clusters_is_found(blobs):
    assert fitted(blobs[2], "auto").n_clusters_ == 5


def test_a_graph_without_clusters_is_one():
    W = graph_of(np.random.RandomState(0).uniform(size=(300, 2)))
    assert fitted(W, "auto").n_clusters_ == 1


def test_the_graph_of_the_library_gives_its_clusters():
    """The same engine: our own neighbour graph, given from outside."""
    X = load_digits().data
    neighbors = MaxMarginClustering(10, kernel="neighbors", random_state=0).fit(X)
    W = mutual_graph(NeighborIndex(X).neighbors(25))  # 2.5 log2 n, at most 25
    given = fitted(W, 10)
    assert adjusted_rand_score(neighbors.labels_, given.labels_) > 0.98
    assert given.objective_ == pytest.approx(neighbors.objective_, rel=1e-3)


def test_order_and_factor_of_the_graph_do_not_matter(blobs):
    W = blobs[2]
    order = np.random.RandomState(1).permutation(400)
    labels = fitted(W).labels_
    turned = fitted(7.0 * W[order][:, order]).labels_
    assert adjusted_rand_score(turned, labels[order]) == 1.0  # clusters of equal size


@pytest.mark.parametrize("kind", [sp.csc_matrix, sp.coo_array, sp.csr_array])
def test_any_sparse_format(blobs, kind):
    W = blobs[2]
    expected = fitted(W)
    model = fitted(kind(W))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(kind(W)), expected.labels_)


def test_further_samples_by_their_affinities(blobs):
    """Neighbours among the training samples, as faiss or pynndescent return them."""
    X, _, _ = blobs
    further, y = make_blobs(
        100, centers=5, cluster_std=0.8, random_state=4, shuffle=False
    )
    model = fitted(graph_of(X))
    rows = NearestNeighbors(n_neighbors=10).fit(X).kneighbors_graph(further)
    near = NearestNeighbors(n_neighbors=1).fit(X).kneighbors(further)[1][:, 0]
    labels = model.predict(rows)
    assert (labels == model.labels_[near]).mean() > 0.97
    assert adjusted_rand_score(y, labels) > 0.9
    np.testing.assert_array_equal(model.decision_function(rows).argmax(1), labels)


def test_a_saved_model_predicts_the_same(blobs, tmp_path):
    W = blobs[2]
    model = fitted(W)
    save_model(tmp_path / "graph.npz", model)
    loaded = load_model(tmp_path / "graph.npz")
    np.testing.assert_array_equal(
        loaded.decision_function(W), model.decision_function(W)
    )
    with pytest.raises(ValueError, match="fitted to a sparse graph"):
        loaded.predict(W.toarray())


def test_limits_weights_start_and_probability(blobs):
    _, y, W = blobs
    sizes = np.bincount(fitted(W, balance="equal").labels_)
    np.testing.assert_array_equal(sizes, [80] * 5)
    weights = np.ones(400)
    weights[::10] = 0.0
    model = fitted(W, init=y, probability=True)
    assert model.predict_proba(W).shape == (400, 5)
    model = MaxMarginClustering(5, kernel="precomputed", random_state=0)
    model.fit(W, sample_weight=weights)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_a_dense_matrix_is_a_kernel(blobs):
    X = blobs[0]
    K = rbf_kernel(X, gamma=0.1)
    dense = fitted(K)
    radial = MaxMarginClustering(5, kernel="rbf", gamma=0.1, random_state=0).fit(X)
    assert adjusted_rand_score(dense.labels_, radial.labels_) > 0.95
    with pytest.raises(ValueError, match="fitted to a dense kernel matrix"):
        dense.predict(sp.csr_array(K))
    with pytest.raises(ValueError, match="or a sparse graph of affinities"):
        fitted(K, "auto")


def test_typical_samples_have_the_largest_affinity_to_their_cluster(blobs):
    W = blobs[2]
    model = fitted(W)
    rows = model.representatives(W)
    for h, row in enumerate(rows):
        own = np.flatnonzero(model.labels_ == h)
        sums = W[own][:, own].toarray().sum(axis=1)
        assert sums[own == row] == sums.max()


def test_what_is_no_affinity_is_refused(blobs):
    X, _, W = blobs
    distances = kneighbors_graph(X, 15, mode="distance")
    for wrong, text in (
        (distances, "has distances"),
        (kneighbors_graph(X, 15), "must be symmetric"),
        (-W, "must not be negative"),
        (W[:100], r"square to fit, .* \(100, 400\)"),
        (sp.eye_array(20, format="csr"), "20 samples, .* have no affinity"),
    ):
        with pytest.raises(ValueError, match=text):
            fitted(wrong)
    with pytest.raises(ValueError, match="1 samples, the first in row 0, have no"):
        fitted(W).predict(sp.csr_array((1, 400)))


def test_cells_of_scanpy():
    """At least the index of Leiden, each with the best of four settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its imports
        scanpy = pytest.importorskip("scanpy", reason="needs scanpy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an old file
        adata = scanpy.datasets.pbmc68k_reduced()
    classes = adata.obs["bulk_labels"].to_numpy()
    leiden = 0.480  # docs/measured/sources.md: resolutions 0.25, 0.5, 1 and 2
    for X, kernel in (
        (adata.obsp["connectivities"], "precomputed"),
        (adata.obsm["X_pca"], "auto"),
    ):
        best = max(
            adjusted_rand_score(
                classes,
                MaxMarginClustering(k, kernel=kernel, random_state=0).fit_predict(X),
            )
            for k in (4, 6, 8, 10)
        )
        assert best >= leiden


def test_a_fit_of_rows_after_a_graph(blobs):
    X, _, W = blobs
    model = fitted(W).set_params(kernel="auto").fit(X)
    file = io.BytesIO()
    save_model(file, model)
    np.testing.assert_array_equal(load_model(file).predict(X), model.labels_)
