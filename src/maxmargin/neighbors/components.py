"""Edges that join the connected components of a neighbour graph."""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from maxmargin.distances import squared_distances

# Samples that connect the components of the neighbour graph, in all components.
N_CONNECTING = 4000


def connecting_pairs(
    X, components: np.ndarray, n_components: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of edges that join the components to a tree.

    It is the minimum spanning tree of the components, with the distance of the nearest
    pair of samples between two of them: of all samples if they are few, else of some in
    each component.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    components : ndarray of shape (n_samples,)
        The component of each sample.
    n_components : int

    Returns
    -------
    rows, columns : ndarray of shape (n_components - 1,)
    """
    share = max(1, N_CONNECTING // n_components)
    order = np.argsort(components, kind="stable")
    bounds = np.searchsorted(components[order], np.arange(n_components + 1))
    chosen = [
        order[start:stop][:: -(-(stop - start) // share)]
        for start, stop in pairwise(bounds)
    ]
    rows = np.concatenate(chosen)
    starts = np.cumsum([0, *(len(some) for some in chosen[:-1])])
    squares = squared_distances(X[rows], X[rows])
    nearest = np.minimum.reduceat(squares, starts, axis=0)
    nearest = np.minimum.reduceat(nearest, starts, axis=1)
    # An entry of zero would be no edge.
    nearest = np.maximum(nearest, np.finfo(float).tiny)
    tree = minimum_spanning_tree(sp.csr_array(nearest)).tocoo()
    ends = np.empty((2, len(tree.row)), dtype=np.int64)
    for edge, (one, other) in enumerate(zip(tree.row, tree.col, strict=True)):
        first = starts[one] + np.arange(len(chosen[one]))
        second = starts[other] + np.arange(len(chosen[other]))
        block = squares[np.ix_(first, second)]
        i, j = np.unravel_index(block.argmin(), block.shape)
        ends[:, edge] = chosen[one][i], chosen[other][j]
    return ends[0], ends[1]
