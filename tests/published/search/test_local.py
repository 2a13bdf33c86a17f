"""Search on local subsets: caches of a subset, and moves against the whole matrix."""

import numpy as np
import pytest
from tests.search import naive

from maxmargin.published.search.local import (
    local_search,
    local_subsets,
    seed_by_features,
    subset_state,
)
from maxmargin.search.balance import make_balance
from maxmargin.search.features import sum_rows
from maxmargin.search.objective import Objective
from maxmargin.search.state import best_target


@pytest.fixture
def samples(random):
    features = random.randn(60, 5) + 3 * (np.arange(60)[:, None] % 3)
    return features, 0.5 + random.rand(60)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_moves_of_a_subset_are_evaluated_on_all_samples(samples, random, power):
    features, weights = samples
    rows = features * weights[:, None]
    S, labels = rows @ rows.T, random.randint(3, size=60)
    balance = make_balance("free", 3, weights, Objective(power))
    sums, sizes = sum_rows(features, weights, labels, 3)
    subset = random.choice(60, 15, replace=False)
    state = subset_state(rows, weights, labels, subset, sums, sizes, balance)
    before = naive.power_sum(S, labels, 3, power, weights)
    for position, j in enumerate(subset):
        d, gain = best_target(state, position)
        after = naive.power_sum(S, naive.moved(labels, j, d), 3, power, weights)
        assert gain == pytest.approx(after - before, rel=1e-8, abs=1e-8)


def test_subsets_are_local_and_cover_every_sample_once(random):
    X = np.concatenate([random.randn(80, 2), random.randn(80, 2) + 50])
    subsets = list(local_subsets(X, 40, random))
    assert max(map(len, subsets)) <= 40
    np.testing.assert_array_equal(np.sort(np.concatenate(subsets)), np.arange(160))
    assert all(len(set(subset >= 80)) == 1 for subset in subsets)


@pytest.mark.parametrize("size", [8, 60])
def test_ends_where_no_single_move_of_any_sample_gains(samples, random, size):
    features, weights = samples
    rows = features * weights[:, None]
    S = rows @ rows.T
    balance = make_balance("free", 3, weights, Objective(0.7))
    start = seed_by_features(features, weights, 3, random)
    run = local_search(
        features, weights, start, balance, random, subset_size=size, tolerance=0.0
    )
    value = naive.power_sum(S, run.labels, 3, 0.7, weights)
    assert run.objective == pytest.approx(value)
    assert (np.diff(run.history) >= -1e-9 * value).all()
    moved = [
        naive.power_sum(S, naive.moved(run.labels, j, d), 3, 0.7, weights)
        for j in range(60)
        for d in range(3)
        if np.sum(run.labels == run.labels[j]) > 1  # clusters may not be emptied
    ]
    assert max(moved) <= value * (1 + 1e-9)


def test_sizes_stay_within_their_limits(samples, random):
    features, weights = samples
    weights = np.ones_like(weights)
    balance = make_balance("equal", 3, weights, Objective(0.7))
    start = np.arange(60) % 3
    run = local_search(features, weights, start, balance, random, subset_size=20)
    np.testing.assert_array_equal(np.bincount(run.labels), [20, 20, 20])
