"""Samples in single precision, and trees that split them at medians.

The units are those in which squared distances do not overflow. A node is split along
the difference of two of its samples. Such a direction is a random one in the shape of
the samples: a rotation of all samples turns the tree with them, and the two halves are
farther apart than along a direction that is random in all dimensions.

The samples of a leaf are a range of the order of the tree, and near each other. Nodes
are numbered as in a heap: the halves of node i are the nodes 2 i + 1 and 2 i + 2.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lu, qr

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.rows.threads import for_blocks, map_blocks

N_COMPONENTS = 64  # principal components of the estimate of a distance
PCA_SAMPLES = 2000
N_MORE = 10  # additional random vectors
LEAF_SIZE = 60
MAX_BLOCKS = 64  # of the nodes of a level


class Samples(NamedTuple):
    """Centred samples in single precision, and their leading components."""

    X: np.ndarray  # (n, d)
    norms: np.ndarray  # (n,), squared
    components: np.ndarray  # (n, p)
    residuals: np.ndarray  # (n,), squared norms outside of the components


class Scaling(NamedTuple):
    """The change of units with which squares do not overflow in single precision."""

    mean: np.ndarray
    scale: float
    leading: np.ndarray | None  # (d, p), the principal directions; None for all

    def center(self, X: np.ndarray) -> np.ndarray:
        """Return samples in these units."""
        centred: np.ndarray = ((X - self.mean) / self.scale).astype(np.float32)
        return centred

    def components(self, X: np.ndarray) -> np.ndarray:
        """Return the leading components of samples X."""
        size = X.shape[1] if self.leading is None else self.leading.shape[1]
        components = np.empty((X.shape[0], size), np.float32)

        def fill(block: slice) -> None:
            rows = self.center(X[block])
            components[block] = rows if self.leading is None else rows @ self.leading

        for_blocks(fill, X.shape[0])
        return components

    def samples(
        self, X: np.ndarray, components: np.ndarray, order: np.ndarray | None = None
    ) -> Samples:
        """Return samples, given their components, in the given order."""
        if order is not None:
            components = components[order]
        norms = np.einsum("ij,ij->i", components, components)
        if self.leading is None:
            return Samples(components, norms, components, np.zeros_like(norms))
        centred, lengths = np.empty(X.shape, np.float32), np.empty_like(norms)

        def fill(block: slice) -> None:
            rows = self.center(X[block if order is None else order[block]])
            centred[block], lengths[block] = rows, np.einsum("ij,ij->i", rows, rows)

        for_blocks(fill, X.shape[0])
        residuals = np.maximum(lengths - norms, 0.0)
        return Samples(centred, lengths, components, residuals)


def find_scaling(X: np.ndarray, random: np.random.RandomState) -> Scaling:
    """Return the units of samples X, found from their mean and range."""
    n_samples, n_features = X.shape

    def describe(block: slice) -> tuple[np.ndarray, float, float]:
        rows = X[block]
        return rows.sum(axis=0, dtype=np.float64), float(rows.min()), float(rows.max())

    sums, smallest, greatest = zip(*map_blocks(describe, n_samples), strict=True)
    mean = np.asarray(sum(sums)) / n_samples
    largest = max(max(greatest) - mean.min(), mean.max() - min(smallest))
    scale = float(max(largest, np.finfo(float).tiny))
    leading = None
    if n_features > N_COMPONENTS:
        size = min(n_samples, PCA_SAMPLES)
        drawn = X[np.sort(random.choice(n_samples, size, replace=False))]
        drawn = (drawn - mean) / scale
        leading = leading_directions(drawn, random).astype(np.float32)
    return Scaling(mean, scale, leading)


def leading_directions(X: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the leading principal directions of centred samples, as columns.

    They are found in the space of a power of ``X'X`` times random vectors [1]_, as by
    scikit-learn, but with products in threads.

    References
    ----------
    .. [1] N. Halko, P. G. Martinsson, J. A. Tropp. Finding structure with randomness.
       SIAM Review 53(2), 2011. doi:10.1137/090771806
    """
    basis = random.normal(size=(X.shape[1], N_COMPONENTS + N_MORE))
    for _ in range(7 if N_COMPONENTS < 0.1 * min(X.shape) else 4):
        basis = lu(_multiply(X, basis), permute_l=True)[0]
        basis = lu(_multiply(X.T, basis), permute_l=True)[0]
    basis = qr(_multiply(X, basis), mode="economic")[0]
    inner = _multiply(X.T, basis)  # its left singular vectors are those of X'
    vectors = np.linalg.svd(inner, full_matrices=False)[0][:, :N_COMPONENTS]
    return np.ascontiguousarray(vectors)


