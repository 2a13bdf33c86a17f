"""Parameters that the published estimators share: defaults, failures, vocabulary."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_iris

from maxmargin import MaxMarginClustering, published

X, Y = load_iris(return_X_y=True)
X = X[::2] + 0.01 * np.random.RandomState(0).randn(75, 4)
Y = Y[::2]
NAMES = [name for name in published.PUBLIC if not name.startswith("Evolving")]
WITH_KERNEL = [
    name for name in NAMES if name not in ("LeaderClustering", "RecursiveBisection")
]
# What a default depends on: two clusters are enough, and MMC needs an extra.
FIRST = {
    "LeastSquaresMaxMarginClustering": {"n_clusters": 3},
    "RecursiveBisection": {"n_clusters": 3},
    "SemidefiniteMaxMarginClustering": {"formulation": "gmmc"},
}


def make(name, **parameters):
    estimator = getattr(published, name)
    if "random_state" in inspect.signature(estimator).parameters:
        parameters.setdefault("random_state", 0)
    return estimator(**(FIRST.get(name, {}) | parameters))


def outcome(model):
    model.fit(X, Y) if is_classifier(model) else model.fit(X)
    return model.predict(X) if is_classifier(model) else model.labels_


def documented_defaults(estimator):
    """Return the defaults that the docstring names, evaluated."""
    found = {}
    head = inspect.getdoc(estimator).split("Attributes\n")[0]
    for names, default in re.findall(r"^([\w, ]+) : .*default=(.+)$", head, re.M):
        for name in names.split(", "):
            found[name] = eval(default)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_documented_defaults_given_explicitly_change_nothing(name):
    estimator = getattr(published, name)
    parameters = inspect.signature(estimator).parameters
    documented = documented_defaults(estimator)
    for key, value in documented.items():
        assert value == parameters[key].default, key
    explicit = {key: one.default for key, one in parameters.items()} | documented
    kept = {"random_state": 0} | FIRST.get(name, {})
    explicit |= {key: value for key, value in kept.items() if key in parameters}
    np.testing.assert_array_equal(outcome(make(name)), outcome(estimator(**explicit)))


@pytest.mark.parametrize("name", NAMES)
def test_a_fit_that_fails_changes_nothing(name):
    model = make(name)
    labels = outcome(model)
    before = dict(vars(model))
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, Y) if is_classifier(model) else model.fit(bad)
    assert vars(model) == before
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, Y, sample_weight=-np.ones(75))
    assert vars(model) == before
    assert model.predict(X).shape == labels.shape


@pytest.mark.parametrize("name", NAMES)
def test_words_mean_the_same_as_in_the_main_estimator(name):
    """Kernel parameters are in ``kernel_params``, and no name has two spellings."""
    own = set(inspect.signature(getattr(published, name)).parameters)
    assert not own & {"degree", "coef0", "seed", "n_iter", "eps"}
    if "kernel" in own:
        assert {"gamma", "kernel_params"} <= own
        main = inspect.signature(MaxMarginClustering).parameters
        assert main["kernel_params"].default is None


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_parameters_of_the_polynomial_kernel(name):
    default = outcome(make(name, kernel="poly"))
    written = make(name, kernel="poly", kernel_params={"degree": 3, "coef0": 1})
    np.testing.assert_array_equal(outcome(written), default)
