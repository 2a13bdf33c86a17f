"""A map of samples: their neighbour graph in two dimensions.

The start are the two leading principal components of the smoothest eigenvectors of the
graph, in which clusters lie apart. It is refined by attraction along the edges and
repulsion of other rows, the stochastic descent of UMAP [1]_ with the similarity
``q_ij = 1 / (1 + d_ij^2)``: it maximises

    sum_edges w_ij log q_ij + sum_others log(1 - q_ij),

whose gradients are ``-2 (y_i - y_j) q_ij`` for an edge, and
``2 (y_i - y_j) q_ij / (EPSILON + d_ij^2)`` for another row.

References
----------
.. [1] L. McInnes, J. Healy, J. Melville. UMAP: Uniform manifold approximation and
   projection for dimension reduction. 2018, arXiv:1802.03426.
"""

import numpy as np

from maxmargin import progress
from maxmargin.compiled import compiled
from maxmargin.plots.style import principal_plane
from maxmargin.published.search.mutation import new_generator, random_below
from maxmargin.smoothers.spectral_smoother import (
    VECTORS_PER_CLUSTER,
    NeighborGraph,
    scale_rows,
)

MIN_VECTORS = 10  # of the graph, from which the map starts
EPSILON = 0.001
N_REPELLED = 4  # random rows for each edge
MAX_STEP = 4.0  # of a coordinate
START_WIDTH = 10.0
EDGE_UPDATES = 150_000_000  # of all rounds, which bounds the time
MIN_ROUNDS, MAX_ROUNDS = 15, 200


def neighbor_map(
    X: np.ndarray, n_clusters: int, random: np.random.RandomState
) -> np.ndarray:
    """Return the positions (n x 2) of samples on a map where neighbours are near.

    With more clusters, more vectors of the graph place them.
    """
    n_vectors = min(max(VECTORS_PER_CLUSTER * n_clusters, MIN_VECTORS), X.shape[0])
    graph = NeighborGraph(X, np.ones(X.shape[0]), n_vectors)
    vectors = scale_rows(graph.vectors, 1.0)
    start = principal_plane(vectors).positions
    if len(start) < 3:
        return start
    width = max(float(np.abs(start).max()), np.finfo(float).tiny)
    positions = np.ascontiguousarray(start * (START_WIDTH / width))
    positions += 1e-4 * random.standard_normal(positions.shape)  # equal rows
    edges = graph.graph.tocoo()
    rows, columns = edges.row, edges.col
    upper = rows < columns
    heads, tails = rows[upper].astype(np.int64), columns[upper].astype(np.int64)
    if len(heads) == 0:
        return positions
    shares = edges.data[upper] / edges.data[upper].max()
    n_rounds = int(np.clip(EDGE_UPDATES / len(heads), MIN_ROUNDS, MAX_ROUNDS))
    generator = new_generator(random)
    for number in range(n_rounds):
        rate = 1.0 - number / n_rounds
        attract_and_repel(positions, heads, tails, shares, rate, generator)
        progress.update((number + 1) / n_rounds)
    return positions - np.median(positions, axis=0)


@compiled
def limit_step(value):
    """Return a gradient within the largest step."""
    return min(max(value, -MAX_STEP), MAX_STEP)


@compiled
def attract_and_repel(positions, heads, tails, shares, rate, generator):
    """Do one round over the edges, each with a probability of its share."""
    n_rows = len(positions)
    for e in range(len(heads)):
        if random_below(generator, 1 << 30) >= shares[e] * (1 << 30):
            continue
        i, j = heads[e], tails[e]
        if random_below(generator, 2) == 1:
            i, j = j, i
        dx = positions[i, 0] - positions[j, 0]
        dy = positions[i, 1] - positions[j, 1]
        pull = -2.0 / (1.0 + dx * dx + dy * dy)
        sx, sy = rate * limit_step(pull * dx), rate * limit_step(pull * dy)
        positions[i, 0] += sx
        positions[i, 1] += sy
        positions[j, 0] -= sx
        positions[j, 1] -= sy
        for _ in range(N_REPELLED):
            o = random_below(generator, n_rows)
            if o == i:
                continue
            dx = positions[i, 0] - positions[o, 0]
            dy = positions[i, 1] - positions[o, 1]
            squared = dx * dx + dy * dy
            push = 2.0 / ((EPSILON + squared) * (1.0 + squared))
            positions[i, 0] += rate * limit_step(push * dx)
            positions[i, 1] += rate * limit_step(push * dy)
