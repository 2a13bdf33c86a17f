"""Labels within limits by the order of loss, as the published methods have them."""

import numpy as np
import pytest

from maxmargin.published.search.evolution import labels_within
from maxmargin.search.balance import make_balance
from maxmargin.search.limits import assign_in_order, assign_within_limits


def total(decisions, labels):
    return decisions[np.arange(len(labels)), labels].sum()


@pytest.mark.parametrize("n_clusters", [2, 4])
def test_order_of_loss_meets_the_limits_and_is_near_the_best(random, n_clusters):
    decisions = random.randn(60, n_clusters) + np.arange(n_clusters)
    limits = make_balance(0.2, n_clusters, np.ones(60)).limits
    in_order = assign_in_order(decisions, np.ones(60), limits)
    best = assign_within_limits(decisions, np.ones(60), limits)
    sizes = np.bincount(in_order, minlength=n_clusters)
    assert (sizes >= limits[0]).all()
    assert (sizes <= limits[1]).all()
    assert total(decisions, in_order) <= total(decisions, best) + 1e-9
    if n_clusters == 2:  # with one way to go the order is the best one
        np.testing.assert_array_equal(in_order, best)


def test_labels_within_limits_stay(random):
    decisions = np.eye(3)[np.arange(30) % 3] + 0.1 * random.rand(30, 3)
    limits = make_balance("equal", 3, np.ones(30)).limits
    labels = assign_in_order(decisions, np.ones(30), limits)
    np.testing.assert_array_equal(labels, np.arange(30) % 3)


@pytest.mark.parametrize("balance", ["equal", 0.1, (5, None), "free"])
def test_random_labels_are_within_limits(random, balance):
    weights = np.ones(40)
    made = make_balance(balance, 3, weights)
    labels = labels_within(weights, made, random)
    sizes = np.bincount(labels, minlength=3)
    assert (sizes >= made.limits[0]).all()
    assert (sizes <= made.limits[1]).all()
    assert len(np.unique(labels_within(weights, made, random) == labels)) == 2
