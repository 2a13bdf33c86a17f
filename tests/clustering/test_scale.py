"""The parameter ``scale`` of the estimators that take raw rows."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    EvolvingMaxMarginClustering,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
    load_model,
    save_model,
)
from maxmargin.engine import options as options_module
from maxmargin.published import EvolvingMMC, RecursiveBisection
from maxmargin.selection import select_n_clusters

WINE, CLASSES = load_wine(return_X_y=True)
STANDARD = StandardScaler().fit_transform(WINE)


def same_partition(labels, others):
    return adjusted_rand_score(labels, others) == 1.0


@pytest.fixture
def blobs():
    """Three clusters in columns with different units."""
    X, y = make_blobs(300, 4, centers=3, random_state=3)
    return X * [1e-3, 1.0, 1e-2, 1e3] + [0.0, 50.0, 0.0, 1e4], y


def test_raw_wine_comes_out_as_standardised():
    raw = MaxMarginClustering(3, random_state=1).fit(WINE)
    standard = MaxMarginClustering(3, random_state=1).fit(STANDARD)
    assert standard.scale_ is None
    np.testing.assert_allclose(raw.scale_, WINE.std(axis=0))
    assert same_partition(raw.labels_, standard.labels_)
    assert adjusted_rand_score(CLASSES, raw.labels_) > 0.8
    off = MaxMarginClustering(3, scale=False, random_state=1).fit(WINE)
    assert off.scale_ is None
    assert adjusted_rand_score(CLASSES, off.labels_) < 0.5


@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf", "laplacian"])
def test_scaled_as_by_hand(kernel, blobs):
    """With divisors that are powers of two, all digits agree."""
    X, _ = blobs
    scale = np.array([2.0**-9, 4.0, 0.5, 1024.0])
    model = MaxMarginClustering(3, kernel=kernel, scale=scale, random_state=0).fit(X)
    other = MaxMarginClustering(3, kernel=kernel, scale=False, random_state=0)
    other.fit(X / scale)
    np.testing.assert_array_equal(model.scale_, scale)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.transform(X), other.transform(X / scale))
    assert model.score(X) == other.score(X / scale)
    np.testing.assert_array_equal(
        model.representatives(X), other.representatives(X / scale)
    )


@pytest.mark.parametrize(
    "X",
    [
        load_digits().data[:300],
        load_iris().data,
        STANDARD,
        WINE[:, [0, 12]],
        sp.csr_array(WINE),
    ],
    ids=["images", "lengths", "standardised", "plane", "sparse"],
)
@pytest.mark.filterwarnings("ignore:Column 1 outweighs the other one")  # the plane
def test_left_as_they_are(X):
    model = MaxMarginClustering(3, random_state=0).fit(X)
    assert model.scale_ is None
    forced = MaxMarginClustering(3, scale=True, random_state=0).fit(X)
    assert forced.scale_.shape == (X.shape[1],)


def test_counts_are_left_as_they_are(random):
    counts = np.zeros((60, 50))
    counts[np.arange(60), random.randint(20, size=60)] = 1 + random.randint(5, size=60)
    counts[:, 49] = random.randint(1, 100, size=60)
    for kernel in ("auto", "rbf"):
        model = MaxMarginClustering(2, kernel=kernel, random_state=0).fit(counts)
        assert model.scale_ is None
    forced = MaxMarginClustering(2, scale=True, random_state=0).fit(counts)
    assert forced.scale_[49] == pytest.approx(counts[:, 49].std())
    np.testing.assert_array_equal(forced.predict(counts), forced.labels_)


def test_a_given_unit_is_kept():
    width = 1e-5
    K = rbf_kernel(WINE, gamma=width)
    for parameters, rows in (
        ({"kernel": "rbf", "gamma": width}, WINE),
        ({"kernel": lambda a, b: float(np.exp(-width * (a - b) @ (a - b)))}, WINE),
        ({"kernel": "precomputed"}, K),
        ({"kernel": "precomputed", "scale": True}, K),
    ):
        model = MaxMarginClustering(3, random_state=0, **parameters).fit(rows)
        assert model.scale_ is None


@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
def test_centres_to_start_from_are_divided(kernel, blobs):
    X, y = blobs
    scale = np.array([2.0**-9, 4.0, 0.5, 1024.0])
    centers = np.stack([X[y == h][:5].mean(axis=0) for h in range(3)])
    given = {"kernel": kernel, "random_state": 0}
    model = MaxMarginClustering(3, init=centers, scale=scale, **given).fit(X)
    other = MaxMarginClustering(3, init=centers / scale, scale=False, **given)
    np.testing.assert_array_equal(model.labels_, other.fit(X / scale).labels_)
    assert model.history_[0] == other.history_[0]
    distances = [[((x - c) ** 2).sum() for c in centers / scale] for x in X / scale]
    nearest = np.argmin(distances, axis=1)
    labelled = MaxMarginClustering(3, init=nearest, scale=scale, **given).fit(X)
    assert labelled.history_[0] == model.history_[0]


def test_weights_are_repeated_rows(blobs, random):
    X, _ = blobs
    weights = random.randint(4, size=len(X))
    model = MaxMarginClustering(3, random_state=0).fit(X, sample_weight=weights)
    repeated = np.repeat(np.arange(len(X)), weights)
    rows = random.permutation(repeated)
    other = MaxMarginClustering(3, random_state=0).fit(X[rows])
    np.testing.assert_array_equal(model.scale_, other.scale_)
    np.testing.assert_array_equal(model.labels_[rows], other.labels_)


def test_blocks(blobs):
    X, _ = blobs
    whole = MaxMarginClustering(3, random_state=0).fit(X)
    model = MaxMarginClustering(3, random_state=0)
    for start in range(0, 300, 70):
        model.partial_fit(X[start : start + 70])
    assert same_partition(model.predict(X), whole.labels_)
    np.testing.assert_array_equal(model.scale_, whole.scale_)


@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
def test_files_mapped_into_memory(kernel, blobs, tmp_path, monkeypatch):
    """Some rows are searched, the others are labelled; all of them in the scale."""
    X, y = blobs
    np.save(tmp_path / "X.npy", np.tile(X, (4, 1)) + 1e-9)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = MaxMarginClustering(3, kernel=kernel, random_state=0)
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 600)
    model.fit(mapped)
    np.testing.assert_allclose(model.scale_, X.std(axis=0))
    assert same_partition(model.labels_, np.tile(y, 4))
    np.testing.assert_array_equal(model.predict(mapped), model.labels_)


def test_single_precision(blobs):
    X, y = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X.astype(np.float32))
    assert model.scale_ is not None
    assert same_partition(model.labels_, y)


def test_probability(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, probability=True, random_state=0).fit(X)
    probabilities = model.predict_proba(X)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.labels_)
    assert np.median(probabilities.max(axis=1)) > 0.9


def test_saved(blobs):
    X, _ = blobs
    model = MaxMarginClustering(3, random_state=0).fit(X)
    file = io.BytesIO()
    save_model(file, model)
    loaded = load_model(file)
    np.testing.assert_array_equal(loaded.scale_, model.scale_)
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    assert loaded.score(X) == model.score(X)


@pytest.mark.parametrize("scale", ["on", 2, [1.0, -1.0]])
def test_errors(scale, blobs):
    for estimator in (
        MaxMarginClustering(3, scale=scale),
        RecursiveBisection(MaxMarginClustering(scale=scale), 3),
        EvolvingMaxMarginClustering(3, scale=scale),
    ):
        with pytest.raises(ValueError, match="scale="):
            estimator.fit(blobs[0])
    with pytest.raises(ValueError, match="scale has 3 divisors"):
        MaxMarginClustering(3, scale=[1.0, 2.0, 3.0]).fit(blobs[0])


def test_few_labels(blobs):
    X, y = blobs
    few = np.full(300, -1)
    few[:15] = y[:15]
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    assert model.scale_ is not None
    assert same_partition(model.transduction_, y)
    np.testing.assert_array_equal(model.predict(X), y)
    raw = SemiSupervisedMaxMargin(scale=False, random_state=0).fit(X, few)
    assert raw.scale_ is None
    clusters = SemiSupervisedMaxMargin(3, random_state=0).fit(X, np.full(300, -1))
    np.testing.assert_array_equal(clusters.scale_, model.scale_)


def test_bisection_has_one_scale(blobs):
    X, y = blobs
    tree = RecursiveBisection(n_clusters=3, random_state=0).fit(X)
    np.testing.assert_allclose(tree.scale_, X.std(axis=0))
    assert same_partition(tree.labels_, y)
    np.testing.assert_array_equal(tree.predict(X), tree.labels_)
    child = next(node for node in tree.tree_.children if node.children)
    np.testing.assert_array_equal(child.estimator.scale_, tree.scale_)
    plain = RecursiveBisection(MaxMarginClustering(scale=False), 3, random_state=0)
    assert plain.fit(X).scale_ is None


def test_snapshots_have_one_scale(blobs):
    X, y = blobs
    both, times = np.concatenate([X, X + 0.1 * X.std(axis=0)]), np.repeat([1, 2], 300)
    model = EvolvingMaxMarginClustering(3, random_state=0).fit(both, times=times)
    np.testing.assert_allclose(model.scale_, both.std(axis=0))
    assert same_partition(model.labels_, np.tile(y, 2))
    np.testing.assert_array_equal(model.predict(X), model.labels_[:300])
    steps = EvolvingMaxMarginClustering(3, random_state=0).partial_fit(X)
    first = steps.scale_
    steps.partial_fit(X * 1.5)
    np.testing.assert_array_equal(steps.scale_, first)
    hinge = EvolvingMMC(2, random_state=0).fit(X)
    assert hinge.scale_ is None


def test_the_number_of_clusters(blobs):
    X, _ = blobs
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert select_n_clusters(X, random_state=0).best == 3
    scale = np.array([2.0**-9, 4.0, 0.5, 1024.0])
    found = select_n_clusters(X, range(2, 6), scale=scale, random_state=0)
    by_hand = select_n_clusters(X / scale, range(2, 6), scale=False, random_state=0)
    assert found == by_hand
