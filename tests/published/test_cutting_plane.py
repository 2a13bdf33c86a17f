"""CuttingPlaneMaxMarginClustering."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.published import CuttingPlaneMaxMarginClustering


def digit_pair(first, second):
    X, y = load_digits(return_X_y=True)
    rows = (y == first) | (y == second)
    return X[rows], (y[rows] == second).astype(int)


def adapted(n_clusters=2, **parameters):
    """Return the estimator with our loops, starts and size limits."""
    options = {"formulation": "adapted", "balance": 0.3, "n_init": 4, "tol": 1e-3}
    return CuttingPlaneMaxMarginClustering(n_clusters, **options | parameters)


def error(y, labels):
    wrong = np.mean(y != labels)
    return min(wrong, 1 - wrong)


@pytest.mark.parametrize(
    ("pair", "most"), [((3, 8), 0.04), ((1, 7), 0.005), ((2, 7), 0.005), ((8, 9), 0.05)]
)
def test_digit_pairs_without_tuning(pair, most):
    X, y = digit_pair(*pair)
    model = adapted(random_state=0).fit(X)
    assert error(y, model.labels_) <= most


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_shift_scale_and_rotation_do_not_matter(n_clusters, random, seed):
    X = digit_pair(3, 8)[0]
    rotation = np.linalg.qr(random.randn(64, 64))[0]
    order = random.permutation(len(X))
    moved = (X @ rotation * 1000.0 * random.rand() + 50.0 * random.randn(64))[order]
    model = adapted(n_clusters, random_state=seed)
    labels = model.fit(X).labels_
    assert adjusted_rand_score(labels[order], model.fit(moved).labels_) == 1.0


@pytest.mark.parametrize("n_clusters", [2, 4])
@pytest.mark.parametrize("balance", [0.0, 0.1, "equal", "given", (20, 90)])
def test_sizes(n_clusters, balance, random):
    X, _ = make_blobs([120, 50, 10], 3, random_state=random)
    if balance == "given":
        balance = (0.7, 0.3) if n_clusters == 2 else (0.5, 0.3, 0.1, 0.1)
    if balance == (20, 90):
        low, high = 20, 90
    elif isinstance(balance, tuple):
        low, high = 180 * np.array(balance), 180 * np.array(balance)
    else:
        mean, share = 180 / n_clusters, 0.0 if balance == "equal" else balance
        low, high = (1 - share) * mean, (1 + share) * mean
    model = adapted(n_clusters, balance=balance, n_init=2, random_state=0).fit(X)
    sizes = np.bincount(model.labels_, minlength=n_clusters)
    assert (sizes >= np.floor(low)).all() and (sizes <= np.ceil(high)).all()


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_predict_and_decision_function(n_clusters, random):
    X, y = make_blobs(150, centers=n_clusters, cluster_std=0.5, random_state=random)
    model = adapted(n_clusters, random_state=0).fit(X)
    decisions = model.decision_function(X)
    assert decisions.shape == (150, n_clusters)
    if n_clusters == 2:
        np.testing.assert_allclose(decisions[:, 0], -decisions[:, 1])
    np.testing.assert_array_equal(decisions.argmax(axis=1), model.predict(X))
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_sparse_is_dense(n_clusters, random):
    X = random.poisson(0.5, (120, 30)).astype(float)
    X[:60, :10] += random.poisson(1.0, (60, 10))
    model = adapted(n_clusters, random_state=0)
    dense = model.fit(X).labels_
    sparse = model.fit(sp.csr_array(X))
    np.testing.assert_array_equal(dense, sparse.labels_)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), sparse.predict(X))


def test_precomputed_is_the_kernel(random):
    X, y = make_circles(100, factor=0.3, noise=0.03, random_state=random)
    rbf = adapted(kernel="rbf", gamma=3.0, random_state=0)
    rbf.fit(X)
    assert error(y, rbf.labels_) == 0
    given = adapted(kernel="precomputed", random_state=0)
    given.fit(rbf_kernel(X, gamma=3.0))
    assert adjusted_rand_score(rbf.labels_, given.labels_) == 1.0
    new = random.randn(10, 2)
    assert given.predict(rbf_kernel(new, X, gamma=3.0)).shape == (10,)


def test_weights_are_repetitions(random):
    X = digit_pair(8, 9)[0]
    weights = random.randint(0, 4, len(X))
    model = adapted(random_state=0)
    weighted = model.fit(X, sample_weight=weights).labels_[weights > 0]
    repeated = model.fit(np.repeat(X, weights, axis=0)).labels_
    np.testing.assert_array_equal(np.repeat(weighted, weights[weights > 0]), repeated)


def test_runs_use_a_subset_of_many_samples(random):
    X, y = make_blobs([6000, 3000], 4, random_state=random)
    model = adapted(balance=0.5, random_state=0).fit(X)
    assert error(y, model.labels_) < 0.02
    assert np.diff(model.history_).min(initial=0.0) >= 0


def test_one_cluster_and_one_sample_each(random):
    X = random.randn(5, 2)
    one = adapted(1).fit(X)
    assert not one.labels_.any() and not one.predict(X).any()
    each = adapted(5).fit(X)
    assert len(set(each.labels_)) == 5
    np.testing.assert_array_equal(each.labels_, each.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"balance": "free"}, "does not limit the sizes"),
        ({"balance": None}, "balance=None is not understood"),
        ({"formulation": "published"}, "use sum_limit"),
        ({"formulation": "nested"}, "formulation='nested' is not known"),
        ({"sum_limit": -1}, "sum_limit=-1 must be a positive number"),
        ({"cccp_tol": 0}, "cccp_tol=0 must be a positive number"),
        ({"C": 0}, "C=0 must be a positive number"),
        ({"C": "large"}, "C='large' must be a positive number"),
        ({"tol": -1}, "tol=-1 must be a positive number"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_bad_parameters_raise(parameters, message, random):
    with pytest.raises(ValueError, match=message):
        adapted(**parameters).fit(random.randn(20, 2))


@pytest.mark.parametrize("k", [2, 3])
def test_verbose_prints_starts_or_rounds(capsys, k):
    X, _ = make_blobs(40, centers=3, random_state=0)
    adapted(k, verbose=1, random_state=0).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert [line[:8] for line in lines] == [f"start {i}:" for i in (1, 2, 3, 4)]
    one = adapted(k, n_init=1, verbose=1, random_state=0).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == one.n_iter_
    assert lines[-1] == f"round {one.n_iter_}: objective {one.objective_:.6g}"


def test_one_sample_each_far_from_zero():
    X = np.array([[1e12, 0.0], [1e12, 1.0], [1e12, 5.0]])
    model = adapted(3).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert len(set(model.labels_)) == 3


def published(n_clusters=2, **parameters):
    return CuttingPlaneMaxMarginClustering(n_clusters, **parameters)


@pytest.mark.parametrize(
    ("pair", "most"), [((3, 8), 0.05), ((1, 7), 0.005), ((2, 7), 0.005), ((8, 9), 0.1)]
)
def test_published_form_on_digit_pairs(pair, most):
    X, y = digit_pair(*pair)
    model = published().fit(X)
    assert error(y, model.labels_) <= most
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    f = model.decision_function(X)[:, 1]
    assert abs(f.sum()) <= 0.3 * len(X) * (1 + 1e-6)


def test_the_bound_of_the_sum_binds(random):
    """Without a bound all samples would be on one side."""
    X, _ = make_blobs([150, 30], 3, random_state=random)
    sums = []
    for limit in (1.0, 20.0):
        model = published(sum_limit=limit, C=1.0).fit(X)
        sums.append(abs(model.decision_function(X)[:, 1].sum()))
        assert sums[-1] <= limit * (1 + 1e-6)
    assert sums[0] < sums[1]
    with pytest.warns(ConvergenceWarning, match="1 of 2 clusters are empty"):
        published(sum_limit=1e6, C=1.0).fit(X)


def test_more_starts_are_not_worse(random):
    X = random.randn(80, 6)
    found = [published(n_init=n, C=5.0, random_state=0).fit(X) for n in (1, 6)]
    assert found[1].objective_ >= found[0].objective_


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
def test_more_clusters_in_the_published_form(random):
    centers = 6 * np.array([[1.0, 0.0], [-0.5, 0.87], [-0.5, -0.87]])
    X, y = make_blobs(150, centers=centers, cluster_std=0.4, random_state=random)
    model = published(3, C=10.0, sum_limit=10.0, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    f = model.decision_function(X).sum(axis=0)
    assert np.ptp(f) <= 10.0 * (1 + 1e-6)
    W, b = np.zeros((2, 3)), np.zeros(3)
    with pytest.raises(ValueError, match="give w0 with 6 and b0 with 3"):
        published(3, init=(W[:1], b)).fit(X)
    given = published(3, init=(random.randn(2, 3), b), sum_limit=10.0).fit(X)
    np.testing.assert_array_equal(given.labels_, given.predict(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_on_a_line(random):
    """The gap of the interior point method may underflow before its end."""
    along = np.linspace(0.0, -0.2, 100)[:, None]
    X = np.hstack([along, 1.4 * along, 1e-7 * random.randn(100, 1)])
    with np.errstate(all="raise", under="ignore"):
        labels = CuttingPlaneMaxMarginClustering(3, random_state=1).fit_predict(X)
    assert set(labels) <= {0, 1, 2}
    assert (np.diff(labels) != 0).sum() <= 2  # they are parts of the line
