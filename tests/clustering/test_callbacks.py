"""The callbacks of scikit-learn hear of the progress of a fit."""

import io
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from maxmargin import MaxMarginClustering, load_model, save_model

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")
X = load_digits().data[:300]


class Recorder:
    """A callback that keeps what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context, *, X=None):
        root = context.parent is None
        self.heard.append(("begin", context.task_name, root and X is not None))

    def on_fit_task_end(self, estimator, context):
        self.heard.append(("end", context.task_name, context.parent is None))

    def teardown(self, estimator, context):
        self.heard.append("teardown")


def test_a_fit_is_heard_from_begin_to_end():
    recorder = Recorder()
    model = MaxMarginClustering(10, random_state=0).set_callbacks(recorder)
    expected = MaxMarginClustering(10, random_state=0).fit(X).labels_
    np.testing.assert_array_equal(model.fit(X).labels_, expected)
    heard = recorder.heard
    assert heard[:2] == ["setup", ("begin", "fit", True)]
    assert heard[-2:] == [("end", "fit", True), "teardown"]
    steps = [one for one in heard[2:-2] if one[0] == "end"]
    assert 10 <= len(steps) <= 100


def test_failed_fits_take_their_callbacks_down():
    recorder = Recorder()
    model = MaxMarginClustering(10, balance=(50, 60)).set_callbacks(recorder)
    with pytest.raises(ValueError):
        model.fit(X[:100])
    assert recorder.heard.count("setup") == recorder.heard.count("teardown")
    model.set_params(balance="free", n_clusters=2).fit(X[:100])
    assert recorder.heard[-1] == "teardown"


def test_the_progress_bar(capsys):
    pytest.importorskip("rich", reason="needs rich")
    model = MaxMarginClustering(3, random_state=0)
    model.set_callbacks(callback.ProgressBar()).fit(X)
    assert "MaxMarginClustering - fit" in capsys.readouterr().out


def test_fitted_models_are_saved_without_callbacks(tmp_path):
    model = MaxMarginClustering(3, random_state=0).set_callbacks(Recorder()).fit(X)
    save_model(tmp_path / "model.npz", model)
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    again = pickle.load(io.BytesIO(pickle.dumps(model)))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    assert clone(model).fit(X).labels_.shape == (300,)
