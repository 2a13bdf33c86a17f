"""A model with fewer landmarks decides as the one with all."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons

from maxmargin import MaxMarginClustering
from maxmargin.engine import model as model_module
from maxmargin.engine.model import MAX_CHANGE, MarginModel, reduce_landmarks
from maxmargin.smoothers.feature_map import KernelColumns, LinearBasis
from maxmargin.smoothers.kernel import Kernel


def model_on(X, random, ridge=1e-3):
    """Return smooth functions: kernel ridge regression on all samples."""
    kernel = Kernel("rbf", {"gamma": 0.5})
    targets = np.stack([X[:, 0] > 0, X[:, 0] <= 0], axis=1) * 1.0
    coefficients = np.linalg.solve(kernel(X, X) + ridge * np.eye(len(X)), targets)
    return MarginModel(KernelColumns(kernel, X), coefficients, random.randn(2))


def test_fewer_landmarks_decide_alike(random):
    X, rows = random.randn(150, 2), random.randn(500, 2)
    model = model_on(X, random)
    few = reduce_landmarks(model, rows)
    assert len(few.coefficients) < 100
    before = model.decide(rows)
    assert (
        np.abs(few.decide(rows) - before).max() <= MAX_CHANGE * before.std(axis=0).max()
    )


def test_models_that_cannot_be_reduced(random):
    many = model_on(random.randn(50, 30), random, ridge=1e-8)
    assert reduce_landmarks(many, random.randn(200, 30)) is many
    few_rows = model_on(random.randn(50, 2), random)
    assert reduce_landmarks(few_rows, random.randn(20, 2)) is few_rows
    linear = MarginModel(LinearBasis(), random.randn(2, 2), np.zeros(2))
    assert reduce_landmarks(linear, random.randn(20, 2)) is linear
    assert_allclose(linear.decide(np.eye(2)), linear.coefficients)


def test_samples_inside_of_clusters_are_dropped(seed, monkeypatch):
    X, _ = make_moons(3000, noise=0.07, random_state=seed)
    new, _ = make_moons(1000, noise=0.07, random_state=seed + 10)
    whole = MaxMarginClustering(2, random_state=0).fit(X)
    monkeypatch.setattr(model_module, "KEEP_ALL", 500)
    few = MaxMarginClustering(2, random_state=0).fit(X)
    np.testing.assert_array_equal(few.labels_, whole.labels_)
    assert few._model.feature_map.index.n_samples < 600
    assert np.mean(few.predict(X) == whole.labels_) > 0.99
    assert np.mean(few.predict(new) == whole.predict(new)) > 0.99
    assert whole._model.feature_map.index.n_samples == 3000


def test_samples_are_kept_where_labels_need_them(random, monkeypatch):
    """Without clusters every label depends on its neighbours."""
    monkeypatch.setattr(model_module, "KEEP_ALL", 100)
    monkeypatch.setattr(model_module, "INTERIOR_STEPS", ((8, 1.01), (2, 1.01)))
    X = random.rand(600, 2)
    model = MaxMarginClustering(3, kernel="neighbors", random_state=0).fit(X)
    assert model._model.feature_map.index.n_samples == 600
    np.testing.assert_array_equal(model.predict(X), model.labels_)
