import numpy as np
import pytest

from maxmargin.search.balance import make_balance, possible_counts
from maxmargin.search.descent import repair_moves, swap_gain, swap_moves
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import MEANS, PLAIN_SUM, Objective
from maxmargin.search.state import move, new_state, objective_of


def test_free_forbids_only_empty_clusters():
    balance = make_balance("free", 3, np.array([2.0, 1.0, 4.0]))
    assert (balance.limits[0] > 0).all()
    assert (balance.limits[0] < 1).all()
    assert np.isinf(balance.limits[1]).all()
    assert balance.objective == MEANS
    assert not balance.bounded


def test_none_is_the_plain_sum_of_the_papers():
    balance = make_balance("free", 3, np.ones(10), PLAIN_SUM)
    assert balance.objective == PLAIN_SUM
    assert np.isinf(balance.limits).all()


def test_equal_sizes_differ_by_at_most_one():
    balance = make_balance("equal", 3, np.ones(10))
    np.testing.assert_allclose(balance.limits, [[3] * 3, [4] * 3], atol=1e-6)


def test_proportions_become_sizes():
    balance = make_balance([0.5, 0.3, 0.2], 3, np.ones(10))
    np.testing.assert_allclose(balance.limits, [[5, 3, 2], [5, 3, 2]], atol=1e-6)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("even", "not understood"),
        ((0.5, 0.4, 0.3), "add up to 1"),
        ((1.2, -0.1, -0.1), "add up to 1"),
        ((6, 3), "not understood"),
        ((4, None), "cannot be met: 3 clusters .* Lower the minimum"),
        ((None, 3), "cannot be met: 3 clusters .* raise the maximum"),
        ((0.98, 0.01, 0.01), "smaller than one sample"),
    ],
)
def test_impossible_sizes_are_refused_with_the_cure(sizes, message):
    with pytest.raises(ValueError, match=message):
        make_balance(sizes, 3, np.ones(10))


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
def test_swap_gain_is_the_difference_of_objectives(random, smoother_matrix, power):
    R, _ = smoother_matrix(random, 9)
    weights = random.uniform(0.5, 2, 9)
    limits = np.array([[0.0] * 3, [9.0] * 3])
    state = new_state(R, weights, limits, np.arange(9) % 3, Objective(power))
    before = objective_of(state)
    gain = swap_gain(state, 1, 5)
    move(state, 1, 2)
    move(state, 5, 1)
    assert objective_of(state) - before == pytest.approx(gain, abs=1e-12)


def test_repair_brings_sizes_within_limits(random, smoother_matrix):
    R, _ = smoother_matrix(random, 30)
    limits = make_balance((8, 12), 3, np.ones(30)).limits
    state = new_state(R, np.ones(30), limits, np.zeros(30, dtype=int), MEANS)
    assert repair_moves(state) > 0
    assert (state.sizes >= 8).all()
    assert (state.sizes <= 12).all()


def test_swaps_keep_sizes_and_end_in_a_local_optimum(random, smoother_matrix):
    R, _ = smoother_matrix(random, 24)
    limits = make_balance("equal", 3, np.ones(24)).limits
    state = new_state(R, np.ones(24), limits, random.permutation(24) % 3, MEANS)
    before = objective_of(state)
    while swap_moves(state, np.arange(24), 1e-12):
        assert (state.sizes == 8).all()
    assert objective_of(state) > before
    pairs = [
        (i, j)
        for i in range(24)
        for j in range(24)
        if state.labels[i] != state.labels[j]
    ]
    assert max(swap_gain(state, i, j) for i, j in pairs) <= 1e-12


def test_share_around_the_mean():
    balance = make_balance(0.3, 2, np.ones(100))
    assert np.allclose(balance.limits, [[35, 35], [65, 65]])
    tight = make_balance(0, 3, np.ones(10))
    assert np.allclose(tight.limits, [[3] * 3, [4] * 3])
    with pytest.raises(ValueError, match="a share between 0 and 1"):
        make_balance(1.5, 2, np.ones(10))


@pytest.mark.parametrize("unit", [1.0, 1 / 6000, 1e3])
def test_limits_of_a_part_do_not_depend_on_the_unit_of_weight(unit):
    balance = make_balance("equal", 3, np.full(6000, unit))
    part = balance.of_part(np.full(4000, unit), 6000 * unit)
    expected = [[1333] * 3, [1334] * 3]
    np.testing.assert_allclose(part.limits / unit, expected, atol=1e-4)
    np.testing.assert_allclose(part.targets / unit, [4000 / 3] * 3)


def test_limits_of_a_part_allow_for_its_largest_weight(random):
    weights = random.uniform(0.1, 5.0, 600) / 1000
    balance = make_balance("equal", 3, weights)
    part = weights[:60]
    limits = balance.of_part(part, weights.sum()).limits
    assert (limits[1] - limits[0] >= 2 * part.max()).all()
    labels = assign_within_limits(random.randn(60, 3), part, limits)
    sizes = np.bincount(labels, part)
    assert (sizes <= limits[1]).all()
    assert (sizes >= limits[0]).all()


@pytest.mark.parametrize(
    ("balance", "expected"),
    [
        ("free", (1, np.inf)),
        ("equal", (1, np.inf)),
        (0.2, (1, np.inf)),
        ([0.5, 0.3, 0.2], (3, 3)),
        ([0.4, 0.6], (2, 2)),
        ((30, None), (1, 3)),
        ((None, 30), (4, np.inf)),
        ((20, 50), (2, 5)),
        ((200, None), (1, 1)),
    ],
)
def test_limits_of_the_sizes_limit_the_number(balance, expected):
    assert possible_counts(balance, 100.0) == expected
