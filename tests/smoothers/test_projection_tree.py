"""The tree of halves along random directions."""

import numpy as np

from maxmargin.smoothers.projection_tree import LEAF_SIZE, find_leaf, grow_tree


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
