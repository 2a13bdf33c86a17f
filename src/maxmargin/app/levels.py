"""The levels of the tree of clusters, with numbers that stay from level to level."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.selection import ClusterTree

ARRAYS = ("children", "sizes", "boundaries", "clusters", "leaves")


@dataclass(frozen=True)
class Levels:
    """The clusters of the first fit, and the coarser and finer ones of its tree.

    From one level to the next one cluster is split. The larger part keeps its number,
    so that its name and its colour stay; the other one has a number of its own at all
    finer levels. At the level of the fit the numbers are those of the fit.
    """

    tree: ClusterTree
    leaves: np.ndarray  # (n,), of each row; some leaf of its cluster if it is not known
    most: int  # the largest number of clusters that there are labels for

    @staticmethod
    def of(estimator: Any) -> "Levels | None":
        """Return the levels of a fitted estimator, None if it has no tree."""
        tree = getattr(estimator, "tree_", None)
        if tree is None:
            return None
        if tree.leaves is not None:
            return Levels(tree, tree.leaves, tree.n_leaves)
        ids, first = np.unique(tree.clusters, return_index=True)
        leaves = first[np.searchsorted(ids, estimator.labels_)]
        return Levels(tree, leaves, len(ids))

    @property
    def fitted(self) -> np.ndarray:
        """Return the ids of the clusters of the fit."""
        return np.unique(self.tree.clusters)

    def numbers_at(self, n_clusters: int) -> np.ndarray:
        """Return the id of each cluster of a level, in the order of ``groups_at``.

        Going down from the root, the larger part of a node takes over its number, so
        that each leaf has one in the end. The number of a cluster is the smallest one
        of its leaves. The first ones are those of the clusters of the fit.
        """
        numbers, fitted = _heirs(self.tree), self.fitted
        groups = self.tree.groups_at(n_clusters)
        smallest = np.full(n_clusters, len(numbers))
        np.minimum.at(smallest, groups, numbers)
        own = numbers < len(fitted)
        ids = np.arange(len(numbers)) + int(fitted[-1]) + 1 - len(fitted)
        ids[numbers[own]] = self.tree.clusters[own]
        found: np.ndarray = ids[smallest]
        return found

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Return the cluster of each row at a level."""
        if not 1 <= n_clusters <= self.most:
            raise ValueError(
                f"There is no level with {n_clusters} clusters: choose a number from 1 "
                f"to {self.most}."
            )
        groups = self.tree.groups_at(n_clusters)[self.leaves]
        labels: np.ndarray = self.numbers_at(n_clusters)[groups]
        return labels

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to store."""
        tree = self.tree
        values = (tree.children, tree.sizes, tree.boundaries, tree.clusters)
        stored = dict(zip(ARRAYS, (*values, self.leaves), strict=True))
        return {f"tree_{name}": values for name, values in stored.items()} | {
            "tree_most": np.array(self.most)
        }

    @staticmethod
    def from_arrays(arrays: dict[str, np.ndarray]) -> "Levels | None":
        """Return what `arrays` stored, None if there was no tree."""
        if "tree_most" not in arrays:
            return None
        *nodes, leaves = (arrays[f"tree_{name}"] for name in ARRAYS)
        return Levels(ClusterTree(*nodes), leaves, int(arrays["tree_most"]))


def _heirs(tree: ClusterTree) -> np.ndarray:
    """Return the number of each leaf: when it was split off, going down from the root.

    The leaf that is reached from the root by the larger parts has the number 0.
    """
    numbers = np.zeros(len(tree.sizes), dtype=np.int64)
    first, second = tree.children.T
    swap = tree.sizes[first] < tree.sizes[second]
    larger, smaller = np.where(swap, (second, first), (first, second))[:, ::-1]
    for i in range(len(larger)):
        node = len(tree.sizes) - 1 - i
        numbers[larger[i]], numbers[smaller[i]] = numbers[node], i + 1
    return numbers[: tree.n_leaves]
