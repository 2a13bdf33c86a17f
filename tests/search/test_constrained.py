"""Search with given labels and links, against the formula and every labelling."""

import itertools

import numpy as np
import pytest
from tests.search.naive import power_sum

from maxmargin.search.balance import make_balance
from maxmargin.search.constrained import constrained_search, partial_state
from maxmargin.search.constraints import (
    make_constraints,
    merge_groups,
    satisfy_constraints,
    seed_labels,
    spread_labels,
)
from maxmargin.search.objective import Objective
from maxmargin.search.state import (
    best_target,
    join_gain,
    leave_gain,
    move,
    objective_of,
)

NONE = np.empty((0, 2), dtype=int)


def allowed(labels, given, must_link, cannot_link):
    return (
        all(labels[j] == c for j, c in enumerate(given) if c >= 0)
        and all(labels[i] == labels[j] for i, j in must_link)
        and all(labels[i] != labels[j] for i, j in cannot_link)
    )


def some_labels(random, n_samples, n_clusters, n_given):
    given = np.full(n_samples, -1)
    rows = random.choice(n_samples, n_given, replace=False)
    given[rows] = np.arange(n_given) % n_clusters
    return given


def run(S, weights, constraints, n_clusters, power, random, sizes="free"):
    balance = make_balance(sizes, n_clusters, weights, Objective(power))
    start = satisfy_constraints(spread_labels(S, constraints, n_clusters), constraints)
    return constrained_search(S, weights, constraints, start, balance, random)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_state_of_free_samples_knows_the_others(random, smoother_matrix, power):
    """Every move changes the formula, over all samples, by what the state says."""
    S, _ = smoother_matrix(random, 14)
    weights = random.uniform(0.5, 2.0, 14)
    labels = random.randint(3, size=14)
    labels[:3] = range(3)
    free = random.rand(14) < 0.6
    free[:3] = False
    limits = np.repeat([[-np.inf], [np.inf]], 3, axis=1)
    state = partial_state(S, weights, limits, labels, free, Objective(power))
    before = power_sum(S, labels, 3, power, weights)
    assert objective_of(state) == pytest.approx(before)
    for position, j in enumerate(np.flatnonzero(free)):
        d, gain = best_target(state, position)
        changes = []
        for target in {0, 1, 2} - {labels[j]}:
            other = labels.copy()
            other[j] = target
            changes.append(power_sum(S, other, 3, power, weights) - before)
            found = leave_gain(state, position) + join_gain(state, position, target)
            assert found == pytest.approx(changes[-1])
        assert gain == pytest.approx(max(changes))
        move(state, position, d)
        labels[j] = d
        before = power_sum(S, labels, 3, power, weights)
        assert objective_of(state) == pytest.approx(before)


def test_merged_groups_are_the_labellings_that_keep_them(random, smoother_matrix):
    S, _ = smoother_matrix(random, 7)
    weights = random.uniform(0.5, 2.0, 7)
    must_link = np.array([[5, 1], [1, 3], [6, 0]])
    constraints = make_constraints(np.full(7, -1), must_link, NONE)
    merged, totals = merge_groups(
        S, weights, constraints.groups, len(constraints.labels)
    )
    assert len(totals) == 4
    for labels in itertools.product(range(2), repeat=4):
        labels = np.array(labels)
        assert power_sum(merged, labels, 2, 0.7, totals) == pytest.approx(
            power_sum(S, labels[constraints.groups], 2, 0.7, weights)
        )


def test_groups_without_samples_keep_their_links(random, smoother_matrix):
    """The last sample is not searched: its two partners share a cluster."""
    S, _ = smoother_matrix(random, 6)
    given = np.array([0, 1, -1, -1, -1, -1, -1])
    cannot_link = np.array([[2, 6], [3, 6]])
    constraints = make_constraints(given, NONE, cannot_link).take_first(6)
    assert len(constraints.groups) == 6
    result = run(S, np.ones(6), constraints, 2, 1.0, random)
    assert len(result.labels) == 6
    assert result.labels[2] == result.labels[3]
    assert result.objective == pytest.approx(power_sum(S, result.labels, 2, 1.0))
    without = make_constraints(given, NONE, NONE).take_first(6)
    assert len(without.labels) == 6


@pytest.mark.parametrize("power", [0.7, 1.0])
def test_no_allowed_move_gains(random, smoother_matrix, power):
    S, _ = smoother_matrix(random, 40)
    weights = random.uniform(0.5, 2.0, 40)
    given = some_labels(random, 40, 3, 6)
    rest = random.permutation(np.flatnonzero(given < 0))
    must_link, cannot_link = rest[:8].reshape(4, 2), rest[8:16].reshape(4, 2)
    constraints = make_constraints(given, must_link, cannot_link)
    result = run(S, weights, constraints, 3, power, random)
    labels = result.labels
    assert result.converged
    assert allowed(labels, given, must_link, cannot_link)
    best = power_sum(S, labels, 3, power, weights)
    assert result.objective == pytest.approx(best)
    assert (np.diff(result.history) > -1e-9).all()
    for group in range(len(constraints.labels)):
        for d in range(3):
            other = np.where(constraints.groups == group, d, labels)
            if allowed(other, given, must_link, cannot_link):
                assert power_sum(S, other, 3, power, weights) <= best + 1e-9


def test_chains_find_the_best_of_all_labellings(random, smoother_matrix):
    """Two clusters and a path of links: all its samples must change at once."""
    S, _ = smoother_matrix(random, 6)
    given = np.array([0, 1, -1, -1, -1, -1])
    cannot_link = np.array([[2, 3], [3, 4], [4, 5]])
    constraints = make_constraints(given, NONE, cannot_link)
    result = run(S, np.ones(6), constraints, 2, 1.0, random)
    values = [
        power_sum(S, np.array(labels), 2, 1.0)
        for labels in itertools.product(range(2), repeat=6)
        if allowed(labels, given, NONE, cannot_link)
    ]
    assert len(values) == 2
    assert result.objective == pytest.approx(max(values))


