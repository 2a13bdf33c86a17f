"""Snapshots in which nothing changes: nobody moves, however clusters are found."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.published import EvolvingKMeans

# Of these, searches have found another optimum when they were repeated.
TABLES = {
    "iris": load_iris().data,
    "rounded iris": np.rint(3 * load_iris().data),
    "digits": load_digits().data[:300],
    "cancer": load_breast_cancer().data[:300],
}


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
@pytest.mark.parametrize("kernel", ["rbf", "auto"])
@pytest.mark.parametrize("name", TABLES)
def test_nobody_moves(name, kernel, strategy):
    X = TABLES[name]
    for k in (3, 6):
        model = EvolvingMaxMarginClustering(
            k, strategy=strategy, kernel=kernel, random_state=0
        )
        times = np.repeat(np.arange(4), len(X))
        model.fit(np.tile(X, (4, 1)), times=times, ids=np.tile(np.arange(len(X)), 4))
        for record in model.history_[1:]:
            assert (record.stayed, record.moved) == (len(X), 0)
            assert record.events == ()
            assert record.snapshot_cost == model.history_[0].snapshot_cost
        labels = model.labels_.reshape(4, -1)
        np.testing.assert_array_equal(labels, np.tile(labels[0], (4, 1)))
        np.testing.assert_array_equal(model.cluster_names_, np.unique(labels))


@pytest.mark.parametrize("name", TABLES)
def test_rounding_moves_nobody(name):
    """It breaks tied distances in another way, which is no change of the data."""
    X, random = TABLES[name], np.random.RandomState(0)
    model = EvolvingMaxMarginClustering(3, random_state=0)
    for _ in range(3):
        noise = 1e-7 * random.uniform(-1.0, 1.0, size=X.shape)
        model.partial_fit(X * (1.0 + noise))
    assert [record.moved for record in model.history_] == [0, 0, 0]


def test_the_number_is_kept_as_well():
    X = TABLES["rounded iris"]
    model = EvolvingMaxMarginClustering("auto", random_state=0)
    for _ in range(4):
        model.partial_fit(X)
    numbers = {len(np.unique(record.labels)) for record in model.history_}
    assert numbers == {model.n_clusters_}
    assert sum(record.moved for record in model.history_) == 0


def test_objects_in_another_order():
    X = sp.csr_array(TABLES["digits"])
    order = np.random.RandomState(0).permutation(len(TABLES["digits"]))
    model = EvolvingMaxMarginClustering(3, random_state=0).partial_fit(X)
    before = model.labels_
    model.partial_fit(X[order], ids=order)
    np.testing.assert_array_equal(model.labels_, before[order])
    assert model.history_[-1].moved == 0
    np.testing.assert_array_equal(np.unique(model.predict(X)), np.unique(before))


def test_other_parameters_are_other_clusters():
    """The same rows are clustered again if they are to be clustered otherwise."""
    X = TABLES["digits"]
    model = EvolvingMaxMarginClustering(3, random_state=0).partial_fit(X)
    model.set_params(n_clusters=6).partial_fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 6
    before = model.labels_
    model.set_params(gamma=1e-6).partial_fit(X)
    assert not np.array_equal(model.labels_, before)


def test_one_object_that_moves():
    """A change of one row is no reason for the other objects to move."""
    X = TABLES["iris"][:100].copy()
    model = EvolvingMaxMarginClustering(2, half_life=0, random_state=0).partial_fit(X)
    before = model.labels_
    X[0] = X[75]
    model.partial_fit(X)
    np.testing.assert_array_equal(np.flatnonzero(model.labels_ != before), [0])


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    "model",
    [EvolvingMaxMarginClustering(2, random_state=0), EvolvingKMeans(2, random_state=0)],
)
def test_arrays_may_be_changed_in_place(model, single):
    """The past is what was given, not what the caller has done to it since."""
    X, ids = TABLES["iris"][:100].copy(), np.arange(100)
    if single:
        X = X.astype(np.float32)
    later = X.copy()
    later[:20] = X[60:80]
    expected = clone(model).partial_fit(X.copy(), ids=ids.copy())
    expected.partial_fit(later, ids=np.arange(100))
    found = clone(model).partial_fit(X, ids=ids)
    X[:], ids[:] = 0, ids[::-1].copy()
    found.partial_fit(later, ids=np.arange(100))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.history_[-1].moved == expected.history_[-1].moved == 20
    np.testing.assert_array_equal(found.history_[0].ids, np.arange(100))
