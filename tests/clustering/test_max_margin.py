import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering

BLOBS, BLOB_LABELS = make_blobs(150, centers=3, random_state=0, cluster_std=0.8)


def test_blobs_are_found(seed):
    model = MaxMarginClustering(3, degrees_of_freedom=6, random_state=seed)
    labels = model.fit_predict(BLOBS)
    reference = KMeans(3, n_init=10, random_state=0).fit_predict(BLOBS)
    assert adjusted_rand_score(labels, reference) > 0.9


def test_digits_by_default():
    """The mean over ten seeds is 0.88 or more, k-means has 0.67."""
    X, y = load_digits(return_X_y=True)
    scores = [
        adjusted_rand_score(y, MaxMarginClustering(10, random_state=s).fit_predict(X))
        for s in range(10)
    ]
    assert np.mean(scores) >= 0.88


def test_moons_need_a_kernel(seed):
    X, y = make_moons(300, noise=0.05, random_state=seed)
    model = MaxMarginClustering(
        2, gamma=5, degrees_of_freedom=10, random_state=seed
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
@pytest.mark.parametrize(
    "kernel", ["auto", "neighbors", "rbf", "linear", "laplacian", "poly"]
)
def test_labels_equal_predictions_on_the_training_data(seed, kernel):
    X, _ = load_iris(return_X_y=True)
    model = MaxMarginClustering(4, kernel=kernel, n_init=2, random_state=seed).fit(X)
    np.testing.assert_array_equal(model.labels_, model.predict(X))


def test_labels_equal_predictions_beyond_the_search_sample(seed):
    X, _ = make_blobs(6000, centers=8, random_state=seed, cluster_std=2)
    model = MaxMarginClustering(5, kernel="rbf", n_init=1, random_state=seed).fit(X)
    assert model.labels_.shape == (6000,)
    np.testing.assert_array_equal(model.labels_, model.predict(X))


@pytest.mark.parametrize(
    ("balance", "low", "high"),
    [
        ("equal", [50] * 3, [50] * 3),
        ((20, 60), [20] * 3, [60] * 3),
        ((0.6, 0.3, 0.1), [90, 45, 15], [90, 45, 15]),
    ],
)
@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf"])
def test_sizes_hold_in_fit_and_not_in_predict(balance, low, high, kernel):
    X = np.random.RandomState(0).randn(150, 3)
    model = MaxMarginClustering(
        3, balance=balance, kernel=kernel, n_init=2, random_state=0
    ).fit(X)
    sizes = np.bincount(model.labels_, minlength=3)
    assert (sizes >= low).all()
    assert (sizes <= high).all()
    alike = np.repeat(X[:1], 100, axis=0) + np.linspace(0, 1e-6, 100)[:, None]
    assert len(np.unique(model.predict(alike))) == 1


def test_sizes_hold_beyond_the_search_sample():
    X, _ = make_blobs(5000, centers=3, random_state=0, cluster_std=3)
    model = MaxMarginClustering(3, balance=(1500, 1800), n_init=1, kernel="rbf")
    sizes = np.bincount(model.set_params(random_state=0).fit(X).labels_)
    assert sizes.min() >= 1500
    assert sizes.max() <= 1800


def test_same_seed_same_labels_whatever_the_jobs(seed):
    X = load_digits().data[:400]
    one = MaxMarginClustering(10, random_state=seed, n_jobs=1, n_init=4).fit(X)
    two = MaxMarginClustering(10, random_state=seed, n_jobs=2, n_init=4).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.objective_ == two.objective_


FINGERPRINT = """
import hashlib
from sklearn.datasets import load_digits
from maxmargin import MaxMarginClustering
X = load_digits().data
model = MaxMarginClustering(10, kernel={kernel!r}, n_init=2, random_state=0).fit(X)
decisions = model.decision_function(X)
print(hashlib.sha256(model.labels_.tobytes() + decisions.tobytes()).hexdigest())
"""


@pytest.mark.parametrize("kernel", ["auto", "rbf"])
def test_same_seed_same_bits_whatever_the_blas_threads(kernel):
    def fingerprint(threads):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        result = subprocess.run(
            [sys.executable, "-c", FINGERPRINT.format(kernel=kernel)],
            env=os.environ | dict.fromkeys(names, str(threads)),
            capture_output=True,
            text=True,
            check=True,
        )
        return result.stdout

    assert fingerprint(1) == fingerprint(2)


def test_different_seeds_give_different_starts(capsys):
    X = load_digits().data[:400]
    lines = []
    for seed in range(5):
        MaxMarginClustering(
            10, kernel="rbf", random_state=seed, n_init=1, verbose=1
        ).fit(X)
        lines += capsys.readouterr().out.splitlines()
    objectives = {line.split()[-1] for line in lines}
    assert len(objectives) >= 5  # of random starts, and one of the relaxed problem


def test_order_of_rows_does_not_matter(seed):
    order = np.random.RandomState(seed).permutation(150)
    plain = MaxMarginClustering(3, random_state=seed).fit(BLOBS)
    shuffled = MaxMarginClustering(3, random_state=seed).fit(BLOBS[order])
    np.testing.assert_array_equal(plain.labels_[order], shuffled.labels_)


def test_equal_samples_share_a_cluster(seed):
    X = np.repeat(np.random.RandomState(seed).randn(30, 2), 4, axis=0)
    labels = MaxMarginClustering(5, random_state=seed).fit_predict(X)
    np.testing.assert_array_equal(labels, np.repeat(labels[::4], 4))


def test_precomputed_kernel_gives_the_same(seed):
    K = rbf_kernel(BLOBS, gamma=0.1)
    direct = MaxMarginClustering(3, kernel="rbf", gamma=0.1, random_state=seed).fit(
        BLOBS
    )
    given = MaxMarginClustering(3, kernel="precomputed", random_state=seed).fit(K)
    assert adjusted_rand_score(direct.labels_, given.labels_) == 1
    assert given.objective_ == pytest.approx(direct.objective_)
    new = np.random.RandomState(seed).randn(20, 2)
    renamed = direct.labels_[[np.argmax(given.labels_ == h) for h in range(3)]]
    np.testing.assert_array_equal(
        direct.predict(new), renamed[given.predict(rbf_kernel(new, BLOBS, gamma=0.1))]
    )


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine"])
def test_sparse_input_gives_the_same_as_dense(container, kernel):
    X = np.where(np.random.RandomState(0).rand(80, 12) < 0.3, 1.0, 0.0)
    X += np.eye(80, 12)
    model = MaxMarginClustering(3, kernel=kernel, random_state=0)
    dense, sparse = clone(model).fit(X), clone(model).fit(container(X))
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    np.testing.assert_array_equal(sparse.labels_, sparse.predict(container(X)))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames(frame):
    table = frame({"a": BLOBS[:, 0], "b": BLOBS[:, 1]})
    model = MaxMarginClustering(3, random_state=0).fit(table)
    plain = MaxMarginClustering(3, random_state=0).fit(BLOBS)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_single_precision_gives_the_same_clusters():
    model = MaxMarginClustering(3, degrees_of_freedom=6, random_state=0)
    double = clone(model).fit(BLOBS)
    single = clone(model).fit(BLOBS.astype(np.float32))
    assert adjusted_rand_score(double.labels_, single.labels_) == 1


def test_degrees_of_freedom_as_a_number_and_a_share():
    for kernel in ("neighbors", "rbf"):
        number = MaxMarginClustering(3, kernel=kernel, degrees_of_freedom=12)
        found = number.fit(BLOBS).degrees_of_freedom_
        assert found == pytest.approx(12, rel=1e-3)
        share = MaxMarginClustering(3, kernel=kernel, degrees_of_freedom=0.08)
        found = share.fit(BLOBS).degrees_of_freedom_
        assert found == pytest.approx(12, rel=1e-3)


def test_given_labels_start_the_search():
    best = MaxMarginClustering(3, random_state=0).fit(BLOBS)
    again = MaxMarginClustering(3, init=best.labels_).fit(BLOBS)
    np.testing.assert_array_equal(again.labels_, best.labels_)
    assert again.n_iter_ == 1


def test_clone_pickle_and_pipeline():
    pipeline = make_pipeline(StandardScaler(), MaxMarginClustering(3, random_state=0))
    labels = pipeline.fit_predict(BLOBS)
    copy = clone(pipeline).fit(BLOBS)
    np.testing.assert_array_equal(copy[-1].labels_, labels)
    again = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(again.predict(BLOBS), pipeline.predict(BLOBS))
    assert pipeline[:-1].set_output(transform="pandas").fit(BLOBS) is not None


def test_frames_inside_a_pipeline_keep_their_names():
    pipeline = make_pipeline(StandardScaler(), MaxMarginClustering(3, random_state=0))
    pipeline.set_output(transform="pandas")
    pipeline.fit(pd.DataFrame(BLOBS, columns=["a", "b"]))
    assert pipeline[-1].feature_names_in_.tolist() == ["a", "b"]


def test_verbose_prints_the_random_and_the_relaxed_start(capsys):
    model = MaxMarginClustering(
        3, kernel="rbf", n_init=1, verbose=1, random_state=0
    ).fit(BLOBS)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:8] for line in lines] == ["start 1:", "start 2:"]  # one is relaxed
    assert any(line.endswith(f" {model.objective_:.6g}") for line in lines)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_verbose_prints_a_line_for_each_of_several_starts(capsys, n_jobs):
    model = MaxMarginClustering(
        3, kernel="rbf", n_init=4, n_jobs=n_jobs, verbose=1, random_state=0
    ).fit(BLOBS)
    lines = sorted(capsys.readouterr().out.splitlines())
    assert [line[:8] for line in lines] == [f"start {i}:" for i in range(1, 6)]
    assert any(line.endswith(f" {model.objective_:.6g}") for line in lines)


def test_decision_function_is_largest_for_the_label():
    model = MaxMarginClustering(3, random_state=0).fit(BLOBS)
    decisions = model.decision_function(BLOBS)
    assert decisions.shape == (150, 3)
    np.testing.assert_array_equal(decisions.argmax(axis=1), model.labels_)
    assert np.abs(decisions).max() < 10  # in units of one, whatever n is


@pytest.mark.parametrize("kernel", ["linear", "sigmoid"])
def test_empty_clusters_are_warned_of(kernel):
    """Three clusters are asked for, and these classifiers separate fewer."""
    X = load_iris().data
    with pytest.warns(ConvergenceWarning, match="of 3 clusters are empty"):
        model = MaxMarginClustering(3, kernel=kernel, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) < 3
