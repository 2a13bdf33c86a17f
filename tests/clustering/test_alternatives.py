"""Alternatives to the labels of a fit: levels of the tree and other similarities."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, load_model, save_model


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data[:600]
    return X, MaxMarginClustering(random_state=0).fit(X)


def test_levels_of_the_tree_with_their_labels(digits):
    _, model = digits
    levels = model.alternatives_
    assert levels
    for one in levels:
        expected = model.labels_at(one.n_clusters)
        np.testing.assert_array_equal(one.labels, expected)
        assert one.description == f"{one.n_clusters} clusters of the tree"
        assert one.agreement == adjusted_rand_score(model.labels_, one.labels) <= 0.95


def test_other_labellings_differ_from_each_other(digits):
    X, model = digits
    found = model.find_alternatives(X)
    assert len(found) > len(model.alternatives_)
    assert len({one.description for one in found}) == len(found)
    every = [model.labels_, *(one.labels for one in found)]
    for i, one in enumerate(every):
        assert all(adjusted_rand_score(one, other) <= 0.95 for other in every[:i])
    k = model.n_clusters_
    names = {one.description for one in found if "tree" not in one.description}
    assert any("ranks" in name for name in names)
    assert all(one.n_clusters == k for one in found if one.description in names)


def test_a_labelling_is_what_it_is_called():
    """On few samples it is that of a fit with the similarity that it names."""
    X, _ = load_wine(return_X_y=True)
    model = MaxMarginClustering(3, scale=False, random_state=0).fit(X)
    found = {one.description: one.labels for one in model.find_alternatives(X)}
    name = "neighbour graph, standardised columns"
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = MaxMarginClustering(3, kernel="neighbors", scale=False, random_state=0)
    assert adjusted_rand_score(found[name], expected.fit(Z).labels_) == 1.0


def test_many_samples_get_the_label_of_a_near_one(random):
    X = random.randn(2500, 3)
    X[:1250] += 4.0
    model = MaxMarginClustering(2, random_state=0).fit(X)
    for one in model.find_alternatives(X):
        assert one.labels.shape == (2500,)
        assert len(np.unique(one.labels)) == one.n_clusters


def test_sparse_samples():
    X = sp.random(200, 6000, 0.02, random_state=0, format="csr")
    model = MaxMarginClustering(3, random_state=0).fit(X)
    names = [one.description for one in model.find_alternatives(X)]
    assert not any("columns" in name for name in names)  # no dense copy is made


def test_a_model_from_a_file_has_them(digits, tmp_path):
    _, model = digits
    save_model(tmp_path / "m.npz", model)
    again = load_model(tmp_path / "m.npz").alternatives_
    assert [one.description for one in again] == [
        one.description for one in model.alternatives_
    ]


def test_unusable_input(digits):
    X, model = digits
    with pytest.raises(ValueError, match="give the samples of the fit"):
        model.find_alternatives(X[:10])
    K = X @ X.T
    model = MaxMarginClustering(3, kernel="precomputed", random_state=0).fit(K)
    with pytest.raises(ValueError, match="a precomputed kernel has none"):
        model.find_alternatives(K)


def test_few_samples_and_one_cluster_have_no_others():
    X = np.arange(8.0)[:, None]
    assert MaxMarginClustering(1).fit(X).find_alternatives(X) == ()
    model = MaxMarginClustering(5, random_state=0).fit(X)
    assert all("tree" in one.description for one in model.find_alternatives(X))
