"""A loaded estimator equals the saved one."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans

import maxmargin
from maxmargin import (
    EvolvingMaxMarginClustering,
    ImageSegmenter,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
    load_model,
    save_model,
)
from maxmargin.model_file import ESTIMATORS, RECORDS, read_model_file
from maxmargin.published import (
    CuttingPlaneMaxMarginClustering,
    EvolutionaryMaxMarginClustering,
    EvolvingKMeans,
    EvolvingMMC,
    EvolvingSpectralClustering,
    IterativeMaxMarginClustering,
    LeaderClustering,
    RecursiveBisection,
    ReducedSVC,
    SemidefiniteMaxMarginClustering,
)


def saved_and_loaded(estimator):
    file = io.BytesIO()
    save_model(file, estimator)
    return load_model(file)


def assert_same_attributes(one, other):
    assert type(one) is type(other)
    assert sorted(vars(one)) == sorted(vars(other))
    for name, value in vars(one).items():
        if isinstance(value, (np.ndarray, int, float, str)):
            assert_array_equal(value, getattr(other, name))


@pytest.fixture
def X():
    random = np.random.RandomState(0)
    return np.concatenate([random.randn(60, 3), random.randn(60, 3) + 4])


@pytest.fixture
def new():
    return np.random.RandomState(1).randn(50, 3) * 3


CLUSTERERS = [
    MaxMarginClustering(3, random_state=0),
    MaxMarginClustering(3, kernel="neighbors", random_state=0),
    MaxMarginClustering(3, kernel="rbf", random_state=1),
    MaxMarginClustering(2, kernel="linear", random_state=0),
    MaxMarginClustering(2, kernel="poly", kernel_params={"degree": 2}, random_state=0),
    MaxMarginClustering(2, balance=(50, None), random_state=0),
    EvolutionaryMaxMarginClustering(2, random_state=0),
    CuttingPlaneMaxMarginClustering(2, random_state=0),
    CuttingPlaneMaxMarginClustering(2, kernel="rbf", random_state=0),
    IterativeMaxMarginClustering(2, random_state=0),
    IterativeMaxMarginClustering(3, landmarks=30, random_state=0),
    SemidefiniteMaxMarginClustering(formulation="gmmc", random_state=0),
    LeaderClustering(n_centers=5),
    RecursiveBisection(n_clusters=4, random_state=0),
    RecursiveBisection(IterativeMaxMarginClustering(), 3, random_state=0),
]


@pytest.mark.parametrize("estimator", CLUSTERERS, ids=repr)
def test_clusterers(X, new, estimator):
    estimator.fit(X)
    loaded = saved_and_loaded(estimator)
    assert_same_attributes(estimator, loaded)
    assert_array_equal(loaded.predict(new), estimator.predict(new))
    if hasattr(estimator, "decision_function"):
        expected = estimator.decision_function(new)
        assert_array_equal(loaded.decision_function(new), expected)


def test_random_state_objects(X, new):
    random = np.random.RandomState(3)
    centers = X[[0, 60]]
    estimator = MaxMarginClustering(2, init=centers, random_state=random).fit(X)
    loaded = saved_and_loaded(estimator)
    assert_array_equal(loaded.init, centers)
    assert loaded.random_state.randint(10**6) == random.randint(10**6)


def test_probabilities(X, new):
    estimator = MaxMarginClustering(2, probability=True, random_state=0).fit(X)
    loaded = saved_and_loaded(estimator)
    assert_array_equal(loaded.predict_proba(new), estimator.predict_proba(new))


@pytest.mark.parametrize("names", [np.array(["no", "yes"]), np.array([3, 7])], ids=str)
@pytest.mark.parametrize("classifier", [ReducedSVC(), SemiSupervisedMaxMargin()])
def test_classifiers_keep_their_classes(X, new, classifier, names):
    y = names[np.repeat([0, 1], 60)]
    classifier.fit(X, y)
    loaded = saved_and_loaded(classifier)
    assert_array_equal(loaded.classes_, names)
    assert_array_equal(loaded.predict(new), classifier.predict(new))
    expected = classifier.decision_function(new)
    assert_array_equal(loaded.decision_function(new), expected)
    assert loaded.score(X, y) == classifier.score(X, y)


def test_names_of_features(X):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    loaded = saved_and_loaded(MaxMarginClustering(2, random_state=0).fit(frame))
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["c", "b", "a"]])
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["a", "b"]])


def test_counts_and_sparse_rows():
    random = np.random.RandomState(0)
    X = sp.csr_array(random.poisson(0.05, size=(80, 40)).astype(float) + np.eye(80, 40))
    estimator = MaxMarginClustering(2, random_state=0).fit(X)
    loaded = saved_and_loaded(estimator)
    assert_array_equal(loaded.predict(X), estimator.labels_)
    assert_array_equal(loaded.predict(3 * X), estimator.labels_)  # proportions


def test_blocks_continue(X, new):
    estimator = MaxMarginClustering(2, random_state=0).partial_fit(X[::2])
    loaded = saved_and_loaded(estimator)
    estimator.partial_fit(X[1::2])
    loaded.partial_fit(X[1::2])
    assert_array_equal(loaded.predict(new), estimator.predict(new))
    assert loaded.n_samples_seen_ == 120


def test_images():
    image = np.full((20, 30, 3), 200, dtype=np.uint8)
    image[5:10, 5:15] = (120, 60, 30)
    estimator = ImageSegmenter(2, random_state=0).fit(image)
    loaded = saved_and_loaded(estimator)
    assert_array_equal(loaded.predict(image), estimator.labels_)


def snapshots(random, n_times=2):
    for t in range(n_times):
        X = np.concatenate([random.randn(15, 3), random.randn(15, 3) + 4])
        yield np.datetime64("2020-01-01") + np.timedelta64(31 * t, "D"), X + 0.2 * t


@pytest.mark.parametrize(
    "model",
    [
        EvolvingMaxMarginClustering(2, random_state=0),
        EvolvingMaxMarginClustering(2, kernel="auto", random_state=0),
        EvolvingMaxMarginClustering(
            2, kernel="neighbors", strategy="model", random_state=0
        ),
        EvolvingMaxMarginClustering(2, strategy="model", random_state=0),
        EvolvingMMC(2, random_state=0),
        EvolvingMMC(2, kernel="rbf", strategy="model", random_state=0),
        EvolvingMMC(2, loss="squared", strategy="individual", random_state=0),
        EvolvingKMeans(2, random_state=0),
        EvolvingSpectralClustering(2, random_state=0),
    ],
    ids=repr,
)
def test_evolving_estimators_continue(model, random):
    model = clone(model)
    for time, X in snapshots(random):
        model.partial_fit(X, time=time)
    loaded = saved_and_loaded(model)
    assert loaded.get_params() == model.get_params()
    assert_array_equal(loaded.labels_, model.labels_)
    assert loaded.history_[0].time == model.history_[0].time
    later, X = np.datetime64("2020-05-01"), random.randn(30, 3)
    model.partial_fit(X, time=later)
    loaded.partial_fit(X, time=later)
    assert_array_equal(loaded.labels_, model.labels_)
    if hasattr(model, "predict"):
        assert_array_equal(loaded.predict(X), model.predict(X))
    for one, two in zip(model.history_, loaded.history_, strict=True):
        assert_array_equal(one.ids, two.ids)
        assert one.objective == two.objective
        assert (one.stayed, one.left) == (two.stayed, two.left)


def test_evolving_sparse_rows_and_string_ids(random, tmp_path):
    X = sp.csr_matrix(random.randn(20, 2))
    model = EvolvingMaxMarginClustering(2, kernel="rbf", random_state=0)
    model.partial_fit(X, ids=[f"object {i}" for i in range(20)])
    save_model(tmp_path / "state", model)
    loaded = load_model(tmp_path / "state")
    assert_array_equal(loaded.predict(X), model.labels_)
    assert_array_equal(loaded.history_[0].ids, model.history_[0].ids)


def test_dask_models_have_no_lazy_labels(X):
    da = pytest.importorskip("dask.array", reason="needs the extra dask")
    from maxmargin.distributed import DaskMaxMarginClustering

    lazy = da.from_array(X, chunks=(50, 3))
    model = DaskMaxMarginClustering(2, random_state=0).fit(lazy)
    loaded = saved_and_loaded(model)
    assert not hasattr(loaded, "labels_")
    assert_array_equal(loaded.predict(X), model.labels_.compute())


def test_only_arrays_and_text(X, tmp_path):
    path = tmp_path / "model"
    save_model(path, MaxMarginClustering(2, random_state=0).fit(X), {"k": [1, 2]})
    with np.load(path, allow_pickle=False) as archive:
        kinds = {archive[name].dtype.kind for name in archive.files}
        assert json.loads(str(archive["header"]))["format"] == "maxmargin model"
    assert kinds <= set("biufU")
    assert read_model_file(path).about == {"k": [1, 2]}


def test_what_is_known_of_rows_takes_little_space(X):
    """A byte for a label, four for each of leaf, strength and outlier score."""
    many = np.repeat(X, 200, axis=0)
    model = MaxMarginClustering(2, random_state=0).fit(many)
    file = io.BytesIO()
    save_model(file, model)
    assert file.tell() < 60_000 + 13 * len(many)


def test_permissions_and_failure(X, tmp_path, monkeypatch):
    model = MaxMarginClustering(2, random_state=0).fit(X)
    path = tmp_path / "model"
    previous = os.umask(0o027)
    try:
        save_model(path, model)
    finally:
        os.umask(previous)
    assert path.stat().st_mode & 0o777 == 0o640
    old = path.read_bytes()

    def broken(file, **arrays):
        file.write(b"half of it")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", broken)
    with pytest.raises(OSError, match="disk full"):
        save_model(path, model)
    assert path.read_bytes() == old
    assert [item.name for item in tmp_path.iterdir()] == ["model"]


def test_estimators_that_cannot_be_saved(X):
    with pytest.raises(ValueError, match="is not fitted: fit it first"):
        save_model(io.BytesIO(), MaxMarginClustering(2))
    own = MaxMarginClustering(2, kernel=lambda a, b: float(a @ b)).fit(X[:30])
    with pytest.raises(ValueError, match="Python function"):
        save_model(io.BytesIO(), own)
    with pytest.raises(ValueError, match="KMeans cannot be saved"):
        save_model(io.BytesIO(), KMeans(2).fit(X))
    nested = RecursiveBisection(KMeans(2, n_init=1), 3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="KMeans objects cannot be saved"):
        save_model(io.BytesIO(), nested)


def test_files_that_are_no_models(X, tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, X=X)
    with pytest.raises(ValueError, match="not a model file"):
        load_model(path)
    path.write_text("text")
    with pytest.raises(ValueError, match="not a model file"):
        load_model(path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "missing")


def with_header(path, change):
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    change(header, arrays)
    arrays["header"] = np.array(json.dumps(header))
    np.savez(path, **arrays)


def forget_array(header, arrays):
    del arrays["array_0"]


def name_other_class(header, arrays):
    header["estimator"]["class"] = "Popen"


def drop_state(header, arrays):
    del header["estimator"]["state"]


@pytest.mark.parametrize("change", [forget_array, name_other_class, drop_state])
def test_damaged_files(X, tmp_path, change):
    path = tmp_path / "model.npz"
    save_model(path, MaxMarginClustering(2, random_state=0).fit(X))
    with_header(path, change)
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)


def test_other_versions(X, tmp_path):
    path = tmp_path / "model.npz"
    save_model(path, MaxMarginClustering(2, random_state=0).fit(X))
    with_header(path, lambda header, arrays: header.update(version=99))
    with pytest.raises(ValueError, match="version 99"):
        load_model(path)


def test_every_estimator_is_known():
    public = {name for name in maxmargin.__all__ if name[0].isupper()}
    assert public <= set(ESTIMATORS)
    assert not set(ESTIMATORS) & set(RECORDS)


def test_entries_that_are_not_used_are_not_read(X, tmp_path):
    path = tmp_path / "model.npz"
    model = MaxMarginClustering(2, random_state=0).fit(X)
    save_model(path, model)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        file = io.BytesIO()
        np.save(file, np.zeros(50_000_000, np.uint8))
        archive.writestr("unused.npy", file.getvalue())
    assert path.stat().st_size < 1e6
    tracemalloc.start()
    loaded = load_model(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6
    assert_array_equal(loaded.predict(X), model.labels_)
