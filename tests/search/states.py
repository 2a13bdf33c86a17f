"""States of the plain sum without size limits, and the moves between labellings."""

import itertools

import numpy as np

from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.state import new_state


def make_state(S, labels, n_clusters):
    limits = np.repeat([[-np.inf], [np.inf]], n_clusters, axis=1)
    return new_state(S, np.ones(len(S)), limits, labels, PLAIN_SUM)


def recorded_moves(states):
    """Return the moves between consecutive labellings."""
    pairs = itertools.pairwise(states)
    return [
        (j, after[j])
        for before, after in pairs
        for j in np.flatnonzero(before != after)
    ]
