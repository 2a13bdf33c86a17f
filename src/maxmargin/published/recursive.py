"""`RecursiveBisection`: many clusters by a clusterer for two."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from maxmargin.clustering.base import (
    ClusterQualityMixin,
    check_n_samples,
    unchanged_on_failure,
)
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.samples import validate_samples
from maxmargin.documented import DocumentedMixin
from maxmargin.engine.checks import check_integer
from maxmargin.engine.options import Options
from maxmargin.engine.quality import split_margin
from maxmargin.published.split_tree import SplitNode
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.sample import group_equal_rows
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import check_weights


class RecursiveBisection(
    ClusterQualityMixin, ClusterMixin, DocumentedMixin, BaseEstimator
):
    r"""Divisive clustering: clusters are split in two until there are enough.

    All samples are split into two clusters. Then the cluster whose parts have the
    largest margin between them is split, until there are ``n_clusters``, as in the
    recursion of [1]_. The margin of a split is

    .. math:: 1 - \frac{\sum_i w_i \|z_i - f_{-i}(x_i)\|^2}
                       {\sum_i w_i \|z_i - \bar z\|^2},

    the leave-one-out :math:`R^2` of regularised least squares that predicts the
    indicators :math:`z_i` of the parts. It has no unit and can be computed for the
    splits of any clusterer: 1 if the part of each sample is predicted by the other
    samples, 0 if the prediction is no better than the mean :math:`\bar z`.

    Parameters
    ----------
    estimator : estimator object, default=None
        A clusterer with ``labels_``. If it has the parameters ``n_clusters`` and
        ``random_state``, they are set to 2 and to a seed. New samples can be predicted
        if it has ``predict``. None is `MaxMarginClustering` with default parameters.
        Whether columns are scaled is decided once, on all samples, by the parameter
        ``scale`` of `MaxMarginClustering`; for other clusterers they are not.

    n_clusters : int, default=8
        The number of clusters.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterers.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, numbered along the leaves of the tree. It equals
        ``predict(X)`` if that holds for the estimator, as for `MaxMarginClustering`
        with ``balance="free"``.
    tree_ : SplitNode
        The root of the tree, with ``indices``, ``size``, ``margin``, ``children`` and
        the fitted ``estimator`` of each split, and the ``label`` of each leaf.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns; None if the columns are used as they are.
    n_clusters_, n_features_in_ : int
        The number of clusters, less than ``n_clusters`` if no cluster can be split any
        further, and the number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    The labels depend on the order of the rows only if those of the estimator do, and
    sample weights have the meaning that they have for the estimator.

    References
    ----------
    .. [1] K. Zhang, I. W. Tsang, J. T. Kwok. Maximum margin clustering made practical.
       Proceedings of the 24th International Conference on Machine Learning, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.published import IterativeMaxMarginClustering, RecursiveBisection
    >>> X = np.concatenate([np.linspace(0, 1, 20) + shift for shift in (0, 4, 20)])
    >>> binary = IterativeMaxMarginClustering(balance=0.5, random_state=0)
    >>> tree = RecursiveBisection(binary, n_clusters=3, random_state=0)
    >>> np.bincount(tree.fit(X[:, None]).labels_)
    array([20, 20, 20])
    """

    def __init__(
        self, estimator: Any = None, n_clusters: int = 8, *, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._binary()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        return tags

    @unchanged_on_failure
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or a kernel matrix if the estimator takes one.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; the estimator's ``fit`` must have the parameter
            ``sample_weight``.

        Returns
        -------
        self : object
        """
        check_integer("n_clusters", self.n_clusters)
        X = validate_samples(self, X, reset=True)
        n_samples = X.shape[0]
        check_n_samples(n_samples, self.n_clusters)
        if sample_weight is not None and not self._takes_weights():
            raise ValueError(
                f"{type(self._binary()).__name__} takes no sample_weight: pass None."
            )
        weights = check_weights(sample_weight, n_samples)
        random = check_random_state(self.random_state)
        with single_threaded_libraries():
            self._preparation = self._choose_preparation(X, weights)
            self.scale_ = self._preparation.scale
            self._grow(X, weights, random)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"Found {self.n_clusters_} clusters instead of {self.n_clusters}: "
                "none of them can be split.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _choose_preparation(self, X, weights):
        """Return what is done to the rows of all splits before they are compared."""
        binary = self._binary()
        if not isinstance(binary, MaxMarginClustering):
            return Preparation()
        source = ArraySource(X, weights)
        return Options.of(binary).prepare(X, weights, source.column_statistics)

    def _grow(self, X, weights, random):
        """Split the leaf with the largest margin until there are enough clusters."""
        self.tree_ = SplitNode(np.arange(X.shape[0]))
        leaves = [self.tree_]
        if self.n_clusters > 1:
            self._try_split(self.tree_, X, weights, random)
        while len(leaves) < self.n_clusters:
            best = max(leaves, key=lambda leaf: leaf.margin)
            if best.candidate is None:
                break
            parts = best.split()
            position = leaves.index(best)
            leaves[position : position + 1] = parts
            if len(leaves) < self.n_clusters:
                for child in parts:
                    self._try_split(child, X, weights, random)
        self.n_clusters_ = len(leaves)
        self.labels_ = np.empty(X.shape[0], dtype=np.int64)
        for label, leaf in enumerate(leaves):
            leaf.label, leaf.candidate = label, None  # its split is not made
            self.labels_[leaf.indices] = label

    def _try_split(self, node, X, weights, random):
        """Find a split of a node and its margin.

        Errors of the clusterer are raised at the root; below it they become warnings.
        """
        rows = self._rows(X, node.indices, node.indices)
        own = weights[node.indices]
        if node is not self.tree_ and not self._has_distinct(rows[own > 0]):
            return
        binary = self._binary(random.randint(np.iinfo(np.int32).max))
        arguments = {"sample_weight": own} if self._takes_weights() else {}
        try:
            labels = np.asarray(binary.fit(rows, **arguments).labels_)
        except ValueError as error:
            if node is self.tree_:
                raise
            warnings.warn(
                f"A cluster of {node.size} samples was not split, because "
                f"{type(binary).__name__} raised an error: {error}",
                ConvergenceWarning,
                stacklevel=5,
            )
            return
        if set(labels[own > 0]) != {0, 1}:
            return
        pairwise = get_tags(self).input_tags.pairwise
        rows = self._preparation(rows)
        node.margin = split_margin(rows, labels, own, pairwise, random)
        node.candidate = binary, labels

    def _has_distinct(self, rows):
        """Return True if two samples differ; those of a kernel matrix may."""
        if get_tags(self).input_tags.pairwise:
            return rows.shape[0] > 1
        return len(group_equal_rows(rows)[0]) > 1

    def _binary(self, seed=None):
        """Return a clone of the clusterer with two clusters."""
        given = MaxMarginClustering() if self.estimator is None else self.estimator
        binary = clone(given)
        parameters: dict[str, Any] = {"n_clusters": 2}
        if seed is not None:
            parameters["random_state"] = seed
            if isinstance(binary, MaxMarginClustering):
                parameters["scale"] = False if self.scale_ is None else self.scale_
        known = binary.get_params(deep=False)
        return binary.set_params(**{k: v for k, v in parameters.items() if k in known})

    def _takes_weights(self):
        return has_fit_parameter(self._binary(), "sample_weight")

    def _rows(self, X, rows, columns):
        """Return some samples; of a kernel matrix, the given rows and columns."""
        if get_tags(self).input_tags.pairwise:
            return X[np.ix_(rows, columns)]
        return X[rows]

    @available_if(lambda bisection: hasattr(bisection._binary(), "predict"))
    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each sample, found by descending the tree.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_samples(self, X, reset=False)
        labels = np.empty(X.shape[0], dtype=np.int64)
        waiting = [(self.tree_, np.arange(X.shape[0]))]
        while waiting:
            node, rows = waiting.pop()
            if node.children is None:
                labels[rows] = node.label
            elif len(rows):
                sides = node.estimator.predict(self._rows(X, rows, node.indices))
                for side, child in enumerate(node.children):
                    waiting.append((child, rows[sides == side]))
        return labels

    def to_text(self) -> str:
        """Return the tree as text, a line for each split and each cluster."""
        check_is_fitted(self)
        return self.tree_.to_text()
