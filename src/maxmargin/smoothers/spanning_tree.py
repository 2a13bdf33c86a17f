"""Clusters by the widest gaps between samples: single linkage with a size limit.

Single linkage cuts the longest edges of the minimum spanning tree: no partition has a
larger distance between its clusters. With outliers these gaps separate single samples.
So if the sizes are unequal, the smallest cluster must be merged first [1]_.

References
----------
.. [1] M. Gagolewski, M. Bartoszuk, A. Cena. Genie: a new, fast, and outlier-resistant
   hierarchical clustering algorithm. Information Sciences 363, 2016.
   doi:10.1016/j.ins.2016.05.003
"""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from maxmargin.compiled import compiled
from maxmargin.smoothers.distances import paired_distances, squared_distances

# Samples that connect the components of the neighbour graph, in all components.
N_CONNECTING = 4000
MAX_GINI = 0.3  # of the cluster sizes, the value that the authors recommend


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


def cluster_by_gaps(X, graph, n_clusters: int) -> np.ndarray:
    """Return the clusters of single linkage with limited inequality of the sizes.

    The shortest edge of the minimum spanning tree between two clusters is merged first.
    While the Gini index of the cluster sizes is above ``MAX_GINI``, it is the shortest
    edge at a cluster of the smallest size.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    graph : sparse matrix of shape (n_samples, n_samples)
        The neighbour graph; its weights are not used.
    n_clusters : int

    Returns
    -------
    labels : ndarray of shape (n_samples,)
    """
    first, second, lengths = spanning_edges(X, graph)
    order = np.argsort(lengths, kind="stable")
    return np.asarray(
        merge_along_edges(first[order], second[order], X.shape[0], n_clusters)
    )


