"""SemidefiniteMaxMarginClustering."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs

from maxmargin.metrics import clustering_error
from maxmargin.published import RecursiveBisection, SemidefiniteMaxMarginClustering
from maxmargin.published.semidefinite import round_matrix

FORMULATIONS = ("mmc", "gmmc")


@pytest.fixture(params=FORMULATIONS)
def formulation(request):
    if request.param == "mmc":
        pytest.importorskip("scs")
    return request.param


def test_finds_blobs(formulation, seed):
    X, y = make_blobs(40, centers=4 * np.eye(2), random_state=seed)
    model = SemidefiniteMaxMarginClustering(formulation=formulation).fit(X)
    assert clustering_error(y, model.labels_) <= 0.05
    assert model.bound_ <= -model.objective_ + 1e-6
    assert np.mean(model.predict(X) == model.labels_) >= 0.95
    assert model.matrix_.shape == (40, 40)


def test_digits(formulation):
    X, y = load_digits(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == digit)[:25] for digit in (1, 7)])
    model = SemidefiniteMaxMarginClustering(formulation=formulation, tol=1e-4)
    labels = model.fit_predict(X[rows])
    assert clustering_error(y[rows], labels) <= 0.1


@pytest.mark.parametrize("balance", ["equal", (0.25, 0.75)])
def test_sizes(formulation, balance, random):
    X = random.randn(24, 2)
    model = SemidefiniteMaxMarginClustering(
        formulation=formulation, balance=balance, tol=1e-4
    ).fit(X)
    expected = [12, 12] if balance == "equal" else [6, 18]
    assert sorted(np.bincount(model.labels_)) == expected


def test_rank_one_matrix_gives_its_labels(random):
    y = np.where(random.rand(20) < 0.4, 1.0, -1.0)
    limits = np.array([[0.5, 0.5], [20, 20]])
    labels = round_matrix(np.outer(y, y), np.ones(20), limits)
    assert clustering_error(y, labels) == 0.0


def test_weights_and_equal_samples(formulation, random):
    X = random.randn(15, 2)
    weights = random.randint(1, 3, 15)
    weighted = SemidefiniteMaxMarginClustering(formulation=formulation).fit(
        X, sample_weight=weights
    )
    repeated = SemidefiniteMaxMarginClustering(formulation=formulation).fit(
        np.repeat(X, weights, axis=0)
    )
    np.testing.assert_array_equal(
        np.repeat(weighted.labels_, weights), repeated.labels_
    )


def test_order_of_rows_does_not_matter(formulation, random):
    X, order = random.randn(20, 3), random.permutation(20)
    model = SemidefiniteMaxMarginClustering(formulation=formulation, tol=1e-3)
    labels = model.fit(X).labels_
    np.testing.assert_array_equal(model.fit(X[order]).labels_, labels[order])


def test_more_clusters_by_bisection():
    X, y = make_blobs(45, centers=8 * np.eye(3), random_state=0)
    binary = SemidefiniteMaxMarginClustering(formulation="gmmc", balance=0.5)
    labels = RecursiveBisection(binary, 3, random_state=0).fit_predict(X)
    assert clustering_error(y, labels) <= 0.05


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"formulation": "sdp"}, "formulation='sdp' is not known"),
        ({"C": -1.0}, r"C=-1\.0"),
        ({"tol": 0.0}, r"tol=0\.0"),
    ],
)
def test_bad_parameters_raise(parameters, message):
    with pytest.raises(ValueError, match=message):
        SemidefiniteMaxMarginClustering(**parameters).fit(np.eye(5))


@pytest.mark.parametrize(("formulation", "most"), [("mmc", 300), ("gmmc", 1500)])
def test_too_many_samples(formulation, most):
    X = np.arange(most + 1.0)[:, None]
    model = SemidefiniteMaxMarginClustering(formulation=formulation)
    with pytest.raises(ValueError, match="use IterativeMaxMarginClustering"):
        model.fit(X)


def test_number_of_clusters_is_not_a_parameter(random):
    assert "n_clusters" not in SemidefiniteMaxMarginClustering().get_params()
    model = SemidefiniteMaxMarginClustering(formulation="gmmc").fit(random.randn(9, 2))
    assert model.n_clusters_ == 2


def test_verbose_prints_bound_and_cost(capsys, random):
    SemidefiniteMaxMarginClustering(formulation="gmmc", verbose=1).fit(
        random.randn(12, 2)
    )
    assert "bound" in capsys.readouterr().out


def test_mmc_reports_its_rounds(capsys, random, monkeypatch):
    pytest.importorskip("scs")
    X = random.randn(20, 2)
    whole = SemidefiniteMaxMarginClustering(tol=1e-6).fit(X)
    monkeypatch.setattr("maxmargin.published.hinge.semidefinite.REPORTED", 50)
    parts = SemidefiniteMaxMarginClustering(tol=1e-6, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("round 50: objective")
    assert len(lines) > parts.n_iter_ // 50 > 0
    assert parts.bound_ == pytest.approx(whole.bound_, rel=1e-4)
    np.testing.assert_array_equal(parts.labels_, whole.labels_)


def test_indefinite_kernels_are_refused(random):
    model = SemidefiniteMaxMarginClustering(
        formulation="gmmc", kernel="sigmoid", gamma=1.0, kernel_params={"coef0": -1}
    )
    with pytest.raises(ValueError, match="not positive semidefinite"):
        model.fit(random.randn(20, 2))
