"""Clusterers: what holds for a fit, and relations between it and other fits."""

import numpy as np
from fuzz_data import Data, in_two_threads, repeated_rows
from fuzz_estimators import make
from fuzz_inputs import SPARSE, Recipe
from fuzz_promises import (
    Refused,
    cancellation,
    check_decisions,
    check_labels,
    check_same_labels,
    check_saved,
    errors_of_warnings,
    no_surprise,
    size_limits,
    within,
)
from sklearn.metrics import adjusted_rand_score

from maxmargin.engine.options import is_free

SEARCHED = ("EvolutionaryMaxMarginClustering", "LeastSquaresMaxMarginClustering")
ORDERED = ("LeaderClustering", *SEARCHED)  # the result depends on the order of the rows


def labels_are_decisions(name, model, data, predicted):
    """Tell whether `labels_` is promised to be `predict(X)`."""
    parameters = model.get_params(deep=False)
    if name == "SemidefiniteMaxMarginClustering" or parameters.get("sparse"):
        return False  # a classifier of the labels predicts
    if name in SEARCHED:
        return False
    if name == "LeaderClustering":
        return True
    if name == "RecursiveBisection":
        inner = parameters["estimator"]
        return inner is None or is_free(inner.balance)
    k, balance = model.n_clusters_, parameters["balance"]
    if name == "MaxMarginClustering":
        return is_free(balance)
    if is_free(balance):
        return False  # no cluster is empty, and then the sizes are limited
    limits = size_limits(balance, k, data.merged, data.weights)
    return limits is not None and within(predicted, data.weights, limits, k)


def check_clusters(name, model, data):
    n_rows = len(data.rows)
    n_clusters = getattr(model, "n_clusters_", n_rows)
    labels, predicted = model.labels_, model.predict(data.X)
    check_labels(labels, n_rows, n_clusters)
    check_labels(predicted, n_rows, n_clusters)
    decisions = None
    if hasattr(model, "decision_function"):
        decisions = model.decision_function(data.X)
        assert decisions.shape == (n_rows, n_clusters)
        check_decisions(decisions, predicted)
    if labels_are_decisions(name, model, data, predicted):
        check_same_labels(labels, predicted, decisions, cancellation(model, data.X))
    balance = getattr(model, "balance", "free")
    if n_clusters > 1 and not is_free(balance):
        limits = size_limits(balance, n_clusters, data.merged, data.weights)
        if limits is not None and name in SEARCHED:  # they move equal rows one by one
            rows = np.arange(n_rows)[:, None]
            limits = size_limits(balance, n_clusters, rows, data.weights)
        assert within(labels, data.weights, limits, n_clusters)


def check_again(name, parameters, model, data):
    again = make(name, parameters).fit(data.X, **data.arguments)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def check_order(name, parameters, model, data):
    if data.precomputed or name in ORDERED:
        return
    fractions = data.weights is not None and data.weights.dtype.kind == "f"
    if fractions and len(repeated_rows(data.rows)):
        return  # the sum of the weights of equal rows depends on their order
    order = np.random.RandomState(0).permutation(len(data.rows))
    X = data.contain(data.rows[order])
    arguments = {key: value[order] for key, value in data.arguments.items()}
    other = make(name, parameters).fit(X, **arguments)
    np.testing.assert_array_equal(other.labels_, model.labels_[order])


def check_repeats(name, parameters, model, data):
    counts = data.weights
    if data.precomputed or counts is None or counts.dtype.kind != "i":
        return
    if name in SEARCHED or (name in ORDERED and len(set(counts)) > 1):
        return
    X = data.contain(np.repeat(data.rows, counts, axis=0))
    other = make(name, parameters).fit(X)
    np.testing.assert_array_equal(other.labels_, np.repeat(model.labels_, counts))


def check_factor(name, parameters, model, data):
    """Twice the values have the same clusters, where there is no doubt about them.

    Elsewhere another order of the samples, which depends on their values, may lead to
    another optimum.
    """
    if data.precomputed or parameters.keys() - {"n_clusters", "random_state"}:
        return
    X = data.contain(2.0 * data.rows)
    other = make(name, parameters).fit(X, **data.arguments)
    if getattr(model, "scale_", None) is not None:
        constant = model.scale_ == 1.0  # the divisor of a column without a deviation
        expected = np.where(constant, 1.0, 2.0 * model.scale_)
        np.testing.assert_array_equal(other.scale_, expected)
    clear = data.recipe.clear
    if clear is not None and parameters.get("n_clusters") == clear:
        assert adjusted_rand_score(other.labels_, model.labels_) == 1.0


def check_refit(name, parameters, model, data):
    """A fit leaves nothing behind that the next one would see."""
    half = max(len(data.rows) // 2, 2)
    other = make(name, parameters)
    try:
        with no_surprise():
            rows = data.rows[:half, :half] if data.precomputed else data.rows[:half]
            other.fit(data.contain(rows))
    except Refused:
        return
    other.fit(data.X, **data.arguments)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    np.testing.assert_array_equal(other.predict(data.X), model.predict(data.X))


def check_threads(name, parameters, model, data):
    def fit():
        return make(name, parameters).fit(data.X, **data.arguments)

    for other in in_two_threads(fit):
        np.testing.assert_array_equal(other.labels_, model.labels_)


def check_file(name, parameters, model, data):
    methods = ("predict", "decision_function", "predict_proba", "transform")
    check_saved(model, data.X, [one for one in methods if hasattr(model, one)])


def check_container(name, parameters, model, data):
    """Other containers of the same rows are predicted alike."""
    if data.precomputed:
        return
    decisions = None
    if hasattr(model, "decision_function"):
        decisions = model.decision_function(data.X)
    container = "array" if data.recipe.container in SPARSE else "csr_matrix"
    if data.recipe.container == "frame":
        return  # a table without names of columns is warned of
    X = Recipe(**{**vars(data.recipe), "container": container}).contain(data.rows)
    found, expected = model.predict(X), model.predict(data.X)
    check_same_labels(found, expected, decisions, cancellation(model, data.X))


def check_methods(name, parameters, model, data):
    if not hasattr(model, "score"):
        return
    assert 0 <= model.score(data.X, **data.arguments) <= 1
    rows = model.representatives(data.X, **data.arguments)
    found = model.predict(data.X)
    weights = np.ones(len(found)) if data.weights is None else data.weights
    np.testing.assert_array_equal(found[rows], np.unique(found[weights > 0]))
    if hasattr(model, "transform"):
        decisions = model.decision_function(data.X)
        np.testing.assert_array_equal(model.transform(data.X), decisions)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(data.X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert probabilities.min() >= 0
        np.testing.assert_array_equal(probabilities.argmax(axis=1), found)


CHECKS = {
    "again": check_again,
    "order": check_order,
    "factor": check_factor,
    "repeats": check_repeats,
    "refit": check_refit,
    "threads": check_threads,
    "saved": check_file,
    "container": check_container,
    "methods": check_methods,
}


def check_clusterer(name, parameters, recipe, relation):
    data = Data(recipe, parameters)
    with no_surprise():
        model = make(name, parameters).fit(data.X, **data.arguments)
    with errors_of_warnings():
        check_clusters(name, model, data)
        CHECKS[relation](name, parameters, model, data)
    return model
