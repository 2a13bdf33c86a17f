"""Random labels within size limits, the starts of the evolutionary search."""

import numpy as np

from maxmargin.search.balance import Balance
from maxmargin.search.limits import assign_in_order
from maxmargin.search.runs import fill_empty


def labels_within(
    weights: np.ndarray, balance: Balance, random: np.random.RandomState
) -> np.ndarray:
    """Draw labels at random, and change as few as the size limits require."""
    n_clusters = len(balance.targets)
    preferences = random.rand(len(weights), n_clusters)
    labels = assign_in_order(preferences, weights, balance.limits)
    return fill_empty(labels, n_clusters, random)
