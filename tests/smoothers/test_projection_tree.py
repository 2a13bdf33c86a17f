"""The tree of halves along random directions."""

import numpy as np

from maxmargin.smoothers.projection_tree import (
    LEAF_SIZE,
    find_leaf,
    grow_tree,
    leading_directions,
)


def test_leaves_are_halves_of_halves(random):
    X = random.randn(1000, 5).astype(np.float32)
    tree = grow_tree(X, random)
    assert sorted(tree.order) == list(range(1000))
    sizes = np.diff(tree.leaves, axis=1).ravel()
    assert sizes.sum() == 1000
    assert LEAF_SIZE / 2 - 1 <= sizes.min() <= sizes.max() <= LEAF_SIZE
    first = X[tree.order] @ tree.directions[0]
    assert first[:500].max() <= tree.thresholds[0] <= first[500:].min()


def test_each_sample_finds_its_leaf(random):
    X = random.randn(700, 4).astype(np.float32)
    tree = grow_tree(X, random)
    for first, last in tree.leaves:
        for i in tree.order[first:last]:
            assert find_leaf(tree, X[i]) == (first, last)


def test_leading_directions_are_the_principal_ones(random):
    rows = (
        random.randn(400, 90)
        * 0.8 ** np.arange(90)
        @ np.linalg.qr(random.randn(90, 90))[0]
    )
    found = leading_directions(rows, 8, random)
    _, _, expected = np.linalg.svd(rows)
    np.testing.assert_allclose(found.T @ found, np.eye(8), atol=1e-5)
    overlaps = np.abs(np.sum(found * expected[:8].T, axis=0))
    np.testing.assert_allclose(overlaps, 1.0, atol=1e-3)
