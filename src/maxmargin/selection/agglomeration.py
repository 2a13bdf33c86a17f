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
from maxmargin.rows.threads import for_blocks
from maxmargin.selection.separation import share_of, weights_between
from maxmargin.smoothers.eigenvectors import merge_edges

GROUPS_PER_BLOCK = 1024


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
    graph = csr_array(graph)
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()  # and columns in order
    volumes = np.asarray(graph.sum(axis=1)).reshape(-1)
    state = _State(graph, volumes, sizes.astype(float), np.arange(len(sizes)))
    found: list[Merges] = []
    n_merged = 0
    while len(state.sizes) > 1:
        first, second, similarities, cuts, within = _pairs_to_merge(state)
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
    volumes: np.ndarray  # of the groups: the weights of all their edges
    sizes: np.ndarray
    names: np.ndarray  # of the groups


def _pairs_to_merge(
    state: _State,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return pairs that are the most similar of each other, and their similarities.

    The last values are the weights of the edges between the two, and of those within
    all groups.
    """
    graph, volumes = state.graph, state.volumes
    best = np.empty(len(volumes), dtype=np.int64)
    most, edges, within = np.zeros((3, len(volumes)))

    def find(block: slice) -> None:
        entries = (graph.indptr, graph.indices, graph.data)
        found = (best, most, edges, within)
        find_most_similar(entries, volumes, found, block.start, block.stop)

    for_blocks(find, len(volumes), GROUPS_PER_BLOCK)
    groups = np.arange(len(volumes))
    first = np.flatnonzero((best > groups) & (best[best] == groups))
    if len(first) == 0:  # no edges are left
        small, next_one = np.argsort(state.sizes, kind="stable")[:2, None]
        return small, next_one, np.zeros(1), np.zeros(1), within
    return first, best[first], most[first], edges[first], within


@compiled
def find_most_similar(entries, volumes, found, first, last):
    """Fill in the most similar group of some groups, -1 for none; the first of equals.

    Sums may be rounded differently on the two sides of the diagonal. The weight above
    it counts, so that two groups are as similar as the other way round.
    """
    starts, columns, values = entries
    best, most, edges, within = found
    for i in range(first, last):
        best[i] = -1
        for e in range(starts[i], starts[i + 1]):
            j, weight = columns[e], values[e]
            if j == i:
                within[i] = weight
                continue
            if j < i:
                own = columns[starts[j] : starts[j + 1]]
                weight = values[starts[j] + np.searchsorted(own, i)]
            similarity = weight / (volumes[i] * volumes[j]) if weight > 0.0 else 0.0
            if similarity > most[i]:
                best[i], edges[i], most[i] = j, weight, similarity


def _contract(
    state: _State, first: np.ndarray, second: np.ndarray, name: int
) -> _State:
    """Return the state after merges of disjoint pairs, which get names from one on."""
    n_groups = len(state.sizes)
    target, is_kept = np.arange(n_groups), np.ones(n_groups, dtype=np.bool_)
    target[second], is_kept[second] = first, False
    kept, groups = np.flatnonzero(is_kept), (np.cumsum(is_kept) - 1)[target]
    names = state.names.copy()
    names[first] = name + np.arange(len(first))
    graph = merge_edges(groups, len(kept), state.graph)
    volumes, sizes = (
        np.bincount(groups, values, len(kept))
        for values in (state.volumes, state.sizes)
    )
    return _State(graph, volumes, sizes, names[kept])


def _in_order(merges: Merges, n_nodes: int) -> Merges:
    """Return the merges with falling similarity, the groups named accordingly.

    A union of rounding errors is never before its parts.
    """
    similarities = merges.similarities.copy()
    bound_by_parts(similarities, merges.pairs, n_nodes)
    order = np.argsort(-similarities, kind="stable")
    names = np.arange(n_nodes + len(order))
    names[n_nodes + order] = n_nodes + np.arange(len(order))
    pairs = names[merges.pairs[order]]
    return Merges(pairs, similarities[order], merges.shares[order])


@compiled
def bound_by_parts(similarities, pairs, n_nodes):
    """Lower the similarity of each merge to those of its parts, in place."""
    for i in range(len(pairs)):
        for part in pairs[i]:
            if part >= n_nodes:
                similarities[i] = min(similarities[i], similarities[part - n_nodes])
