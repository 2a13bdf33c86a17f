"""`LeaderClustering`: clusters of a given radius in one pass over the samples."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.base import unchanged_on_failure
from maxmargin.clustering.samples import validate_samples
from maxmargin.documented import DocumentedMixin
from maxmargin.engine.checks import check_integer, check_positive
from maxmargin.rows.threads import for_blocks
from maxmargin.rows.validation import check_weights
from maxmargin.smoothers.distances import SquaredDistances
from maxmargin.smoothers.leader import find_leaders, leader_pass


class LeaderClustering(ClusterMixin, DocumentedMixin, BaseEstimator):
    """Leader clustering: clusters of a given radius, in one pass over the samples.

    Samples are processed in their order. A sample whose distance to the nearest centre
    is less than ``radius`` joins that centre, and the centre moves to the mean of the
    samples that joined it. Otherwise the sample becomes a new centre. The number of
    clusters follows from the radius. A fit takes O(n m) time for n samples and m
    centres.

    Parameters
    ----------
    radius : float or "auto", default="auto"
        The distance below which a sample joins a centre. ``"auto"`` searches by
        bisection for a radius that yields ``n_centers`` centres.

    n_centers : int, default=8
        The number of centres for ``radius="auto"``. There are never more, and there are
        fewer if no radius that was tried yields this number. Not used if ``radius`` is
        given.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The mean of the samples that joined each centre, in the order in which centres
        were found.
    labels_ : ndarray of shape (n_samples,)
        The nearest of the final centres for each sample; always equal to
        ``predict(X)``. As centres move during the pass, it may differ from the centre
        that the sample joined, ``joined_``.
    joined_ : ndarray of shape (n_samples,)
        The class C_j of [1]_ that each sample joined during the pass, -1 for a sample
        of weight 0. The centres are the means of these classes.
    radius_ : float
        The radius used.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    The result depends on the order of the samples: shuffle them if they are sorted. A
    sample of weight 3 is the same as three equal samples in a row. A sample of weight 0
    has no influence on the centres and gets a label.

    References
    ----------
    .. [1] S. Zheng, X. Lu, N. Zheng, W. Xu. Unsupervised clustering based reduced
       support vector machines. IEEE International Conference on Acoustics, Speech and
       Signal Processing, 2003.

    Examples
    --------
    >>> from maxmargin.published import LeaderClustering
    >>> clusters = LeaderClustering(radius=2.0).fit([[0.0], [1.0], [5.0], [6.0]])
    >>> clusters.cluster_centers_.ravel()
    array([0.5, 5.5])
    >>> clusters.predict([[2.0], [9.0]])
    array([0, 1])
    """

    def __init__(self, radius: Any = "auto", n_centers: Any = 8) -> None:
        self.radius = radius
        self.n_centers = n_centers

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @unchanged_on_failure
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the centres.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the means; equal weights by default.

        Returns
        -------
        self : object
        """
        automatic = isinstance(self.radius, str) and self.radius == "auto"
        if automatic:
            check_integer("n_centers", self.n_centers)
        else:
            check_positive("radius", self.radius)
        X = validate_samples(self, X, reset=True, min_samples=1)
        weights = check_weights(sample_weight, X.shape[0])
        if automatic:
            self.radius_ = find_leaders(X, weights, self.n_centers).radius
        else:
            self.radius_ = float(self.radius)
        self.cluster_centers_, self.joined_ = leader_pass(X, weights, self.radius_)
        self.labels_ = self._nearest(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the nearest centre of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._nearest(validate_samples(self, X, reset=False))

    def _nearest(self, X):
        distances = SquaredDistances(self.cluster_centers_)
        labels = np.empty(X.shape[0], dtype=np.int64)

        def fill(block: slice) -> None:
            labels[block] = distances(X[block]).argmin(axis=1)

        for_blocks(fill, X.shape[0])
        return labels
