"""The number of clusters of a graph that is given as affinities.

Samples without clusters cannot be drawn with the covariance of the given ones, of which
nothing but edges is known. They have the same dimension instead. It shows in the
triangles: if points are joined whose distance is below a limit, two neighbours of a
point are neighbours with the probability

    C_d = 3/2 I_{3/4}((d + 1) / 2, 1/2)

in d dimensions [1]_, where I is the regularised incomplete beta function: 0.75 on a
line, 0.59 in the plane, 0.26 in eight dimensions.

References
----------
.. [1] J. Dall, M. Christensen. Random geometric graphs. Physical Review E 66, 016121,
   2002. doi:10.1103/PhysRevE.66.016121
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import betainc

from maxmargin.selection.cluster_count import (
    ENOUGH_SAMPLES,
    ONE_CLUSTER,
    PART,
    ClusterCountTable,
    scores_of,
    table_of,
    try_numbers,
)
from maxmargin.selection.graph_clusters import GraphClusters, most_clusters
from maxmargin.selection.no_clusters import (
    REFERENCE_SAMPLES,
    references_without_clusters,
)
from maxmargin.smoothers.affinity_graph import edges_of

MAX_DIMENSION = 50
LOOKED_AT = 5000  # samples whose neighbours are compared


def score_graph(affinities: Any, weights: np.ndarray) -> ClusterCountTable:
    """Return the scores of numbers of clusters of a given graph.

    It is clustered as a whole, as parts of it are not connected. Larger numbers are
    tried while the best one leaves few samples for each cluster.
    """
    n_samples = len(weights)
    size, found = PART, {1: ONE_CLUSTER}
    references = references_without_clusters(
        rows_without_clusters(edges_of(affinities))
    )
    while True:
        whole, n_scored = size >= n_samples, min(size, n_samples)
        clusters = GraphClusters.of_graph(affinities, weights, most_clusters(n_scored))
        score_of = scores_of(clusters, references)
        found = try_numbers(score_of, n_scored, found, whole)
        table = table_of(found)
        if whole or ENOUGH_SAMPLES * table.best <= size:
            return table
        size *= 2


def rows_without_clusters(graph: Any) -> np.ndarray:
    """Return normal samples of the dimension of a graph, as many as it has nodes."""
    n_samples = min(graph.shape[0], REFERENCE_SAMPLES)
    return np.random.RandomState(0).normal(size=(n_samples, dimension_of(graph)))


def dimension_of(graph: Any) -> int:
    """Return the dimension of points whose graph has as many triangles."""
    share = share_of_triangles(graph)
    dimensions = np.arange(1, MAX_DIMENSION + 1)
    expected = 1.5 * betainc((dimensions + 1) / 2, 0.5, 0.75)
    return int(dimensions[np.abs(expected - share).argmin()])


def share_of_triangles(graph: Any) -> float:
    """Return the share of pairs of neighbours of a sample that are neighbours."""
    links = sp.csr_array(graph, copy=True)
    links.data[:] = 1.0
    some = links[:: -(-links.shape[0] // LOOKED_AT)]
    degrees = np.diff(some.indptr)
    n_pairs = float(np.sum(degrees * (degrees - 1.0)))
    closed = float((some @ links).multiply(some).sum())
    return closed / n_pairs if n_pairs else 0.0