def test_sizes_are_kept_around_given_labels(random, smoother_matrix):
    S, _ = smoother_matrix(random, 30)
    given = some_labels(random, 30, 3, 9)
    constraints = make_constraints(
        given, NONE, np.array([np.flatnonzero(given < 0)[:2]])
    )
    result = run(S, np.ones(30), constraints, 3, 1.0, random, sizes="equal")
    assert np.bincount(result.labels).tolist() == [10, 10, 10]
    assert (result.labels[given >= 0] == given[given >= 0]).all()


def test_contradictions_are_named():
    labels = np.array([0, -1, 1, -1, 0])
    with pytest.raises(ValueError, match="join samples 0 and 2, which have different"):
        make_constraints(labels, np.array([[0, 1], [1, 2]]), NONE)
    with pytest.raises(ValueError, match="samples 0 and 3 apart, which must_link"):
        make_constraints(labels, np.array([[0, 1], [1, 3]]), np.array([[0, 3]]))
    with pytest.raises(ValueError, match="samples 1 and 4 apart, which have the same"):
        make_constraints(labels, np.array([[0, 1]]), np.array([[1, 4]]))


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_links_are_met_wherever_they_can_be(random, n_clusters):
    """Small graphs of links, against all labellings."""
    met = 0
    for _ in range(40):
        given = some_labels(random, 7, n_clusters, n_clusters)
        pairs = np.array(list(itertools.combinations(range(7), 2)))
        pairs = pairs[random.rand(len(pairs)) < 0.35]
        pairs = pairs[
            ~((given[pairs[:, 0]] == given[pairs[:, 1]]) & (given[pairs[:, 0]] >= 0))
        ]
        possible = any(
            allowed(labels, given, NONE, pairs)
            for labels in itertools.product(range(n_clusters), repeat=7)
        )
        constraints = make_constraints(given, NONE, pairs)
        if possible:
            labels = satisfy_constraints(random.rand(7, n_clusters), constraints)
            assert allowed(labels, given, NONE, pairs)
        else:
            with pytest.raises(ValueError, match="No labelling with"):
                satisfy_constraints(random.rand(7, n_clusters), constraints)
        met += possible
    assert 0 < met


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_a_pair_gets_the_clusters_that_it_prefers(random, n_clusters):
    """Single links, against all labellings: neither end comes first."""
    pairs = np.array([[0, 3], [4, 1], [2, 5]])
    constraints = make_constraints(np.full(6, -1), NONE, pairs)
    for _ in range(20):
        values = random.randn(6, n_clusters)
        labels = satisfy_constraints(values, constraints)
        for pair in pairs:
            best = max(
                values[pair[0], g] + values[pair[1], h]
                for g, h in itertools.permutations(range(n_clusters), 2)
            )
            assert values[pair, labels[pair]].sum() == pytest.approx(best)


def test_links_of_many_get_no_worse_clusters_by_any_pair(random):
    """No link can be relabelled for the better while the others are met."""
    pairs = np.array(list(itertools.combinations(range(8), 2)))
    for _ in range(20):
        chosen = pairs[random.rand(len(pairs)) < 0.3]
        given, values = some_labels(random, 8, 5, 2), random.randn(8, 5)
        chosen = chosen[(given[chosen] < 0).any(axis=1)]
        labels = satisfy_constraints(values, make_constraints(given, NONE, chosen))
        assert allowed(labels, given, NONE, chosen)
        for pair in chosen[(given[chosen] < 0).all(axis=1)]:
            for new in itertools.permutations(range(5), 2):
                other = labels.copy()
                other[pair] = new
                if allowed(other, given, NONE, chosen):
                    gain = values[pair, other[pair]] - values[pair, labels[pair]]
                    assert gain.sum() < 1e-12


def test_labels_spread_by_their_mean_and_on_through_groups(random, smoother_matrix):
    S, _ = smoother_matrix(random, 12)
    given = np.array([0, 0, 0, 1, *[-1] * 8])
    expected = np.stack([S[:, :3].mean(axis=1), S[:, 3]], axis=1)
    constraints = make_constraints(given, NONE, NONE)
    np.testing.assert_allclose(spread_labels(S, constraints, 2), expected)
    constraints = make_constraints(given, np.array([[5, 9]]), NONE)
    side = (expected[5] + expected[9]).argmax()
    rows = [[0, 1, 2], [3]]
    rows[side] = [*rows[side], 5, 9]
    again = np.stack([S[:, own].mean(axis=1) for own in rows], axis=1)
    found = spread_labels(S, constraints, 2)
    np.testing.assert_allclose(found[constraints.groups[7]], again[7])
    np.testing.assert_allclose(found[constraints.groups[5]], again[5] + again[9])


def test_seeds_of_clusters_without_label(random, smoother_matrix):
    S, _ = smoother_matrix(random, 25)
    given = np.full(25, -1)
    given[:4] = [0, 0, 1, 1]
    constraints = make_constraints(given, np.array([[7, 8]]), NONE)
    votes = seed_labels(S, np.ones(25), constraints, 4, random)
    labels = votes.argmax(axis=1)[constraints.groups]
    assert (labels[:4] == given[:4]).all()
    assert votes.sum() == 25
    assert set(labels) <= {0, 1, 2, 3}
    assert (votes.max(axis=0) > 0).all()
