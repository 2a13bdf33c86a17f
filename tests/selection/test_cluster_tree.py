import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.selection.cluster_tree import LEAST_SAMPLES, tree_of_clusters
from maxmargin.selection.separation import boundary_shares, weights_between
from maxmargin.smoothers.spectral_smoother import NeighborGraph


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data
    return MaxMarginClustering(10, random_state=0).fit(X), X


def is_nested(fine, coarse):
    return len({*zip(fine, coarse, strict=True)}) == len(np.unique(fine))


def test_levels_are_nested_and_labels_are_one_of_them(digits):
    model, _ = digits
    levels = [model.labels_at(k) for k in range(1, model.tree_.n_leaves + 1)]
    for k, labels in enumerate(levels, 1):
        assert len(np.unique(labels)) == k == labels.max() + 1
        assert (np.diff(np.bincount(labels)) <= 0).all()
    pairs = zip(levels[1:], levels, strict=False)
    assert all(is_nested(fine, coarse) for fine, coarse in pairs)
    np.testing.assert_array_equal(levels[9], model.labels_)
    assert len(levels) > 100


def test_leaves_are_large_enough(digits):
    model, _ = digits
    assert model.tree_.sizes[: model.tree_.n_leaves].min() >= LEAST_SAMPLES


def test_sizes_children_and_columns_agree(digits):
    tree = digits[0].tree_
    np.testing.assert_allclose(
        tree.sizes[tree.n_leaves :], tree.sizes[tree.children].sum(axis=1)
    )
    columns = tree.to_dict()
    assert {len(one) for one in columns.values()} == {2 * tree.n_leaves - 1}
    inner = columns["first_child"] >= 0
    np.testing.assert_array_equal(
        columns["parent"][columns["first_child"][inner]], columns["node"][inner]
    )
    a = columns["boundary"][columns["parent"][inner][:-1]]
    expected = np.log(columns["boundary"][inner][:-1] / a)
    np.testing.assert_allclose(columns["strength"][inner][:-1], expected)


def test_boundary_of_a_merge_of_clusters_is_that_of_its_parts(digits):
    model, X = digits
    graph = NeighborGraph(X, np.ones(len(X)), 30, 10).graph
    nine = model.labels_at(9)
    first = [h for h in range(10) if np.sum(nine == nine[model.labels_ == h][0])
             != np.sum(model.labels_ == h)]  # fmt: skip
    assert len(first) == 2
    shares = boundary_shares(
        weights_between(graph, model.labels_, 10), np.bincount(model.labels_)
    )
    tree = model.tree_
    assert tree.boundaries[tree.n_leaves - 10] == pytest.approx(
        shares[tuple(first)],
        rel=0.01,  # neighbours at equal distances may differ
    )


def test_level_scores_by_their_formula(digits):
    tree = digits[0].tree_
    scores, masses = tree.level_scores(), tree.sizes / tree.sizes[-1]
    for k in (1, 2, 10, 50):
        n_nodes = 2 * tree.n_leaves - k
        parents = tree.parents[:n_nodes]
        there = np.flatnonzero((parents >= n_nodes) | (parents < 0))
        pairs = 1 - np.sum(masses[there] ** 2)
        assert scores[k - 1] == pytest.approx(
            pairs * (masses[there] @ tree.strengths[there]), abs=1e-12
        )


def test_layers_are_the_number_of_groups_and_of_clusters():
    # Three groups far apart, each of four clusters that are close to each other.
    centers = np.array([[0, 0], [0, 4], [4, 0], [4, 4.0]])
    centers = np.concatenate([centers + shift for shift in (0, 40, 80)])
    X, y = make_blobs(1200, centers=centers, cluster_std=0.9, random_state=0)
    model = MaxMarginClustering(12, random_state=0).fit(X)
    assert {3, 12} <= {*model.layers_}
    np.testing.assert_array_equal(np.unique(model.labels_at(3)), [0, 1, 2])
    assert is_nested(y, model.labels_at(3))


def test_parts_of_a_cluster_without_an_edge_are_split_first(random):
    X = np.concatenate([random.randn(40, 2), random.randn(60, 2) + 50])
    graph = NeighborGraph(X, np.ones(100), 4).graph
    tree, leaves = tree_of_clusters(graph, np.zeros(100, dtype=int), np.ones(100))
    np.testing.assert_array_equal(
        tree.groups_at(2)[leaves], np.repeat([1, 0], [40, 60])
    )


def test_equal_rows_and_rows_without_weight(random):
    X = np.repeat(random.normal(size=(60, 2)), 3, axis=0)
    weights = np.ones(180)
    weights[::3] = 0.0
    model = MaxMarginClustering(3, random_state=0).fit(X, sample_weight=weights)
    labels = model.labels_at(5)
    np.testing.assert_array_equal(labels[1::3], labels[2::3])
    assert is_nested(labels, model.labels_)


def test_saved_and_pickled(digits, tmp_path):
    model, _ = digits
    save_model(tmp_path / "model.npz", model)
    for copied in (
        load_model(tmp_path / "model.npz"),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(copied.labels_at(30), model.labels_at(30))
        assert copied.layers_ == model.layers_


@pytest.mark.parametrize("n_clusters", [0, 10_000])
def test_bad_levels(digits, n_clusters):
    with pytest.raises(ValueError, match="n_clusters"):
        digits[0].labels_at(n_clusters)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "neighbors"])
def test_coarser_levels_with_any_kernel(kernel, random):
    X = np.concatenate([random.randn(50, 3) + shift for shift in (0, 3, 20, 24)])
    model = MaxMarginClustering(4, kernel=kernel, random_state=0).fit(X)
    assert is_nested(model.labels_, model.labels_at(2))
    assert is_nested(np.repeat([0, 1], 100), model.labels_at(2)) or kernel == "linear"
    if kernel != "neighbors":
        with pytest.raises(ValueError, match="between 1 and 4"):
            model.labels_at(5)


def test_blocks_have_coarser_levels_only(random):
    X = np.concatenate([random.randn(50, 3) + shift for shift in (0, 9, 20)])
    model = MaxMarginClustering(3, random_state=0).partial_fit(X)
    assert len(np.unique(model.labels_at(2))) == 2
    with pytest.raises(ValueError, match="did not search all samples"):
        model.labels_at(4)


def test_the_order_of_rows_does_not_matter(digits):
    model, X = digits
    order = np.random.RandomState(1).permutation(len(X))
    other = MaxMarginClustering(10, random_state=0).fit(X[order])
    np.testing.assert_array_equal(other.labels_at(25), model.labels_at(25)[order])
