"""Merges of the nodes of a graph, from single nodes to one group.

The pair with the largest similarity ``W_hg / (d_h d_g)`` is merged first, where
``W_hg`` is the weight of the edges between two groups and ``d_h`` that of all edges of
a group: how much more often a random edge joins the two than one that ignores the
groups would [1]_. The similarity of a union to another group is a weighted mean of
those of its parts, so that no merge creates a pair more similar than those before.
Hence two groups that are the most similar of each other will be merged, whatever is
merged elsewhere before, and all such pairs are merged at once.

References
----------
.. [1] T. Bonald, B. Charpentier, A. Galland, A. Hollocou. Hierarchical graph clustering
   using node pair sampling. arXiv:1806.01664, 2018.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from maxmargin.compiled import compiled
from maxmargin.selection.separation import share_of, weights_between
from maxmargin.smoothers.eigenvectors import merge_edges


class Merges(NamedTuple):
    """Merges of two groups in one, of which the i-th is the group n_nodes + i."""

    pairs: np.ndarray  # (n_nodes - 1, 2), the groups that are merged
    similarities: np.ndarray  # (n_nodes - 1,), never rising
    shares: np.ndarray  # (n_nodes - 1,), of the boundary of the two; see `separation`


def agglomerate(graph: Any, sizes: np.ndarray) -> Merges:
    """Merge the nodes of a graph until one group is left.

    Parts of the graph without an edge between them are merged at last, with similarity
    zero, the smallest first.

    Parameters
    ----------
    graph : sparse array of shape (n_nodes, n_nodes)
        Symmetric weights, on the diagonal those of the edges within a node.
    sizes : ndarray of shape (n_nodes,)
        The numbers of samples of the nodes.
    """
    state = _State(csr_array(graph), sizes.astype(float), np.arange(len(sizes)))
    found: list[Merges] = []
    n_merged = 0
    while len(state.sizes) > 1:
        first, second, similarities, cuts = _pairs_to_merge(state)
        within = state.graph.diagonal()
        shares = share_of(cuts, within[first], state.sizes[first])
        shares += share_of(cuts, within[second], state.sizes[second])
        pairs = np.column_stack([state.names[first], state.names[second]])
        found.append(Merges(pairs, similarities, shares / 2))
        state = _contract(state, first, second, len(sizes) + n_merged)
        n_merged += len(first)
    if not found:
        return Merges(np.empty((0, 2), np.int64), np.empty(0), np.empty(0))
    return _in_order(Merges(*map(np.concatenate, zip(*found, strict=True))), len(sizes))


def merge_clusters(graph: Any, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the labels of the samples of a graph after merges of their clusters.

    There are ``n_clusters`` clusters after them, or as many as there were.
    """
    sizes = np.bincount(labels)
    between = weights_between(graph, labels, len(sizes))
    merges = agglomerate(csr_array(between), sizes)
    n_nodes = max(2 * len(sizes) - n_clusters, len(sizes))
    parents = np.full(2 * len(sizes) - 1, -1)
    parents[merges.pairs] = len(sizes) + np.arange(len(merges.pairs))[:, None]
    tops = nodes_above(parents, n_nodes)[: len(sizes)]
    groups: np.ndarray = np.unique(tops, return_inverse=True)[1].reshape(-1)
    return groups[labels]


@compiled
def nodes_above(parents, n_nodes):
    """Return the highest node above each one, among the first ``n_nodes``."""
    tops = np.arange(n_nodes)
    for i in range(n_nodes - 1, -1, -1):
        if 0 <= parents[i] < n_nodes:
            tops[i] = tops[parents[i]]
    return tops


class _State(NamedTuple):
    graph: Any
    sizes: np.ndarray
    names: np.ndarray  # of the groups


def _pairs_to_merge(
    state: _State,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return pairs that are the most similar of each other, and their similarities.

    The last value are the weights of the edges between the two.
    """
    edges = state.graph.tocoo()
    there = (edges.row < edges.col) & (edges.data > 0)
    rows, columns, values = edges.row[there], edges.col[there], edges.data[there]
    if len(rows) == 0:
        small, next_one = np.argsort(state.sizes, kind="stable")[:2, None]
        return small, next_one, np.zeros(1), np.zeros(1)
    volumes = np.asarray(state.graph.sum(axis=1)).reshape(-1)
    similarities = values / (volumes[rows] * volumes[columns])
    most = np.zeros(len(volumes))
    np.maximum.at(most, rows, similarities)
    np.maximum.at(most, columns, similarities)
    # The edges are in the order of rows and columns, which decides between equal ones.
    first = np.full(len(volumes), len(rows))
    for ends in (rows, columns):
        best = np.flatnonzero(similarities == most[ends])
        np.minimum.at(first, ends[best], best)
    numbers = np.arange(len(rows))
    mutual = (first[rows] == numbers) & (first[columns] == numbers)
    return rows[mutual], columns[mutual], similarities[mutual], values[mutual]


def _contract(
    state: _State, first: np.ndarray, second: np.ndarray, name: int
) -> _State:
    """Return the state after merges of disjoint pairs, which get names from one on."""
    n_groups = len(state.sizes)
    target = np.arange(n_groups)
    target[second] = first
    kept, groups = np.unique(target, return_inverse=True)
    names = state.names.copy()
    names[first] = name + np.arange(len(first))
    starts = np.arange(n_groups + 1)
    shape = (n_groups, len(kept))
    members = csr_array((np.ones(n_groups), groups.reshape(-1), starts), shape=shape)
    graph = merge_edges(members, state.graph)
    graph.sum_duplicates()
    return _State(graph, members.T @ state.sizes, names[kept])


def _in_order(merges: Merges, n_nodes: int) -> Merges:
    """Return the merges with falling similarity, the groups named accordingly.

    A union of rounding errors is never before its parts.
    """
    similarities = merges.similarities.copy()
    for i, pair in enumerate(merges.pairs):
        for part in pair[pair >= n_nodes] - n_nodes:
            similarities[i] = min(similarities[i], similarities[part])
    order = np.argsort(-similarities, kind="stable")
    names = np.arange(n_nodes + len(order))
    names[n_nodes + order] = n_nodes + np.arange(len(order))
    pairs = names[merges.pairs[order]]
    return Merges(pairs, similarities[order], merges.shares[order])
