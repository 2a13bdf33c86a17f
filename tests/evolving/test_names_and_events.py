"""Names of clusters, what happens to them, and a number of clusters that changes."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from maxmargin import EvolvingMaxMarginClustering, load_model, save_model
from maxmargin.evolving.names import Labelled, find_events, name_clusters
from maxmargin.published import EvolvingMMC
from maxmargin.published.hinge.convex_losses import Pairs, majorise_many_clusters

STRATEGIES = ("cohort", "individual", "model")
CENTERS = 12.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [2, 0]])


def blobs(classes, random):
    return CENTERS[classes] + random.randn(len(classes), 2)


def kinds(model):
    return sorted(event.kind for event in model.history_[-1].events)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_cluster_that_left_makes_room_for_one_that_splits(strategy, random):
    classes = np.repeat([0, 1, 2, 3], 20)
    model = EvolvingMaxMarginClustering(4, strategy=strategy, random_state=0)
    model.partial_fit(blobs(classes, random), ids=np.arange(80))
    gone = model.labels_[classes == 3][0]
    old = model.labels_[classes == 2][0]
    classes[40:50] = 4
    model.partial_fit(blobs(classes, random)[:60], ids=np.arange(60))
    agreement = adjusted_rand_score(classes[:60], model.labels_)
    assert agreement == 1.0 if strategy != "individual" else agreement > 0.8
    assert gone not in model.labels_
    assert set(model.labels_[40:60]) == {old, 4}
    assert kinds(model) == ["died", "split"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_number_of_clusters_may_be_changed(strategy, random):
    classes = np.repeat([0, 1, 2, 3, 4], 20)
    X = blobs(classes, random)
    model = EvolvingMaxMarginClustering(3, strategy=strategy, random_state=0)
    for n_clusters in (3, 5, 2, 4):
        model.set_params(n_clusters=n_clusters).partial_fit(X)
        assert len(set(model.labels_)) == n_clusters == model.n_clusters_
        assert set(model.labels_) <= set(model.cluster_names_)
        assert model.decision_function(X).shape == (100, n_clusters)
        if n_clusters == 5:
            assert adjusted_rand_score(classes, model.labels_) == 1.0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_several_clusters_with_hinge_loss(strategy, random):
    classes = np.repeat([0, 1, 2, 3], 20)
    model = EvolvingMMC(3, strategy=strategy, random_state=0)
    names = None
    for n_clusters in (3, 3, 4, 4):
        here = classes < n_clusters
        X = blobs(classes, random)[here]
        model.set_params(n_clusters=n_clusters)
        model.partial_fit(X, ids=np.flatnonzero(here))
        assert adjusted_rand_score(classes[here], model.labels_) == 1.0
        first = model.labels_[[0, 20, 40]]
        names = first if names is None else names
        assert_array_equal(first, names)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_number_of_clusters_is_estimated(strategy, random):
    model = EvolvingMaxMarginClustering("auto", strategy=strategy, random_state=0)
    for number in (3, 4, 4):
        classes = np.repeat(np.arange(number), 30)
        model.partial_fit(blobs(classes, random))
        assert model.n_clusters_ == number
    assert [len(record.events) for record in model.history_] == [0, 1, 0]


def test_cluster_that_returns_has_its_name_again(random):
    classes = np.repeat([0, 1, 2], 20)
    model = EvolvingMaxMarginClustering(3, random_state=0)
    model.partial_fit(blobs(classes, random), ids=np.arange(60))
    names = model.labels_[[0, 20, 40]]
    model.set_params(n_clusters=2)
    model.partial_fit(blobs(classes, random)[:40], ids=np.arange(40))
    assert kinds(model) == ["died"]
    file = io.BytesIO()
    save_model(file, model)
    for one, ids in ((model, np.arange(60)), (load_model(file), np.arange(60) + 40)):
        if ids[0]:  # with new objects in the same place
            ids[:40] = np.arange(40)
        one.set_params(n_clusters=3).partial_fit(blobs(classes, random), ids=ids)
        assert_array_equal(one.labels_[[0, 20, 40]], names)
        assert kinds(one) == ["returned"]


def test_mergers_and_births(random):
    classes = np.repeat([0, 1, 2], 20)
    model = EvolvingMaxMarginClustering("auto", random_state=0)
    model.partial_fit(blobs(classes, random))
    one, other = model.labels_[0], model.labels_[20]
    classes[20:40] = 0
    model.partial_fit(blobs(classes, random))
    (event,) = model.history_[-1].events
    assert event.kind == "merged" and set(event.others) == {one, other}
    assert_array_equal(
        np.sort(event.objects), np.arange(20, 40) if event.cluster == one else range(20)
    )
    classes = np.append(classes, np.full(20, 4))
    model.partial_fit(blobs(classes, random))
    (event,) = model.history_[-1].events
    assert (event.kind, event.cluster) == ("born", 3)
    assert_array_equal(event.objects, np.arange(60, 80))
    frame = model.to_frame("events")
    assert frame["event"].tolist() == ["merged", "born"]
    assert frame["n_objects"].tolist() == [20, 20]


def test_growth_and_drift_are_reported_once(random):
    classes = np.repeat([0, 1], 30)
    model = EvolvingMaxMarginClustering(2, half_life=0, random_state=0)
    model.partial_fit(blobs(classes, random))
    more = np.append(classes, np.full(40, 1))
    found = []
    for shift in (0.0, 0.4, 2.0, 2.0):
        X = blobs(more, random)
        X[more == 0] -= shift
        model.partial_fit(X)
        found.append(kinds(model))
    assert found == [["grew"], [], ["drifted"], []]


def test_events_need_only_two_labelled_snapshots():
    before = Labelled(np.arange(8), np.array([0, 0, 0, 0, 1, 1, 2, 2]))
    now = Labelled(np.arange(10), np.array([0, 0, 3, 3, 1, 1, 1, 1, 4, 4]))
    events = {event.kind: event for event in find_events(before, now)}
    assert set(events) == {"split", "merged", "born"}
    assert events["split"].cluster == 0 and events["split"].others == (0, 3)
    assert_array_equal(events["split"].objects, [2, 3])
    assert events["merged"].cluster == 1 and events["merged"].others == (1, 2)
    assert_array_equal(events["merged"].objects, [6, 7])
    assert events["born"].cluster == 4


def test_a_stray_object_does_not_carry_the_name():
    past = np.repeat([0, 1, 2], 20)
    labels = np.repeat([0, 1, 2], [20, 10, 10])  # 2 is gone, 1 has split
    seen = np.repeat([0, 1, 1], [20, 10, 10])
    seen[-1] = 2  # but for one object
    names = name_clusters(labels, seen, seen, 3, past, 3)
    assert_array_equal(names, [0, 1, 3])


def test_paired_loss_of_several_clusters(random):
    """Compare with the formula, and its subgradient with differences."""
    f = random.randn(6, 3)
    shares = random.rand(6)
    pairs = Pairs(np.array([0, 1]), np.array([4, 3]))
    limits = np.array([[0.0] * 3, [9.0] * 3])
    loss = majorise_many_clusters(shares, limits, pairs)(f)
    ordered = np.sort(f, axis=1)
    short = shares * (1.0 - ordered[:, -1] + ordered[:, -2])
    expected = sum(max(0.0, short[i], short[j]) for i, j in ((0, 4), (1, 3)))
    expected += sum(max(0.0, short[i]) for i in (2, 5))
    value, gradient = loss(f)
    assert value == pytest.approx(expected)
    step = 1e-7 * random.randn(6, 3)
    assert loss(f + step).value - value == pytest.approx(
        (gradient * step).sum(), abs=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_half_that_stays_in_place_keeps_the_name(seed):
    """Of a cluster of which a half moves away, it is the other half that stays."""
    random = np.random.RandomState(seed)
    classes = np.repeat([0, 1, 2], 30)
    X = blobs(classes, random)
    model = EvolvingMaxMarginClustering(3, kernel="auto", random_state=0)
    before = model.partial_fit(X).labels_
    X[75:] += 12.0
    model.set_params(n_clusters=4).partial_fit(X)
    assert_array_equal(np.flatnonzero(model.labels_ != before), np.arange(75, 90))
    (split,) = model.history_[-1].events
    assert (split.kind, split.cluster) == ("split", before[75])
    assert_array_equal(split.objects, np.arange(75, 90))
