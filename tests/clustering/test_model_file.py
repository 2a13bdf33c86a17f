import io
import json

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin import (
    CuttingPlaneMaxMarginClustering,
    IterativeMaxMarginClustering,
    MaxMarginClustering,
    ReducedSVC,
    SemiSupervisedMaxMargin,
)
from maxmargin.clustering.model_file import load_model, save_model


def again(estimator, about=None):
    file = io.BytesIO()
    save_model(file, estimator, about)
    return load_model(file)


@pytest.fixture
def X():
    random = np.random.RandomState(0)
    return np.concatenate([random.randn(60, 3), random.randn(60, 3) + 4])


@pytest.mark.parametrize(
    "estimator",
    [
        MaxMarginClustering(3, kernel="neighbors", random_state=0),
        MaxMarginClustering(3, kernel="rbf", random_state=0),
        MaxMarginClustering(2, kernel="linear", random_state=0),
        MaxMarginClustering(2, kernel="rbf", landmarks=20, random_state=0),
        CuttingPlaneMaxMarginClustering(2, random_state=0),
        CuttingPlaneMaxMarginClustering(2, kernel="rbf", random_state=0),
        IterativeMaxMarginClustering(2, random_state=0),
    ],
    ids=repr,
)
def test_a_model_decides_as_the_estimator_did(X, estimator):
    estimator.fit(X)
    saved = again(estimator, {"names": ["a", "b", "c"]})
    new = np.random.RandomState(1).randn(50, 3) * 3
    np.testing.assert_array_equal(saved.predict(new), estimator.predict(new))
    expected = estimator.decision_function(new)
    found = saved.decision_function(new)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-12)
    assert saved.about == {"names": ["a", "b", "c"]}


def test_counts_and_sparse_rows():
    random = np.random.RandomState(0)
    X = sp.csr_array(random.poisson(0.05, size=(80, 40)).astype(float) + np.eye(80, 40))
    estimator = MaxMarginClustering(2, random_state=0).fit(X)
    saved = again(estimator)
    assert saved.counts
    np.testing.assert_array_equal(saved.predict(X), estimator.labels_)


def test_classifiers(X):
    y = np.repeat([0, 1], 60)
    for classifier in (ReducedSVC(), SemiSupervisedMaxMargin()):
        classifier.fit(X, y)
        saved = again(classifier, {"signed": True})
        np.testing.assert_array_equal(saved.predict(X), classifier.predict(X))


def test_no_code_is_kept(X, tmp_path):
    path = tmp_path / "model"
    save_model(path, MaxMarginClustering(2, random_state=0).fit(X))
    with np.load(path, allow_pickle=False) as archive:
        kinds = {archive[name].dtype.kind for name in archive.files}
        assert json.loads(str(archive["header"]))["format"] == "maxmargin model"
    assert kinds <= set("biufU")


def test_what_cannot_be_saved_or_loaded(X, tmp_path):
    with pytest.raises(ValueError, match="fit it first"):
        save_model(io.BytesIO(), MaxMarginClustering(2))
    own = MaxMarginClustering(2, kernel=lambda a, b: float(a @ b)).fit(X[:30])
    with pytest.raises(ValueError, match="Python function"):
        save_model(io.BytesIO(), own)
    path = tmp_path / "other.npz"
    np.savez(path, X=X)
    with pytest.raises(ValueError, match="no model file"):
        load_model(path)
    path.write_text("text")
    with pytest.raises(ValueError, match="no model file"):
        load_model(path)
