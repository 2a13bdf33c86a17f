"""Centres split among classes."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.published.centers import (
    Group,
    class_centers,
    make_group,
    split_by_size,
)


@pytest.mark.parametrize(
    ("n_centers", "sizes", "expected"),
    [
        (10, [50, 50], [5, 5]),
        (291, [2429, 4548], [101, 190]),
        (10, [97, 2, 1], [8, 1, 1]),
        (3, [97, 2, 1], [1, 1, 1]),
        (7, [1, 1, 1], [3, 2, 2]),
    ],
)
def test_by_size_and_at_least_one(n_centers, sizes, expected):
    assert split_by_size(n_centers, np.array(sizes)).tolist() == expected


def test_all_centers_are_split(random):
    sizes = random.randint(1, 1000, size=12)
    counts = split_by_size(40, sizes)
    assert counts.sum() == 40
    assert counts.min() >= 1


def test_equal_samples_are_one_with_their_weight(random):
    X = random.randn(10, 2)
    rows = np.array([0, 1, 1, 2, 0, 0])
    group = make_group(X[rows], np.ones(6))
    assert group.X.shape == (3, 2)
    assert sorted(group.weights) == [1.0, 2.0, 3.0]


def test_sparse_means_and_samples_are_stacked(random):
    """A class with fewer samples than centres has its samples, others have means."""
    X = sp.random(20, 6, density=0.4, format="csr", random_state=random)
    groups = [Group(X[:2], np.ones(2)), Group(X[2:], np.ones(18))]
    points, radii = class_centers("k-means", groups, np.array([3, 3]), None, random)
    assert sp.issparse(points)
    assert points.shape == (5, 6)
    assert radii is None
    dense = [Group(group.X.toarray(), group.weights) for group in groups]
    alike = class_centers("k-means", dense, np.array([3, 3]), None, random)[0]
    np.testing.assert_array_equal(points[:2].toarray(), alike[:2])
