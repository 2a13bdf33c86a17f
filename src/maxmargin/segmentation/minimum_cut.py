r"""Labels of cells that minimise a cost with borders, by minimum cuts.

The cost of the labels y is

.. math:: \sum_i u_i(y_i) + \sum_{i \sim j} w_{ij} [y_i \ne y_j]

with the cost u of the labels of each cell and the weights w of the borders. With two
labels a minimum cut gives the least cost. With more it is the least that is found by
expansion moves, each of which lets any set of cells take one label:

Y. Boykov, O. Veksler, R. Zabih. Fast approximate energy minimization via graph cuts.
IEEE Transactions on Pattern Analysis and Machine Intelligence 23(11), 2001.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from maxmargin.segmentation.regions import Borders

MAX_CAPACITY = 2.0**30  # the sum of all capacities, which are ints of 32 bits
MAX_SWEEPS = 5  # over the labels, if there are more than two


def label_by_cuts(
    costs: np.ndarray, weights: np.ndarray, borders: Borders, given: np.ndarray
) -> np.ndarray:
    """Return the labels of the least cost among those that agree with ``given``.

    ``costs`` (n_cells x n_labels) are those of the labels of cells, ``weights`` those
    of borders that separate different labels; ``given`` is -1 for unknown labels.
    """
    costs = _fix_given(costs, weights, borders, given)
    n_labels = costs.shape[1]
    if n_labels == 2:
        return expand(np.maximum(given, 0), 1, costs, weights, borders)
    labels = costs.argmin(axis=1)
    for _ in range(MAX_SWEEPS):
        before = labels
        for target in range(n_labels):
            labels = expand(labels, target, costs, weights, borders)
        if np.array_equal(labels, before):
            break
    return labels


def _fix_given(costs, weights, borders, given):
    """Let a wrong label of a known cell cost more than all borders of the cell."""
    n_cells = len(costs)
    most = np.bincount(borders.first, weights, n_cells)
    most += np.bincount(borders.second, weights, n_cells)
    known = np.flatnonzero(given >= 0)
    costs = costs.astype(np.float64)
    costs[known] = most[known, None] + 1.0
    costs[known, given[known]] = 0.0
    return costs


def expand(
    labels: np.ndarray,
    target: int,
    costs: np.ndarray,
    weights: np.ndarray,
    borders: Borders,
) -> np.ndarray:
    r"""Let cells take the label ``target``, those for which the cost is least.

    With x = 1 for the cells that take it, the cost of a border between i and j is a if
    x is 0 at both, b if it is 1 at j alone, c at i alone, and 0 if it is 1 at both:

    .. math:: a + (c - a) x_i - c x_j + (b + c - a) (1 - x_i) x_j.

    The last factor is not negative, so that a minimum cut finds the least cost. Cells
    for which both labels cost the same keep theirs.
    """
    first, second = borders.first, borders.second
    n_cells = len(labels)
    a = np.where(labels[first] != labels[second], weights, 0.0)
    b = np.where(labels[first] != target, weights, 0.0)
    c = np.where(labels[second] != target, weights, 0.0)
    change = costs[:, target] - costs[np.arange(n_cells), labels]
    change += np.bincount(first, c - a, n_cells) - np.bincount(second, c, n_cells)
    moved = minimum_cut(change, second, first, b + c - a)
    return np.where(moved, target, labels)


def minimum_cut(
    change: np.ndarray, start: np.ndarray, end: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    r"""Return the set x of the least cost, the smallest one, as an array of bool.

    The cost is :math:`\sum_i c_i x_i + \sum_e w_e x_{s(e)} (1 - x_{t(e)})` with the
    change c of the cost by a cell in the set and the weights w of arcs from s to t.
    Costs are rounded to 2^-30 of their sum.
    """
    n_cells = len(change)
    cells = np.arange(n_cells)
    source, sink = np.full(n_cells, n_cells), np.full(n_cells, n_cells + 1)
    capacities = np.concatenate(
        [weights, np.maximum(-change, 0), np.maximum(change, 0)]
    )
    total = capacities.sum()
    if total == 0:
        return np.zeros(n_cells, dtype=bool)
    capacities = np.rint(capacities * (MAX_CAPACITY / total)).astype(np.int32)
    arcs = (np.concatenate([start, source, cells]), np.concatenate([end, cells, sink]))
    graph = sparse.csr_matrix((capacities, arcs), shape=(n_cells + 2,) * 2)
    left = graph - maximum_flow(graph, n_cells, n_cells + 1).flow
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    reached = breadth_first_order(left, n_cells, return_predecessors=False)
    return np.isin(cells, reached)
