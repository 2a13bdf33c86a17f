"""`LeastSquaresMaxMarginClustering`: its parameters, and the formulas of the paper."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from tests.search import naive

from maxmargin.published import LeastSquaresMaxMarginClustering

IRIS, SPECIES = load_iris(return_X_y=True)
BLOBS, BLOB_LABELS = make_blobs(150, centers=3, random_state=0, cluster_std=0.8)
SEARCHES = ["shaking", "steepest", "stochastic", "local"]


def fit(X=BLOBS, n_clusters=3, random_state=0, **parameters):
    model = LeastSquaresMaxMarginClustering(
        n_clusters, random_state=random_state, **parameters
    )
    return model.fit(X)


def smoother_of(K, alpha):
    R = K @ np.linalg.inv(K + alpha * np.eye(len(K)))
    return (R + R.T) / 2


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_objective_is_that_of_the_formula(random, search, power):
    X = random.randn(60, 3)
    model = fit(
        X, gamma=0.3, alpha=0.5, search=search, power=power, n_init=2, balance=0.4
    )
    R = smoother_of(rbf_kernel(X, gamma=0.3), 0.5)
    expected = naive.power_sum(R, model.labels_, 3, power)
    assert model.objective_ == pytest.approx(expected, rel=1e-8)
    assert model.alpha_ == 0.5
    assert model.degrees_of_freedom_ == pytest.approx(np.trace(R))
    assert model.history_[-1] == model.objective_


def test_objective_of_the_paper_falls_as_ours_grows(random):
    X = random.randn(40, 2)
    K = rbf_kernel(X, gamma=0.5)
    fits = [fit(X, 3, seed, gamma=0.5, alpha=0.3, power=0.7) for seed in range(4)]
    ours = [naive.plain_sum(smoother_of(K, 0.3), one.labels_, 3) for one in fits]
    theirs = [naive.paper_objective(K, 0.3, one.labels_, 3) for one in fits]
    assert np.ptp(4 * np.array(ours) + np.array(theirs)) < 1e-8 * np.max(theirs)


def test_default_is_shaking_with_the_plain_sum():
    plain = fit(IRIS)
    given = fit(IRIS, search="shaking", power=0.0, shaking_decay=2.0, init="random")
    np.testing.assert_array_equal(plain.labels_, given.labels_)
    assert LeastSquaresMaxMarginClustering().get_params()["landmarks"] is None


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("landmarks", [None, 30, "auto"])
@pytest.mark.parametrize("power", [0.1, 0.7, 1])
def test_labels_equal_predictions_for_any_power_but_zero(search, landmarks, power):
    model = fit(IRIS, 4, search=search, landmarks=landmarks, power=power)
    np.testing.assert_array_equal(model.labels_, model.predict(IRIS))


def test_labels_of_the_published_search_differ_from_predictions():
    """Shaking with power 0 returns equal sizes, where a single move gains."""
    X, y = load_digits(return_X_y=True)
    X = X[(y == 0) | (y == 8)]
    model = fit(X, 2, n_init=10)
    assert np.bincount(model.labels_).tolist() == [176, 176]
    assert 0 < np.sum(model.labels_ != model.predict(X)) < 4


def test_plain_sum_may_empty_a_cluster_and_says_so(random):
    X = random.randn(30, 2)
    with pytest.warns(ConvergenceWarning, match="1 of 2 clusters are empty"):
        model = fit(X, 2, search="stochastic", degrees_of_freedom=1.5)
    assert np.sum(np.isneginf(model.decision_function(X)).all(axis=0)) == 1
    other = fit(X, 2, search="stochastic", degrees_of_freedom=1.5, power=0.7)
    assert len(np.unique(other.labels_)) == 2


@pytest.mark.parametrize("search", SEARCHES)
def test_blobs_are_found(search):
    model = fit(search=search, power=0.7, degrees_of_freedom=6, n_init=5)
    assert adjusted_rand_score(BLOB_LABELS, model.labels_) > 0.9


def test_number_of_clusters():
    assert LeastSquaresMaxMarginClustering().n_clusters == 8
    model = fit(n_clusters=5, power=0.7)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 5
    assert not fit(n_clusters=1).labels_.any()


@pytest.mark.parametrize("kernel", ["linear", "laplacian", "poly"])
def test_kernels(kernel):
    model = fit(IRIS, kernel=kernel, power=0.7)
    given = fit(
        pairwise_kernels(IRIS, metric="poly", degree=2, coef0=3),
        kernel="precomputed",
        power=0.7,
        alpha=0.5,
    )
    assert model.predict(IRIS).shape == given.labels_.shape


def test_kernel_params_and_gamma():
    written = {"degree": 2, "coef0": 3}
    model = fit(kernel="poly", gamma=0.5, kernel_params=written, alpha=1.0)
    K = pairwise_kernels(BLOBS, metric="poly", gamma=0.5, **written)
    expected = np.trace(smoother_of(K, 1.0))
    assert model.degrees_of_freedom_ == pytest.approx(expected, rel=1e-6)
    wide, narrow = fit(gamma=1e-3, alpha=1.0), fit(gamma=10.0, alpha=1.0)
    assert wide.degrees_of_freedom_ < narrow.degrees_of_freedom_


def test_degrees_of_freedom_and_alpha_are_two_sides_of_one():
    by_degrees = fit(degrees_of_freedom=12)
    assert by_degrees.degrees_of_freedom_ == pytest.approx(12, rel=1e-3)
    by_alpha = fit(alpha=by_degrees.alpha_)
    assert by_alpha.degrees_of_freedom_ == pytest.approx(12, rel=1e-3)
    share = fit(degrees_of_freedom=0.2)
    assert share.degrees_of_freedom_ == pytest.approx(30, rel=1e-3)


@pytest.mark.parametrize(
    ("balance", "low", "high"),
    [
        ("equal", [50] * 3, [50] * 3),
        ((20, 60), [20] * 3, [60] * 3),
        ((0.6, 0.3, 0.1), [90, 45, 15], [90, 45, 15]),
        (0.2, [40] * 3, [60] * 3),
    ],
)
@pytest.mark.parametrize("search", SEARCHES)
def test_balance(random, balance, low, high, search):
    model = fit(random.randn(150, 3), balance=balance, search=search, power=0.7)
    sizes = np.bincount(model.labels_, minlength=3)
    assert (sizes >= low).all()
    assert (sizes <= high).all()


def test_shaking_decay():
    fits = [
        fit(IRIS, shaking_decay=decay, random_state=1) for decay in (1.2, 4, "linear")
    ]
    slow, fast, linear = (one.n_iter_ for one in fits)
    assert slow > linear > fast


@pytest.mark.parametrize("search", SEARCHES)
def test_init(search):
    options = {"search": search, "power": 0.7}
    best = fit(n_init=5, **options)
    again = fit(init=best.labels_, n_init=7, **options)
    assert again.history_[0] == pytest.approx(best.objective_)
    if search != "shaking":  # whose first rounds leave the start
        assert again.objective_ >= best.objective_ * (1 - 1e-12)
    random, seeds = fit(init="random", **options), fit(init="k-means++", **options)
    assert random.history_[0] != seeds.history_[0]


def test_n_init_keeps_the_best():
    objectives = [fit(IRIS, 5, n_init=n, power=0.7).objective_ for n in (1, 10)]
    assert objectives[0] <= objectives[1]


@pytest.mark.parametrize("selection", ["random", "k-means++", "leader"])
def test_landmarks(selection):
    model = fit(landmarks=20, landmark_selection=selection, power=0.7)
    assert len(model._model.coefficients) == 20
    points = fit(landmarks=BLOBS[:9], power=0.7)
    assert len(points._model.coefficients) == 9
    assert len(fit()._model.coefficients) == 150
    assert len(fit(landmarks="auto")._model.coefficients) == 150


def test_local_search_takes_many_samples():
    X, y = make_blobs(9000, centers=6 * np.eye(3), random_state=0)
    model = fit(X, search="local", landmarks=50, power=0.7, n_init=2)
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_memory_of_all_pairs_is_checked(monkeypatch):
    name = "maxmargin.published.least_squares.available_memory"
    monkeypatch.setattr(name, lambda: 1000.0)
    with pytest.raises(ValueError, match=r"needs about .*use search='local'"):
        fit(landmarks=20)
    fit(landmarks=20, search="local", power=0.7)


@pytest.mark.parametrize("search", ["stochastic", "local"])
def test_max_iter(search):
    X = load_digits().data[:300]
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        model = fit(X, 6, search=search, max_iter=1, power=0.7)
    assert model.n_iter_ == 1


def test_n_jobs_and_random_state():
    one = fit(IRIS, 5, n_init=4, n_jobs=1)
    two = fit(IRIS, 5, n_init=4, n_jobs=2)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.objective_ == two.objective_
    starts = {fit(IRIS, 5, random_state=seed).history_[0] for seed in range(4)}
    assert len(starts) == 4


def test_verbose(capsys):
    model = fit(verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    fit(verbose=1, n_init=3)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:8] for line in lines] == [f"start {i}:" for i in (1, 2, 3)]
    fit(verbose=0)
    assert capsys.readouterr().out == ""


def test_sparse_samples(random):
    X = np.where(random.rand(80, 12) < 0.3, 1.0, 0.0) + np.eye(80, 12)
    dense, sparse = fit(X, power=0.7), fit(sp.csr_matrix(X), power=0.7)
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)


def test_moons_with_a_narrow_kernel():
    X, y = make_moons(200, noise=0.05, random_state=0)
    model = fit(X, 2, gamma=10, degrees_of_freedom=10, n_init=10)
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_fewer_distinct_samples_than_clusters():
    X = np.repeat(np.eye(3), 5, axis=0)
    for search in SEARCHES:
        with pytest.warns(ConvergenceWarning, match="Only 3 distinct samples"):
            model = fit(X, 5, search=search, power=0.7)
        assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 must be an int >= 1"),
        ({"kernel": "neighbors"}, "kernel='neighbors' is not known"),
        ({"gamma": -1}, "gamma=-1 must be"),
        ({"alpha": 0}, "alpha=0 must be a positive number"),
        ({"degrees_of_freedom": "many"}, "'many' is not understood"),
        ({"balance": 2}, "balance=2"),
        ({"power": 2}, "power=2 must be a number from 0 to 1"),
        ({"power": "auto"}, "power='auto' must be a number"),
        ({"search": "auto"}, "search='auto' is not known"),
        ({"shaking_decay": 1}, "shaking_decay=1 must be a factor above 1"),
        ({"n_shakings": 0}, "n_shakings=0 must be an int >= 1"),
        ({"known_labels": [0, 1]}, "known_labels must have one integer for each"),
        ({"known_labels": np.full(150, -2)}, "labels from -2 to -2"),
        ({"init": "auto"}, "init='auto' is not known"),
        ({"init": [0, 1]}, "one integer for each of the 150 samples"),
        ({"init": np.arange(150)}, "labels from 0 to 149"),
        ({"n_init": "auto"}, "n_init='auto' must be an int"),
        ({"landmarks": "some"}, "landmarks='some' is not understood"),
        ({"landmark_selection": "first"}, "landmark_selection='first' is not known"),
        ({"max_iter": 0}, "max_iter=0 must be an int >= 1"),
        ({"n_jobs": 0}, "n_jobs=0 must be None"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(**parameters)
