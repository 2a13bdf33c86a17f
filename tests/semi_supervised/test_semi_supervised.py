"""`SemiSupervisedMaxMargin`: labels that stay, labels that are found, constraints."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from tests.search.naive import power_sum
from tests.semi_supervised.few_labels import hide

from maxmargin import (
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
    load_model,
    save_model,
)
from maxmargin.semi_supervised import semi_supervised
from maxmargin.smoothers.degrees_of_freedom import estimate_spectrum, solve_alpha
from maxmargin.smoothers.scaled_graph import graph_inverse


def test_labels_spread_along_the_moons(moons):
    X, y, few = moons
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    assert (model.transduction_ == y).mean() > 0.9
    np.testing.assert_array_equal(model.classes_, [0, 1])
    free = few < 0
    np.testing.assert_array_equal(model.predict(X)[free], model.transduction_[free])
    decisions = model.decision_function(X)
    np.testing.assert_array_equal(decisions > 0, model.predict(X) == 1)


@pytest.mark.parametrize("kernel", ["auto", "rbf", "poly"])
def test_given_labels_stay_even_if_they_are_wrong(random, blobs, kernel):
    X, y = blobs
    few = hide(y, 8, random)
    wrong = random.choice(np.flatnonzero(few < 0), 4, replace=False)
    few[wrong] = (y[wrong] + 1) % 4
    model = SemiSupervisedMaxMargin(kernel=kernel, random_state=0).fit(X, few)
    given = few >= 0
    np.testing.assert_array_equal(model.transduction_[given], few[given])
    assert (model.transduction_[~given] == y[~given]).mean() > 0.7


def test_degrees_of_freedom_go_with_the_labels(moons):
    X, _, few = moons
    model = SemiSupervisedMaxMargin(kernel="neighbors", random_state=0).fit(X, few)
    assert model.degrees_of_freedom_ == pytest.approx(300 / 20 + 30)
    model.set_params(kernel="laplacian").fit(X, few)
    assert model.degrees_of_freedom_ == pytest.approx(30, rel=0.1)
    model.set_params(kernel="neighbors", degrees_of_freedom=0.1).fit(X, few)
    assert model.degrees_of_freedom_ == pytest.approx(30)


def test_separate_parts_keep_to_their_labels(random):
    """One label is at the far end of its ring, one of the other ring near by."""
    angles = np.linspace(0, 2 * np.pi, 150, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    X = np.concatenate([circle, 1.5 * circle]) + 0.02 * random.randn(300, 2)
    few = np.full(300, -1)
    few[[0, 225]] = [0, 1]
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    np.testing.assert_array_equal(model.transduction_, np.repeat([0, 1], 150))


def test_no_single_move_of_a_sample_without_label_gains(moons):
    X, _, few = moons
    X, few = X[:80], few[:80]
    few[:2] = [0, 1]
    model = SemiSupervisedMaxMargin(kernel="rbf", random_state=0).fit(X, few)
    K = rbf_kernel(X, gamma=model._model.feature_map.kernel.parameters["gamma"])
    alpha = solve_alpha(model.degrees_of_freedom_, estimate_spectrum(K))
    S = K @ np.linalg.inv(K + alpha * np.eye(80))
    best = power_sum(S, model.labels_, 2, 0.7)
    assert model.objective_ == pytest.approx(best, rel=1e-4)
    for j in np.flatnonzero(few < 0):
        other = model.labels_.copy()
        other[j] = 1 - other[j]
        assert power_sum(S, other, 2, 0.7) <= best + 1e-4


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (np.array(["left", "right"]), "-1"),
        (np.array(["left", "right"], dtype=object), None),
        (np.array(["left", "right"], dtype=object), -1),
        (np.array([7, 3]), -1),
        (np.array([0.0, 2.0]), -1.0),
    ],
)
def test_labels_of_any_kind(moons, names, missing):
    X, y, few = moons
    named = np.where(few < 0, missing, names[np.maximum(few, 0)])
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, named)
    assert set(model.classes_) == set(names)
    assert (model.transduction_ == names[y]).mean() > 0.9
    assert set(model.predict(X)) == set(names)


def test_without_label_it_is_clustering(blobs):
    X, _ = blobs
    model = SemiSupervisedMaxMargin(n_clusters=4, random_state=0)
    labels = model.fit(X, np.full(160, -1)).transduction_
    expected = MaxMarginClustering(n_clusters=4, random_state=0).fit(X)
    np.testing.assert_array_equal(labels, expected.labels_)
    np.testing.assert_allclose(
        model.decision_function(X), expected.decision_function(X)
    )
    np.testing.assert_array_equal(model.classes_, range(4))
    with pytest.raises(ValueError, match="y has no label"):
        SemiSupervisedMaxMargin().fit(X, np.full(160, -1))


def test_classes_without_label_are_found(random, blobs):
    X, y = blobs
    few = hide(y, 1, random)
    few[few >= 2] = -1
    model = SemiSupervisedMaxMargin(n_clusters=4, random_state=0).fit(
        X, few + (few > 0)
    )
    np.testing.assert_array_equal(model.classes_, [0, 2, 1, 3])
    found = model.transduction_
    assert adjusted_rand_score(y, found) > 0.95
    assert (found[y == 0] == 0).mean() > 0.9
    assert (found[y == 1] == 2).mean() > 0.9
    strings = np.array(["a", "b", "-1"])[few]
    named = SemiSupervisedMaxMargin(n_clusters=4, random_state=0).fit(X, strings)
    assert named.classes_.tolist() == ["a", "b", "new 1", "new 2"]


def test_a_class_of_one_sample(blobs):
    X, y = blobs
    X = np.concatenate([X, [[100.0, 100.0]]])
    few = np.full(161, -1)
    few[[np.flatnonzero(y == c)[0] for c in range(4)]] = range(4)
    few[160] = 4
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    assert model.transduction_[160] == 4
    assert (model.transduction_[:160] == y).mean() > 0.8


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"n_clusters": 3, "balance": "labels"}, "needs a label of each class"),
        ({"degrees_of_freedom": 9}, "kernel='auto' combines several"),
        ({"degrees_of_freedom": -1}, "degrees_of_freedom=-1 must be"),
        ({"balance": "even"}, "balance='even' is not understood"),
    ],
)
def test_bad_parameters(moons, parameters, match):
    X, _, few = moons
    with pytest.raises(ValueError, match=match):
        SemiSupervisedMaxMargin(**parameters).fit(X, few)


def test_balance(random):
    X = random.randn(120, 2)
    few = np.full(120, -1)
    few[:8] = [0, 0, 0, 0, 0, 0, 1, 1]
    model = SemiSupervisedMaxMargin(balance="labels", random_state=0).fit(X, few)
    assert np.bincount(model.labels_).tolist() == [90, 30]
    for kernel in ("auto", "neighbors", "rbf"):
        model.set_params(balance=(0.4, 0.6), kernel=kernel).fit(X, few)
        assert np.bincount(model.labels_).tolist() == [48, 72]
    np.testing.assert_array_equal(model.labels_[:8], few[:8])


def test_equal_samples_with_different_labels(random):
    X = np.repeat(random.randn(20, 2), 3, axis=0)
    few = np.full(60, -1)
    few[:6] = [0, 0, 1, 1, 1, 1]
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    np.testing.assert_array_equal(model.transduction_[:6], few[:6])


def test_many_samples_are_labelled_by_a_part_of_them(random, monkeypatch):
    monkeypatch.setattr(semi_supervised, "SEARCH_SAMPLES", 300)
    monkeypatch.setattr(semi_supervised, "graph_size", lambda n_samples: n_samples // 3)
    X, y = make_blobs(900, centers=5, cluster_std=0.7, random_state=3)
    few = hide(y, 3, random)
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    given = few >= 0
    assert (model.transduction_ == y).mean() > 0.9
    np.testing.assert_array_equal(model.transduction_[given], few[given])
    assert model._model.feature_map.index.n_samples == 300
    equal = clone(model).set_params(balance="equal").fit(X, few)
    assert np.ptp(np.bincount(equal.labels_)) <= 1
    np.testing.assert_array_equal(equal.transduction_[given], few[given])


def test_sparse_and_precomputed_input(blobs, random):
    X, y = blobs
    few = hide(y, 2, random)
    dense = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    sparse = SemiSupervisedMaxMargin(random_state=0).fit(sp.csr_array(X), few)
    np.testing.assert_array_equal(dense.transduction_, sparse.transduction_)
    K = rbf_kernel(X, gamma=0.05)
    model = SemiSupervisedMaxMargin(
        kernel="precomputed", degrees_of_freedom=6, random_state=0
    ).fit(K, few)
    assert (model.transduction_ == y).mean() > 0.9
    free = np.flatnonzero(few < 0)[:5]
    np.testing.assert_array_equal(model.predict(K[free]), model.transduction_[free])


def test_counts_are_compared_as_proportions(random):
    """Documents of very different length about one of two topics."""
    topics = random.dirichlet(np.full(200, 0.05), size=2)
    y = np.arange(80) % 2
    lengths = random.choice([10, 40], 80)
    X = np.array(
        [random.multinomial(n, topics[c]) for n, c in zip(lengths, y, strict=True)]
    )
    few = hide(y, 2, random)
    model = SemiSupervisedMaxMargin(random_state=0).fit(sp.csr_array(X), few)
    assert (model.transduction_ == y).mean() > 0.9


def test_same_seed_same_labels(random):
    X = random.randn(200, 5)
    few = np.full(200, -1)
    few[:9] = np.arange(9) % 3
    model = SemiSupervisedMaxMargin(n_clusters=4, random_state=4)
    first = model.fit(X, few).transduction_
    np.testing.assert_array_equal(first, clone(model).fit(X, few).transduction_)


def test_verbose_prints_a_line_for_each_start(capsys, moons):
    X, _, few = moons
    few[few == 1] = -1
    SemiSupervisedMaxMargin(
        n_clusters=2, kernel="rbf", n_init=3, verbose=1, random_state=0
    ).fit(X, few)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:8] for line in lines] == ["start 1:", "start 2:", "start 3:"]


def test_labels_choose_the_similarity(random):
    """Classes that a line separates, with no gap: the graph alone has many errors."""
    X = random.randn(400, 8)
    y = (X @ random.randn(8) > 0).astype(int)
    few = hide(y, 25, random)
    hidden = few < 0
    chosen = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    graph = SemiSupervisedMaxMargin(kernel="neighbors", random_state=0).fit(X, few)
    right = [(one.transduction_ == y)[hidden].mean() for one in (chosen, graph)]
    assert right[0] > right[1] + 0.03


def test_probabilities(random):
    X, y = make_blobs(600, centers=3, cluster_std=3.0, random_state=4)
    few = hide(y, 20, random)
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        model.classes_[probabilities.argmax(axis=1)], model.predict(X)
    )
    hidden = few < 0
    right = (model.transduction_ == y)[hidden].mean()
    assert probabilities[hidden].max(axis=1).mean() == pytest.approx(right, abs=0.1)
    assert not hasattr(SemiSupervisedMaxMargin(kernel="rbf"), "predict_proba")
    model = SemiSupervisedMaxMargin(4, random_state=0).fit(X, few)
    with pytest.raises(ValueError, match="needs a given label of each class"):
        model.predict_proba(X)


def test_warm_start_gives_the_result_of_a_new_fit(random, monkeypatch):
    X = random.randn(120, 3)
    made = []

    def make_smoother(*arguments):
        made.append(arguments)
        return graph_inverse(*arguments)

    monkeypatch.setattr(semi_supervised, "graph_inverse", make_smoother)
    y = np.full(120, -1)
    y[:6] = [0, 1, 2, 0, 1, 2]
    parameters = {"kernel": "neighbors", "degrees_of_freedom": 20, "random_state": 0}
    warm = SemiSupervisedMaxMargin(warm_start=True, **parameters).fit(X, y)
    y[6:12] = [2, 1, 0, 2, 1, 0]
    new = SemiSupervisedMaxMargin(**parameters)
    new.fit(X, y, must_link=[(20, 21)], cannot_link=[(30, 31)])
    n_made = len(made)
    warm.fit(X, y, must_link=[(20, 21)], cannot_link=[(30, 31)])
    assert len(made) == n_made  # the smoother was kept
    assert_array_equal(warm.labels_, new.labels_)
    assert_array_equal(warm.decision_function(X), new.decision_function(X))
    warm.fit(2 * X[:100], y[:100])  # other samples need another smoother
    assert len(made) == n_made + 1
    file = io.BytesIO()
    save_model(file, warm)
    assert_array_equal(load_model(file).predict(X), warm.predict(X))
