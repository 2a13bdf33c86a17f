"""Approximate nearest neighbours of all samples, by trees and descent.

Random projection trees split the samples into small leaves, several times; the samples
of a leaf are compared with each other. Then the neighbours of a sample's neighbours
are compared with it until few lists change [1]_. A distance is computed in full only if
an estimate from the leading principal components does not rule the pair out.

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

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.resources import for_blocks, map_blocks

LEAF_SIZE = 60
N_COMPONENTS = 64  # principal components of the estimate
PCA_SAMPLES = 2000
# The share of the squared norms outside of the components that the estimate includes:
# all of it for independent residuals, less for those of nearest neighbours.
RESIDUAL_SHARE = 0.5
MAX_ROUNDS = 6
MIN_CHANGED = 0.05  # share of list entries below which rounds end
# The recall is measured on some samples. If it is too low, the search is repeated with
# more trees and longer lists.
MIN_RECALL = 0.95
RECALL_SAMPLES = 100
EFFORTS = ((10, 5), (20, 15), (40, 35))  # trees, and additional list entries
ROWS_PER_BLOCK = 4096
LEAVES_PER_BLOCK = 64


class Samples(NamedTuple):
    """Centred samples in single precision, and their leading components."""

    X: np.ndarray  # (n, d)
    norms: np.ndarray  # (n,), squared
    components: np.ndarray  # (n, p)
    residuals: np.ndarray  # (n,), squared norms outside of the components


class Lists(NamedTuple):
    """The nearest neighbours found so far, the nearest first."""

    distances: np.ndarray  # (n, k), squared
    positions: np.ndarray  # (n, k), -1 for none
    new: np.ndarray  # (n, k), whether the entry is of the last round


def approximate_neighbors(X: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return the positions of the nearest other samples of each sample (n x k).

    At least 95 % of them are nearest neighbours, as measured on some samples, unless
    the greatest effort is not enough. A list that is not full ends with -1. The seed is
    fixed, so that the result is deterministic.
    """
    random = np.random.RandomState(0)
    samples, order = _prepare(X, random)
    for n_trees, n_more in EFFORTS:
        length = min(n_neighbors + n_more, len(order) - 1)
        lists = _search(samples, length, n_trees, random)
        if measure_recall(samples, lists, n_neighbors, random) >= MIN_RECALL:
            break
    nearest = lists.positions[:, :n_neighbors]
    positions = np.empty(nearest.shape, dtype=np.int64)
    positions[order] = np.where(nearest >= 0, order[nearest], -1)
    return positions


def _search(
    samples: Samples, length: int, n_trees: int, random: np.random.RandomState
) -> Lists:
    """Return lists of the given length, by trees and descent."""
    shape = (len(samples.norms), length)
    lists = Lists(
        np.full(shape, np.inf, np.float32),
        np.full(shape, -1, np.int32),
        np.ones(shape, np.bool_),
    )
    for _ in range(n_trees):
        _join_tree(samples, lists, random)
    for _ in range(MAX_ROUNDS):
        lists, n_changed = _descend(samples, lists)
        if n_changed < MIN_CHANGED * lists.positions.size:
            break
    return lists


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


def _prepare(
    X: np.ndarray, random: np.random.RandomState
) -> tuple[Samples, np.ndarray]:
    """Return the samples in the order of a tree, in which near ones are close."""
    n_samples, n_features = X.shape
    mean = X.mean(axis=0, dtype=np.float64)
    scale = max(X.max() - mean.min(), mean.max() - X.min(), np.finfo(float).tiny)
    centred = np.empty(X.shape, np.float32)

    def center(block: slice) -> None:
        centred[block] = (X[block] - mean) / scale  # no overflow in single precision

    for_blocks(center, n_samples)
    components = centred
    if n_features > N_COMPONENTS:
        size = min(n_samples, PCA_SAMPLES)
        drawn = centred[random.choice(n_samples, size, replace=False)]
        vectors = np.linalg.eigh((drawn.T @ drawn).astype(np.float64))[1]
        leading = np.ascontiguousarray(vectors[:, -N_COMPONENTS:], dtype=np.float32)
        components = np.empty((n_samples, N_COMPONENTS), np.float32)

        def project(block: slice) -> None:
            components[block] = centred[block] @ leading

        for_blocks(project, n_samples)
    order = _grow_tree(components, random).order
    centred, components = centred[order], components[order]
    norms = np.einsum("ij,ij->i", centred, centred)
    residuals = norms - np.einsum("ij,ij->i", components, components)
    return Samples(centred, norms, components, np.maximum(residuals, 0.0)), order


class Tree(NamedTuple):
    """A split of the samples into leaves."""

    order: np.ndarray  # (n,), the samples leaf by leaf
    leaves: np.ndarray  # (m, 2), first and last position of each leaf in the order


def _grow_tree(components: np.ndarray, random: np.random.RandomState) -> Tree:
    """Split the samples at medians along random directions."""
    n_samples, n_components = components.shape
    order = random.permutation(n_samples).astype(np.int32)
    n_splits = 2 ** int(np.ceil(np.log2(max(n_samples / LEAF_SIZE, 1))))
    directions = random.standard_normal((n_splits, n_components)).astype(np.float32)
    leaves = np.empty((n_splits, 2), np.int64)
    n_leaves = split_samples(components, order, directions, leaves)
    return Tree(order, leaves[:n_leaves])


