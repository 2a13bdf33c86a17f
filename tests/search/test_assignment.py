"""Labels from decision values under size limits."""

import numpy as np

from maxmargin.search.assignment import assign_within_limits


def test_limits_between_whole_sizes(random):
    # A cluster of 77 is below the limit of 77.1 and has no room all the same.
    decisions = np.column_stack([random.randn(178) + shift for shift in (5, 0, 3)])
    limits = np.array([[41.5] * 3, [77.1] * 3])
    labels = assign_within_limits(decisions, np.ones(178), limits)
    sizes = np.bincount(labels)
    assert (limits[0] <= sizes).all()
    assert (sizes <= limits[1]).all()


def test_unequal_weights(random):
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
