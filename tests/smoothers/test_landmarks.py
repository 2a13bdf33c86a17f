"""Landmarks and centres that represent samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs

from maxmargin.rows.sample import whole_sample
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import (
    CENTERS,
    Landmarks,
    choose_landmarks,
    find_centers,
    independent_rows,
)

KERNEL = Kernel("rbf", {"gamma": 0.3})


def spread(X, centers):
    """Return the mean squared distance to the nearest centre."""
    return ((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1).mean()


@pytest.mark.parametrize("kind", CENTERS)
def test_number_and_seed(seed, kind):
    X = np.random.RandomState(seed).randn(300, 4)
    weights = np.append(np.ones(150), np.zeros(150))
    first = find_centers(kind, X, weights, 20, np.random.RandomState(seed))
    again = find_centers(kind, X, weights, 20, np.random.RandomState(seed))
    assert first.shape[1] == 4
    assert 18 <= len(first) <= 20
    assert np.array_equal(first, again)
    assert np.abs(first).max() <= np.abs(X[:150]).max()  # the others take no part


@pytest.mark.parametrize("kind", CENTERS)
def test_all_samples_where_they_are_few(random, kind):
    X = random.randn(9, 2)
    assert np.allclose(find_centers(kind, X, np.ones(9), 30, random), X)


def test_centers_cover_better_than_drawn_samples(seed):
    X, _ = make_blobs(500, centers=20, cluster_std=0.1, random_state=seed)
    random = np.random.RandomState(seed)
    drawn = spread(X, find_centers("random", X, np.ones(500), 25, random))
    for kind in ("k-means++", "k-means", "leader"):
        found = find_centers(kind, X, np.ones(500), 25, random)
        assert spread(X, found) < 0.2 * drawn


@pytest.mark.parametrize("selection", ["random", "k-means++", "leader"])
def test_automatic_number_of_landmarks(random, selection):
    """Exact for few samples, two landmarks per degree of freedom beyond."""
    X = random.randn(2500, 40)
    landmarks = Landmarks("auto", selection)
    few = whole_sample(np.ones(500))
    assert choose_landmarks(KERNEL, X, few, landmarks, random, 50.0) is None
    many = whole_sample(np.ones(2500))
    chosen = choose_landmarks(KERNEL, X, many, landmarks, random, 50.0)
    assert 90 <= len(chosen) <= 100


@pytest.mark.parametrize("selection", ["random", "k-means++", "leader"])
def test_landmarks_of_sparse_samples(seed, random, selection):
    X = sp.random_array((200, 30), density=0.2, random_state=random, format="csr")
    sample, landmarks = whole_sample(np.ones(200)), Landmarks(20, selection)
    sparse, dense = (
        choose_landmarks(
            KERNEL, rows, sample, landmarks, np.random.RandomState(seed), 5.0
        )
        for rows in (X, X.toarray())
    )
    assert 15 <= sparse.shape[0] <= 20
    found = sparse.toarray() if sp.issparse(sparse) else sparse
    assert_allclose(found, dense)


def test_few_landmarks_span_all(random):
    X = random.randn(300, 2)
    kept = independent_rows(KERNEL(X, X))
    assert len(kept) < 150
    assert np.all(np.diff(kept) > 0)
    columns = KERNEL(X, X[kept])
    corner = KERNEL(X[kept], X[kept])
    spanned = columns @ np.linalg.lstsq(corner, columns.T, rcond=1e-13)[0]
    assert_allclose(spanned, KERNEL(X, X), atol=1e-6)


def test_many_features_need_every_landmark(random):
    X = random.randn(60, 40)
    assert len(independent_rows(KERNEL(X, X))) == 60


def test_only_automatic_landmarks_are_reduced(random):
    X = random.randn(3000, 1)
    sample = whole_sample(np.ones(3000))
    assert len(choose_landmarks(KERNEL, X, sample, Landmarks(), random)) < 60
    assert len(choose_landmarks(KERNEL, X, sample, Landmarks(200), random)) == 200
    linear = Kernel("linear")
    assert len(choose_landmarks(linear, X, sample, Landmarks(), random)) == 800
