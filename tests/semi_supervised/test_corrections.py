"""A right correction moves the rows that it names, and few others."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin

CORNERS = 9.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 0]])


def corrected(X, start, rows, clusters):
    """Return the clusters after some rows were assigned to others."""
    given = np.full(len(X), -1)
    given[rows] = clusters
    model = SemiSupervisedMaxMargin(init=start, scale=False, random_state=0)
    return model.fit(X, given)


@pytest.fixture
def blobs(seed):
    """Blobs nine standard deviations apart; two are one cluster, one is two."""
    X, y = make_blobs(500, centers=CORNERS, random_state=seed)
    start = np.where(y == 4, 3, y)
    start[(y == 0) & (X[:, 0] > 0)] = 4
    return X, y, start


def test_one_row_moves_no_cluster_far_away(blobs, random):
    X, y, start = blobs
    for row in random.choice(np.flatnonzero(start == 4), 5, replace=False):
        labels = corrected(X, start, [row], 0).labels_
        assert labels[row] == 0
        far = y != 0
        assert_array_equal(labels[far], start[far])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
def test_a_class_assigned_to_its_cluster(share, random):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    start = MaxMarginClustering(2, random_state=0).fit(X).labels_
    right = np.bincount(start[y == 1]).argmax()
    rows = np.flatnonzero((y == 1) & (random.rand(len(y)) < share))
    labels = corrected(X, start, rows, right).labels_
    named = start.copy()
    named[rows] = right
    assert_array_equal(labels[rows], right)
    assert np.mean(labels != named) < 0.02
    loss = adjusted_rand_score(y, start) - adjusted_rand_score(y, labels)
    assert loss <= 0.01


def test_a_new_cluster_takes_no_others(blobs):
    """Rows of one blob become a cluster of their own: nothing else changes."""
    X, y, start = blobs
    rows = np.flatnonzero(y == 4)
    base = start.copy()
    base[rows] = 5
    assert_array_equal(corrected(X, base, rows, 5).labels_, base)


def test_rows_follow_where_the_evidence_is_strong(blobs):
    """Half of a blob is assigned, and the other half follows."""
    X, y, start = blobs
    blob = np.flatnonzero(y == 4)
    labels = corrected(X, start, blob[::2], 2).labels_
    assert np.mean(labels[blob] == 2) > 0.95
    assert_array_equal(labels[y != 4], start[y != 4])


def test_predictions_are_the_labels(blobs):
    X, _, start = blobs
    model = corrected(X, start, [int(np.argmax(start == 4))], 0)
    assert np.mean(model.predict(X) == model.transduction_) > 0.99
