"""`RecursiveBisection`: a clusterer for two clusters, made one for many."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.parameters import check_integer, check_weights
from maxmargin.clustering.split_margin import split_margin
from maxmargin.clustering.split_tree import SplitNode
from maxmargin.kernels.kernel import check_kernel_matrix
from maxmargin.kernels.threads import single_threaded_libraries


def _can_predict(bisection):
    return hasattr(bisection._binary(), "predict")


class RecursiveBisection(ClusterMixin, BaseEstimator):
    r"""Many clusters by parting in two again and again.

    All samples are parted into two clusters, and then, until there are enough, the
    cluster whose parts have the widest margin between them, as the recursion of [1]_.
    Each cluster's split is computed once, when the cluster comes up. Its margin is

    .. math:: 1 - \frac{\sum_i w_i \|z_i - f_{-i}(x_i)\|^2}
                       {\sum_i w_i \|z_i - \bar z\|^2},

    the share of the parts' indicators :math:`z_i` that least squares predicts for
    samples left out. It has no unit and does not depend on the clusterer: 1 if every
    sample can tell its side from the others, 0 if none can.

    Parameters
    ----------
    estimator : estimator object, default=None
        A clusterer into two clusters, with ``labels_`` and, for new samples,
        ``predict``. Where it has the parameters ``n_clusters`` and ``random_state``,
        they are set. By default `MaxMarginClustering`.

    n_clusters : int, default=8
        The number of clusters.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterers.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, counted along the leaves of the tree.
    tree_ : SplitNode
        All samples, with ``indices``, ``size``, ``margin``, ``children`` and the fitted
        ``estimator`` of each split, and ``label`` of each leaf.
    n_clusters_ : int
        The number of clusters; smaller than asked for where nothing can be parted.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    References
    ----------
    .. [1] K. Zhang, I. W. Tsang, J. T. Kwok. Maximum margin clustering made practical.
       Proceedings of the 24th International Conference on Machine Learning, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import IterativeMaxMarginClustering, RecursiveBisection
    >>> X = np.concatenate([np.linspace(0, 1, 20) + shift for shift in (0, 4, 20)])
    >>> binary = IterativeMaxMarginClustering(balance=0.5, random_state=0)
    >>> tree = RecursiveBisection(binary, n_clusters=3, random_state=0)
    >>> np.bincount(tree.fit(X[:, None]).labels_)
    array([20, 20, 20])
    """

    def __init__(self, estimator=None, n_clusters=8, *, random_state=None):
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._binary()).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or what the estimator takes for them.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, for an estimator that takes weights.

        Returns
        -------
        self : object
        """
        check_integer("n_clusters", self.n_clusters)
        X = self._validate(X, reset=True)
        if get_tags(self).input_tags.pairwise:
            check_kernel_matrix(X)
        n_samples = X.shape[0]
        if n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= n_clusters={self.n_clusters}: "
                "give more samples or ask for fewer clusters."
            )
        if sample_weight is not None and not self._takes_weights():
            raise ValueError(
                f"{type(self._binary()).__name__} takes no sample_weight: leave it out."
            )
        weights = check_weights(sample_weight, n_samples)
        random = check_random_state(self.random_state)
        with single_threaded_libraries() as n_threads:
            self._grow(X, weights, random, n_threads)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"Found {self.n_clusters_} clusters instead of {self.n_clusters}: "
                "what is left cannot be parted.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _grow(self, X, weights, random, n_threads):
        """Part the leaf with the widest margin until there are enough."""
        self.tree_ = SplitNode(np.arange(X.shape[0]))
        leaves = [self.tree_]
        if self.n_clusters > 1:
            self._try_split(self.tree_, X, weights, random, n_threads)
        while len(leaves) < self.n_clusters:
            widest = max(leaves, key=lambda leaf: leaf.margin)
            if widest.candidate is None:
                break
            parts = widest.split()
            place = leaves.index(widest)
            leaves[place : place + 1] = parts
            if len(leaves) < self.n_clusters:
                for child in parts:
                    self._try_split(child, X, weights, random, n_threads)
        self.n_clusters_ = len(leaves)
        self.labels_ = np.empty(X.shape[0], dtype=np.int64)
        for label, leaf in enumerate(leaves):
            leaf.finish(label)
            self.labels_[leaf.indices] = label

    def _try_split(self, node, X, weights, random, n_threads):
        """Find the two parts of a node and the margin between them, if there are any.

        What the estimator refuses to part stays whole, unless it is all samples: then
        the user has to know why.
        """
        rows = self._rows(X, node.indices, node.indices)
        own = weights[node.indices]
        binary = self._binary(random.randint(np.iinfo(np.int32).max))
        arguments = {"sample_weight": own} if self._takes_weights() else {}
        try:
            labels = np.asarray(binary.fit(rows, **arguments).labels_)
        except ValueError:
            if node is self.tree_:
                raise
            return
        if set(labels[own > 0]) != {0, 1}:
            return
        pairwise = get_tags(self).input_tags.pairwise
        margin = split_margin(rows, labels, own, pairwise, random, n_threads)
        node.propose(binary, labels, margin)

    def _binary(self, seed=None):
        """Return a fresh clusterer for two clusters."""
        given = MaxMarginClustering() if self.estimator is None else self.estimator
        binary = clone(given)
        wishes = {"n_clusters": 2}
        if seed is not None:
            wishes["random_state"] = seed
        known = binary.get_params(deep=False)
        return binary.set_params(**{k: v for k, v in wishes.items() if k in known})

    def _takes_weights(self):
        return has_fit_parameter(self._binary(), "sample_weight")

    def _rows(self, X, rows, columns):
        """Return some samples, of a kernel matrix with the columns they need."""
        if get_tags(self).input_tags.pairwise:
            return X[np.ix_(rows, columns)]
        return X[rows]

    def _validate(self, X, reset):
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if get_tags(self).input_tags.sparse else False,
            ensure_min_samples=2 if reset else 1,
            dtype=[np.float64, np.float32],
            order="C",
        )

    @available_if(_can_predict)
    def predict(self, X):
        """Return the cluster of each sample, found by walking down the tree.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
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

    def to_text(self):
        """Return the tree as text, a line for each split and each cluster."""
        check_is_fitted(self)
        return self.tree_.to_text()