@compiled_sum
def split_samples(components, order, directions, leaves):
    """Reorder the samples so that each leaf is a range; return the number of leaves."""
    n_samples, n_components = components.shape
    values = np.empty(n_samples, np.float32)
    stack = np.empty((64, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n_samples
    n_open, n_leaves, n_used = 1, 0, 0
    while n_open > 0:
        n_open -= 1
        first, last = stack[n_open, 0], stack[n_open, 1]
        if last - first <= LEAF_SIZE:
            leaves[n_leaves, 0], leaves[n_leaves, 1] = first, last
            n_leaves += 1
            continue
        direction = directions[n_used]
        n_used += 1
        for position in range(first, last):
            row = components[order[position]]
            total = np.float32(0.0)
            for q in range(n_components):
                total += row[q] * direction[q]
            values[position] = total
        middle = (first + last) // 2
        _select(values, order, first, last - 1, middle)
        stack[n_open, 0], stack[n_open, 1] = first, middle
        stack[n_open + 1, 0], stack[n_open + 1, 1] = middle, last
        n_open += 2
    return n_leaves


@compiled
def _select(values, order, low, high, middle):
    """Reorder so that no value before ``middle`` is larger than one from there on."""
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


def _join_tree(samples: Samples, lists: Lists, random: np.random.RandomState) -> None:
    """Compare the samples of each leaf of a new tree with each other."""
    tree = _grow_tree(samples.components, random)

    def join(block: slice) -> None:
        join_leaves(samples, lists, tree, block.start, block.stop)

    for_blocks(join, len(tree.leaves), LEAVES_PER_BLOCK)


@compiled
def join_leaves(samples, lists, tree, first_leaf, last_leaf):
    """Add the samples of a leaf to each other's lists."""
    for leaf in range(first_leaf, last_leaf):
        members = tree.order[tree.leaves[leaf, 0] : tree.leaves[leaf, 1]]
        rows = np.empty((len(members), samples.X.shape[1]), np.float32)
        for a in range(len(members)):
            rows[a] = samples.X[members[a]]
        products = np.dot(rows, rows.T)
        for a in range(len(members)):
            i = members[a]
            for b in range(len(members)):
                if a != b:
                    j = members[b]
                    distance = samples.norms[i] + samples.norms[j]
                    distance -= np.float32(2.0) * products[a, b]
                    insert(lists, i, j, max(distance, np.float32(0.0)))


@compiled
def insert(lists, i, j, distance):
    """Insert j into the list of i if it is near enough; return 1 if it is."""
    distances, positions = lists.distances[i], lists.positions[i]
    last = len(positions) - 1
    if distance >= distances[last]:
        return 0
    for q in range(last + 1):
        if positions[q] == j:
            return 0
    q = last
    while q > 0 and distances[q - 1] > distance:
        distances[q] = distances[q - 1]
        positions[q] = positions[q - 1]
        lists.new[i, q] = lists.new[i, q - 1]
        q -= 1
    distances[q], positions[q], lists.new[i, q] = distance, j, True
    return 1


def _descend(samples: Samples, lists: Lists) -> tuple[Lists, int]:
    """Compare each sample with the neighbours of its neighbours, in both directions.

    Pairs that met in an earlier round are left out: one of the two steps must be new.
    """
    n_samples, length = lists.positions.shape
    both = Both(
        np.full((n_samples, 2 * length), -1, np.int32),
        np.zeros((n_samples, 2 * length), np.bool_),
    )
    link_both_ways(lists, both)
    result = Lists(
        lists.distances.copy(), lists.positions.copy(), np.zeros_like(lists.new)
    )

    def descend(block: slice) -> int:
        return int(visit_rows(samples, both, result, block.start, block.stop))

    return result, sum(map_blocks(descend, n_samples, ROWS_PER_BLOCK))


class Both(NamedTuple):
    """The neighbours of each sample, followed by those that have it as neighbour."""

    positions: np.ndarray  # (n, 2 k), -1 for none
    new: np.ndarray  # (n, 2 k)


@compiled
def link_both_ways(lists, both):
    """Fill in the neighbours in both directions, at most k of each kind."""
    n_samples, k = lists.positions.shape
    counts = np.full(n_samples, k)
    for q in range(k):
        for i in range(n_samples):
            j = lists.positions[i, q]
            if j >= 0:
                both.positions[i, q] = j
                both.new[i, q] = lists.new[i, q]
                if counts[j] < 2 * k:
                    both.positions[j, counts[j]] = i
                    both.new[j, counts[j]] = lists.new[i, q]
                    counts[j] += 1


@compiled_sum
def visit_rows(samples, both, lists, first, last):
    """Improve the lists of some rows; return how many entries changed."""
    X, norms = samples.X, samples.norms
    components, residuals = samples.components, samples.residuals
    width, k = both.positions.shape[1], lists.positions.shape[1]
    seen = np.full(len(norms), -1, np.int32)
    n_changed = 0
    for i in range(first, last):
        seen[i] = i
        for q in range(k):
            if lists.positions[i, q] >= 0:
                seen[lists.positions[i, q]] = i
        for s in range(width):
            j = both.positions[i, s]
            if j < 0:
                continue
            for t in range(-1, width):
                c = j if t < 0 else both.positions[j, t]
                if c < 0 or seen[c] == i:
                    continue
                if not both.new[i, s] and (t < 0 or not both.new[j, t]):
                    continue
                seen[c] = i
                bound = lists.distances[i, k - 1]
                distance = np.float32(RESIDUAL_SHARE) * (residuals[i] + residuals[c])
                for q in range(components.shape[1]):
                    step = components[i, q] - components[c, q]
                    distance += step * step
                if distance >= bound:
                    continue
                if components.shape[1] < X.shape[1]:  # else there are no residuals
                    product = np.float32(0.0)
                    for q in range(X.shape[1]):
                        product += X[i, q] * X[c, q]
                    distance = norms[i] + norms[c] - np.float32(2.0) * product
                n_changed += insert(lists, i, c, max(distance, np.float32(0.0)))
    return n_changed