def _multiply(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return a product, some of its rows in each thread."""
    parts = map_blocks(lambda rows: left[rows] @ right, len(left), 64)
    return np.concatenate(parts)


class Tree(NamedTuple):
    """The splits of the samples, and the leaves."""

    order: np.ndarray  # (n,), the samples leaf by leaf
    leaves: np.ndarray  # (m, 2), first and last position of each leaf in the order
    directions: np.ndarray  # (s, p), of the nodes
    thresholds: np.ndarray  # (s,), projections below it are in the first half


def grow_tree(components: np.ndarray, random: np.random.RandomState) -> Tree:
    """Split the samples at medians until no leaf has more than 60 of them.

    The nodes of a level are split at once, some in each thread.
    """
    n_samples, n_components = components.shape
    order = random.permutation(n_samples).astype(np.int32)
    n_nodes = 2 ** int(np.ceil(np.log2(max(n_samples / LEAF_SIZE, 1))))
    draws = random.uniform(size=(n_nodes, 2))
    tree = Tree(
        order,
        np.empty((0, 2), np.int64),
        np.empty((n_nodes, n_components), np.float32),
        np.empty(n_nodes, np.float32),
    )
    values, leaves = np.empty(n_samples, np.float32), []
    nodes = np.array([[0, n_samples, 0]])  # first and last position, number
    while len(nodes):
        small = nodes[:, 1] - nodes[:, 0] <= LEAF_SIZE
        leaves.append(nodes[small, :2])
        nodes = nodes[~small]

        def split(block: slice, nodes: np.ndarray = nodes) -> None:
            split_nodes(components, draws, tree, values, nodes[block])

        for_blocks(split, len(nodes), -(-len(nodes) // MAX_BLOCKS) or 1)
        first, last, number = nodes.T
        middle = (first + last) // 2
        halves = ((first, middle, 2 * number + 1), (middle, last, 2 * number + 2))
        nodes = np.concatenate([np.column_stack(half) for half in halves])
    return tree._replace(leaves=np.concatenate(leaves))


def grow_trees(
    components: np.ndarray, n_trees: int, random: np.random.RandomState
) -> list[Tree]:
    """Grow several trees, one in a thread."""
    seeds = random.randint(np.iinfo(np.int32).max, size=n_trees)

    def grow(block: slice) -> Tree:
        return grow_tree(components, np.random.RandomState(seeds[block.start]))

    return map_blocks(grow, n_trees, block_rows=1)


@compiled_sum
def split_nodes(components, draws, tree, values, nodes):
    """Reorder the samples of some nodes so that either half of a node is a range."""
    order, directions, thresholds = tree.order, tree.directions, tree.thresholds
    for first, last, node in nodes:
        size = last - first
        one = order[first + int(draws[node, 0] * size)]
        two = order[first + int(draws[node, 1] * size)]
        for q in range(components.shape[1]):
            directions[node, q] = components[one, q] - components[two, q]
        for position in range(first, last):
            values[position] = project(components[order[position]], directions[node])
        middle = (first + last) // 2
        _select(values, order, first, last - 1, middle)
        below = values[first]
        for position in range(first + 1, middle):
            below = max(below, values[position])
        thresholds[node] = (below + values[middle]) / np.float32(2.0)


@compiled_sum
def project(row, direction):
    """Return the inner product of two vectors."""
    total = np.float32(0.0)
    for q in range(len(row)):
        total += row[q] * direction[q]
    return total


@compiled
def find_leaf(tree, row):
    """Return the first and the last position of the leaf that a sample falls into."""
    first, last, node = 0, len(tree.order), 0
    while last - first > LEAF_SIZE:
        middle = (first + last) // 2
        if project(row, tree.directions[node]) < tree.thresholds[node]:
            last = middle
            node = 2 * node + 1
        else:
            first = middle
            node = 2 * node + 2
    return first, last


@compiled
def _select(values, order, low, high, middle):
    """Reorder so that no value before ``middle`` is larger than one from there on.

    The value at ``middle`` is then the smallest from there on.
    """
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