def spanning_edges(X, graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the minimum spanning tree of a neighbour graph: edges and their lengths.

    Lengths are Euclidean distances, whatever the weights of the graph. If it has
    several components, edges between some samples of each are added: the nearest pairs
    of all in few samples. Of equal edges the first one is shorter.
    """
    ends = list_edges(graph.indptr, graph.indices)
    lengths = np.sqrt(paired_distances(X, ends[0], X, ends[1]))
    chosen, components = join_by_length(ends, lengths, X.shape[0])
    ends, lengths = ends[:, chosen], lengths[chosen]
    n_components = int(components.max()) + 1
    if n_components > 1:
        more = np.stack(connecting_pairs(X, components, n_components))
        lengths = np.append(lengths, np.sqrt(paired_distances(X, more[0], X, more[1])))
        ends = np.concatenate([ends, more], axis=1)
    return ends[0], ends[1], lengths


@compiled
def list_edges(starts, columns):
    """Return the ends of the edges of a symmetric graph, each once, smaller first."""
    n_edges = 0
    for i in range(len(starts) - 1):
        for e in range(starts[i], starts[i + 1]):
            n_edges += columns[e] > i
    ends = np.empty((2, n_edges), dtype=np.int64)
    n_edges = 0
    for i in range(len(starts) - 1):
        for e in range(starts[i], starts[i + 1]):
            if columns[e] > i:
                ends[0, n_edges], ends[1, n_edges] = i, columns[e]
                n_edges += 1
    return ends


@compiled
def join_by_length(ends, lengths, n_samples):
    """Return the edges of the minimum spanning forest, and the component of samples.

    Every part, at first a sample, takes the shortest edge that leaves it, until there
    is none (Boruvka). No sorting is needed.
    """
    parents, parts = np.arange(n_samples), np.arange(n_samples)
    chosen = np.zeros(len(lengths), dtype=np.bool_)
    left = np.arange(len(lengths))  # edges that may leave a part
    while len(left) > 0:
        shortest, n_left = np.full(n_samples, -1), 0
        least = np.full(n_samples, np.inf)
        for edge in left:
            one, other = parts[ends[0, edge]], parts[ends[1, edge]]
            if one != other:
                left[n_left] = edge
                n_left += 1
                for part in (one, other):
                    if lengths[edge] < least[part]:
                        least[part], shortest[part] = lengths[edge], edge
        left = left[:n_left]
        for edge in shortest:
            if edge >= 0:
                one = find_root(parents, ends[0, edge])
                parents[find_root(parents, ends[1, edge])] = one
                chosen[edge] = True
        for i in range(n_samples):
            parts[i] = find_root(parents, i)
    return chosen, number_roots(parents)


def connected_parts(graph) -> np.ndarray:
    """Return the connected component of each node of a symmetric graph.

    They are numbered in the order of their first nodes.
    """
    parts: np.ndarray = join_neighbors(graph.indptr, graph.indices)
    return parts.astype(np.int32)


@compiled
def join_neighbors(starts, columns):
    """Join the nodes of all edges; return the numbers of the components."""
    parents = np.arange(len(starts) - 1)
    for i in range(len(parents)):
        root = find_root(parents, i)
        for e in range(starts[i], starts[i + 1]):
            if columns[e] < i:
                other = find_root(parents, columns[e])
                parents[max(root, other)] = root = min(root, other)
    return number_roots(parents)


@compiled
def merge_along_edges(first, second, n_samples, n_clusters):
    """Merge samples along the edges of a tree, sorted by length; return the labels."""
    parents, sizes = np.arange(n_samples), np.ones(n_samples, dtype=np.int64)
    distinct = np.zeros(2 * int(np.sqrt(n_samples)) + 4, dtype=np.int64)
    counts = np.zeros(len(distinct), dtype=np.int64)
    distinct[0], counts[0] = 1, n_samples
    n_distinct = 1
    used = np.zeros(len(first), dtype=np.bool_)
    front, low, low_size = 0, 0, 1
    for n_left in range(n_samples, n_clusters, -1):
        while used[front]:
            front += 1
        edge = front
        if gini_index(distinct, counts, n_distinct, n_left, n_samples) > MAX_GINI:
            if distinct[0] != low_size or low < front:
                low_size, low = distinct[0], front
            while used[low] or (
                sizes[find_root(parents, first[low])] != low_size
                and sizes[find_root(parents, second[low])] != low_size
            ):
                low += 1
            edge = low
        used[edge] = True
        one, other = find_root(parents, first[edge]), find_root(parents, second[edge])
        n_distinct = change_count(distinct, counts, n_distinct, sizes[one], -1)
        n_distinct = change_count(distinct, counts, n_distinct, sizes[other], -1)
        parents[other] = one
        sizes[one] += sizes[other]
        n_distinct = change_count(distinct, counts, n_distinct, sizes[one], 1)
    return number_roots(parents)


@compiled
def find_root(parents, node):
    """Return the root of a node, and shorten the way to it."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@compiled
def gini_index(distinct, counts, n_distinct, n_clusters, total):
    """Return ``sum_{i<j} |c_i - c_j| / ((N - 1) sum_i c_i)`` of the sizes c.

    With the sizes in ascending order, ``c_i`` is added as often as it is the larger one
    of a pair and subtracted as often as it is the smaller one.
    """
    if n_clusters < 2:
        return 0.0
    below, result = 0, 0.0
    for d in range(n_distinct):
        above = n_clusters - below - counts[d]
        result += float(counts[d]) * distinct[d] * (below - above)
        below += counts[d]
    return result / ((n_clusters - 1.0) * total)


@compiled
def change_count(distinct, counts, n_distinct, size, change):
    """Add to the count of a size in a sorted list; return the length of the list."""
    place = np.searchsorted(distinct[:n_distinct], size)
    if place < n_distinct and distinct[place] == size:
        counts[place] += change
        if counts[place] == 0:
            for d in range(place, n_distinct - 1):
                distinct[d], counts[d] = distinct[d + 1], counts[d + 1]
            n_distinct -= 1
        return n_distinct
    for d in range(n_distinct, place, -1):
        distinct[d], counts[d] = distinct[d - 1], counts[d - 1]
    distinct[place], counts[place] = size, change
    return n_distinct + 1


@compiled
def number_roots(parents):
    """Return labels from 0 in the order of the samples."""
    numbers = np.full(len(parents), -1)
    labels = np.empty(len(parents), dtype=np.int64)
    n_found = 0
    for node in range(len(parents)):
        root = find_root(parents, node)
        if numbers[root] < 0:
            numbers[root] = n_found
            n_found += 1
        labels[node] = numbers[root]
    return labels
