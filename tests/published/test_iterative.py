"""IterativeMaxMarginClustering."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from maxmargin.metrics import clustering_error
from maxmargin.published import IterativeMaxMarginClustering
from maxmargin.published.hinge.margin_loss import LOSSES
from maxmargin.published.normalised_cut import normalised_cut


def digits(*classes):
    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, classes)
    return X[rows], y[rows]


def paper_gamma(X, factor):
    """Return gamma for the width that the paper takes from the range of the data."""
    return 1 / (factor**2 * np.sum((X.max(axis=0) - X.min(axis=0)) ** 2))


@pytest.mark.parametrize(
    ("pair", "printed"), [((3, 8), 3.36), ((1, 7), 0.55), ((2, 7), 0.0)]
)
def test_no_worse_than_printed(pair, printed):
    # Table 1 of Zhang, Tsang and Kwok (2007): C = 500, balance 0.03, sigma = 4 D.
    X, y = digits(*pair)
    model = IterativeMaxMarginClustering(
        C=500, gamma=paper_gamma(X, 4), balance=0.03, n_init=3, random_state=0
    ).fit(X)
    assert 100 * clustering_error(y, model.labels_) <= printed + 0.005


def test_laplacian_loss_improves_a_poor_start_and_hinge_loss_does_not():
    # Figure 5: from a poor start, iterSVM hardly moves and iterSVR gets far.
    X, y = digits(3, 9)
    random = np.random.RandomState(0)
    start = np.where(random.rand(len(y)) < 0.2, y == 3, y == 9).astype(int)
    errors = {
        loss: clustering_error(
            y,
            IterativeMaxMarginClustering(
                loss=loss,
                C=500,
                gamma=paper_gamma(X, 2),
                balance=0.03,
                init=start,
            )
            .fit(X)
            .labels_,
        )
        for loss in ("laplacian", "hinge")
    }
    assert errors["laplacian"] < 0.05
    assert errors["hinge"] > 2 * errors["laplacian"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("landmarks", [None, 60])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_finds_blobs_and_predicts_its_labels(loss, landmarks, n_clusters, seed):
    X, y = make_blobs(
        120, centers=5 * np.eye(3)[:n_clusters], cluster_std=0.8, random_state=seed
    )
    model = IterativeMaxMarginClustering(
        n_clusters, loss=loss, landmarks=landmarks, n_init=3, random_state=seed
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.8
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_landmarks_that_are_all_samples_change_nothing():
    X, y = digits(3, 8)
    start = (y == 8).astype(int) ^ (np.arange(len(y)) % 7 == 0)
    labels = [
        IterativeMaxMarginClustering(init=start, landmarks=landmarks).fit(X).labels_
        for landmarks in (None, len(X))
    ]
    assert np.mean(labels[0] == labels[1]) > 0.99


@pytest.mark.parametrize("balance", [0.03, "equal", (40, 60), (0.3, 0.7)])
def test_predict_keeps_the_sizes_of_two_clusters(balance, random):
    X = random.randn(100, 3)
    model = IterativeMaxMarginClustering(balance=balance, random_state=0).fit(X)
    sizes = np.bincount(model.labels_, minlength=2)
    low, high = {
        0.03: (48, 52),
        "equal": (50, 50),
        (40, 60): (40, 60),
        (0.3, 0.7): (30, 70),
    }[balance]
    assert low <= sizes.min() <= sizes.max() <= high
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_no_cluster_is_empty(random):
    X = random.randn(40, 2)
    model = IterativeMaxMarginClustering(3, balance="free", random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize("loss", ["laplacian", "squared"])
def test_sparse_and_precomputed_input(loss, random):
    X = random.randn(60, 5) * (random.rand(60, 5) < 0.5) + np.eye(60, 5)
    # Equal samples of a precomputed kernel are not merged.
    X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    parameters = {"loss": loss, "gamma": 0.3, "random_state": 0}
    start = (X[:, 0] > 0.2).astype(int)
    dense = IterativeMaxMarginClustering(init=start, **parameters).fit(X)
    sparse = IterativeMaxMarginClustering(init=start, **parameters).fit(
        sp.csr_matrix(X)
    )
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    K = rbf_kernel(X, gamma=0.3)
    given = IterativeMaxMarginClustering(
        init=start, kernel="precomputed", **parameters
    ).fit(K)
    np.testing.assert_array_equal(given.labels_, dense.labels_)
    np.testing.assert_array_equal(given.predict(K), given.labels_)
    started = IterativeMaxMarginClustering(kernel="precomputed", **parameters).fit(K)
    assert set(started.labels_) == {0, 1}


@pytest.mark.parametrize("landmarks", [None, 50])
def test_spectral_start(landmarks, seed):
    X, y = make_blobs(90, centers=6 * np.eye(3), random_state=seed)
    model = IterativeMaxMarginClustering(
        3, init="spectral", landmarks=landmarks, random_state=seed
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_linear_kernel_with_many_columns(random):
    X = random.rand(300, 1500) * (random.rand(300, 1500) < 0.02)
    X[:150, :20] += 1.0
    model = IterativeMaxMarginClustering(
        kernel="linear", landmarks=80, random_state=0
    ).fit(sp.csr_matrix(X))
    assert clustering_error(np.repeat([0, 1], 150), model.labels_) < 0.05


def test_landmarks_are_drawn_from_many_samples():
    X, y = make_blobs(2300, centers=6 * np.eye(2), random_state=0)
    for kernel in ("rbf", "linear"):
        model = IterativeMaxMarginClustering(kernel=kernel, random_state=0).fit(X)
        assert clustering_error(y, model.labels_) < 0.01
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_best_of_several_starts_is_kept(random):
    X = random.randn(80, 2)
    one = IterativeMaxMarginClustering(random_state=0).fit(X)
    many = IterativeMaxMarginClustering(n_init=5, random_state=0).fit(X)
    assert many.objective_ >= one.objective_
    assert many.objective_ in many.history_


@pytest.mark.parametrize("landmarks", [None, 30])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_order_of_rows_does_not_matter(n_clusters, landmarks, random, seed):
    X, order = random.randn(70, 3), random.permutation(70)
    model = IterativeMaxMarginClustering(
        n_clusters, landmarks=landmarks, random_state=seed
    )
    labels = model.fit(X).labels_
    np.testing.assert_array_equal(model.fit(X[order]).labels_, labels[order])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "cubic"}, "loss='cubic' is not known"),
        ({"C": 0.0}, r"C=0\.0 must be a positive number"),
        ({"n_init": 0}, "n_init=0 must be"),
        ({"init": "random"}, "init='random' is not known"),
        ({"kernel": "linear", "init": "spectral"}, "without negative values"),
        ({"balance": (39, 40)}, "cannot be met"),
    ],
)
def test_bad_parameters_raise(parameters, message):
    X = np.random.RandomState(0).randn(40, 2)
    with pytest.raises(ValueError, match=message):
        IterativeMaxMarginClustering(**parameters).fit(X)


def test_one_cluster(random):
    X = random.randn(10, 2)
    model = IterativeMaxMarginClustering(1).fit(X)
    assert not model.labels_.any()
    assert not model.predict(X).any()


def test_warns_if_not_converged():
    X, y = digits(8, 9)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        IterativeMaxMarginClustering(init=np.arange(len(y)) % 2, max_iter=1).fit(X)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_shift_of_the_samples_changes_nothing(loss):
    X, _ = make_blobs(40, centers=2, random_state=0)
    X = np.round(X * 64) / 64  # sums with powers of two are exact
    near = IterativeMaxMarginClustering(kernel="linear", loss=loss, random_state=0)
    far = IterativeMaxMarginClustering(kernel="linear", loss=loss, random_state=0)
    near.fit(X)
    far.fit(X + 2.0**33)
    assert adjusted_rand_score(far.labels_, near.labels_) == 1.0
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-3)
    np.testing.assert_array_equal(far.predict(X + 2.0**33), far.labels_)


def test_verbose_prints_starts_or_rounds(capsys):
    X, _ = make_blobs(40, centers=3, random_state=0)
    IterativeMaxMarginClustering(3, n_init=3, verbose=1, random_state=0).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:8] for line in lines] == ["start 1:", "start 2:", "start 3:"]
    model = IterativeMaxMarginClustering(3, verbose=1, random_state=0).fit(X)
    assert len(capsys.readouterr().out.splitlines()) == model.n_iter_


def test_a_normalised_cut_is_the_start_that_its_definition_gives():
    X, _ = make_blobs(60, centers=2, cluster_std=2.0, random_state=1)
    K = rbf_kernel(X, gamma=0.05)
    model = IterativeMaxMarginClustering(
        kernel="precomputed", init="normalized-cut", balance="free"
    )
    values, vectors = np.linalg.eigh(K)
    cut = normalised_cut(vectors * np.sqrt(np.maximum(values, 0)), np.ones(60))
    given = IterativeMaxMarginClustering(
        kernel="precomputed", init=cut, balance="free"
    ).fit(K)
    # libsvm stops at a tolerance of 1e-3.
    np.testing.assert_allclose(model.fit(K).history_[0], given.history_[0], rtol=1e-3)
    assert clustering_error(given.labels_, model.labels_) == 0


def test_algorithm_1_stays_where_the_search_of_the_bias_moves():
    # The point of the paper: with the hinge loss labels hardly change.
    X, y = digits(3, 9)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=paper_gamma(X, 0.25)))
    features = vectors * np.sqrt(np.maximum(values, 0))
    start = normalised_cut(features, np.ones(len(X)), at_zero=True)
    parameters = {"C": 500, "gamma": paper_gamma(X, 3), "init": start}
    printed = IterativeMaxMarginClustering(
        loss="hinge", bias="kkt", balance="free", **parameters
    ).fit(X)
    searched = IterativeMaxMarginClustering(balance=0.03, **parameters).fit(X)
    assert clustering_error(start, printed.labels_) < 0.03
    assert clustering_error(y, printed.labels_) > 0.1
    assert clustering_error(y, searched.labels_) < 0.05


@pytest.mark.parametrize("wrong", [{"n_clusters": 3}, {"balance": 0.3}])
def test_the_kkt_bias_needs_two_clusters_of_any_size(wrong):
    parameters = {"n_clusters": 2, "balance": "free"} | wrong
    with pytest.raises(ValueError, match="bias='search'"):
        IterativeMaxMarginClustering(bias="kkt", **parameters).fit(np.eye(5))


def test_the_sparse_model_is_a_support_vector_machine_trained_on_the_labels():
    X, _ = make_blobs(200, centers=2, cluster_std=1.5, random_state=0)
    dense = IterativeMaxMarginClustering(gamma=0.1, random_state=0).fit(X)
    sparse = IterativeMaxMarginClustering(gamma=0.1, sparse=True, random_state=0).fit(X)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    machine = SVC(gamma=0.1, tol=1e-6).fit(X, sparse.labels_)
    new = np.random.RandomState(1).randn(50, 2) * 5
    np.testing.assert_allclose(
        sparse.decision_function(new)[:, 1], machine.decision_function(new), atol=0.02
    )
    assert sparse.n_vectors_ < 60 < dense.n_vectors_ == 200


def test_the_sparse_model_of_more_clusters():
    X, _ = make_blobs(150, centers=3, random_state=2)
    model = IterativeMaxMarginClustering(3, sparse=True, random_state=0).fit(X)
    assert model.n_vectors_ < 150
    assert adjusted_rand_score(model.predict(X), model.labels_) > 0.95


def test_a_smoother_that_reproduces_constants_needs_no_bias():
    line = np.random.RandomState(6).randn(1, 4)
    X = 1e4 + 1e-5 * np.linspace(0, 1, 31)[:, None] * line
    model = IterativeMaxMarginClustering(
        2,
        loss="squared",
        kernel="poly",
        gamma=None,
        kernel_params={"coef0": 0},
        landmarks=3,
    )
    model.set_params(init="normalized-cut", balance="free", C=1.0, random_state=6)
    assert np.isfinite(model.fit(X).decision_function(X)).all()
