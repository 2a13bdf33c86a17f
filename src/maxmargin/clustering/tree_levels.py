"""The levels of the tree of clusters that a fitted estimator offers."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin.engine.checks import check_integer
from maxmargin.selection.cluster_count import ClusterCountTable, CountScore
from maxmargin.selection.cluster_tree import ClusterTree


class TreeLevelsMixin:
    """The tree of clusters, of which ``labels_`` are one level."""

    tree_: ClusterTree
    layers_: tuple[int, ...]
    alternatives_: tuple[CountScore, ...]
    labels_: np.ndarray
    n_clusters_: int

    def _set_tree(self, tree: ClusterTree, counts: ClusterCountTable | None) -> None:
        """Set the attributes; ``counts`` has the scores if the number was found."""
        self.tree_ = tree
        self.layers_ = tree.layers(self.n_clusters_)
        found = () if counts is None else counts.maxima
        self.alternatives_ = tuple(
            one for one in found if one.n_clusters != self.n_clusters_
        )

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the samples at another level of the tree.

        Levels are nested: coarser ones merge the clusters of ``labels_``, finer ones
        split them. They are not those of a fit with another number of clusters.

        Parameters
        ----------
        n_clusters : int
            From 1 to ``tree_.n_leaves``. Levels finer than ``labels_`` need a fit that
            searched all samples on their graph.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters are numbered from the largest to the smallest; ``labels_`` if the
            number is ``n_clusters_``.
        """
        check_integer("n_clusters", n_clusters)
        check_is_fitted(self)
        tree = self.tree_
        if n_clusters == self.n_clusters_:
            return self.labels_.copy()
        groups = tree.groups_at(n_clusters)
        if n_clusters > self.n_clusters_:
            if tree.leaves is None:
                raise ValueError(
                    f"n_clusters={n_clusters} is finer than the {self.n_clusters_} "
                    "clusters of the fit, which did not search all samples one by one: "
                    "give a smaller number, or fit with a larger one."
                )
            return groups[tree.leaves]
        of_clusters = np.zeros(self.n_clusters_, dtype=np.int64)
        of_clusters[tree.clusters] = groups
        return of_clusters[self.labels_]
