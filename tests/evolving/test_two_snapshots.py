"""The strategies cohort and individual beside their definition, evaluated naively."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.datasets import make_evolving_gaussians
from maxmargin.engine import options as options_module
from maxmargin.engine.candidates import Candidate
from maxmargin.evolving import model_strategy, step, two_snapshots
from maxmargin.evolving.snapshots import match_objects
from maxmargin.evolving.step import prefer, separates_snapshots
from maxmargin.evolving.two_snapshots import labels_of_equal, tie_units
from maxmargin.rows.sample import draw_sample, whole_sample
from maxmargin.search.objective import Objective
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother, landmark_smoother

KERNEL = Kernel("rbf", {"gamma": 0.5})


def limit_search(monkeypatch, size):
    for module in (options_module, step, model_strategy):
        monkeypatch.setattr(module, "SEARCH_SAMPLES", size)


def objective_of(S, weights, labels, power, n_clusters=2):
    total = 0.0
    for h in range(n_clusters):
        z = (labels == h) * 1.0
        if z.any():
            total += z @ S @ z / (weights @ z) ** power
    return total


def smoother_of(X, weights, landmarks=None):
    rows = np.arange(len(X))
    if landmarks is None:
        return exact_smoother(KERNEL, X, weights, rows, Ridge(0.5))
    return landmark_smoother(KERNEL, X, weights, rows, X[:landmarks], Ridge(0.5))


@pytest.mark.parametrize("landmarks", [None, 4])
def test_tied_rows_are_one_sample(landmarks, random):
    X, weights = random.randn(9, 2), np.repeat([0.7, 0.3], [5, 4])
    units = np.array([0, 1, 2, 3, 4, 2, 6, 0, 8])
    smoother = smoother_of(X, weights, landmarks)
    candidate = Candidate(whole_sample(weights), smoother, Objective(0.7))
    tied, groups = tie_units(candidate, units)
    assert_allclose(tied.sample.weights, [1.0, 0.7, 1.0, 0.7, 0.7, 0.3, 0.3])
    for _ in range(5):
        labels = random.randint(2, size=7)
        assert_allclose(
            objective_of(tied.smoother.matrix(), tied.sample.weights, labels, 0.7),
            objective_of(smoother.matrix(), weights, labels[groups], 0.7),
        )


def test_tied_rows_have_one_label_of_a_candidate(random):
    """Labels that need no search are of rows, and a unit has that of its first row."""
    weights, units = np.repeat([0.7, 0.3], [3, 2]), np.array([0, 1, 2, 1, 0])
    smoother = smoother_of(random.randn(5, 2), weights)
    labels = np.array([0, 1, 1, 0, 0])
    candidate = Candidate(
        whole_sample(weights), smoother, Objective(1.0), labels=labels
    )
    tied, groups = tie_units(candidate, units)
    assert_array_equal(tied.labels, [0, 1, 1])
    assert_array_equal(groups, [0, 1, 2, 1, 0])


@pytest.mark.parametrize("kernel", ["neighbors", "auto"])
def test_objects_in_shapes_with_gaps(kernel):
    """The clusters by the widest gaps are those of units as well."""
    model = EvolvingMaxMarginClustering(
        strategy="individual", kernel=kernel, random_state=0
    )
    for number in range(3):
        X, y = make_moons(200, noise=0.08, random_state=number, shuffle=False)
        model.partial_fit(X + 0.1 * number)
        assert adjusted_rand_score(y, model.labels_) > 0.9


@pytest.mark.parametrize("strategy", ["cohort", "individual"])
def test_finds_the_best_of_all_labellings(strategy, random):
    before, now = random.randn(5, 2), random.randn(6, 2)
    ids = np.array([3, 9, 0, 7, 4, 1])
    model = EvolvingMaxMarginClustering(
        2, strategy=strategy, kernel="rbf", gamma=0.5, random_state=0
    )
    model.partial_fit(before).partial_fit(now, ids=ids)
    weights = np.repeat([0.7, 0.3], [6, 5])
    rows = np.concatenate([now, before])
    S = exact_smoother(KERNEL, rows, weights, np.arange(11), Ridge()).matrix()
    units = np.arange(11)
    if strategy == "individual":
        matched = match_objects(ids, np.arange(5))
        units[6 + matched.before] = matched.now
    names, groups = np.unique(units, return_inverse=True)
    best = max(
        objective_of(S, weights, np.array(labels)[groups], 0.7)
        for labels in itertools.product(range(2), repeat=len(names))
        if 0 < sum(labels) < len(names)
    )
    # A labelling that moves fewer objects may be taken if it is nearly as good.
    assert 0.8 * best <= model.history_[-1].objective <= best * (1 + 1e-9)


def test_choice_between_two_runs():
    assert prefer([1.1, 1.0], [0.0, 0.5], 0.7) == 0
    assert prefer([1.1, 1.0], [0.0, 0.5], 1.0) == 1
    assert prefer([3.0, 1.0], [0.0, 0.5], 0.7) == 1
    assert prefer([-1.0, -2.0], [0.0, 0.0], 1.0) == 1
    assert prefer([-1.9, -2.0], [0.0, 0.5], 0.7) == 0
    assert prefer([0.0, -2.0], [0.0, 0.5], 0.7) == 1
    assert prefer([0.0, 0.0], [0.5, 0.0], 0.7) == 1


def test_past_labels_of_equal_rows_vote(random):
    X, weights = np.repeat(random.randn(3, 2), 3, axis=0), np.ones(9)
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    labels = np.array([-1, 1, 1, 0, 1, 1, -1, -1, -1])
    found = labels_of_equal(labels, sample, weights, 2)[sample.inverse]
    assert_array_equal(found, np.repeat([1, 1, -1], 3))


def test_clusters_are_not_those_of_time(random):
    known = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    old = np.arange(8) >= 4
    assert separates_snapshots(old * 1, old, known)
    assert not separates_snapshots(known, old, known)
    X = random.randn(60, 2) + np.repeat([[0.0], [4.0]], 30, axis=0)
    model = EvolvingMaxMarginClustering(2, random_state=0).partial_fit(X)
    model.partial_fit(X + np.array([40.0, -40.0]))
    assert model.history_[-1].moved <= 6


@pytest.mark.parametrize("balance", ["free", 0.2])
@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
def test_many_objects_are_labelled_from_a_part(strategy, balance, monkeypatch):
    limit_search(monkeypatch, 500)
    random = np.random.RandomState(0)
    y = np.arange(700) % 2
    X = random.randn(700, 2) + 6.0 * y[:, None]
    model = EvolvingMaxMarginClustering(
        2, strategy=strategy, balance=balance, n_init=1, random_state=0
    )
    first = model.partial_fit(X).labels_
    assert np.mean(first == first[0]) == pytest.approx(0.5, abs=0.01)
    ids = random.permutation(750)[:700]  # some come, some leave, in any order
    now = random.randn(700, 2) + 6.0 * (ids % 2)[:, None] + 0.3
    model.partial_fit(now, ids=ids)
    record = model.history_[-1]
    assert record.came + record.stayed + record.moved == 700
    assert record.moved <= 10
    assert record.came == np.sum(ids >= 700)
    if balance == "free" and strategy != "individual":
        assert_array_equal(model.predict(now), model.labels_)


@pytest.mark.parametrize("strategy", ["cohort", "individual"])
def test_snapshots_with_nothing_in_common_stand_alone(strategy, random, monkeypatch):
    """No object is in both and clusters tell the time: each is clustered by itself."""
    monkeypatch.setattr(two_snapshots, "separates_snapshots", lambda *arguments: True)
    y = np.repeat([0, 1, 2], 20)
    X = random.randn(60, 3) + 12.0 * np.eye(3)[y]
    model = EvolvingMaxMarginClustering(3, strategy=strategy, random_state=0)
    first = model.partial_fit(X, ids=np.arange(60)).labels_
    model.partial_fit(X + 0.1, ids=np.arange(100, 160))
    assert_array_equal(model.labels_, first)
    assert_array_equal(model.predict(X + 0.1), first)
    record = model.history_[-1]
    assert record.temporal_cost == 0.0
    assert (record.came, record.left) == (60, 60)


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
def test_many_rows_have_the_clusters_of_the_searched_ones(strategy):
    """Overlapping clusters: passes over more rows made the boundary worse."""
    first, second = make_evolving_gaussians(30_000, 1, random_state=0)
    model = EvolvingMaxMarginClustering(2, strategy=strategy, random_state=0)
    model.partial_fit(first.X).partial_fit(second.X)
    centers = np.stack([second.X[second.y == h].mean(axis=0) for h in (0, 1)])
    best = ((second.X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    found = normalized_mutual_info_score(second.y, model.labels_)
    assert found > normalized_mutual_info_score(second.y, best) - 0.015


@pytest.mark.parametrize("strategy", ["cohort", "model"])
def test_fresh_starts_on_a_part_find_the_clusters_of_all(strategy, monkeypatch):
    first, second = make_evolving_gaussians(600, 1, random_state=0)
    found = []
    for limit in (4000, 500):  # all samples are searched, and half of 500 afresh
        limit_search(monkeypatch, limit)
        model = EvolvingMaxMarginClustering(2, strategy=strategy, random_state=0)
        model.partial_fit(first.X).partial_fit(second.X)
        found.append(model.labels_)
    agreement = np.mean(found[0] == found[1])
    assert max(agreement, 1 - agreement) > 0.97
