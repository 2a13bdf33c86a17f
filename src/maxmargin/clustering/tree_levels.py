"""Other labels that a fit offers.

These are the levels of its tree, other similarities, noise, and corrections by hand.
"""

from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.labellings import (
    Alternative,
    drop_near_copies,
    other_labellings,
)
from maxmargin.clustering.samples import validate_samples
from maxmargin.engine.checks import check_integer
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import check_weights
from maxmargin.selection.cluster_count import ClusterCountTable
from maxmargin.selection.cluster_tree import ClusterTree

# Samples whose score, on a logarithmic scale, is farther above the upper quartile than
# so many times the distance of the quartiles are "far out" [1]_.
# .. [1] J. W. Tukey. Exploratory Data Analysis. Addison-Wesley, 1977.
FAR_OUT = 3.0


class TreeLevelsMixin:
    """The tree of clusters, of which ``labels_`` are one level, and its outliers."""

    kernel: Any
    tree_: ClusterTree
    layers_: tuple[int, ...]
    count_table_: ClusterCountTable | None
    labels_: np.ndarray
    n_clusters_: int
    outlier_scores_: np.ndarray | None
    _preparation: Any
    _sources: Any

    def _set_tree(self, tree: ClusterTree, counts: ClusterCountTable | None) -> None:
        """Set the attributes; ``counts`` has the scores if the number was found."""
        self.tree_ = tree
        self.layers_ = tree.layers(self.n_clusters_)
        self.count_table_ = counts

    @property
    def alternatives_(self) -> tuple[Alternative, ...]:
        """Return the levels of the tree that are alternatives to ``labels_``.

        They are made when they are asked for, so that a fit costs nothing more.
        """
        check_is_fitted(self)
        counts = self.count_table_
        maxima = () if counts is None else counts.maxima
        scores = {one.n_clusters: one.score for one in maxima}
        numbers = dict.fromkeys((*scores, *self.layers_))
        finest = self.tree_.n_leaves if self.tree_.leaves is not None else 0
        found = [
            (f"{k} clusters of the tree", self.labels_at(k))
            for k in numbers
            if 1 < k <= max(finest, self.n_clusters_) and k != self.n_clusters_
        ]
        return tuple(
            one._replace(score=scores.get(one.n_clusters))
            for one in drop_near_copies(self.labels_, found)
        )

    def find_alternatives(
        self, X: Any, sample_weight: Any = None
    ) -> tuple[Alternative, ...]:
        """Return other labels of the samples, which differ from each other.

        Besides ``alternatives_`` these are labels with the same number of clusters by
        other similarities, scales of the columns and methods. They are found on at most
        1000 samples, or 20 for each cluster, and the others get the label of the
        nearest one. Of labels whose adjusted Rand index is above 0.95 the first are
        kept.

        Parameters
        ----------
        X : {array-like, sparse matrix, table} of shape (n_samples, n_features)
            The samples of the fit.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.

        Returns
        -------
        alternatives : tuple of Alternative
            Each with ``labels``, a ``description`` in words, ``agreement``, the
            adjusted Rand index with ``labels_``, ``n_clusters``, and the ``score`` of
            that number, if it has one.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from maxmargin import MaxMarginClustering
        >>> X, _ = load_wine(return_X_y=True)
        >>> model = MaxMarginClustering(3, random_state=0).fit(X)
        >>> found = model.find_alternatives(X)
        >>> max(one.agreement for one in found) <= 0.95
        True
        """
        check_is_fitted(self)
        if getattr(self, "kernel", None) == "precomputed" or self._sources is not None:
            raise ValueError(
                "find_alternatives needs the features of samples: a precomputed kernel "
                "has none, and several sources have several. alternatives_ has the "
                "levels of the tree."
            )
        X = validate_samples(self, X, reset=False)
        if X.shape[0] != len(self.labels_):
            raise ValueError(
                f"X has {X.shape[0]} samples and the fit had {len(self.labels_)}: give "
                "the samples of the fit."
            )
        weights = check_weights(sample_weight, X.shape[0])
        levels = self.alternatives_
        clusterer = clone(self).set_params(n_clusters=self.n_clusters_, verbose=0)
        with single_threaded_libraries():
            others = other_labellings(clusterer, self._preparation(X), weights)
        found = [(one.description, one.labels) for one in levels] + others
        scores = {one.description: one.score for one in levels}
        return tuple(
            one._replace(score=scores.get(one.description))
            for one in drop_near_copies(self.labels_, found)
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

    def explore(self, X: Any) -> Any:
        """Return the map of the clusters as a widget for a notebook.

        Rows can be selected on it, and clusters corrected, merged and split. The
        widget's attribute ``corrected`` is a `SemiSupervisedMaxMargin` that is fitted
        with all corrections. Needs the extra ``notebook``.

        Parameters
        ----------
        X : {array-like, sparse matrix, table} of shape (n_samples, n_features)
            The samples, as they were given to ``fit``.

        Returns
        -------
        widget : anywidget.AnyWidget
            Shown by the notebook as the last line of a cell.
        """
        check_is_fitted(self)
        if self.kernel == "precomputed" or self._sources is not None:
            raise ValueError(
                "Corrections need the samples as one table: fit the model to it, "
                "without a precomputed kernel and several sources."
            )
        rows = self._preparation(validate_samples(self, X, reset=False))
        notebook = import_module("maxmargin.notebook")  # a later folder
        return notebook.explore(self, X, rows)


def far_out(scores: np.ndarray) -> float:
    """Return the score above which samples are noise."""
    logs = np.log(np.maximum(scores, np.finfo(np.float32).tiny))
    lower, upper = np.quantile(logs, [0.25, 0.75])
    return float(np.exp(upper + FAR_OUT * (upper - lower)))
