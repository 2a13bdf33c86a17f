"""The estimator: snapshots in, labels that keep their meaning out."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from maxmargin import EvolvingMaxMarginClustering, MaxMarginClustering
from maxmargin.published import CuttingPlaneMaxMarginClustering, EvolvingMMC

STRATEGIES = ("cohort", "individual", "model")


def drifting(random, n_steps=3, n_objects=90, n_clusters=3):
    """Return snapshots of clusters that drift, their ids and classes."""
    centers = 9.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:n_clusters]
    classes = np.arange(n_objects) % n_clusters
    X = centers[classes] + random.randn(n_objects, 2)
    steps = []
    for t in range(n_steps):
        ids = random.permutation(n_objects)[: n_objects - 10]
        steps.append((X[ids] + 0.5 * t, ids, classes[ids]))
    return steps


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kernel", ["rbf", "auto"])
def test_labels_follow_the_clusters_and_keep_their_names(strategy, kernel, random):
    model = EvolvingMaxMarginClustering(
        3, strategy=strategy, kernel=kernel, random_state=0
    )
    names = {}
    for X, ids, classes in drifting(random):
        model.partial_fit(X, ids=ids)
        assert adjusted_rand_score(classes, model.labels_) > 0.9
        for h in range(3):
            most = np.bincount(model.labels_[classes == h], minlength=3).argmax()
            assert names.setdefault(h, most) == most
    assert len(set(names.values())) == 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_two_clusters_with_hinge_loss(strategy, random):
    model = EvolvingMMC(2, strategy=strategy, random_state=0)
    first = None
    for X, ids, classes in drifting(random, n_clusters=2):
        model.partial_fit(X, ids=ids)
        assert adjusted_rand_score(classes, model.labels_) > 0.9
        name = np.bincount(model.labels_[classes == 0]).argmax()
        first = name if first is None else first
        assert name == first


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("method", "static", "kernel"),
    [
        (EvolvingMaxMarginClustering, MaxMarginClustering, "rbf"),
        (EvolvingMaxMarginClustering, MaxMarginClustering, "auto"),
        (EvolvingMMC, CuttingPlaneMaxMarginClustering, "rbf"),
    ],
)
def test_weight_one_is_the_static_method(strategy, method, static, kernel, random):
    evolving = method(2, strategy=strategy, weight=1, kernel=kernel, random_state=3)
    for X in (random.randn(60, 2), random.randn(50, 2)):
        evolving.partial_fit(X)
        alone = static(2, kernel=kernel, random_state=3).fit(X)
        assert adjusted_rand_score(evolving.labels_, alone.labels_) == 1.0
        assert evolving.history_[-1].objective == alone.objective_
        mine, other = evolving.decision_function(X), alone.decision_function(X)
        same = evolving.labels_[0] == alone.labels_[0]
        assert_allclose(mine, other if same else other[:, ::-1])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_threads_and_a_second_fit_find_the_same(strategy, random):
    """Two estimators at the same time, and one that has seen other data before."""
    steps = drifting(random)
    X = np.concatenate([step[0] for step in steps])
    ids = np.concatenate([step[1] for step in steps])
    times = np.repeat([0, 1, 2], [len(step[1]) for step in steps])

    def fit(model):
        return model.fit(X, times=times, ids=ids)

    first = fit(EvolvingMaxMarginClustering(strategy=strategy, random_state=0))
    used = EvolvingMaxMarginClustering(strategy=strategy, random_state=0)
    used.partial_fit(random.randn(30, 2)).partial_fit(random.randn(30, 2))
    others = [clone(first), clone(first), used]
    with ThreadPoolExecutor(2) as threads:
        for model in threads.map(fit, others):
            assert_array_equal(model.labels_, first.labels_)
            assert [one.objective for one in model.history_] == [
                one.objective for one in first.history_
            ]
            assert_array_equal(model.decision_function(X), first.decision_function(X))


def test_no_object_counts_twice_and_none_is_lost(random):
    model = EvolvingMaxMarginClustering(2, kernel="rbf", random_state=0)
    X = random.randn(40, 2)
    model.partial_fit(X[:30], ids=np.arange(30))
    model.partial_fit(X[10:], ids=np.arange(39, 9, -1))
    record = model.history_[-1]
    assert (record.came, record.left) == (10, 10)
    assert record.stayed + record.moved == 20
    before = dict(zip(range(30), model.history_[0].labels, strict=True))
    moved = sum(
        before[i] != label
        for i, label in zip(record.ids, record.labels, strict=True)
        if i in before
    )
    assert record.moved == moved


def test_order_of_the_rows_does_not_matter(random):
    steps = drifting(random)
    one = EvolvingMaxMarginClustering(3, strategy="individual", random_state=0)
    two = EvolvingMaxMarginClustering(3, strategy="individual", random_state=0)
    for X, ids, _ in steps:
        order = random.permutation(len(ids))
        one.partial_fit(X, ids=ids)
        two.partial_fit(X[order], ids=ids[order])
        assert adjusted_rand_score(one.labels_[order], two.labels_) > 0.9


def test_fit_takes_a_whole_table(random):
    steps = drifting(random)
    X = np.concatenate([step[0] for step in steps])
    ids = np.concatenate([step[1] for step in steps])
    times = np.repeat([2, 5, 7], [len(step[1]) for step in steps])
    order = random.permutation(len(X))
    whole = EvolvingMaxMarginClustering(3, random_state=0)
    whole.fit(X[order], times=times[order], ids=ids[order])
    assert [record.time for record in whole.history_] == [2, 5, 7]
    for record in whole.history_:
        here = times[order] == record.time
        assert_array_equal(record.ids, ids[order][here])
        assert_array_equal(record.labels, whole.labels_[here])


def test_sparse_and_dense_agree(random):
    steps = drifting(random, n_steps=2)
    dense = EvolvingMaxMarginClustering(3, kernel="rbf", random_state=0)
    sparse = EvolvingMaxMarginClustering(3, kernel="rbf", random_state=0)
    for X, ids, _ in steps:
        dense.partial_fit(X, ids=ids)
        sparse.partial_fit(sp.csr_matrix(X), ids=ids)
    assert adjusted_rand_score(dense.labels_, sparse.labels_) == 1.0


def test_frames_tell_who_moved(random):
    pytest.importorskip("pandas")
    model = EvolvingMaxMarginClustering(3, random_state=0)
    for X, ids, _ in drifting(random):
        model.partial_fit(X, ids=ids)
    objects, snapshots = model.to_frame(), model.to_frame("snapshots")
    counts = objects.groupby(["time", "event"]).size().unstack(fill_value=0)
    assert_array_equal(counts["came"][1:], snapshots["came"][1:])
    assert_array_equal(counts["stayed"], snapshots["stayed"])
    with pytest.raises(ValueError, match="not known"):
        model.to_frame("clusters")


@pytest.mark.parametrize("balance", ["equal", (10, 40), [0.5, 0.25, 0.25]])
def test_sizes_can_be_limited(balance, random):
    X = random.randn(60, 2)
    model = EvolvingMaxMarginClustering(
        3, strategy="model", kernel="rbf", balance=balance, random_state=0
    )
    model.partial_fit(X).partial_fit(X + 0.1 * random.randn(60, 2))
    sizes = np.sort(np.bincount(model.labels_, minlength=3))
    expected = {"equal": [20, 20, 20]}.get(balance if isinstance(balance, str) else "")
    if expected is None:
        expected = [15, 15, 30] if len(balance) == 3 else sizes.clip(10, 40)
    assert_array_equal(sizes, expected)


class TestBadInput:
    """A clear error, and the state as before the call."""

    @pytest.fixture
    def model(self):
        X = np.random.RandomState(0).randn(30, 2)
        return EvolvingMaxMarginClustering(2, random_state=0).partial_fit(X, time=5)

    @pytest.mark.parametrize(
        ("X", "arguments", "message"),
        [
            (np.ones((3, 2)), {"ids": [1, 2, 1]}, "1 2 times in one snapshot"),
            (np.ones((3, 2)), {"ids": [1, 2]}, "one value for each"),
            (np.ones((3, 2)), {"ids": ["a", "b", "c"]}, "one type"),
            (np.ones((3, 2)), {"ids": np.array(["a", 1, 2.5], dtype=object)}, "mixed"),
            (np.ones((3, 3)), {}, "features"),
            (np.empty((0, 2)), {}, "at least one object"),
            (np.ones((3, 2)), {"time": 4}, "not later"),
            (np.ones((3, 2)), {"time": 5}, "not later"),
            (np.ones((3, 2)), {"time": "x"}, "compared"),
            (np.full((3, 2), np.nan), {}, "NaN"),
        ],
    )
    def test_is_refused(self, model, X, arguments, message):
        labels, history = model.labels_.copy(), list(model.history_)
        decisions = model.decision_function(np.ones((1, 2)))
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, **arguments)
        assert_array_equal(model.labels_, labels)
        assert model.history_ == history
        assert_array_equal(model.decision_function(np.ones((1, 2))), decisions)
        model.partial_fit(np.random.RandomState(1).randn(20, 2), time=6)
        assert len(model.history_) == 2

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"strategy": "data"}, "strategy"),
            ({"weight": 0}, "weight"),
            ({"weight": 1.5}, "weight"),
            ({"kernel": "precomputed"}, "precomputed"),
            ({"n_init": 0}, "n_init"),
            ({"n_clusters": 0}, "n_clusters"),
            ({"gamma": -1.0}, "gamma"),
            ({"scale": "maybe"}, "scale"),
            ({"half_life": -1}, "half_life"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            EvolvingMaxMarginClustering(**{"n_clusters": 2, **parameters}).fit(
                np.eye(9)
            )

    def test_fit_refuses_lengths_that_differ(self):
        with pytest.raises(ValueError, match=r"times has shape \(2,\)"):
            EvolvingMaxMarginClustering(2).fit(np.eye(9), times=[0, 1])
        with pytest.raises(ValueError, match=r"ids has shape \(2,\)"):
            EvolvingMaxMarginClustering(2).fit(np.eye(9), ids=[0, 1])

    @pytest.mark.parametrize(
        "values",
        [
            np.array([0, 1, 2, 3, None, 5], dtype=object),
            [0, 1, 2, 3, np.nan, 5],
            np.array(["2026", "2027", "2028", "2029", "NaT", "2031"], dtype="M8[Y]"),
        ],
        ids=["None", "NaN", "NaT"],
    )
    @pytest.mark.parametrize("name", ["times", "ids"])
    def test_a_missing_time_or_id(self, name, values):
        model = EvolvingMaxMarginClustering(2)
        with pytest.raises(ValueError, match=f"{name} is missing in row 4"):
            model.fit(np.eye(6), **{name: values})
        with pytest.raises(ValueError, match="time is missing"):
            model.partial_fit(np.eye(6), time=np.nan)


def test_times_that_are_strings_of_numbers(random):
    """They are ordered as numbers, not by their letters."""
    X = random.randn(60, 2)
    times = np.repeat(["9", "10", "11"], 20)
    model = EvolvingMaxMarginClustering(2, random_state=0).fit(X, times=times)
    assert [record.time for record in model.history_] == ["9", "10", "11"]
    numbers = clone(model).fit(X, times=times.astype(int))
    assert_array_equal(model.labels_, numbers.labels_)
    model.partial_fit(X[:20], time="100")
    with pytest.raises(ValueError, match="not later"):
        model.partial_fit(X[:20], time="99")


def test_names_of_times_that_are_not_in_their_order(random):
    X, times = random.randn(60, 2), np.repeat(["Jan", "Feb", "Mar"], 20)
    with pytest.warns(UserWarning, match="ordered by their letters: 'Feb', 'Jan'"):
        EvolvingMaxMarginClustering(2, random_state=0).fit(X, times=times)
    days = np.repeat(["2026-01-31", "2026-02-28", "2026-03-31"], 20)
    model = EvolvingMaxMarginClustering(2, random_state=0).fit(X, times=days)
    assert [record.time for record in model.history_] == sorted(set(days))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_snapshot_of_one_object(strategy, random):
    X = random.randn(30, 2)
    model = EvolvingMaxMarginClustering(
        2, strategy=strategy, kernel="rbf", random_state=0
    )
    model.partial_fit(X).partial_fit(X[:1]).partial_fit(X)
    assert model.history_[1].left == 29
    assert len(model.labels_) == 30


def test_linear_functions_must_tell_the_clusters_apart(random):
    X = random.randn(90, 2) + 5.0 + np.repeat([[0.0], [2.0], [4.0]], 30, axis=0)
    model = EvolvingMaxMarginClustering(3, kernel="linear", random_state=0)
    with pytest.raises(ValueError, match="use kernel='rbf'"):
        model.partial_fit(X)
    assert not hasattr(model, "history_")
    apart = random.randn(60, 3) + 9.0 * np.eye(3)[np.arange(60) % 3]
    model.partial_fit(apart).partial_fit(apart + 0.1)
    assert model.history_[-1].moved == 0
