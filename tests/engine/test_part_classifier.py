"""More samples than a search takes: search a part, train, make passes, label all."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.engine import options as options_module
from maxmargin.engine import part_classifier
from maxmargin.rows import blocks


@pytest.fixture(autouse=True)
def few_samples_to_search(monkeypatch):
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 600)
    monkeypatch.setattr(options_module, "LABELS_PER_SEARCH", 10**9)


@pytest.fixture
def blobs(seed):
    return make_blobs(
        2000, n_features=5, centers=4, cluster_std=2.0, random_state=seed + 10
    )


def test_labels_equal_predictions(blobs):
    X, y = blobs
    model = MaxMarginClustering(4, random_state=0).fit(X)
    assert np.array_equal(model.labels_, model.predict(X))
    peer = KMeans(4, n_init=10, random_state=0).fit_predict(X)
    found = adjusted_rand_score(y, model.labels_)
    assert found > adjusted_rand_score(y, peer) - 0.02


@pytest.mark.parametrize("kernel", ["rbf", "linear", "neighbors"])
def test_kernels(blobs, kernel):
    X, y = blobs
    model = MaxMarginClustering(4, kernel=kernel, n_init=3, random_state=0).fit(X)
    assert np.array_equal(model.labels_, model.predict(X))
    assert adjusted_rand_score(y, model.labels_) > 0.5


def test_sizes_are_respected_among_all(blobs):
    X, _ = blobs
    model = MaxMarginClustering(4, balance="equal", n_init=2, random_state=0).fit(X)
    assert np.array_equal(np.bincount(model.labels_), [500] * 4)
    model = MaxMarginClustering(
        4, balance=(450, 580), kernel="rbf", n_init=2, random_state=0
    ).fit(X)
    sizes = np.bincount(model.labels_)
    assert sizes.min() >= 450
    assert sizes.max() <= 580


def test_samples_without_weight_change_nothing(blobs):
    X, _ = blobs
    weights = np.ones(len(X))
    weights[::2] = 0
    model = MaxMarginClustering(4, random_state=0).fit(X, sample_weight=weights)
    alone = MaxMarginClustering(4, random_state=0).fit(X[1::2])
    assert np.array_equal(model.labels_[1::2], alone.labels_)


def test_passes_raise_the_objective(blobs, monkeypatch):
    X, _ = blobs
    kept = []

    def keep(*arguments, **options):
        result = repeat(*arguments, **options)
        kept.append(result.history)
        return result

    repeat = part_classifier.repeat_passes
    monkeypatch.setattr(part_classifier, "repeat_passes", keep)
    MaxMarginClustering(4, kernel="rbf", random_state=0).fit(X)
    assert len(kept) == 1
    assert np.all(np.diff(kept[0]) > 0)


def test_memory_limit_shrinks_the_parts(blobs, monkeypatch):
    X, y = blobs
    drawn = []
    draw = blocks.draw_rows

    def keep(weights, limit, random):
        drawn.append(limit)
        return draw(weights, limit, random)

    monkeypatch.setattr(blocks, "draw_rows", keep)
    model = MaxMarginClustering(4, kernel="rbf", memory_limit="7 MB", random_state=0)
    model.fit(X)
    n_landmarks = model._model.coefficients.shape[0]
    assert drawn[-1] * 8 * n_landmarks <= 7e6 / 4
    assert adjusted_rand_score(y, model.labels_) > 0.5


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("plenty", "memory_limit='plenty' is not understood"),
        (-1, "memory_limit=-1 is not understood"),
        ("1 MB", "raise memory_limit"),
    ],
)
def test_memory_limits_that_make_no_sense(blobs, limit, message):
    with pytest.raises(ValueError, match=message):
        MaxMarginClustering(4, memory_limit=limit).fit(blobs[0])


@pytest.mark.parametrize("unequal", [False, True])
def test_equal_sizes_of_normalised_weights(unequal, random):
    X = make_blobs(900, centers=10 * np.eye(3), random_state=0)[0]
    weights = random.uniform(0.1, 1.0, 900) if unequal else np.ones(900)
    weights /= weights.sum()
    model = MaxMarginClustering(3, kernel="rbf", balance="equal", random_state=0)
    labels = model.fit(X, sample_weight=weights).labels_
    sizes = np.bincount(labels, weights)
    np.testing.assert_allclose(sizes, 1 / 3, atol=1.01 * weights.max())
