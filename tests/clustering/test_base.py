"""What every clusterer of the package promises, whichever method it is."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.utils.validation import has_fit_parameter

from maxmargin import MaxMarginClustering, published

# Every public name that clusters, with cheap parameters for two clusters.
PARAMETERS = {
    "CuttingPlaneMaxMarginClustering": {"n_clusters": 2},
    "EvolutionaryMaxMarginClustering": {"n_clusters": 2, "n_init": 5},
    "IterativeMaxMarginClustering": {"n_clusters": 2},
    "LeaderClustering": {"n_centers": 2},
    "LeastSquaresMaxMarginClustering": {"n_clusters": 2, "power": 0.7},
    "MaxMarginClustering": {"n_clusters": 2, "n_init": 2},
    "RecursiveBisection": {"n_clusters": 2},
    "SemidefiniteMaxMarginClustering": {"formulation": "gmmc"},
}
NAMES = list(PARAMETERS)
BALANCED = [
    "CuttingPlaneMaxMarginClustering",
    "EvolutionaryMaxMarginClustering",
    "IterativeMaxMarginClustering",
    "LeastSquaresMaxMarginClustering",
    "MaxMarginClustering",
    "SemidefiniteMaxMarginClustering",
]
# As printed, these have each row by itself, also if it equals another one, and these
# multiply C by the weights.
ROW_BY_ROW = {"EvolutionaryMaxMarginClustering", "LeastSquaresMaxMarginClustering"}
WEIGHTS_OF_C = {"IterativeMaxMarginClustering", "SemidefiniteMaxMarginClustering"}
# Limits of sizes; the printed cutting planes limit the sum of the decision values.
LIMITED = {"CuttingPlaneMaxMarginClustering": {"formulation": "adapted"}}


def kind_of(name):
    if name == "MaxMarginClustering":
        return MaxMarginClustering
    return getattr(published, name)


def make(name, seed=0, **more):
    kind = kind_of(name)
    known = kind().get_params()
    parameters = PARAMETERS[name] | more
    if "random_state" in known:
        parameters["random_state"] = seed
    return kind(**parameters)


def same_clusters(left, right):
    """Tell whether two labellings are one, whatever the clusters are called."""
    pairs = set(zip(left.tolist(), right.tolist(), strict=True))
    return len(pairs) == len(set(left.tolist())) == len(set(right.tolist()))


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def blobs(seed):
    return make_blobs(60, centers=6 * np.eye(2, 3), random_state=seed)[0]


def test_all_clusterers_are_here():
    others = {
        name
        for name in published.__all__
        if "Clustering" in name and not name.startswith("Evolving")
    }
    assert others <= set(NAMES)


def test_which_take_limits_of_sizes():
    for name in NAMES:
        assert ("balance" in kind_of(name)().get_params()) == (name in BALANCED)


def test_same_seed_same_labels(name, seed, random):
    X = random.randn(60, 3)
    first, second = (make(name, seed).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_labels_are_called_from_zero_on(name, blobs):
    model = make(name).fit(blobs)
    assert model.labels_.shape == (60,)
    assert np.issubdtype(model.labels_.dtype, np.integer)
    assert set(model.labels_) == set(range(2))
    np.testing.assert_array_equal(make(name).fit_predict(blobs), model.labels_)


def test_both_precisions(name, blobs):
    X = blobs.astype(np.float32)
    single = make(name).fit(X)
    double = make(name).fit(X.astype(np.float64))
    assert same_clusters(single.labels_, double.labels_)
    assert single.predict(X).shape == (60,)


def test_equal_samples_share_a_cluster(name, random):
    X = random.randn(30, 2)
    rows = random.permutation(np.repeat(np.arange(30), 3))
    labels = make(name).fit(X[rows]).labels_
    for row in range(30):
        assert len(set(labels[rows == row])) == 1


def test_weights_are_repetitions(name, random):
    model = make(name)
    if not has_fit_parameter(model, "sample_weight"):
        pytest.skip(f"{name} takes no weights")
    if name in ROW_BY_ROW:
        pytest.skip(f"{name} has each row by itself, as printed")
    X = random.randn(30, 2)
    weights = random.randint(1, 4, 30)
    if name == "LeaderClustering":
        weights[:] = 2  # its centres depend on the order of the samples
    weighted = model.fit(X, sample_weight=weights).labels_
    repeated = make(name).fit(np.repeat(X, weights, axis=0)).labels_
    assert same_clusters(np.repeat(weighted, weights), repeated)


def test_predicts_its_labels_where_nothing_binds(name, blobs):
    model = make(name).fit(blobs)
    np.testing.assert_array_equal(model.predict(blobs), model.labels_)


def test_new_samples_near_old_ones_join_them(name, blobs):
    model = make(name).fit(blobs)
    near = blobs + 1e-6
    np.testing.assert_array_equal(model.predict(near), model.labels_)


@pytest.mark.parametrize("name", BALANCED)
@pytest.mark.parametrize("balance", ["equal", (25, 35)])
def test_sizes_are_kept(name, balance, random):
    X = random.randn(60, 2) ** 3  # long tails ask for clusters of unequal size
    labels = make(name, balance=balance, **LIMITED.get(name, {})).fit(X).labels_
    low, high = (30, 30) if balance == "equal" else balance
    sizes = np.bincount(labels, minlength=2)
    assert low <= sizes.min() <= sizes.max() <= high


@pytest.mark.parametrize("name", BALANCED)
@pytest.mark.parametrize("large", range(3))
def test_as_many_samples_as_clusters_have_the_sizes(name, large, random):
    """Each sample is a cluster, and the largest one the largest cluster."""
    weights = np.ones(3)
    weights[large] = 2
    model = make(name, balance=[0.5, 0.25, 0.25], **LIMITED.get(name, {}))
    if not hasattr(model, "n_clusters"):
        pytest.skip(f"{name} is for two clusters")
    model = model.set_params(n_clusters=3).fit(random.randn(3, 2), None, weights)
    np.testing.assert_array_equal(np.bincount(model.labels_, weights), [2, 1, 1])


def test_clone_and_pickle(name, blobs):
    model = make(name).fit(blobs)
    assert clone(model).get_params().keys() == model.get_params().keys()
    assert not hasattr(clone(model), "labels_")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(blobs), model.labels_)
    np.testing.assert_array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("factor", [1e-300, 1e-10, 1e300])
def test_scale_of_the_weights_does_not_matter(name, factor, random):
    X, weights = random.randn(40, 2), random.uniform(0.5, 2.0, 40)
    if not has_fit_parameter(make(name), "sample_weight"):
        pytest.skip("no weights")
    if name in ROW_BY_ROW | WEIGHTS_OF_C:
        pytest.skip(f"{name} takes weights as printed")
    first = make(name).fit(X, sample_weight=weights).labels_
    again = make(name).fit(X, sample_weight=weights * factor).labels_
    assert same_clusters(first, again)


@pytest.mark.parametrize("constant", [1e9, 1e15])
def test_constant_column_does_not_matter(name, constant, blobs):
    column = np.full((len(blobs), 1), constant)
    first = make(name).fit(blobs).labels_
    again = make(name).fit(np.concatenate([blobs, column], axis=1)).labels_
    assert same_clusters(first, again)


@pytest.mark.parametrize("factor", [1e160, 1e300])
def test_data_whose_squares_overflow_are_refused(name, factor, blobs):
    with pytest.raises(ValueError, match="too large to compute squared distances"):
        make(name).fit(blobs * factor)
    with pytest.raises(ValueError, match="too large to compute squared distances"):
        make(name).fit(blobs).predict(blobs * factor)


@pytest.mark.parametrize("kernel", ["foo", 1])
def test_unknown_kernel_is_named(name, kernel, blobs):
    if "kernel" not in make(name).get_params():
        pytest.skip("no kernel")
    with pytest.raises(ValueError, match=r"kernel=.* is not known: use one of"):
        make(name, kernel=kernel).fit(blobs)


@pytest.mark.parametrize("gamma", [-1, 0, np.nan])
def test_bad_gamma_is_refused(name, gamma, blobs):
    if "gamma" not in make(name).get_params():
        pytest.skip("no kernel")
    with pytest.raises(
        ValueError, match=r"gamma=.* must be 'median', 'scale' or a pos"
    ):
        make(name, gamma=gamma).fit(blobs)


@pytest.mark.parametrize("name", BALANCED)
def test_limits_that_weights_cannot_meet_are_refused(name):
    """Also if each sample is a cluster, and there is nothing to search."""
    X, weights = np.array([[0.0], [3.0]]), [1.0, 5.0]
    with pytest.raises(ValueError, match="balance cannot be met"):
        model = make(name, balance=(2, None), **LIMITED.get(name, {}))
        model.fit(X, sample_weight=weights)
