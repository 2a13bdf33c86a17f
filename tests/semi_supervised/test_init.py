"""Clusters to start from: changed where labels and pairs contradict them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.semi_supervised import semi_supervised


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    found = MaxMarginClustering(3, random_state=0).fit(X).labels_
    return X, y, found


def test_clusters_stay_if_nothing_contradicts_them(iris):
    X, _, found = iris
    nothing = np.full(len(X), -1)
    for kernel in ("auto", "neighbors", "rbf"):
        model = SemiSupervisedMaxMargin(kernel=kernel, init=found, random_state=0)
        model.fit(X, nothing)
        assert np.mean(model.transduction_ != found) < 0.2
    model = SemiSupervisedMaxMargin(init=found, random_state=0).fit(X, nothing)
    assert_array_equal(model.transduction_, found)
    assert_array_equal(model.label_distributions_.argmax(axis=1), found)
    one = np.where(np.arange(len(X)) == 7, found, -1)
    assert_array_equal(model.fit(X, one).transduction_, found)


def test_labels_and_pairs_at_once_are_kept(iris, random):
    X, y, found = iris
    pairs = random.randint(len(X), size=(30, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    few = np.where(random.rand(len(X)) < 0.1, found, -1)  # clusters have these names
    clusters = np.array([np.bincount(y[found == c]).argmax() for c in range(3)])
    few[few >= 0] = np.argsort(clusters)[y[few >= 0]]
    model = SemiSupervisedMaxMargin(init=found, random_state=0)
    model.fit(X, few, must_link=pairs[same], cannot_link=pairs[~same])
    labels = model.transduction_
    assert_array_equal(labels[few >= 0], few[few >= 0])
    assert_array_equal(labels[pairs[:, 0]] == labels[pairs[:, 1]], same)
    assert (clusters[labels] == y).mean() >= (clusters[found] == y).mean()


def test_pairs_alone_start_from_the_default_clusters(iris):
    X, _, found = iris
    nothing, pairs = np.full(len(X), -1), [(0, 1), (60, 110)]
    given = SemiSupervisedMaxMargin(init=found, random_state=0)
    alone = SemiSupervisedMaxMargin(3, random_state=0)
    for model in (given, alone):
        model.fit(X, nothing, cannot_link=pairs)
    assert_array_equal(given.labels_, alone.labels_)


def test_rows_that_are_not_fitted_follow_their_neighbours(iris, monkeypatch):
    X, _, found = iris
    monkeypatch.setattr(semi_supervised, "CORRECTED_SAMPLES", 60)
    few = np.full(len(X), -1)
    row = np.flatnonzero(found == 0)[7]
    few[row] = 1
    model = SemiSupervisedMaxMargin(init=found, random_state=0).fit(X, few)
    assert model.transduction_[row] == 1
    assert np.mean(model.transduction_ != found) < 0.1
    nothing = np.full(len(X), -1)
    assert_array_equal(model.fit(X, nothing).transduction_, found)


def test_names_of_classes(iris):
    X, _, found = iris
    names = np.array(["a", "b", "c"])[found]
    few = np.full(len(X), "-1", dtype="U3")
    few[3] = "new"
    model = SemiSupervisedMaxMargin(init=names, random_state=0).fit(X, few)
    assert model.classes_.tolist() == ["a", "b", "c", "new"]
    assert model.transduction_[3] == "new"
    with pytest.raises(ValueError, match="name classes differently"):
        clone(model).fit(X, np.where(np.arange(len(X)) == 3, 5, -1))


def test_a_start_of_one_class_is_no_mistake(iris):
    X, none = iris[0], np.full(150, -1)
    model = SemiSupervisedMaxMargin(init=np.zeros(150, dtype=int)).fit(X, none)
    assert not model.transduction_.any()  # and no warning, which would be an error


@pytest.mark.parametrize(
    ("init", "match"),
    [
        (np.zeros((150, 2), dtype=int), "init has 2 dimensions"),
        (np.zeros(9, dtype=int), "init has 9 labels"),
        (np.where(np.arange(150) == 4, -1, 0), "no class for sample 4"),
    ],
)
def test_starts_that_are_none(iris, init, match):
    with pytest.raises(ValueError, match=match):
        SemiSupervisedMaxMargin(init=init).fit(iris[0], np.full(150, -1))


def test_a_failed_fit_changes_nothing(iris):
    X, _, found = iris
    few = np.full(len(X), -1)
    few[[0, 1]] = [0, 1]
    model = SemiSupervisedMaxMargin(init=found, random_state=0).fit(X, few)
    before = vars(model).copy()
    with pytest.raises(ValueError, match="must_link"):
        model.fit(X, few, must_link=[(0, 1)])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
