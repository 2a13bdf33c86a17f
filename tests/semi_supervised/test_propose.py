"""`propose_pairs`: open pairs, none twice, and more taught than by random ones."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin, propose_pairs


@pytest.fixture
def blobs():
    X, parts = make_blobs(240, centers=6, cluster_std=0.8, random_state=1)
    return X, parts % 3


def test_proposed_pairs_are_new_and_open(blobs):
    X, y = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    first = propose_pairs(model, X, 8, random_state=0)
    assert first.shape == (8, 2)
    assert len(np.unique(first[:, 0])) == 8  # each about another part
    same = y[first[:, 0]] == y[first[:, 1]]
    known = {"must_link": first[same], "cannot_link": first[~same]}
    second = propose_pairs(model, X, 8, random_state=0, **known)
    asked = {frozenset(pair) for pair in first.tolist()}
    assert not asked & {frozenset(pair) for pair in second.tolist()}
    np.testing.assert_array_equal(first, propose_pairs(model, X, 8, random_state=0))
    many = propose_pairs(model, X, 200, random_state=0)
    assert len({frozenset(pair) for pair in many.tolist()}) == len(many) > 150
    parts = len(np.unique(many[:, 0]))
    assert len(np.unique(many[:parts, 0])) == parts  # no second question before


def test_proposed_pairs_teach():
    X, y = load_wine(return_X_y=True)
    nothing = np.full(len(y), -1)
    model = SemiSupervisedMaxMargin(3, random_state=0).fit(X, nothing)
    before = adjusted_rand_score(y, model.labels_)
    pairs = np.empty((0, 2), dtype=int)
    for _ in range(4):
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        known = {"must_link": pairs[same], "cannot_link": pairs[~same]}
        new = propose_pairs(model, X, 10, random_state=0, **known)
        pairs = np.concatenate([pairs, new])
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.fit(X, nothing, must_link=pairs[same], cannot_link=pairs[~same])
    assert adjusted_rand_score(y, model.labels_) > before + 0.03


def test_unusable_input(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_pairs=0 must be"):
        propose_pairs(model, X, 0)
    with pytest.raises(ValueError, match="must_link has sample numbers"):
        propose_pairs(model, X, 2, must_link=[(0, 240)])
    K = rbf_kernel(X)
    model = MaxMarginClustering(3, kernel="precomputed", random_state=0).fit(K)
    with pytest.raises(ValueError, match="a precomputed kernel has none"):
        propose_pairs(model, K, 2)
