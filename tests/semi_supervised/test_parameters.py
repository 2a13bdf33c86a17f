"""What each parameter promises: a default that is given explicitly changes nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin

TABLES = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
EQUAL_TO_THE_DEFAULT = {
    "n_clusters": 3,
    "kernel": "auto",
    "gamma": "median",
    "kernel_params": {},
    "degrees_of_freedom": "auto",
    "balance": (1, None),
    "n_init": 1,
    "warm_start": True,
    "verbose": 0,
}
GIVEN = ("labels", "pairs", "init")


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def fit(table, given, **parameters):
    """Fit to ten labels of each class, to pairs, or to labels and clusters."""
    X, y = table
    random = np.random.RandomState(0)
    few, links = np.full(len(X), -1), {}
    if given == "pairs":
        parameters = {"n_clusters": 3} | parameters
        pairs = random.randint(len(X), size=(20, 2))
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        links = {"must_link": pairs[same], "cannot_link": pairs[~same]}
    else:
        for c in range(3):
            few[random.choice(np.flatnonzero(y == c), 10, replace=False)] = c
    if given == "init":
        found = MaxMarginClustering(3, random_state=0).fit_predict(X)
        names = np.array([np.bincount(y[found == c]).argmax() for c in range(3)])
        parameters = {"init": names[found]} | parameters
    model = SemiSupervisedMaxMargin(random_state=0, **parameters)
    return model.fit(X, few, **links)


@pytest.mark.parametrize("name", EQUAL_TO_THE_DEFAULT)
@pytest.mark.parametrize("given", GIVEN)
def test_defaults_given_explicitly(table, given, name):
    found = fit(table, given, **{name: EQUAL_TO_THE_DEFAULT[name]})
    assert_array_equal(found.transduction_, fit(table, given).transduction_)


@pytest.mark.parametrize("given", GIVEN)
def test_automatic_scale(table, given):
    automatic = fit(table, given)
    scaled = automatic.scale_ is not None
    for scale in (scaled, automatic.scale_ if scaled else False):
        found = fit(table, given, scale=scale)
        assert_array_equal(found.transduction_, automatic.transduction_)


def test_automatic_start(table):
    """Pairs without labels start from the clusters of the main estimator."""
    alone = fit(table, "pairs")
    found = MaxMarginClustering(3, random_state=0).fit_predict(table[0])
    given = fit(table, "pairs", init=found)
    moved = alone.labels_ != found
    assert np.count_nonzero(given.labels_ != found) <= np.count_nonzero(moved)


@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
def test_automatic_degrees_of_freedom(table, kernel):
    """Three for each label, and a twentieth of the samples on a graph."""
    n_distinct = len(np.unique(table[0], axis=0))
    degrees = 3.0 * 30 + (0.05 * n_distinct if kernel == "neighbors" else 0.0)
    automatic = fit(table, "labels", kernel=kernel)
    degrees = min(degrees, 0.2 * n_distinct)
    found = fit(table, "labels", kernel=kernel, degrees_of_freedom=degrees)
    assert_array_equal(found.transduction_, automatic.transduction_)


def test_every_parameter_is_tested_here():
    known = set(SemiSupervisedMaxMargin().get_params())
    assert known == {*EQUAL_TO_THE_DEFAULT, "init", "scale", "random_state"}
