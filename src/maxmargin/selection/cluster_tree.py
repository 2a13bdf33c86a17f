"""The tree of clusters: one nested family of labellings, from fine to coarse.

The labelling of a fit is one of its levels. Coarser levels merge its clusters, finer
ones split them, both by the similarity of groups on the neighbour graph
(`agglomeration`). A split counts if both parts have `LEAST_SAMPLES`; smaller parts stay
with the larger one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from maxmargin.compiled import compiled
from maxmargin.rows.threads import map_blocks
from maxmargin.selection.agglomeration import Merges, agglomerate, nodes_above
from maxmargin.selection.separation import TINY, share_of, weights_between
from maxmargin.smoothers.eigenvectors import csr_of_parts

LEAST_SAMPLES = 4
# Layers have at least so many samples per cluster, and the best score of the numbers
# that differ by less than this factor.
LAYER_SAMPLES, NEAR = 20, 1.5


@dataclass(frozen=True)
class ClusterTree:
    """Nested clusters, from the finest ones to all samples.

    Nodes are numbered: first the m finest clusters, the leaves, then one for each merge
    of two nodes, in the order in which merges lead from fine levels to coarse ones. The
    level with k clusters is what m - k merges leave.

    Attributes
    ----------
    children : ndarray of shape (m - 1, 2)
        The two nodes that each merge unites.
    sizes : ndarray of shape (2 m - 1,)
        The weight of the samples of each node, their number by default.
    boundaries : ndarray of shape (m - 1,)
        The share of their edges that the two nodes of a merge lose at their boundary:
        near 0 if there is a gap between them, near 1/2 if there is none.
    clusters : ndarray of shape (m,)
        The label of each leaf in the labelling of the fit.
    leaves : ndarray of shape (n_samples,) or None
        The leaf of each sample; None if not all samples were searched.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin import MaxMarginClustering
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    >>> tree = MaxMarginClustering(4, random_state=0).fit(X).tree_
    >>> float(tree.sizes[-1])
    200.0
    >>> sorted(tree.to_dict())
    ['boundary', 'first_child', 'node', 'parent', 'second_child', 'size', 'strength']
    """

    children: np.ndarray
    sizes: np.ndarray
    boundaries: np.ndarray
    clusters: np.ndarray
    leaves: np.ndarray | None = None

    @property
    def n_leaves(self) -> int:
        """Return the number of the finest clusters."""
        return len(self.clusters)

    @property
    def parents(self) -> np.ndarray:
        """Return the node that each node is merged into, -1 for the last one."""
        parents = np.full(len(self.sizes), -1)
        rows = np.arange(len(self.children)) + self.n_leaves
        parents[self.children] = rows[:, None]
        return parents

    @property
    def strengths(self) -> np.ndarray:
        """Return how far each node is a cluster: ``log(b / a)``.

        Here b is the share of the boundary between its two children, a that between it
        and the node that it is merged with. It is positive if the parts of a node
        belong together more than the node and the other; 0 for leaves and the root.
        """
        shares = np.concatenate([np.ones(self.n_leaves), self.boundaries])
        inner = np.arange(self.n_leaves, len(self.sizes) - 1)
        strengths = np.zeros(len(self.sizes))
        strengths[inner] = np.log(shares[inner] / shares[self.parents[inner]])
        return strengths

    def groups_at(self, n_clusters: int) -> np.ndarray:
        """Return the cluster of each leaf at a level, the largest cluster first."""
        if not 1 <= n_clusters <= self.n_leaves:
            raise ValueError(
                f"n_clusters={n_clusters} must be between 1 and {self.n_leaves}, the "
                "number of the finest clusters of the tree."
            )
        n_nodes = 2 * self.n_leaves - n_clusters  # that there are at this level
        tops = nodes_above(self.parents, n_nodes)[: self.n_leaves]
        nodes, groups = np.unique(tops, return_inverse=True)
        ranks = np.empty(len(nodes), dtype=np.int64)
        ranks[np.argsort(-self.sizes[nodes], kind="stable")] = np.arange(len(nodes))
        return ranks[groups.reshape(-1)]

    def level_scores(self) -> np.ndarray:
        """Return a score for each number of clusters from 1 to that of the leaves.

        It is the probability that two samples are in different clusters, times the mean
        strength of the clusters.
        """
        masses = self.sizes / self.sizes[-1]
        below = [
            _undone(values, self.children)
            for values in (masses**2, masses * self.strengths)
        ]
        scores: np.ndarray = (1.0 - below[0]) * below[1]
        return scores

    def layers(self, n_clusters: int) -> tuple[int, ...]:
        """Return the numbers of clusters of the levels that stand out, and a given one.

        Their scores are the largest of all levels with at most half as many clusters
        more or less, and at least half of the best one. Levels with few samples per
        cluster do not count.
        """
        last = min(self.n_leaves, int(self.sizes[-1]) // LAYER_SAMPLES)
        scores = self.level_scores()[: max(last, 1)]
        found = {n_clusters}
        least = max(scores.max() / 2, TINY)
        for k in np.flatnonzero(scores[1:] >= least) + 2:
            if scores[k - 1] >= scores[int(k / NEAR) : int(k * NEAR)].max():
                found.add(int(k))
        return tuple(sorted(found))

    def to_dict(self) -> dict[str, np.ndarray]:
        """Return the nodes as columns by name, as ``pandas.DataFrame`` takes them."""
        none = np.full(self.n_leaves, -1)
        return {
            "node": np.arange(len(self.sizes)),
            "parent": self.parents,
            "first_child": np.concatenate([none, self.children[:, 0]]),
            "second_child": np.concatenate([none, self.children[:, 1]]),
            "size": self.sizes,
            "strength": self.strengths,
            "boundary": np.concatenate([np.ones(self.n_leaves), self.boundaries]),
        }


def _undone(values: np.ndarray, children: np.ndarray) -> np.ndarray:
    """Return the sum of values of the nodes at each level, from 1 cluster on."""
    merged = values[len(values) - len(children) :]
    changes = values[children].sum(axis=1) - merged
    result: np.ndarray = values[-1] + np.cumsum(np.append(0.0, changes[::-1]))
    return result


def tree_of_clusters(
    graph: Any, labels: np.ndarray, weights: np.ndarray
) -> tuple[ClusterTree, np.ndarray]:
    """Return the tree of a labelling of samples, and the leaf of each sample.

    Parameters
    ----------
    graph : sparse array of shape (n_samples, n_samples)
        The weights of the edges between samples.
    labels : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
    """
    names, labels = np.unique(labels, return_inverse=True)
    labels = labels.reshape(-1)
    inner = merges_within(graph, labels)
    pairs, shares, leaves = condense(inner, len(labels))
    n_leaves = int(leaves.max()) + 1
    of_leaf = np.empty(n_leaves, dtype=np.int64)
    of_leaf[leaves] = labels
    sizes = np.bincount(leaves, weights, n_leaves)
    between = csr_array(weights_between(graph, labels, len(names)))
    outer = agglomerate(between, np.bincount(labels))
    tree = join(pairs, shares, of_leaf, outer, sizes)
    return ClusterTree(*tree, clusters=names[of_leaf]), leaves


def tree_above(
    between: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> ClusterTree:
    """Return the tree whose leaves are the clusters, given the weights between them."""
    names, labels = np.unique(labels, return_inverse=True)
    sizes = np.bincount(labels.reshape(-1), weights)
    outer = agglomerate(csr_array(between[np.ix_(names, names)]), sizes)
    none = np.empty((0, 2), dtype=np.int64)
    tree = join(none, np.empty(0), np.arange(len(names)), outer, sizes)
    return ClusterTree(*tree, clusters=names)


def merges_within(graph: Any, labels: np.ndarray) -> Merges:
    """Return merges of single samples up to the clusters of a labelling.

    Parts of a cluster without an edge between them are merged at last, the largest
    first.
    """
    n_samples = len(labels)

    def edges_within(rows: slice) -> tuple[np.ndarray, ...]:
        starts = graph.indptr[rows.start : rows.stop + 1]
        entries = slice(starts[0], starts[-1])
        columns, values = graph.indices[entries], graph.data[entries]
        within = np.repeat(labels[rows], np.diff(starts)) == labels[columns]
        counts = np.diff(np.append(0, np.cumsum(within))[starts - starts[0]])
        return counts, columns[within], values[within]

    edges = csr_of_parts(map_blocks(edges_within, n_samples), n_samples)
    found = agglomerate(edges, np.ones(n_samples))
    linked = found.similarities > 0.0
    inner = found.pairs[linked]
    sizes = np.ones(n_samples + len(inner), dtype=np.int64)
    add_children(sizes, inner, n_samples)
    is_top = np.ones(len(sizes), dtype=np.bool_)
    is_top[inner] = False
    tops = np.flatnonzero(is_top)
    samples = np.arange(len(sizes))  # one below each node
    copy_from_first(samples, inner, n_samples)
    clusters = labels[samples[tops]]
    pairs: list[tuple[int, int]] = []
    shares: list[float] = []
    for h in np.unique(clusters):
        parts = tops[clusters == h]
        whole, *others = parts[np.argsort(-sizes[parts], kind="stable")]
        size = sizes[whole]
        for part in others:
            sides = share_of(np.zeros(2), np.ones(2), np.array([size, sizes[part]]))
            pairs.append((whole, part))
            shares.append(sides.mean())
            whole, size = len(sizes) + len(pairs) - 1, size + sizes[part]
    more = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Merges(
        np.concatenate([inner, more]),
        np.concatenate([found.similarities[linked], np.zeros(len(more))]),
        np.concatenate([found.shares[linked], shares]),
    )


@compiled
def add_children(values, pairs, n_leaves):
    """Set the value of each merge to the sum of those of its parts, in place."""
    for i in range(len(pairs)):
        values[n_leaves + i] = values[pairs[i, 0]] + values[pairs[i, 1]]


@compiled
def copy_from_first(values, pairs, n_leaves):
    """Set the value of each merge to that of its first part, in place."""
    for i in range(len(pairs)):
        values[n_leaves + i] = values[pairs[i, 0]]


def condense(
    merges: Merges, n_samples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the merges of parts that are large enough, and the leaf of each sample.

    Leaves are numbered from 0, the i-th merge is the node n_leaves + i.
    """
    above = np.arange(n_samples)
    parts = np.empty_like(merges.pairs)
    kept = np.zeros(len(merges.pairs), dtype=np.bool_)
    n_kept = join_small(merges.pairs, LEAST_SAMPLES, above, parts, kept)
    roots, leaves = np.unique(roots_of(above), return_inverse=True)
    # A part is a leaf, of which -1 - parts is a sample, or the result of a merge.
    parts = parts[:n_kept]
    leaf_parts = leaves.reshape(-1)[np.maximum(-1 - parts, 0)]
    pairs = np.where(parts < 0, leaf_parts, parts + len(roots))
    return pairs, merges.shares[kept], leaves.reshape(-1)


