"""The memory of objects, against sums over all snapshots."""

import io

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from maxmargin import EvolvingMaxMarginClustering, load_model, save_model
from maxmargin.evolving.memory import gap_between, remember, start_memory
from maxmargin.published import EvolvingMMC

TIMES = (0, 1, 3, 4, 10)


def visits(random, n_objects=12, n_features=5):
    """Return snapshots of objects that come and go: rows, ids, time."""
    for time in TIMES:
        ids = random.permutation(n_objects)[: n_objects - 4]
        yield random.rand(len(ids), n_features), ids, time


def follow(steps, half_life):
    memory = None
    for X, ids, time in steps:
        if memory is None:
            memory = start_memory(X, ids, time, half_life)
        else:
            memory = remember(memory, X, ids, time)
    return memory


def test_level_is_the_mean_with_fading_weights(random):
    steps = list(visits(random))
    memory = follow(steps, 2.0)
    _, ids, now = steps[-1]
    levels = memory.levels(len(ids), 0)
    for position, one in enumerate(ids):
        rows = [X[one == names][0] for X, names, _ in steps if one in names]
        ages = [now - time for _, names, time in steps if one in names]
        expected = np.average(rows, axis=0, weights=0.5 ** (np.array(ages) / 2.0))
        assert_allclose(levels[position], expected)


def test_sparse_entries_are_averaged_over_the_time_of_row_and_column(random):
    steps = []
    for X, ids, time in visits(random):
        X[:, random.randint(5)] = 0.0  # a column that is absent
        steps.append((sp.csr_matrix(X), ids, time))
    memory = follow(steps, 2.0)
    X, ids, now = steps[-1]
    levels = memory.levels(len(ids), 0).toarray()
    weights = [0.5 ** ((now - time) / 2.0) for _, _, time in steps]
    of_columns = sum(
        w * (rows.toarray() > 0).any(axis=0)
        for w, (rows, _, _) in zip(weights, steps, strict=True)
    )
    there = (X.toarray() > 0).any(axis=0)
    for position, one in enumerate(ids):
        pairs = [
            (w, rows.toarray()[one == names][0])
            for w, (rows, names, _) in zip(weights, steps, strict=True)
            if one in names
        ]
        total = sum(w * row for w, row in pairs)
        mass = sum(w for w, _ in pairs)
        expected = np.where(there, total / np.minimum(mass, of_columns), 0.0)
        assert_allclose(levels[position], expected)


def test_rows_of_length_one_keep_it(random):
    steps = []
    for X, ids, time in visits(random):
        rows = X / np.linalg.norm(X, axis=1, keepdims=True)
        steps.append((sp.csr_matrix(rows), ids, time))
    levels = follow(steps, 2.0).levels(8, 0).toarray()
    assert_allclose(np.linalg.norm(levels, axis=1), 1.0)


@pytest.mark.parametrize(("moves", "expected"), [(True, [0.0]), (False, [4.0, 8.0])])
def test_half_life_follows_from_the_rows(moves, expected, random):
    X = random.randn(60, 2) + np.repeat([[0], [8]], 30, axis=0)
    model = EvolvingMaxMarginClustering(2, random_state=0)
    start = X
    for _ in range(6):
        model.partial_fit(X)
        X = (X if moves else start) + random.randn(60, 2)
    assert model.half_life_ in expected


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
@pytest.mark.parametrize("n_jump", [10, 30])
def test_memory_follows_a_jump(strategy, n_jump, random):
    """A cluster moves to a new place once, or a part of it joins another cluster."""
    truth = np.repeat([0, 1, 2], 30)
    places = np.repeat([[0.0, 0.0], [8.0, 0.0], [16.0, 0.0]], 30, axis=0)
    model = EvolvingMaxMarginClustering(3, strategy=strategy, random_state=0)
    for time in range(8):
        if time == 5:
            assert model.half_life_ >= 4.0
            places[:n_jump] = [24.0, 0.0] if n_jump == 30 else [8.0, 0.0]
            truth[:n_jump] = 0 if n_jump == 30 else 1
        model.partial_fit(places + random.randn(90, 2))
        if time >= 5:
            assert adjusted_rand_score(truth, model.labels_) > 0.95
    assert model.half_life_ >= 4.0  # a jump does not end the memory


