"""What each parameter promises: a default that is given explicitly changes nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin import EvolvingMaxMarginClustering

EQUAL_TO_THE_DEFAULT = {
    "n_clusters": 2,
    "strategy": "cohort",
    "weight": 0.7,
    "kernel": "rbf",
    "gamma": "median",
    "kernel_params": {},
    "degrees_of_freedom": "auto",
    "balance": (1, None),
    "n_init": "auto",
    "n_jobs": 1,
    "verbose": 0,
}
N_OBJECTS, N_TIMES = 60, 3


@pytest.fixture
def table(random):
    """Two groups of objects that drift, in columns on different scales."""
    groups = 4.0 * (np.arange(N_OBJECTS) % 2)
    X = [random.randn(N_OBJECTS, 3) + groups[:, None] + t for t in range(N_TIMES)]
    return np.concatenate(X) * [1.0, 1.0, 30.0]


def fit(X, **parameters):
    times = np.repeat(np.arange(N_TIMES), N_OBJECTS)
    ids = np.tile(np.arange(N_OBJECTS), N_TIMES)
    model = EvolvingMaxMarginClustering(random_state=0, **parameters)
    return model.fit(X, times=times, ids=ids)


@pytest.mark.parametrize("name", EQUAL_TO_THE_DEFAULT)
def test_defaults_given_explicitly(table, name):
    found = fit(table, **{name: EQUAL_TO_THE_DEFAULT[name]})
    assert_array_equal(found.labels_, fit(table).labels_)


def test_automatic_scale(table):
    automatic = fit(table)
    scale = automatic.scale_
    for given in (False,) if scale is None else (True, scale):
        assert_array_equal(fit(table, scale=given).labels_, automatic.labels_)


def test_automatic_half_life_is_zero_without_the_past(table):
    found = fit(table, weight=1)
    assert found.half_life_ == 0
    assert_array_equal(fit(table, weight=1, half_life=0).labels_, found.labels_)


def test_every_parameter_is_tested_here():
    known = set(EvolvingMaxMarginClustering().get_params())
    assert known == {*EQUAL_TO_THE_DEFAULT, "half_life", "scale", "random_state"}
