"""Samples that come in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering


def in_blocks(model, X, n_blocks=7, **options):
    for rows in np.array_split(np.arange(X.shape[0]), n_blocks):
        model.partial_fit(X[rows], **options)
    return model


def test_few_samples_give_the_same_as_fit(seed):
    X, _ = make_blobs(300, centers=3, random_state=seed)
    whole = MaxMarginClustering(3, random_state=0).fit(X)
    parts = in_blocks(MaxMarginClustering(3, random_state=0), X)
    assert parts.n_samples_seen_ == 300
    assert np.array_equal(whole.labels_, parts.predict(X))
    last = np.array_split(np.arange(300), 7)[-1]
    assert np.array_equal(parts.labels_, whole.labels_[last])


def test_many_samples():
    X, y = make_blobs(52_000, centers=4, n_features=3, random_state=10)
    model = in_blocks(MaxMarginClustering(4, random_state=0), X)
    assert len(model._reservoir.keys) == 50_000
    assert adjusted_rand_score(y, model.predict(X)) > 0.9


def test_more_blocks_after_a_prediction():
    X, y = make_blobs(400, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    model = MaxMarginClustering(3, random_state=0)
    order = np.argsort(y, kind="stable")
    model.partial_fit(X[order[:250]])
    model.predict(X)
    model.partial_fit(X[order[250:]])
    assert adjusted_rand_score(y, model.predict(X)) == 1.0


def test_fit_forgets_blocks():
    X, _ = make_blobs(100, centers=2, random_state=0)
    model = MaxMarginClustering(2, random_state=0).partial_fit(X + 100)
    model.fit(X)
    fresh = MaxMarginClustering(2, random_state=0).fit(X)
    assert np.array_equal(model.predict(X), fresh.labels_)


def test_sparse_blocks():
    X, y = make_blobs(200, centers=2, n_features=6, random_state=0)
    X[np.abs(X) < 1] = 0
    model = in_blocks(MaxMarginClustering(2, random_state=0), sp.csr_array(X))
    assert adjusted_rand_score(y, model.predict(sp.csr_array(X))) == 1.0


def test_bad_blocks():
    X = np.random.RandomState(0).randn(20, 3)
    with pytest.raises(NotFittedError):
        MaxMarginClustering(2).predict(X)
    model = MaxMarginClustering(2).partial_fit(X)
    with pytest.raises(ValueError, match="2 features"):
        model.partial_fit(X[:, :2])
    assert model.n_samples_seen_ == 20  # as before the call
    with pytest.raises(AttributeError) as refused:
        MaxMarginClustering(2, kernel="precomputed").partial_fit(X @ X.T)
    assert "is not available for a precomputed kernel" in str(refused.value.__cause__)
