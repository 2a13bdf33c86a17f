"""`RecursiveBisection`: its tree, its margins and its input."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import MaxMarginClustering
from maxmargin.engine.quality import split_margin
from maxmargin.published import IterativeMaxMarginClustering, RecursiveBisection

FREE = IterativeMaxMarginClustering(balance=0.7)


def leaves(node):
    if node.children is None:
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def splits(node):
    if node.children is None:
        return []
    return [node, *(below for child in node.children for below in splits(child))]


@pytest.mark.parametrize(
    "estimator", [None, FREE, KMeans(n_init=3), AgglomerativeClustering()]
)
def test_finds_blobs(estimator, seed):
    X, y = make_blobs(100, centers=7 * np.eye(4), random_state=seed)
    model = RecursiveBisection(estimator, 4, random_state=seed).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert model.n_clusters_ == 4
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_tree_holds_together(random):
    X = random.randn(80, 2)
    model = RecursiveBisection(FREE, 5, random_state=0).fit(X)
    assert model.tree_.size == 80
    for node in splits(model.tree_):
        left, right = node.children
        together = np.sort(np.concatenate([left.indices, right.indices]))
        np.testing.assert_array_equal(together, node.indices)
        assert np.isfinite(node.margin)
        assert node.estimator.n_clusters_ == 2
    for label, leaf in enumerate(leaves(model.tree_)):
        assert leaf.label == label
        assert leaf.candidate is None
        np.testing.assert_array_equal(
            np.flatnonzero(model.labels_ == label), leaf.indices
        )


def test_largest_margin_is_split_next(seed):
    # Two distant groups, one of which has two separate parts.
    random = np.random.RandomState(seed)
    whole = random.randn(60, 2)
    part = random.randn(30, 2) * 0.3 + [[20.0, 0.0]]
    X = np.concatenate([whole, part, part + np.array([[0.0, 3.0]])])
    model = RecursiveBisection(FREE, 3, random_state=seed).fit(X)
    truth = np.repeat([0, 1, 2], [60, 30, 30])
    assert adjusted_rand_score(truth, model.labels_) > 0.95


def test_margin_of_a_gap_is_larger_than_of_a_cut_through_the_middle(random):
    one = random.randn(100, 2)
    two = np.concatenate([random.randn(50, 2), random.randn(50, 2) + 6])
    through = split_margin(
        one, (one[:, 0] > 0).astype(int), np.ones(100), False, random
    )
    between = split_margin(two, np.repeat([0, 1], 50), np.ones(100), False, random)
    mixed = split_margin(one, np.arange(100) % 2, np.ones(100), False, random)
    assert mixed < through < between <= 1
    assert between > 0.9
    scaled = split_margin(1e3 * two, np.repeat([0, 1], 50), np.ones(100), False, random)
    assert scaled == pytest.approx(between, abs=1e-6)


def test_digits_better_than_k_means():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500]
    model = RecursiveBisection(None, 10, random_state=0).fit(X)
    peer = KMeans(10, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, peer.labels_)


def test_sparse_and_precomputed_input(random):
    X = np.concatenate([random.randn(20, 3) + 6 * np.eye(3)[h] for h in range(3)])
    binary = IterativeMaxMarginClustering(balance=0.7, gamma=0.05)
    dense = RecursiveBisection(binary, 3, random_state=0).fit(X)
    sparse = RecursiveBisection(binary, 3, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    K = rbf_kernel(X, gamma=0.05)
    given = RecursiveBisection(
        IterativeMaxMarginClustering(balance=0.7, kernel="precomputed"), 3
    )
    given.fit(K)
    assert adjusted_rand_score(given.labels_, dense.labels_) == 1.0
    np.testing.assert_array_equal(given.predict(K), given.labels_)
    np.testing.assert_array_equal(given.predict(K[5:9]), given.labels_[5:9])


def test_weights_reach_the_estimator(random):
    X = random.randn(40, 2)
    weights = random.randint(1, 4, 40)
    weighted = RecursiveBisection(FREE, 3, random_state=0).fit(X, sample_weight=weights)
    repeated = RecursiveBisection(FREE, 3, random_state=0).fit(
        np.repeat(X, weights, axis=0)
    )
    np.testing.assert_array_equal(
        np.repeat(weighted.labels_, weights), repeated.labels_
    )
    with pytest.raises(ValueError, match="AgglomerativeClustering takes no sample_w"):
        RecursiveBisection(AgglomerativeClustering(), 2).fit(X, sample_weight=weights)


def test_order_of_rows_does_not_matter(random):
    X, order = random.randn(60, 2), random.permutation(60)
    model = RecursiveBisection(None, 4, random_state=0)
    labels = model.fit(X).labels_
    np.testing.assert_array_equal(model.fit(X[order]).labels_, labels[order])


def test_too_few_distinct_samples(random):
    X = np.repeat(random.randn(3, 2), 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="Found 3 clusters instead of 5"):
        model = RecursiveBisection(MaxMarginClustering(), 5, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert len(np.unique(model.labels_)) == 3


class Fragile(MaxMarginClustering):
    """Raises an error for few samples."""

    def fit(self, X, y=None, sample_weight=None):
        if X.shape[0] < 60:
            raise ValueError("too few for me")
        return super().fit(X, y, sample_weight)


def test_errors_below_the_root_are_reported():
    X, _ = make_blobs(90, centers=7 * np.eye(3), random_state=0)
    model = RecursiveBisection(Fragile(), 3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="30 samples was not split.*too few"):
        model.fit(X)
    assert model.n_clusters_ == 3
    with pytest.raises(ValueError, match="too few for me"):
        model.fit(X[:50])


def test_bad_input():
    with pytest.raises(ValueError, match="All samples are equal"):
        RecursiveBisection(n_clusters=2).fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="n_samples=5 should be >= n_clusters=6"):
        RecursiveBisection(n_clusters=6).fit(np.eye(5))
    with pytest.raises(ValueError, match="n_clusters=0"):
        RecursiveBisection(n_clusters=0).fit(np.eye(5))


def test_one_cluster():
    model = RecursiveBisection(n_clusters=1).fit(np.eye(5))
    assert not model.labels_.any()
    assert model.to_text() == "cluster 0: 5 samples"


def test_text():
    X = np.concatenate([np.linspace(0, 1, 20) + shift for shift in (0, 4, 20)])
    model = RecursiveBisection(FREE, 3, random_state=0).fit(X[:, None])
    lines = model.to_text().splitlines()
    assert lines[0].startswith("60 samples, margin ")
    assert sum("cluster" in line for line in lines) == 3
    assert len(lines) == 5