def test_rows_that_fluctuate_do_not_jump(random):
    """Among the rows of 50 snapshots none jumps; a row that is moved does."""
    ids = np.arange(40)
    memory = follow(((random.randn(40, 3), ids, t) for t in range(50)), "auto")
    assert_allclose(memory.masses[-1], memory.masses[-1][0])
    X = random.randn(40, 3)
    X[7] += 9.0
    memory = remember(memory, X, ids, 50)
    assert_allclose(memory.masses[-1][7], 1.0)
    assert_allclose(memory.levels(40, 3)[7], X[7])
    assert (np.delete(memory.masses[-1], 7) > 5.0).all()


def test_auto_is_no_memory_until_something_was_predicted(random):
    X = random.randn(40, 2)
    model = EvolvingMaxMarginClustering(2, random_state=0)
    model.partial_fit(X).partial_fit(X + random.randn(40, 2))
    assert model.half_life_ == 0.0
    assert_array_equal(model._past.X, model._past.memory.last)


@pytest.mark.parametrize("strategy", ["cohort", "individual", "model"])
def test_noise_is_averaged_out(strategy):
    classes = np.repeat([0, 1], 40)
    centers = 1.2 * classes[:, None]
    wrong = {}
    for half_life in (0, 8):
        noise = np.random.RandomState(0)
        model = EvolvingMaxMarginClustering(
            2, strategy=strategy, half_life=half_life, random_state=0
        )
        for _ in range(8):
            model.partial_fit(centers + noise.randn(80, 2))
        share = np.mean(model.labels_ == classes)
        wrong[half_life] = min(share, 1 - share)
    assert wrong[8] <= 0.05 < wrong[0]


def test_hinge_loss_remembers(random):
    centers = np.repeat([[0.0], [1.5]], 40, axis=0)
    model = EvolvingMMC(2, half_life=8, random_state=0)
    for _ in range(8):
        model.partial_fit(centers + random.randn(80, 2))
    share = np.mean(model.labels_ == np.repeat([0, 1], 40))
    assert min(share, 1 - share) <= 0.05


def test_absent_objects_are_forgotten(random):
    memory = start_memory(random.randn(20, 2), np.arange(20), 0, 1.0)
    for time in range(1, 30):
        ids = np.arange(20 * time, 20 * time + 20)  # none is seen twice
        memory = remember(memory, random.randn(20, 2), ids, time)
    assert len(memory.ids) <= 20 * 8  # 2^-7 < 0.01


def test_memory_is_saved(random):
    steps = list(visits(random, n_objects=40))
    one = EvolvingMaxMarginClustering(2, half_life=2, random_state=0)
    two = None
    for number, (X, ids, time) in enumerate(steps):
        one.partial_fit(X, ids=ids, time=time)
        if two is not None:
            two.partial_fit(X, ids=ids, time=time)
        if number == 1:
            file = io.BytesIO()
            save_model(file, one)
            two = load_model(file)
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(one._past.X, two._past.X)


def test_gaps_of_dates_are_days_and_of_strings_one():
    days = np.datetime64("2024-01-01"), np.datetime64("2024-01-08T12:00:00")
    assert gap_between(*days) == 7.5
    assert gap_between("a", "b") == 1.0
    assert gap_between(2, 5) == 3.0


@pytest.mark.parametrize("half_life", [-1, "long", None, np.inf])
def test_refuses_other_half_lives(half_life, random):
    model = EvolvingMaxMarginClustering(2, half_life=half_life)
    with pytest.raises(ValueError, match="half_life"):
        model.partial_fit(random.randn(10, 2))
