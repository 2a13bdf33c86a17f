"""Approximate nearest neighbours, by trees and descent over neighbours of neighbours.

Random projection trees split the samples into small leaves, several times; the samples
of a leaf are compared with each other. Then the neighbours of a sample's neighbours
are compared with it until few lists change [1]_. A distance is computed in full only if
an estimate from the leading principal components does not rule the pair out.

The neighbours of a further sample are found from those in its leaf of one tree, by
following the lists of the nearest ones found so far.

Every list is written by the thread that owns its row, from the lists of the previous
round: the result depends on the samples and the seed alone, not on the threads.

References
----------
.. [1] W. Dong, C. Moses, K. Li. Efficient k-nearest neighbor graph construction for
   generic similarity measures. International World Wide Web Conference, 2011.
   doi:10.1145/1963405.1963487
"""

from typing import NamedTuple

import numpy as np

from maxmargin import progress
from maxmargin.compiled import compiled, compiled_sum
from maxmargin.rows.threads import for_blocks, map_blocks
from maxmargin.smoothers.neighbor_lists import (
    Lists,
    empty_lists,
    inner_product,
    insert,
    sum_squares,
)
from maxmargin.smoothers.projection_tree import (
    Samples,
    Tree,
    find_leaf,
    find_scaling,
    grow_tree,
    grow_trees,
)

# The share of the squared norms outside of the components that the estimate includes:
# all of it for independent residuals, less for those of nearest neighbours.
RESIDUAL_SHARE = 0.5
MAX_ROUNDS = 12
# The recall is measured on some samples after each round, which costs little beside it.
# If it is too low when fewer than this share of the list entries change, the search is
# repeated with more trees and longer lists.
MIN_RECALL = 0.95
RECALL_SAMPLES = 100
MIN_CHANGED = 0.002
EFFORTS = ((10, 5), (20, 15), (40, 35))  # trees, and additional list entries
MORE_ENTRIES = 5  # of the list of a further sample, if distances are estimated
ROWS_PER_BLOCK = 4096
LEAVES_PER_BLOCK = 64
QUERIES_PER_BLOCK = 512
LINK_BLOCKS = 16  # each reads all lists


class Both(NamedTuple):
    """The neighbours of each sample and those that have it as neighbour.

    Those of the last round come first.
    """

    positions: np.ndarray  # (n, 2 k), -1 at the end for none
    n_new: np.ndarray  # (n,), how many are of the last round


class Search(NamedTuple):
    """What a search for further samples needs."""

    samples: Samples
    tree: Tree
    links: np.ndarray  # (n, 2 k), neighbours in both directions, -1 for none