@compiled
def join_small(pairs, least, above, parts, kept):
    """Join small parts with the larger ones they are merged with; return what is left.

    ``above`` leads from each sample to another one of the same leaf. The two parts of
    the merges that are kept are written to ``parts``; their number is returned.
    """
    n_samples = len(above)
    n_nodes = n_samples + len(pairs)
    sizes = np.ones(n_nodes, dtype=np.int64)
    main = np.arange(n_nodes)  # a sample of the leaf that small parts join
    names = -1 - np.arange(n_nodes)
    n_kept = 0
    for i in range(len(pairs)):
        x, y = pairs[i]
        if sizes[x] < sizes[y]:
            x, y = y, x
        node = n_samples + i
        sizes[node] = sizes[x] + sizes[y]
        main[node] = main[x]
        if sizes[y] >= least:
            parts[n_kept, 0], parts[n_kept, 1] = names[x], names[y]
            names[node] = n_kept
            kept[i] = True
            n_kept += 1
        else:
            above[main[y]] = main[x]
            names[node] = names[x]
    return n_kept


@compiled
def roots_of(above):
    """Return where the ways up end."""
    roots = above.copy()
    for i in range(len(roots)):
        j = i
        while above[j] != j:
            above[j] = above[above[j]]
            j = above[j]
        roots[i] = j
    return roots


def join(
    pairs: np.ndarray,
    shares: np.ndarray,
    of_leaf: np.ndarray,
    outer: Merges,
    sizes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return children, sizes and boundaries of a tree from merges in and of clusters.

    ``of_leaf`` is the cluster of each leaf, ``sizes`` are those of the leaves.
    """
    n_leaves, n_clusters = len(of_leaf), len(outer.pairs) + 1
    top = np.empty(n_clusters, dtype=np.int64)  # the node of each cluster
    node_cluster = np.concatenate([of_leaf, np.zeros(len(pairs), dtype=np.int64)])
    copy_from_first(node_cluster, pairs, n_leaves)
    top[node_cluster] = np.arange(len(node_cluster))  # the last one is the highest
    n_below = n_leaves + len(pairs)
    moved = np.concatenate([top, n_below + np.arange(n_clusters - 1)])
    children = np.concatenate([pairs, moved[outer.pairs]]).astype(np.int64)
    totals = np.concatenate([sizes, np.zeros(len(children))])
    add_children(totals, children, n_leaves)
    return children, totals, np.concatenate([shares, outer.shares])
