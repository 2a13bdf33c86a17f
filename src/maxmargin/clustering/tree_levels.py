"""Other labels that a fitted estimator offers: levels of the tree, and noise."""

from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin.engine.checks import check_integer
from maxmargin.selection.cluster_count import ClusterCountTable, CountScore
from maxmargin.selection.cluster_tree import ClusterTree

# Samples whose score, on a logarithmic scale, is farther above the upper quartile than
# so many times the distance of the quartiles are "far out" [1]_.
# .. [1] J. W. Tukey. Exploratory Data Analysis. Addison-Wesley, 1977.
FAR_OUT = 3.0


class TreeLevelsMixin:
    """The tree of clusters, of which ``labels_`` are one level, and its outliers."""

    tree_: ClusterTree
    layers_: tuple[int, ...]
    alternatives_: tuple[CountScore, ...]
    count_table_: ClusterCountTable | None
    labels_: np.ndarray
    n_clusters_: int
    outlier_scores_: np.ndarray | None

    def _set_tree(self, tree: ClusterTree, counts: ClusterCountTable | None) -> None:
        """Set the attributes; ``counts`` has the scores if the number was found."""
        self.tree_ = tree
        self.layers_ = tree.layers(self.n_clusters_)
        self.count_table_ = counts
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

    def labels_with_noise(self, share: float | str = "auto") -> np.ndarray:
        """Return ``labels_`` with -1 for samples that are far from all others.

        Parameters
        ----------
        share : "auto" or float, default="auto"
            The share of the samples that are noise, those with the largest
            ``outlier_scores_``. With ``"auto"`` these are samples whose logarithmic
            score is above the upper quartile by more than three times the distance of
            the quartiles; there may be none.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        automatic = isinstance(share, str) and share == "auto"
        if not automatic and not (isinstance(share, Real) and 0 <= share < 1):
            raise ValueError(
                f"share={share!r} must be 'auto' or a number from 0 to below 1."
            )
        check_is_fitted(self)
        if self.outlier_scores_ is None:
            raise ValueError(
                "outlier_scores_ is None: noise needs a fit that searched all samples "
                "on their neighbour graph. Fit fewer samples, or with "
                "kernel='neighbors'."
            )
        scores = self.outlier_scores_
        if automatic:
            limit = far_out(scores)
        else:
            limit = float(np.quantile(scores, 1.0 - float(share), method="lower"))
        labels = self.labels_.copy()
        labels[scores > limit] = -1
        return labels


def far_out(scores: np.ndarray) -> float:
    """Return the score above which samples are noise."""
    logs = np.log(np.maximum(scores, np.finfo(np.float32).tiny))
    lower, upper = np.quantile(logs, [0.25, 0.75])
    return float(np.exp(upper + FAR_OUT * (upper - lower)))
