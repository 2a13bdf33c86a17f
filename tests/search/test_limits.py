"""Labels within size limits, against linear programs and every labelling."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin.search.limits import assign_within_limits


def best_value(values, limits):
    """Return the value of the transport problem, a linear program with whole vertices.

    None if it has no solution.
    """
    n_samples, k = values.shape
    one_each = np.kron(np.eye(n_samples), np.ones(k))
    per_cluster = np.kron(np.ones(n_samples), np.eye(k))
    finite = np.isfinite(limits)
    rows = np.concatenate([-per_cluster[finite[0]], per_cluster[finite[1]]])
    bounds = np.concatenate([-limits[0][finite[0]], limits[1][finite[1]]])
    result = linprog(
        -values.ravel(), rows, bounds, one_each, np.ones(n_samples), bounds=(0, 1)
    )
    return -result.fun if result.status == 0 else None


def limits_of(low, high, k):
    return np.repeat([[float(low)], [float(high)]], k, axis=1)


def assert_within(labels, weights, limits):
    sizes = np.bincount(labels, weights, limits.shape[1])
    rounding = 1e-8 * weights.sum()
    assert (sizes >= limits[0] - rounding).all()
    assert (sizes <= limits[1] + rounding).all()


def total(values, labels):
    return values[np.arange(len(labels)), labels].sum()


def random_limits(random, n_samples, k):
    """Return limits that differ between clusters and can be met."""
    sizes = random.multinomial(n_samples, random.dirichlet(np.ones(k)))
    low = np.maximum(sizes - random.randint(3, size=k), 0)
    high = sizes + random.randint(3, size=k)
    return np.stack([low, high]).astype(float)


@pytest.mark.parametrize("kind", ["normal", "ties", "shifted", "features"])
@pytest.mark.parametrize("limited", ["equal", "general"])
def test_the_best_of_all_labellings(random, kind, limited):
    for _ in range(12):
        n_samples, k = random.randint(6, 40), random.randint(2, 6)
        values = random.randn(n_samples, k)
        if kind == "ties":
            values = random.randint(3, size=(n_samples, k)).astype(float)
        elif kind == "shifted":
            values += 5.0 * random.randn(k)
        elif kind == "features":
            values = random.randn(n_samples, 1) @ random.randn(1, k)
        limits = limits_of(n_samples // k, -(-n_samples // k), k)
        if limited == "general":
            limits = random_limits(random, n_samples, k)
        labels = assign_within_limits(values, np.ones(n_samples), limits)
        assert_within(labels, np.ones(n_samples), limits)
        assert total(values, labels) == pytest.approx(best_value(values, limits))


def test_against_every_labelling(random):
    for _ in range(20):
        values, limits = random.randn(7, 3), random_limits(random, 7, 3)
        best = max(
            total(values, np.array(labels))
            for labels in itertools.product(range(3), repeat=7)
            if (np.bincount(labels, minlength=3) >= limits[0]).all()
            and (np.bincount(labels, minlength=3) <= limits[1]).all()
        )
        labels = assign_within_limits(values, np.ones(7), limits)
        assert total(values, labels) == pytest.approx(best)


@pytest.mark.parametrize("unit", [1e-6, 1 / 3, 7.0, 1e9])
def test_the_unit_of_the_weights_does_not_matter(random, unit):
    values, limits = np.add(random.randn(40, 3), [3, 0, 0]), limits_of(13, 14, 3)
    plain = assign_within_limits(values, np.ones(40), limits)
    other = assign_within_limits(values, np.full(40, unit), unit * limits)
    np.testing.assert_array_equal(other, plain)


def test_a_value_added_to_a_sample_changes_nothing(random):
    values, limits = random.randn(60, 4), limits_of(15, 15, 4)
    shifted = values + 3.0 * random.randn(60, 1)
    labels = assign_within_limits(shifted, np.ones(60), limits)
    assert total(values, labels) == pytest.approx(best_value(values, limits))


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_values_of_any_size(random, scale):
    values, limits = np.add(random.randn(30, 3), [2, 0, 0]), limits_of(10, 10, 3)
    labels = assign_within_limits(scale * values, np.ones(30), limits)
    assert total(values, labels) == pytest.approx(best_value(values, limits))


@pytest.mark.parametrize("n_empty", [1, 2])
def test_empty_clusters_are_filled_last(random, n_empty):
    """They have no value for any sample: only as many as needed join them."""
    values = random.randn(30, 4)
    values[:, :n_empty] = -np.inf
    limits = limits_of(2, 30, 4)
    labels = assign_within_limits(values, np.ones(30), limits)
    sizes = np.bincount(labels, minlength=4)
    assert (sizes[:n_empty] == 2).all()
    assert sizes[n_empty:].sum() == 30 - 2 * n_empty
    rest = labels >= n_empty
    np.testing.assert_array_equal(labels[rest], values[rest].argmax(axis=1))


def test_no_values_at_all():
    labels = assign_within_limits(
        np.full((6, 3), -np.inf), np.ones(6), limits_of(2, 2, 3)
    )
    assert np.bincount(labels).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "limits",
    [limits_of(4, 9, 3), limits_of(0, 3, 3), np.array([[3.5] * 3, [3.9] * 3])],
)
@pytest.mark.parametrize("unequal", [False, True])
def test_limits_that_cannot_be_met(random, limits, unequal):
    """Too much is asked for, too little is allowed, or nothing lies between."""
    weights = np.ones(10)
    if unequal:
        weights[:2] = 1.25, 0.75
    with pytest.raises(ValueError, match="balance cannot be met"):
        assign_within_limits(random.randn(10, 3), weights, limits)


@pytest.mark.parametrize("whole", [True, False])
def test_unequal_weights_are_within_limits(random, whole):
    for _ in range(10):
        k = random.randint(2, 6)
        weights = random.uniform(0.2, 3.0, 80)
        if whole:
            weights = random.randint(1, 4, 80).astype(float)
        mean = weights.sum() / k
        limits = limits_of(mean - weights.max(), mean + weights.max(), k)
        values = random.randn(80, k) + 2.0 * random.randn(k)
        labels = assign_within_limits(values, weights, limits)
        assert_within(labels, weights, limits)


def test_few_merged_samples(random):
    """Mostly weights of one, and exact sizes: as rows of which some are equal."""
    for _ in range(10):
        weights = np.ones(60)
        weights[random.choice(60, 8, replace=False)] = random.randint(2, 4, 8)
        share = weights.sum() / 3
        limits = limits_of(np.floor(share), np.ceil(share), 3)
        values = random.randn(60, 3) + 2.0 * random.randn(3)
        labels = assign_within_limits(values, weights, limits)
        assert_within(labels, weights, limits)


def test_many_samples(random):
    """At least as good as moving samples in the order of their loss."""
    n_samples, k = 20_000, 12
    values = random.randn(n_samples, 5) @ random.randn(5, k) + 2.0 * random.randn(k)
    limits = limits_of(n_samples // k, -(-n_samples // k), k)
    labels = assign_within_limits(values, np.ones(n_samples), limits)
    assert_within(labels, np.ones(n_samples), limits)
    # No swap of two samples, and no cycle of three moves, gains.
    loss = np.full((k, k), np.inf)
    for a in range(k):
        own = values[labels == a]
        loss[a] = (own[:, [a]] - own).min(axis=0)
    np.fill_diagonal(loss, np.inf)
    assert (loss + loss.T).min() >= -1e-9
    two = (loss[:, :, None] + loss[None, :, :]).min(axis=1)
    assert (two + loss.T).min() >= -1e-9


def test_assignment_within_limits(random):
    decisions = random.randn(50, 3) + np.array([2, 0, -2])
    limits = np.array([[10.0] * 3, [20.0] * 3])
    labels = assign_within_limits(decisions, np.ones(50), limits)
    sizes = np.bincount(labels, minlength=3)
    assert sizes.min() >= 10
    assert sizes.max() <= 20
    free = assign_within_limits(decisions, np.ones(50), limits * [[0], [9]])
    np.testing.assert_array_equal(free, decisions.argmax(axis=1))


def test_limits_between_whole_sizes(random):
    # A cluster of 77 is below the limit of 77.1 and has no room all the same.
    decisions = np.column_stack([random.randn(178) + shift for shift in (5, 0, 3)])
    limits = np.array([[41.5] * 3, [77.1] * 3])
    labels = assign_within_limits(decisions, np.ones(178), limits)
    sizes = np.bincount(labels)
    assert (limits[0] <= sizes).all()
    assert (sizes <= limits[1]).all()


def test_weights_of_one_to_three(random):
    weights = random.randint(1, 4, 60).astype(float)
    mean = weights.sum() / 3
    limits = np.array([[mean - 3] * 3, [mean + 3] * 3])
    decisions = random.randn(60, 3) + np.array([4.0, 0.0, 0.0])
    labels = assign_within_limits(decisions, weights, limits)
    sizes = np.bincount(labels, weights)
    assert (limits[0] <= sizes).all()
    assert (sizes <= limits[1]).all()


def test_without_need_the_best(random):
    decisions = random.randn(50, 4)
    limits = np.array([[0.0] * 4, [50.0] * 4])
    labels = assign_within_limits(decisions, np.ones(50), limits)
    np.testing.assert_array_equal(labels, decisions.argmax(axis=1))
