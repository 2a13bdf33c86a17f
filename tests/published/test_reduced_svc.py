"""`ReducedSVC`: the problem it solves, and how it behaves."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.datasets import make_checkerboard
from maxmargin.published import ReducedSVC

KERNELS = [
    {"kernel": "rbf", "gamma": 0.5},
    {"kernel": "poly", "gamma": 1.0, "kernel_params": {"degree": 2, "coef0": 1}},
    {"kernel": "linear"},
]


def minimum_by_interior_points(K_RR, K, signs, weights, C):
    """Solve problem (8) as printed, over (u, b, xi), with a general solver."""
    n, m = K.shape
    Q = np.zeros((m + 1 + n, m + 1 + n))
    Q[:m, :m] = K_RR
    Q[m, m] = 1.0
    Q[m + 1 :, m + 1 :] = np.diag(2 * C * weights)
    A = -np.hstack([signs[:, None] * K, signs[:, None], np.eye(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(Q)),
        np.zeros(m + 1 + n),
        sp.csc_matrix(A),
        -np.ones(n),
        [clarabel.NonnegativeConeT(n)],
        settings,
    ).solve()
    return solution.obj_val


@pytest.mark.parametrize("parameters", KERNELS)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_minimum_of_the_printed_problem(random, parameters, C):
    X = random.randn(80, 3)
    y = (X[:, 0] * X[:, 1] + 0.3 * random.randn(80) > 0).astype(int)
    weights = random.uniform(0.5, 2.0, size=80)
    model = ReducedSVC(n_centers=12, C=C, **parameters).fit(X, y, weights)
    rest = {**parameters}
    name = rest.pop("kernel")
    rest.update(rest.pop("kernel_params", {}))
    centers = model.centers_
    K_RR = pairwise_kernels(centers, metric=name, **rest)
    K = pairwise_kernels(X, centers, metric=name, **rest)
    signs = np.where(y == 1, 1.0, -1.0)
    expected = minimum_by_interior_points(K_RR, K, signs, weights, C)
    assert model.objective_[0] == pytest.approx(expected, rel=1e-6)
    # The attributes are a point at which the printed objective has that value.
    u, b = model.dual_coef_[:, 0], model.intercept_[0]
    slack = np.maximum(0.0, 1.0 - signs * (K @ u + b))
    value = 0.5 * (u @ K_RR @ u + b**2) + C * weights @ slack**2
    assert value == pytest.approx(expected, rel=1e-6)
    assert np.allclose(model.decision_function(X), K @ u + b, atol=1e-8)


def test_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    model = ReducedSVC(n_centers=30, C=10.0).fit(X, names[y])
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, names[y]) > 0.95
    for h, name in enumerate(names):
        single = ReducedSVC(
            model.centers_,
            C=10.0,
            gamma=model._model.feature_map.kernel.parameters["gamma"],
        ).fit(X, names[y] == name)
        assert model.objective_[h] == pytest.approx(single.objective_[0], rel=1e-7)


@pytest.mark.parametrize("centers", ["leader", "k-means", "k-means++", "random"])
def test_ways_to_find_centers(seed, centers):
    X, y = make_checkerboard(1000, random_state=seed)
    new, truth = make_checkerboard(2000, random_state=seed + 100)
    model = ReducedSVC(
        centers, n_centers=100, C=100, gamma=1 / 400, random_state=seed
    ).fit(X, y)
    assert 95 <= model.n_centers_ <= 100
    assert model.score(new, truth) > 0.92
    assert (model.radius_ is not None) == (centers == "leader")


def test_leaders_need_few_vectors(seed):
    X, y = make_checkerboard(1000, random_state=seed)
    new, truth = make_checkerboard(5000, random_state=seed + 100)
    settings = {"n_centers": 18, "C": 100, "gamma": 1 / 400, "random_state": seed}
    leader = ReducedSVC("leader-any-order", **settings).fit(X, y)
    random = ReducedSVC("random", **settings).fit(X, y)
    assert leader.score(new, truth) > 0.93
    assert random.score(new, truth) < 0.85


def test_radius_given_for_all_or_each_class():
    X, y = make_checkerboard(1000, random_state=0)
    one = ReducedSVC(radius=50.0, gamma=1 / 400).fit(X, y)
    each = ReducedSVC(radius=[50.0, 50.0], gamma=1 / 400).fit(X, y)
    assert np.array_equal(one.centers_, each.centers_)
    fine = ReducedSVC(radius=[50.0, 20.0], gamma=1 / 400).fit(X, y)
    assert fine.n_centers_ > one.n_centers_
    counted = ReducedSVC(n_centers=[4, 20], gamma=1 / 400).fit(X, y)
    assert 22 <= counted.n_centers_ <= 24
    assert counted.radius_[0] > counted.radius_[1]


def test_class_with_one_sample():
    X, y = make_blobs(41, centers=[(0, 0), (5, 5)], random_state=0)
    X = np.concatenate([X, [[30.0, -30.0]]])
    labels = np.append(np.array(["low", "high"])[y], "lone")
    model = ReducedSVC(C=100, gamma=0.1).fit(X, labels)
    assert model.predict([[30.0, -30.0]]) == ["lone"]
    assert model.score(X, labels) == 1.0


@pytest.mark.parametrize("class_weight", ["balanced", {0: 9.0, 1: 1.0}])
def test_class_weights_are_sample_weights(random, class_weight):
    X = random.randn(200, 2)
    y = (X[:, 0] + random.randn(200) > -1.2).astype(int)
    sizes = np.bincount(y)
    factors = 200 / (2 * sizes) if class_weight == "balanced" else np.array([9.0, 1.0])
    by_class = ReducedSVC(X[:20], class_weight=class_weight).fit(X, y)
    by_sample = ReducedSVC(X[:20]).fit(X, y, sample_weight=factors[y])
    assert np.allclose(by_class.decision_function(X), by_sample.decision_function(X))


@pytest.mark.parametrize(
    "centers", ["leader-any-order", "k-means", "k-means++", "random"]
)
def test_order_of_rows_does_not_matter(random, centers):
    X, y = make_checkerboard(400, random_state=random)
    order = random.permutation(400)
    first = ReducedSVC(centers, random_state=0).fit(X, y)
    again = ReducedSVC(centers, random_state=0).fit(X[order], y[order])
    assert np.allclose(first.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize(
    "centers", ["leader-any-order", "leader", "k-means", "k-means++", "random"]
)
def test_weights_are_repetitions(random, centers):
    X, y = make_checkerboard(200, random_state=random)
    weights = random.randint(4, size=200)
    weighted = ReducedSVC(centers, random_state=0).fit(X, y, sample_weight=weights)
    repeated = ReducedSVC(centers, random_state=0)
    repeated.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X))


@pytest.mark.parametrize("centers", ["leader", "k-means", "random"])
def test_sparse_equals_dense(random, centers):
    X = sp.random_array((150, 20), density=0.3, random_state=random, format="csr")
    y = np.asarray(X.sum(axis=1)).ravel() > X.sum(axis=1).mean()
    settings = {"n_centers": 15, "gamma": 0.5, "random_state": 0}
    sparse = ReducedSVC(centers, **settings).fit(X, y)
    dense = ReducedSVC(centers, **settings).fit(X.toarray(), y)
    assert np.allclose(
        sparse.decision_function(X), dense.decision_function(X.toarray()), atol=1e-5
    )


def test_precomputed_takes_random_centers(random):
    X, new = random.randn(100, 3), random.randn(20, 3)
    y = X[:, 0] > 0
    K = pairwise_kernels(X, metric="rbf", gamma=0.3)
    model = ReducedSVC("random", n_centers=30, kernel="precomputed", random_state=0)
    model.fit(K, y)
    same = ReducedSVC(X[model.centers_], gamma=0.3).fit(X, y)
    assert np.allclose(
        model.decision_function(pairwise_kernels(new, X, metric="rbf", gamma=0.3)),
        same.decision_function(new),
        atol=1e-6,
    )


X = np.random.RandomState(0).randn(30, 3)
y = np.arange(30) % 3


@pytest.mark.parametrize(
    ("parameters", "labels", "message"),
    [
        ({"centers": "grid"}, y, "centers='grid' is not known"),
        ({"centers": np.ones((4, 2))}, y, "centers has 2 features and X has 3"),
        ({"n_centers": 2}, y, "less than the number of classes, 3"),
        ({"n_centers": [5, 5]}, y, "2 values for 3 classes"),
        ({"n_centers": [5, 0, 5]}, y, "n_centers=0 must be an int >= 1"),
        ({"n_centers": "few"}, y, "n_centers='few' must be an int >= 1"),
        ({"radius": -1.0}, y, "radius=-1.0 must be a positive number"),
        ({"C": 0.0}, y, "C=0.0 must be a positive number"),
        ({"kernel": "precomputed"}, y, "use centers='random'"),
        ({}, np.zeros(30), "one class, 0.0: give samples of two classes"),
        ({"class_weight": {7: 2.0}}, y, "are not in class_weight"),
    ],
)
def test_bad_parameters(parameters, labels, message):
    with pytest.raises(ValueError, match=message):
        ReducedSVC(**parameters).fit(X, labels)


@parametrize_with_checks([ReducedSVC(), ReducedSVC("k-means", n_centers=12)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("factor", [1e-3, 50.0])
def test_weights_multiply_C(random, factor):
    X, y = make_checkerboard(200, random_state=0)
    weights = random.uniform(0.5, 2.0, 200)
    first = ReducedSVC(X[:20], C=2.0 * factor).fit(X, y, weights)
    again = ReducedSVC(X[:20], C=2.0).fit(X, y, weights * factor)
    np.testing.assert_allclose(
        again.decision_function(X), first.decision_function(X), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("factor", [1e160, 1e300])
def test_data_whose_squares_overflow_are_refused(factor):
    X, y = make_checkerboard(50, random_state=0)
    with pytest.raises(ValueError, match="too large to compute squared distances"):
        ReducedSVC().fit(X * factor, y)


def test_leaders_depend_on_the_order_of_the_data_as_in_the_paper(random):
    X, y = make_checkerboard(300, random_state=0)
    model = ReducedSVC(radius=40.0, gamma=1 / 400)
    found = model.fit(X, y).centers_
    other = random.permutation(300)
    again = model.fit(X[other], y[other]).centers_
    assert again.shape != found.shape or not np.allclose(again, found)
