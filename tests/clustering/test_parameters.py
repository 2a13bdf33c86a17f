"""What each parameter promises: an automatic value is the value that is documented."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import MaxMarginClustering
from maxmargin.engine import fit
from maxmargin.engine import options as options_module
from maxmargin.rows.sample import draw_sample
from maxmargin.smoothers.kernel import median_gamma

IRIS, WINE = load_iris().data, load_wine().data
DIGITS = load_digits().data[:250]
MOONS = make_moons(300, noise=0.08, random_state=0)[0]
DATA = {
    "iris": (IRIS, 3),
    "wine": (WINE, 3),
    "digits": (DIGITS, 10),
    "moons": (MOONS, 2),
}
KERNELS = ["auto", "neighbors", "rbf"]
every_kernel = pytest.mark.parametrize("kernel", KERNELS)
EQUAL_TO_THE_DEFAULT = {
    "kernel": "auto",
    "gamma": "median",
    "kernel_params": {},
    "balance": (1, None),
    "n_jobs": 1,
    "memory_limit": "1000 GB",
    "verbose": 0,
    "probability": False,
}


@pytest.fixture
def seed():
    """Return one seed: the promises hold for any, and there are many of them."""
    return 0


@pytest.fixture(params=DATA)
def data(request):
    return DATA[request.param]


def labels_of(X, k, seed=0, **parameters):
    return MaxMarginClustering(k, random_state=seed, **parameters).fit(X).labels_


@cache
def default_labels(table, seed):
    return labels_of(*DATA[table], seed)


@pytest.fixture
def few_are_searched(monkeypatch):
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 300)
    monkeypatch.setattr(options_module, "LABELS_PER_SEARCH", 10**9)


@pytest.mark.parametrize("name", EQUAL_TO_THE_DEFAULT)
@pytest.mark.parametrize("table", DATA)
def test_defaults_given_explicitly(table, seed, name):
    given = {name: EQUAL_TO_THE_DEFAULT[name]}
    found = labels_of(*DATA[table], seed, **given)
    np.testing.assert_array_equal(found, default_labels(table, seed))


def test_every_parameter_is_tested_here():
    """The others have a test of their own below."""
    others = {"n_clusters", "degrees_of_freedom", "init", "n_init", "scale"}
    known = set(MaxMarginClustering().get_params())
    assert known == {*EQUAL_TO_THE_DEFAULT, *others, "random_state"}


@pytest.mark.parametrize("kernel", ["auto", "neighbors"])
def test_automatic_starts_and_degrees_on_the_graph(data, seed, kernel):
    """Starts end before the sixtieth if the best objective was reached ten times."""
    X, k = data
    automatic = MaxMarginClustering(k, kernel=kernel, random_state=seed).fit(X)
    found = labels_of(X, k, seed, kernel=kernel, degrees_of_freedom=1.35 * k)
    np.testing.assert_array_equal(found, automatic.labels_)
    most = MaxMarginClustering(k, kernel=kernel, n_init=60, random_state=seed).fit(X)
    assert most.objective_ >= automatic.objective_ * (1 - 1e-12)


@pytest.mark.parametrize("name", ["iris", "wine", "moons"])
def test_automatic_values_with_a_kernel(name, seed):
    """20 starts and 1000 / n more, and a fifth of the distinct samples."""
    X, k = DATA[name]
    n_distinct = len(np.unique(X, axis=0))
    automatic = MaxMarginClustering(k, kernel="rbf", random_state=seed).fit(X)
    starts = min(10_000 // n_distinct, 20) + 1000 // n_distinct
    found = labels_of(X, k, seed, kernel="rbf", n_init=starts)
    np.testing.assert_array_equal(found, automatic.labels_)
    degrees = automatic.degrees_of_freedom_
    if degrees == pytest.approx(0.2 * n_distinct):
        found = labels_of(X, k, seed, kernel="rbf", degrees_of_freedom=0.2)
        np.testing.assert_array_equal(found, automatic.labels_)
    else:  # half of the rank
        assert degrees < 0.2 * n_distinct
        found = labels_of(X, k, seed, kernel="rbf", degrees_of_freedom=degrees)
        assert adjusted_rand_score(found, automatic.labels_) == 1.0


def test_the_median_width_given_as_a_number(seed):
    weights, random = np.ones(150), np.random.RandomState(0)
    sample = draw_sample(IRIS, weights, merge=True, limit=None, random=random)
    gamma = median_gamma(IRIS[sample.indices], "rbf", random)
    for kernel in ("auto", "rbf"):
        found = labels_of(IRIS, 3, seed, kernel=kernel, gamma=gamma)
        np.testing.assert_array_equal(found, labels_of(IRIS, 3, seed, kernel=kernel))
    found = labels_of(IRIS, 3, seed, kernel="rbf", gamma=None)
    expected = labels_of(IRIS, 3, seed, kernel="rbf", gamma=0.25)  # 1 / n_features
    np.testing.assert_array_equal(found, expected)


@every_kernel
def test_automatic_scale(seed, kernel):
    for X, k in DATA.values():
        model = MaxMarginClustering(k, kernel=kernel, random_state=seed).fit(X)
        scaled = model.scale_ is not None
        assert scaled == (X is WINE)
        found = labels_of(X, k, seed, kernel=kernel, scale=scaled)
        np.testing.assert_array_equal(found, model.labels_)
        if scaled:
            np.testing.assert_allclose(model.scale_, X.std(axis=0), rtol=1e-6)
            found = labels_of(X, k, seed, kernel=kernel, scale=model.scale_)
            np.testing.assert_array_equal(found, model.labels_)


def test_automatic_number_of_clusters(seed):
    X, _ = make_blobs(300, centers=5, cluster_std=0.4, random_state=seed + 5)
    automatic = MaxMarginClustering("auto", random_state=seed).fit(X)
    found = labels_of(X, automatic.n_clusters_, seed)
    np.testing.assert_array_equal(found, automatic.labels_)


@every_kernel
def test_limits_that_are_met_change_nothing(data, seed, kernel):
    """A pair, and a share around the mean, that the free labels are within."""
    X, k = data
    expected = labels_of(X, k, seed, kernel=kernel, n_init=2)
    sizes = np.bincount(expected, minlength=k)
    mean = len(X) / k
    share = float(np.abs(sizes / mean - 1).max()) + 1e-9
    limits = [(1, None), (int(sizes.min()), int(sizes.max())), (None, len(X))]
    if share <= 1:
        limits.append(share)
    for balance in limits:
        found = labels_of(X, k, seed, kernel=kernel, n_init=2, balance=balance)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("few_are_searched")
@every_kernel
def test_limits_that_are_met_change_nothing_beyond_the_search(seed, kernel):
    X, _ = make_blobs(900, centers=4, cluster_std=1.5, random_state=seed)
    free = MaxMarginClustering(4, kernel=kernel, n_init=2, random_state=seed).fit(X)
    sizes = np.bincount(free.labels_, minlength=4)
    met = (int(sizes.min()), int(sizes.max()))
    found = MaxMarginClustering(4, kernel=kernel, n_init=2, random_state=seed)
    found.set_params(balance=met).fit(X)
    np.testing.assert_array_equal(found.labels_, free.labels_)
    assert found.objective_ == free.objective_
    np.testing.assert_array_equal(found.decision_function(X), free.decision_function(X))


SIZES = {
    "equal": lambda n, k: (np.full(k, n // k), np.full(k, -(-n // k))),
    "share": lambda n, k: (np.full(k, 0.8 * n / k), np.full(k, 1.2 * n / k)),
    "pair": lambda n, k: (np.full(k, n // (2 * k)), np.full(k, n // k + 3)),
}


@pytest.mark.parametrize("limited", SIZES)
@every_kernel
def test_sizes_hold(data, kernel, limited):
    X, k = data
    low, high = SIZES[limited](len(X), k)
    given = {"equal": "equal", "share": 0.2, "pair": (int(low[0]), int(high[0]))}
    labels = labels_of(X, k, kernel=kernel, balance=given[limited], n_init=2)
    sizes = np.bincount(labels, minlength=k)
    n_merged = len(X) - len(np.unique(X, axis=0))
    assert n_merged <= 1
    assert (sizes >= low).all()
    assert (sizes <= high).all()


@every_kernel
def test_proportions_hold(data, kernel):
    X, k = data
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    labels = labels_of(X, k, kernel=kernel, balance=shares, n_init=2)
    targets = shares * len(X)
    sizes = np.bincount(labels, minlength=k)
    assert (sizes >= np.floor(targets + 1e-9)).all()
    assert (sizes <= np.ceil(targets - 1e-9)).all()


@pytest.mark.usefixtures("few_are_searched")
@every_kernel
@pytest.mark.parametrize("balance", ["equal", 0.1, (200, 250), (0.4, 0.3, 0.2, 0.1)])
def test_sizes_hold_beyond_the_search(kernel, balance):
    X, _ = make_blobs(901, centers=6, cluster_std=2.0, random_state=1)
    labels = labels_of(X, 4, kernel=kernel, balance=balance, n_init=2)
    low, high = {
        "equal": (225, 226),
        0.1: (203, 247),
        (200, 250): (200, 250),
    }.get(balance, ([360, 270, 180, 90], [361, 271, 181, 91]))
    sizes = np.bincount(labels, minlength=4)
    assert (sizes >= low).all()
    assert (sizes <= high).all()


@pytest.mark.parametrize("balance", ["free", "equal", (20, None)])
@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
@pytest.mark.parametrize("name", ["iris", "wine", "moons"])
def test_more_starts_never_lower_the_objective(name, kernel, balance, seed):
    if kernel == "rbf" and balance == (20, None):
        pytest.skip("a better start without limits may no longer meet them")
    X, k = DATA[name]
    models = [
        MaxMarginClustering(
            2 * k, kernel=kernel, balance=balance, n_init=n_init, random_state=seed
        ).fit(X)
        for n_init in (1, 2, 4, 8)
    ]
    # On the graph finer features may be chosen, in which the objective is another.
    degrees = np.array([model.degrees_of_freedom_ for model in models])
    values = np.array([model.objective_ for model in models])
    for one in set(degrees):
        assert (np.diff(values[degrees == one]) >= -1e-9 * values[0]).all()


@every_kernel
@pytest.mark.parametrize("balance", ["free", "equal"])
def test_labels_that_were_found_are_kept_as_a_start(seed, kernel, balance):
    for X, k in ((IRIS, 3), (MOONS, 2)):
        given = {"kernel": kernel, "balance": balance}
        found = labels_of(X, k, seed, **given)
        again = labels_of(X, k, seed, init=found, **given)
        assert adjusted_rand_score(found, again) > 0.98
        if balance == "free":
            np.testing.assert_array_equal(again, found)


@every_kernel
def test_centres_are_the_labels_of_the_nearest(seed, kernel):
    centers = IRIS[np.random.RandomState(seed).choice(150, 3, replace=False)]
    nearest = ((IRIS[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    by_centers = labels_of(IRIS, 3, seed, kernel=kernel, init=centers)
    by_labels = labels_of(IRIS, 3, seed, kernel=kernel, init=nearest)
    np.testing.assert_array_equal(by_centers, by_labels)


def test_an_array_of_labels_may_be_a_list(seed):
    start = np.arange(150) % 3
    found = labels_of(IRIS, 3, seed, init=start.tolist())
    np.testing.assert_array_equal(found, labels_of(IRIS, 3, seed, init=start))


@pytest.mark.usefixtures("few_are_searched")
@every_kernel
@pytest.mark.parametrize(
    "given",
    [
        {"n_init": 7},
        {"balance": "equal"},
        {"balance": (1, None)},
        {"init": np.arange(900) % 4},
        {"degrees_of_freedom": 9.0},
        {"n_jobs": 2},
        {"gamma": 0.1},
    ],
    ids=lambda given: next(iter(given)),
)
def test_which_rows_are_searched(monkeypatch, seed, kernel, given):
    X, _ = make_blobs(900, centers=4, random_state=seed)
    drawn = []

    def keep(*arguments, **options):
        drawn.append(draw_sample(*arguments, **options))
        return drawn[-1]

    monkeypatch.setattr(fit, "draw_sample", keep)
    labels_of(X, 4, seed, kernel=kernel)
    labels_of(X, 4, seed, kernel=kernel, **given)
    assert len(drawn) == 2
    assert len(drawn[0].rows) == 300
    np.testing.assert_array_equal(drawn[0].rows, drawn[1].rows)


@every_kernel
def test_threads_and_memory_do_not_matter(data, seed, kernel):
    X, k = data
    expected = labels_of(X, k, seed, kernel=kernel)
    for given in ({"n_jobs": 2}, {"n_jobs": -1}, {"memory_limit": 10**9}):
        found = labels_of(X, k, seed, kernel=kernel, **given)
        np.testing.assert_array_equal(found, expected)


def test_probability_does_not_change_the_labels(seed):
    plain = labels_of(IRIS, 3, seed)
    model = MaxMarginClustering(3, probability=True, random_state=seed).fit(IRIS)
    np.testing.assert_array_equal(model.labels_, plain)


def test_parameters_of_a_kernel(seed):
    """Those of scikit-learn, and its defaults but for the constant."""
    given = {"kernel": "poly", "gamma": 0.1}
    expected = labels_of(IRIS, 3, seed, **given)
    stated = {"degree": 3, "coef0": 1}
    found = labels_of(IRIS, 3, seed, kernel_params=stated, **given)
    np.testing.assert_array_equal(found, expected)
    K = (0.1 * IRIS @ IRIS.T + 1) ** 3
    matrix = MaxMarginClustering(3, kernel="precomputed", random_state=seed).fit(K)
    direct = MaxMarginClustering(3, random_state=seed, **given).fit(IRIS)
    assert matrix.objective_ == pytest.approx(direct.objective_, rel=1e-3)


def test_a_function_of_two_samples(seed):
    def radial(a, b, width):
        return float(np.exp(-width * (a - b) @ (a - b)))

    X = np.unique(IRIS, axis=0)  # the rows of a matrix are not merged
    model = MaxMarginClustering(3, kernel=radial, kernel_params={"width": 0.2})
    model.set_params(random_state=seed).fit(X)
    other = MaxMarginClustering(3, kernel="rbf", gamma=0.2, random_state=seed).fit(X)
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-6)
    matrix = MaxMarginClustering(3, kernel="precomputed", random_state=seed)
    matrix.fit(rbf_kernel(X, gamma=0.2))
    assert matrix.objective_ == pytest.approx(other.objective_, rel=1e-6)
