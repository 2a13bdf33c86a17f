"""Classifiers, evolving data and images: what holds for every fit."""

import numpy as np
from fuzz_data import Data, in_two_threads, repeated_rows
from fuzz_estimators import make
from fuzz_promises import (
    Refused,
    check_decisions,
    check_saved,
    errors_of_warnings,
    no_surprise,
)


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
