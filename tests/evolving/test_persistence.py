"""State that survives."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.evolving import persistence


@pytest.fixture
def random():
    return np.random.RandomState(0)


def grown(random, dates=False, **parameters):
    model = EvolvingMaxMarginClustering(2, random_state=0, **parameters)
    for t in range(2):
        X = np.concatenate([random.randn(15, 3), random.randn(15, 3) + 4])
        time = np.datetime64("2020-01-01") + 31 * t if dates else t
        model.partial_fit(X + 0.2 * t, time=time)
    return model


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kernel": "auto"},
        {"kernel": "neighbors", "strategy": "model"},
        {"kernel": "rbf", "strategy": "model", "landmarks": 10},
        {"loss": "hinge"},
        {"loss": "hinge", "kernel": "rbf", "strategy": "model"},
    ],
)
def test_goes_on_where_it_stopped(parameters, random, tmp_path):
    model = grown(random, dates=True, **parameters)
    model.save(tmp_path / "state.npz")
    again = EvolvingMaxMarginClustering.load(tmp_path / "state.npz")
    X = random.randn(30, 3)
    assert again.get_params() == model.get_params()
    assert_array_equal(again.labels_, model.labels_)
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.history_[0].time == model.history_[0].time
    time = np.datetime64("2020-05-01")
    model.partial_fit(X, time=time)
    again.partial_fit(X, time=time)
    assert_array_equal(again.labels_, model.labels_)
    for one, two in zip(model.history_, again.history_, strict=True):
        assert_array_equal(one.ids, two.ids)
        assert one.objective == two.objective
        assert (one.stayed, one.left) == (two.stayed, two.left)


def test_sparse_rows_and_names(random, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(random.randn(20, 2), columns=["a", "b"])
    model = EvolvingMaxMarginClustering(2, random_state=0)
    model.partial_fit(frame, ids=[f"object {i}" for i in range(20)])
    model.save(tmp_path / "state")
    again = EvolvingMaxMarginClustering.load(tmp_path / "state")
    assert_array_equal(again.predict(frame), model.labels_)
    sparse = EvolvingMaxMarginClustering(2, kernel="rbf", random_state=0)
    sparse.partial_fit(sp.csr_matrix(frame.to_numpy()))
    sparse.save(tmp_path / "state")
    again = EvolvingMaxMarginClustering.load(tmp_path / "state")
    assert_array_equal(again.predict(frame.to_numpy()), sparse.labels_)


def test_a_crash_while_writing_leaves_the_old_file(random, tmp_path, monkeypatch):
    model = grown(random)
    model.save(tmp_path / "state")
    old = (tmp_path / "state").read_bytes()

    def broken(file, **arrays):
        file.write(b"half of it")
        raise OSError("disk full")

    monkeypatch.setattr(persistence.np, "savez", broken)
    with pytest.raises(OSError, match="disk full"):
        model.save(tmp_path / "state")
    assert (tmp_path / "state").read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_refuses_what_is_no_state(random, tmp_path):
    np.savez(tmp_path / "other.npz", X=np.eye(2))
    with pytest.raises(ValueError, match="not a file of"):
        EvolvingMaxMarginClustering.load(tmp_path / "other.npz")
    model = grown(random, kernel=np.dot)
    with pytest.raises(ValueError, match="kernel"):
        model.save(tmp_path / "state")
