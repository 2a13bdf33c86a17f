"""Fits with constraints: what is kept, what moves, what is asked."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.clustering import Clustering
from maxmargin.app.corrections import apply, describe
from maxmargin.app.engine import Engine
from maxmargin.app.schemas import (
    Apart,
    Assign,
    Merge,
    Settings,
    Split,
    Together,
    Unsure,
)
from maxmargin.plots.neighbor_map import neighbor_map
from maxmargin.tables.samples import TableSamples


def start(X, k):
    samples = TableSamples("", X, None, "row", np.arange(len(X)))
    engine = Engine(samples, Settings(clusters=k))
    return engine, engine.explore(engine.first_fit())[0]


@pytest.fixture(scope="module")
def blobs():
    centers = [[0, 0], [9, 0], [0, 9], [2.5, 2.5]]
    X, y = make_blobs([60, 60, 60, 40], centers=centers, random_state=0)
    return X, y


def check_corrections(state):
    """Assert that all corrections hold."""
    said = state.corrections
    assert all(state.labels[row] == cluster for row, cluster in said.labels.items())
    assert all(state.labels[i] == state.labels[j] for i, j in said.together)
    assert all(state.labels[i] != state.labels[j] for i, j in said.apart)


def test_random_corrections_are_all_kept(blobs, random):
    X, y = blobs
    engine, state = start(X, 4)
    for _ in range(12):
        rows = [int(i) for i in random.choice(len(X), 2, replace=False)]
        kind = random.randint(3)
        if kind == 0:
            cluster = int(random.choice(state.ids))
            action = Assign(kind="assign", rows=rows[:1], cluster=cluster)
        elif y[rows[0]] == y[rows[1]]:
            action = Together(kind="together", rows=rows)
        else:
            action = Apart(kind="apart", rows=rows)
        try:
            state = apply(engine, state, action)
        except ValueError:
            continue  # contradicts what was assigned at random
        check_corrections(state)
        assert set(np.unique(state.labels)) <= set(state.ids.tolist())


def test_what_a_correction_does_not_concern_stays(blobs):
    X, y = blobs
    engine, state = start(X, 3)
    near = int(np.flatnonzero(y == 3)[0])
    target = int(state.labels[np.flatnonzero(y == 1)[0]])
    after = apply(engine, state, Assign(kind="assign", rows=[near], cluster=target))
    assert after.labels[near] == target
    far = y == 2
    assert_array_equal(after.labels[far], state.labels[far])


def test_a_correction_that_says_nothing_new_moves_nothing(blobs):
    X, _ = blobs
    engine, state = start(X, 4)
    rows = np.flatnonzero(state.labels == 0)[:2].tolist()
    after = apply(engine, state, Together(kind="together", rows=rows))
    assert_array_equal(after.labels, state.labels)


def test_merge_and_split_are_kept_by_the_next_fit(blobs):
    X, _ = blobs
    engine, state = start(X, 4)
    state = apply(engine, state, Merge(kind="merge", clusters=[0, 1]))
    assert len(state.clusters) == 3
    merged = state.labels == 0
    state = apply(engine, state, Split(kind="split", cluster=2))
    split = state.labels.copy()
    assert len(state.clusters) == 4
    rows = [int(i) for i in np.flatnonzero(state.labels == 3)[:2]]
    state = apply(engine, state, Together(kind="together", rows=rows))
    assert np.mean(state.labels != split) < 0.01
    assert (state.labels[merged] == 0).mean() > 0.95


def test_unsure_rows_have_no_margin_and_no_constraint(blobs):
    X, _ = blobs
    engine, state = start(X, 4)
    state = apply(engine, state, Assign(kind="assign", rows=[3], cluster=1))
    state = apply(engine, state, Unsure(kind="unsure", rows=[3]))
    assert state.corrections.labels == {}
    assert state.corrections.unsure == (3,)
    assert state.margin[3] == 0


def test_more_rows_than_are_fitted():
    X, y = make_blobs(11_000, centers=4, cluster_std=1.5, random_state=2)
    engine, state = start(X, 4)
    before = adjusted_rand_score(y, state.labels)
    row = int(np.argmin(state.margin))
    target = int(state.rivals[row])
    after = apply(engine, state, Assign(kind="assign", rows=[row], cluster=target))
    assert after.labels[row] == target
    assert np.mean(after.labels != state.labels) < 0.05
    assert adjusted_rand_score(y, after.labels) > before - 0.05


def test_right_answers_lead_to_the_classes_of_iris():
    X, y = load_iris(return_X_y=True)
    engine, state = start(X, 3)
    first = adjusted_rand_score(y, state.labels)
    asked = set()
    for _ in range(20):
        question = state.questions(engine.parts, 1)[0]
        pair = (question.first, question.second)
        assert pair not in asked
        asked.add(pair)
        rows = list(pair)
        if y[rows[0]] == y[rows[1]]:
            state = apply(engine, state, Together(kind="together", rows=rows))
        else:
            state = apply(engine, state, Apart(kind="apart", rows=rows))
        check_corrections(state)
    assert adjusted_rand_score(y, state.labels) > first


def test_answers_that_prove_one_more_cluster_make_it():
    """With two clusters, three rows cannot be apart from each other."""
    X, y = load_iris(return_X_y=True)
    engine, state = start(X, 2)
    setosa, versicolor, virginica = 4, 91, 122
    assert state.labels[versicolor] == state.labels[virginica]
    first = adjusted_rand_score(y, state.labels)
    for rows in ([virginica, versicolor], [virginica, setosa], [versicolor, setosa]):
        assert len(state.clusters) == 2
        action = Apart(kind="apart", rows=rows)
        before, state = state, apply(engine, state, action)
        check_corrections(state)
    assert len(state.clusters) == 3
    assert describe(action, before, state).endswith(
        "apart, which takes one more cluster"
    )
    assert adjusted_rand_score(y, state.labels) > first + 0.1
    kept = before.base != before.base[versicolor]
    assert_array_equal(state.base[kept], before.base[kept])  # only one is divided


def test_pairs_that_no_number_of_clusters_meets_are_refused(blobs):
    X, _ = blobs
    engine, state = start(X, 2)
    state = apply(engine, state, Together(kind="together", rows=[0, 1, 2]))
    with pytest.raises(ValueError, match="apart"):
        apply(engine, state, Apart(kind="apart", rows=[0, 2]))


def test_a_restored_engine_gives_the_same_answer(blobs):
    """Nothing that a correction needs is lost when the app is started anew."""
    X, _ = blobs
    samples = start(X, 4)[0].samples
    engine = Engine(samples, Settings(clusters=4))
    state, arrays = engine.explore(engine.first_fit())
    question = state.questions(engine.parts, 1)[0]
    action = Apart(kind="apart", rows=[question.first, question.second])
    later = Engine(samples, Settings(clusters=4))
    later.restore(arrays)
    stored = Clustering.of(state.about(), state.arrays())
    after, again = apply(engine, state, action), apply(later, stored, action)
    assert_array_equal(after.labels, again.labels)
    np.testing.assert_allclose(after.shares, again.shares)
    assert state.questions(later.parts, 5) == stored.questions(engine.parts, 5)


def test_rows_that_are_known_or_unsure_are_not_asked(blobs):
    X, _ = blobs
    engine, state = start(X, 4)
    first = state.questions(engine.parts, 1)[0]
    assert first.cluster in state.ids
    unsure = apply(engine, state, Unsure(kind="unsure", rows=[first.first]))
    cluster = int(state.labels[first.first])
    given = Assign(kind="assign", rows=[first.first], cluster=cluster)
    known = apply(engine, state, given)
    for after in (unsure, known):
        asked = after.questions(engine.parts, 30)
        assert asked
        assert first.first not in {one.first for one in asked}


def test_clusters_after_a_merge_are_where_the_next_fit_starts(blobs):
    X, _ = blobs
    engine, state = start(X, 4)
    merged = apply(engine, state, Merge(kind="merge", clusters=[0, 1]))
    assert set(np.unique(merged.base)) == {0, 2, 3}
    assert merged.shares.shape[1] == 3
    np.testing.assert_allclose(merged.shares.sum(axis=1), 1.0)
    row = int(np.flatnonzero(merged.labels == 2)[0])
    new = apply(engine, merged, Assign(kind="assign", rows=[row], cluster=None))
    assert new.labels[row] == new.base[row] == 4
    assert np.mean(new.labels != merged.labels) < 0.1


def test_the_map_keeps_neighbours_together(random):
    X, y = make_blobs(150, centers=5, n_features=6, random_state=random)
    positions = neighbor_map(X, 5, np.random.RandomState(0))
    again = neighbor_map(X, 5, np.random.RandomState(0))
    assert_array_equal(positions, again)
    distances = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    assert (y[nearest] == y).mean() > 0.95


@pytest.mark.parametrize("n_rows", [2, 3, 5])
def test_tables_of_few_rows_have_a_map(random, n_rows):
    samples = start(random.randn(12, 2), 2)[0].samples
    few = TableSamples(
        "", samples.X[:n_rows], samples.preprocessor, "row", np.arange(n_rows)
    )
    engine = Engine(few, Settings(clusters=2))
    state, arrays = engine.explore(engine.first_fit())
    assert np.isfinite(arrays["graph"]).all()
    assert arrays["graph"].shape == (n_rows, 2)
    assert len(state.questions(engine.parts, 5)) <= n_rows
