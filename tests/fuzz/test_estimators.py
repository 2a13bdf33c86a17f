"""Generated inputs of all kinds for all estimators."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from fuzz_estimators import CLASSIFIERS, CLUSTERERS, EVOLVING, IMAGES, make
from fuzz_inputs import SPARSE, Recipe, kernel_matrix, recipes
from fuzz_profile import DEFAULTS, ENGINES, SEED, chunks, profile
from fuzz_promises import (
    Refused,
    cancellation,
    check_decisions,
    check_labels,
    check_same_labels,
    check_saved,
    engine_of,
    errors_of_warnings,
    no_surprise,
    size_limits,
    within,
)
from hypothesis import given, seed
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from maxmargin.engine.options import is_free

SEARCHED = ("EvolutionaryMaxMarginClustering", "LeastSquaresMaxMarginClustering")
ORDERED = ("LeaderClustering",)  # whose result depends on the order of the rows


class Data:
    """A table as an estimator takes it, and its rows as a dense array."""

    def __init__(self, recipe, parameters):
        kernel = parameters.get("kernel")
        inner = parameters.get("estimator")
        self.precomputed = kernel == "precomputed" or (
            getattr(inner, "kernel", None) == "precomputed"
        )
        self.recipe = recipe
        self.weights = recipe.sample_weight()
        self.rows = recipe.rows()
        if self.precomputed:
            self.rows = kernel_matrix(self.rows, ("rbf", "linear")[recipe.seed % 2])
        self.X = self.contain(self.rows)

    def contain(self, rows):
        if self.precomputed and self.recipe.container in SPARSE:
            return rows
        return self.recipe.contain(rows)

    @property
    def merged(self):
        """Return rows that are equal where an estimator merges samples."""
        return np.arange(len(self.rows))[:, None] if self.precomputed else self.rows

    @property
    def arguments(self):
        return {} if self.weights is None else {"sample_weight": self.weights}


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
    if name in ORDERED and len(set(counts)) > 1:
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
        np.testing.assert_array_equal(other.scale_, 2.0 * model.scale_)
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


def in_two_threads(fit):
    """Return the results of two calls at the same time."""
    with ThreadPoolExecutor(2) as threads:
        return [one.result() for one in [threads.submit(fit) for _ in range(2)]]


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


def fuzz(strategies, check, number, n_inputs, record_property):
    """Run a check on generated inputs; refused ones count, other errors are raised.

    There is one strategy for default parameters and one for others. The check returns
    the fitted estimator. Cases are also counted by what has decided about the labels,
    and those of the default engine with more than ten rows.
    """
    counts = dict.fromkeys(("inputs", "refused", "default", *ENGINES), 0)
    n_default = round(DEFAULTS * n_inputs)
    for strategy, n_drawn in zip(
        strategies, (n_default, n_inputs - n_default), strict=True
    ):
        if n_drawn:
            draw_cases(strategy, check, SEED + 1000 * number, n_drawn, counts)
    for name, count in counts.items():
        record_property(name, count)
    return counts


def draw_cases(strategy, check, number, n_inputs, counts):
    """Run a check on the cases of one strategy, and count them."""

    @seed(number)
    @profile(n_inputs)
    @given(strategy)
    def run(case):
        counts["inputs"] += 1
        try:
            model = check(*case)
        except Refused:
            counts["refused"] += 1
        except Exception as error:
            error.add_note(f"The input: {case}")
            raise
        else:
            counts[engine_of(model)] += 1
            counts["default"] += by_default(model)

    run()


def by_default(model):
    """Tell whether a fit has used the default engine on more than ten rows."""
    automatic = getattr(model, "kernel", None) == "auto"
    return automatic and is_free(model.balance) and len(model.labels_) > 10


def check_clusterer(name, parameters, recipe, relation):
    data = Data(recipe, parameters)
    with no_surprise():
        model = make(name, parameters).fit(data.X, **data.arguments)
    with errors_of_warnings():
        check_clusters(name, model, data)
        CHECKS[relation](name, parameters, model, data)
    return model


def check_semi_supervised(name, parameters, recipe, share):
    """Given labels and links are kept, among rows that are not equal.

    Two threads find the same.
    """
    data = Data(recipe, parameters)
    random = np.random.RandomState(recipe.seed)
    n_rows = len(data.rows)
    true = random.choice(NAMES[recipe.seed % len(NAMES)], n_rows)
    missing = "-1" if true.dtype.kind == "U" else -1
    y = np.where(random.uniform(size=n_rows) < share, true, missing)
    distinct = np.unique(data.rows, axis=0, return_index=True)[1]
    pairs = random.permutation(distinct)[: 2 * (len(distinct) // 4)].reshape(-1, 2)
    free = pairs[(y[pairs] == missing).all(axis=1)]
    must, cannot = free[::2], free[1::2]

    def fit():
        return make(name, parameters).fit(
            data.X, y, must_link=must, cannot_link=cannot, **data.arguments
        )

    with no_surprise():
        model = fit()
    with errors_of_warnings():
        found = model.transduction_
        for other in in_two_threads(fit):
            np.testing.assert_array_equal(other.transduction_, found)
        for a, b in must:
            assert found[a] == found[b]
        for a, b in cannot:
            assert found[a] != found[b]
        alone = np.setdiff1d(distinct, repeated_rows(data.rows))
        given = alone[y[alone] != missing]
        np.testing.assert_array_equal(found[given], y[given])
        check_classes(model, data.X)
        check_saved(model, data.X, ["predict", "decision_function"])
    return model


NAMES = ([0, 1], [3, 7, 9], ["no", "yes"], [-2, 5])


def repeated_rows(rows):
    """Return the positions of rows that occur more than once."""
    _, groups, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[groups.reshape(-1)] > 1)


def check_classes(model, X):
    """Classes are predicted by decision values, which are finite."""
    decisions, predicted = model.decision_function(X), model.predict(X)
    assert not np.isnan(decisions).any()
    if decisions.ndim == 1:
        positions = (decisions > 0).astype(int)
        decided = decisions != 0
    else:
        positions, decided = decisions.argmax(axis=1), np.full(len(predicted), True)
    expected = model.classes_[positions]
    np.testing.assert_array_equal(predicted[decided], expected[decided])


def check_reduced(name, parameters, recipe, share):
    data = Data(recipe, parameters)
    random = np.random.RandomState(recipe.seed)
    names = np.asarray(NAMES[recipe.seed % len(NAMES)])
    y = names[random.randint(len(names), size=len(data.rows))]
    with no_surprise():
        model = make(name, parameters).fit(data.X, y, **data.arguments)
    with errors_of_warnings():
        assert np.isfinite(model.decision_function(data.X)).all()
        assert set(model.classes_) <= set(y)
        check_classes(model, data.X)
        check_saved(model, data.X, ["predict", "decision_function"])
    return model


def check_evolving(name, parameters, recipe, n_times):
    """A table of several times; objects come and leave."""
    data = Data(recipe, parameters)
    random = np.random.RandomState(recipe.seed)
    n_rows = len(data.rows)
    times = np.sort(random.randint(n_times, size=n_rows))
    ids = random.permutation(n_rows) % max(n_rows // n_times, 1)
    _, kept = np.unique(np.stack([times, ids]), axis=1, return_index=True)
    kept.sort()
    times, ids, rows = times[kept], ids[kept], data.rows[kept]
    if len(kept) < 2:
        raise Refused("too few rows")
    X = data.contain(rows)

    def fit():
        return make(name, parameters).fit(X, times=times, ids=ids)

    with no_surprise():
        model = fit()
    with errors_of_warnings():
        assert model.labels_.shape == (len(rows),) and model.labels_.min() >= 0
        assert len(model.history_) == len(set(times))
        for record in model.history_:
            if not isinstance(model.n_clusters, str):
                assert len(set(record.labels)) <= model.n_clusters
            assert np.isfinite([record.snapshot_cost, record.temporal_cost]).all()
        EVOLVING_CHECKS[recipe.seed % len(EVOLVING_CHECKS)](model, fit, X, times, ids)
        if hasattr(model, "decision_function"):
            names = model.cluster_names_
            assert set(model.predict(X)) <= set(names)
            clusters = np.searchsorted(names, model.predict(X))
            check_decisions(model.decision_function(X), clusters)
    return model


def check_evolving_threads(model, fit, X, times, ids):
    for other in in_two_threads(fit):
        np.testing.assert_array_equal(other.labels_, model.labels_)


def check_evolving_refit(model, fit, X, times, ids):
    """A second fit of the same estimator forgets the snapshots of the first."""
    before, history = model.labels_, model.history_
    model.fit(X, times=times, ids=ids)
    np.testing.assert_array_equal(model.labels_, before)
    assert [one.objective for one in model.history_] == [
        one.objective for one in history
    ]


def check_evolving_file(model, fit, X, times, ids):
    methods = ("predict", "decision_function")
    check_saved(model, X, [one for one in methods if hasattr(model, one)])


EVOLVING_CHECKS = (check_evolving_threads, check_evolving_refit, check_evolving_file)


def check_image(name, parameters, size, kind, scribbled, number):
    random = np.random.RandomState(number)
    height, width = size
    image = random.randint(0, 40, (height, width, 3))
    image[height // 3 :, width // 2 :] += 150
    image = {
        "colour": image.astype(np.uint8),
        "grey": image[..., 0].astype(np.uint8),
        "float": image / 255.0,
        "few": (image // 100 * 100).astype(np.uint8),
    }[kind]
    strokes = np.zeros(size, dtype=int)
    strokes[0, : width // 3], strokes[-1, -(width // 3) :] = 2, 7
    with no_surprise():
        model = make(name, parameters).fit(
            image, scribbles=strokes if scribbled else None
        )
    with errors_of_warnings():
        labels = model.labels_
        assert labels.shape == size
        assert 0 <= labels.min() <= labels.max() < len(model.classes_)
        if scribbled:
            marked = strokes > 0
            found = model.classes_[labels[marked]]
            np.testing.assert_array_equal(found, strokes[marked])
        elif model.mode == "regions":  # connected, which predict is not
            assert model.predict(image).shape == size
        else:
            np.testing.assert_array_equal(model.predict(image), labels)
        check_saved(model, image, ["predict"])
    return model


def cases():
    """Return the inputs and the check of each estimator."""
    relation = st.sampled_from(tuple(CHECKS))
    share = st.sampled_from((0.0, 0.1, 0.5, 1.0))
    times = st.sampled_from((1, 2, 3))
    result = {}
    for name, (parameters, most) in CLUSTERERS.items():
        result[name] = parameters, (recipes(most=most), relation), check_clusterer
    for name, (parameters, most) in CLASSIFIERS.items():
        check = check_reduced if name == "ReducedSVC" else check_semi_supervised
        result[name] = parameters, (recipes(most=most), share), check
    for name, (parameters, most) in EVOLVING.items():
        tables = recipes(weights=("none",), most=most)
        result[name] = parameters, (tables, times), check_evolving
    for name, parameters in IMAGES.items():
        sizes = st.sampled_from(((6, 9), (20, 13), (1, 30)))
        kinds = st.sampled_from(("colour", "grey", "float", "few"))
        pictures = sizes, kinds, st.booleans(), st.integers(0, 99)
        result[name] = parameters, pictures, check_image
    return {
        name: ([st.tuples(one, *data) for one in parameters], partial(check, name))
        for name, (parameters, data, check) in result.items()
    }


ALL = cases()


@pytest.mark.parametrize(("name", "number", "n_inputs"), chunks(list(ALL)))
def test_inputs(name, number, n_inputs, record_property):
    """Of inputs for the main estimator, most reach what users run: the defaults."""
    counts = fuzz(*ALL[name], number, n_inputs, record_property)
    assert counts["refused"] < counts["inputs"]
    if name == "MaxMarginClustering" and n_inputs >= 20:
        assert counts["default"] >= 0.6 * counts["inputs"]
