"""A fit changes an estimator as a whole, or not at all."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from maxmargin import MaxMarginClustering
from maxmargin.clustering import max_margin
from maxmargin.engine import fit, probability

X, _ = make_blobs(120, centers=3, random_state=0)
OTHER = np.random.RandomState(1).randn(90, 2)
# Functions that a fit calls at its beginning, in the middle and at its end.
INSIDE = [
    (fit, "draw_sample"),
    (fit, "make_candidates"),
    (fit, "find_clusters"),
    (fit, "label_rows"),
    (max_margin, "fit_probability"),
    (probability, "refit_labels"),
    (probability, "calibrate"),
]


def failing(function, error, n_calls=1):
    """Return the function, which raises an error in one of its calls."""
    calls = []

    def wrapped(*arguments, **options):
        calls.append(1)
        if len(calls) == n_calls:
            raise error
        return function(*arguments, **options)

    return wrapped


def assert_unchanged(model, before, labels, decisions, chances):
    assert vars(model).keys() == before.keys()
    for name, value in before.items():
        assert vars(model)[name] is value
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.decision_function(X), decisions)
    np.testing.assert_array_equal(model.predict_proba(X), chances)


@pytest.fixture(scope="module")
def fitted():
    return MaxMarginClustering(3, probability=True, random_state=0).fit(X)


@pytest.fixture
def few_refits(monkeypatch):
    monkeypatch.setattr(probability, "MIN_REFITS", 3)
    monkeypatch.setattr(probability, "MAX_REFITS", 3)


@pytest.mark.usefixtures("few_refits")
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
@pytest.mark.parametrize(("module", "name"), INSIDE, ids=[name for _, name in INSIDE])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_interrupted_inside(fitted, monkeypatch, module, name, error, method):
    before = vars(fitted).copy()
    labels, decisions = fitted.labels_.copy(), fitted.decision_function(X)
    chances = fitted.predict_proba(X)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, failing(getattr(module, name), error))
        with pytest.raises(error):
            getattr(fitted, method)(OTHER)
    assert_unchanged(fitted, before, labels, decisions, chances)


@pytest.mark.usefixtures("few_refits")
@pytest.mark.parametrize("n_calls", [2, 3])
def test_interrupted_in_a_later_refit(fitted, monkeypatch, n_calls):
    before = vars(fitted).copy()
    labels, decisions = fitted.labels_.copy(), fitted.decision_function(X)
    chances = fitted.predict_proba(X)
    refit = failing(probability.refit_labels, KeyboardInterrupt, n_calls)
    with monkeypatch.context() as patch:
        patch.setattr(probability, "refit_labels", refit)
        with pytest.raises(KeyboardInterrupt):
            fitted.fit(OTHER)
    assert_unchanged(fitted, before, labels, decisions, chances)


@pytest.mark.parametrize(
    ("rows", "given"),
    [
        (np.full((40, 2), np.nan), {}),
        (np.ones((40, 2)), {}),
        (OTHER[:2], {}),
        (OTHER, {"sample_weight": np.ones(3)}),
        (np.zeros((40, 5)), {}),
    ],
    ids=["NaN", "equal", "few", "weights", "features"],
)
def test_a_refused_fit(fitted, rows, given):
    before = vars(fitted).copy()
    labels, decisions = fitted.labels_.copy(), fitted.decision_function(X)
    chances = fitted.predict_proba(X)
    with pytest.raises(ValueError):
        fitted.fit(rows, **given)
    assert_unchanged(fitted, before, labels, decisions, chances)
    assert fitted.n_features_in_ == 2


def test_a_first_fit_that_fails_leaves_nothing(monkeypatch):
    model = MaxMarginClustering(3, random_state=0)
    parameters = vars(model).copy()
    with monkeypatch.context() as patch:
        patch.setattr(fit, "label_rows", failing(fit.label_rows, KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
    assert vars(model) == parameters
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_block_that_fails_can_be_added_again(monkeypatch):
    model, other = (MaxMarginClustering(3, random_state=0) for _ in range(2))
    for one in (model, other):
        one.partial_fit(X[:60])
    with monkeypatch.context() as patch:
        patch.setattr(fit, "find_clusters", failing(fit.find_clusters, MemoryError))
        with pytest.raises(MemoryError):
            model.partial_fit(X[60:])
    assert model.n_samples_seen_ == 60
    model.partial_fit(X[60:])
    other.partial_fit(X[60:])
    assert model.n_samples_seen_ == 120
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