class ApproximateNeighbors:
    """The nearest neighbours of all samples, and an index for further ones.

    At least 95 % of the neighbours are nearest ones, as measured on some samples,
    unless the greatest effort is not enough. The seed is fixed: the result is
    deterministic.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int
    max_efforts : int, default=3
        How often the search may be repeated with more effort, plus one.

    Attributes
    ----------
    recall : float
        The measured share of nearest neighbours.
    """

    def __init__(
        self, X: np.ndarray, n_neighbors: int, max_efforts: int = len(EFFORTS)
    ):
        random = np.random.RandomState(0)
        self.n_neighbors = n_neighbors
        self.scaling = find_scaling(X, random)
        components = self.scaling.components(X)
        self.tree = grow_tree(components, random)
        self.samples = self.scaling.samples(X, components, self.tree.order)
        self.lists, self.recall = _search(
            self.samples, n_neighbors, EFFORTS[:max_efforts], random
        )
        self._links: np.ndarray | None = None

    def neighbors(self) -> np.ndarray:
        """Return the positions of the nearest other samples of each sample (n x k).

        A list that is not full ends with -1.
        """
        order, nearest = self.tree.order, self.lists.positions[:, : self.n_neighbors]
        positions = np.empty(nearest.shape, dtype=np.int64)
        positions[order] = np.where(nearest >= 0, order[nearest], -1)
        return positions

    def query(self, X: np.ndarray, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances from samples X to the nearest ones, and their positions.

        Both are (n x k), the nearest first.
        """
        if self._links is None:
            self._links = _link(self.lists).positions
        order = self.tree.order
        search = Search(self.samples, self.tree, self._links)
        queries = self.scaling.samples(X, self.scaling.components(X))
        length = n_neighbors
        if self.scaling.leading is not None:
            length = min(n_neighbors + MORE_ENTRIES, len(order))
        lists = empty_lists(len(queries.norms), length)

        def fill(block: slice) -> None:
            answer_queries(search, queries, lists, block.start, block.stop)

        for_blocks(fill, len(queries.norms), QUERIES_PER_BLOCK)
        distances = np.sqrt(lists.distances[:, :n_neighbors], dtype=np.float64)
        positions = order[lists.positions[:, :n_neighbors]]
        return distances * self.scaling.scale, positions


def _search(
    samples: Samples, n_neighbors: int, efforts: tuple, random: np.random.RandomState
) -> tuple[Lists, float]:
    """Return the lists of all samples, with as little effort as the recall needs."""
    for n_trees, n_more in efforts:
        length = min(n_neighbors + n_more, len(samples.norms) - 1)
        lists = empty_lists(len(samples.norms), length)
        for tree in grow_trees(samples.components, n_trees, random):
            _join_tree(samples, lists, tree)
        for number in range(MAX_ROUNDS):
            n_changed = _descend(samples, lists)
            progress.update(1.0 - 0.5 ** (number + 1))
            recall = measure_recall(samples, lists, n_neighbors, random)
            if recall >= MIN_RECALL or n_changed < MIN_CHANGED * lists.positions.size:
                break
        if recall >= MIN_RECALL:
            break
    return lists, recall


def measure_recall(
    samples: Samples, lists: Lists, n_neighbors: int, random: np.random.RandomState
) -> float:
    """Return the share of list entries that are as near as the nearest neighbours."""
    n_samples = len(samples.norms)
    rows = random.choice(n_samples, min(n_samples, RECALL_SAMPLES), replace=False)

    def count(block: slice) -> int:
        some = rows[block]
        distances = samples.norms - 2.0 * (samples.X[some] @ samples.X.T)
        distances += samples.norms[some, None]
        distances[np.arange(len(some)), some] = np.inf
        kth = np.partition(distances, n_neighbors - 1, axis=1)[:, n_neighbors - 1]
        kth += 1e-5 * samples.norms[some]  # rounding
        return int(np.sum(lists.distances[some, :n_neighbors] <= kth[:, None]))

    return sum(map_blocks(count, len(rows), block_rows=10)) / (len(rows) * n_neighbors)


def _join_tree(samples: Samples, lists: Lists, tree: Tree) -> None:
    """Compare the samples of each leaf of a tree with each other."""

    def join(block: slice) -> None:
        join_leaves(samples, lists, tree, block.start, block.stop)

    for_blocks(join, len(tree.leaves), LEAVES_PER_BLOCK)


@compiled
def join_leaves(samples, lists, tree, first_leaf, last_leaf):
    """Add the samples of a leaf to each other's lists."""
    X, norms = samples.X, samples.norms
    distances, positions, new = lists
    k = positions.shape[1]
    for leaf in range(first_leaf, last_leaf):
        members = tree.order[tree.leaves[leaf, 0] : tree.leaves[leaf, 1]]
        rows = np.empty((len(members), X.shape[1]), np.float32)
        for a in range(len(members)):
            rows[a] = X[members[a]]
        products = np.dot(rows, rows.T)
        for a in range(len(members)):
            i = members[a]
            for b in range(len(members)):
                j = members[b]
                distance = norms[i] + norms[j] - np.float32(2.0) * products[a, b]
                if a != b and distance < distances[i, k - 1]:
                    known = False
                    for q in range(k):
                        known |= positions[i, q] == j
                    if not known:
                        insert(distances, positions, new, i, j, distance)


def _descend(samples: Samples, lists: Lists) -> int:
    """Compare each sample with the neighbours of its neighbours, in both directions.

    Pairs that met in an earlier round are left out: one of the two steps must be new.
    The lists are improved in place; the number of entries that changed is returned.
    """
    both = _link(lists)  # a copy of the lists as they are before

    def descend(block: slice) -> int:
        lists.new[block] = False
        return int(visit_rows(samples, both, lists, block.start, block.stop))

    return sum(map_blocks(descend, len(lists.positions), ROWS_PER_BLOCK))


def _link(lists: Lists) -> Both:
    """Return the neighbours in both directions."""
    n_samples, length = lists.positions.shape
    both = Both(
        np.empty((n_samples, 2 * length), np.int32),
        np.empty(n_samples, np.int32),
    )
    by_rank = np.empty((length, n_samples), np.int32)

    def copy(block: slice) -> None:
        by_rank[:, block] = lists.positions[block].T

    def link(block: slice) -> None:
        link_both_ways(lists, by_rank, both, block.start, block.stop)

    for_blocks(copy, n_samples, ROWS_PER_BLOCK)
    for_blocks(link, n_samples, -(-n_samples // LINK_BLOCKS))
    return both


@compiled
def link_both_ways(lists, by_rank, both, first, last):
    """Fill in the neighbours of some samples in both directions, at most k of each.

    Of more samples that have one as neighbour those are taken to which it is nearest by
    rank.
    """
    k, n_samples = by_rank.shape
    found = np.full((last - first, 2 * k), -1, np.int32)
    new = np.zeros((last - first, 2 * k), np.bool_)
    found[:, :k] = lists.positions[first:last]
    new[:, :k] = lists.new[first:last]
    free = np.full(last - first, k)
    for q in range(k):
        for i in range(n_samples):
            j = by_rank[q, i] - first
            if 0 <= j < last - first and free[j] < 2 * k:
                found[j, free[j]] = i
                new[j, free[j]] = lists.new[i, q]
                free[j] += 1
    for j in range(last - first):
        n_put = 0
        for recent in (True, False):
            for q in range(free[j]):
                if found[j, q] >= 0 and new[j, q] == recent:
                    both.positions[first + j, n_put] = found[j, q]
                    n_put += 1
            if recent:
                both.n_new[first + j] = n_put
        both.positions[first + j, n_put:] = -1


@compiled_sum
def visit_rows(samples, both, lists, first, last):
    """Improve the lists of some rows; return how many entries changed."""
    X, norms, components, residuals = samples
    distances, positions, new = lists
    links, n_new = both
    share, estimate = np.float32(RESIDUAL_SHARE), components.shape[1] < X.shape[1]
    width, k = links.shape[1], positions.shape[1]
    seen = np.full(len(norms), -1, np.int32)
    n_changed = 0
    for i in range(first, last):
        seen[i] = i
        for q in range(k):
            if positions[i, q] >= 0:
                seen[positions[i, q]] = i
        for s in range(width):
            j = links[i, s]
            if j < 0:
                break
            recent = s < n_new[i]
            for t in range(-1 if recent else 0, width if recent else n_new[j]):
                c = j if t < 0 else links[j, t]
                if c < 0:
                    break
                if seen[c] == i:
                    continue
                seen[c] = i
                distance = share * (residuals[i] + residuals[c])
                distance += sum_squares(components, i, components, c)
                if distance >= distances[i, k - 1]:
                    continue
                if estimate:
                    product = inner_product(X, i, X, c)
                    distance = norms[i] + norms[c] - np.float32(2.0) * product
                n_changed += insert(distances, positions, new, i, c, distance)
    return n_changed


@compiled_sum
def answer_queries(search, queries, lists, first, last):
    """Fill in the lists of some further samples.

    The samples of the leaf are compared; then the links of the nearest sample whose
    links were not followed yet, until those of all samples of the list have been. The
    flag ``new`` marks those that have not. Distances are computed in place, as in
    `visit_rows`: a function that takes the records makes this three times slower.
    """
    X, norms, components, residuals = search.samples
    links = search.links
    X_new, norms_new, components_new, residuals_new = queries
    distances, positions, new = lists
    share, estimate = np.float32(RESIDUAL_SHARE), components.shape[1] < X.shape[1]
    k = positions.shape[1]
    seen = np.full(len(norms), -1, np.int32)
    for i in range(first, last):
        start, stop = find_leaf(search.tree, components_new[i])
        j = -1
        while True:
            for t in range(stop - start if j < 0 else links.shape[1]):
                c = start + t if j < 0 else links[j, t]
                if c < 0 or seen[c] == i:
                    continue
                seen[c] = i
                distance = share * (residuals_new[i] + residuals[c])
                distance += sum_squares(components_new, i, components, c)
                if distance >= distances[i, k - 1]:
                    continue
                if estimate:
                    product = inner_product(X_new, i, X, c)
                    distance = norms_new[i] + norms[c] - np.float32(2.0) * product
                insert(distances, positions, new, i, c, distance)
            nearest = 0
            while nearest < k and not (new[i, nearest] and positions[i, nearest] >= 0):
                nearest += 1
            if nearest == k:
                break
            new[i, nearest] = False
            j = positions[i, nearest]
