"""What the clusterers share: input, kernel, size limits, attributes, `predict`."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.samples import map_samples, validate_samples
from maxmargin.documented import DocumentedMixin
from maxmargin.engine.model import MarginModel
from maxmargin.engine.quality import score_labels, typical_rows
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import (
    check_weights,
)
from maxmargin.smoothers.affinity_graph import check_affinities
from maxmargin.smoothers.kernel import Kernel, check_kernel_matrix, make_kernel

Method = TypeVar("Method", bound=Callable[..., Any])


def unchanged_on_failure(method: Method) -> Method:
    """Make a method change an estimator as a whole, or not at all.

    If it raises an error, or is interrupted, the attributes are those from before.
    """

    @wraps(method)
    def guarded(self, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, guarded)


def check_n_samples(n_samples: int, n_clusters: int | str) -> None:
    """Raise an error if there are fewer samples than clusters, unless ``"auto"``."""
    if not isinstance(n_clusters, str) and n_samples < n_clusters:
        raise ValueError(
            f"n_samples={n_samples} should be >= n_clusters={n_clusters}: "
            "give more samples or fewer clusters."
        )


def warn_if_not_converged(converged: bool, max_iter: int, stacklevel: int = 4) -> None:
    """Warn if a search ended at its maximum number of rounds."""
    if not converged:
        warnings.warn(
            f"The search did not converge within max_iter={max_iter} rounds: "
            "increase max_iter.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


def warn_if_empty(n_empty: int, n_clusters: int, why: str, stacklevel: int = 4) -> None:
    """Warn if clusters have no samples, and say why and what to do."""
    if n_empty:
        warnings.warn(
            f"{n_empty} of {n_clusters} clusters are empty, {why}.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


class MarginEstimator(DocumentedMixin, BaseEstimator):
    """An estimator with a kernel, and a `MarginModel` in ``_model``."""

    _model: MarginModel
    _takes_graphs = False  # whether sparse precomputed similarities are a graph

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_graphs or self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _make_kernel(self, X, random) -> Kernel:
        """Return the kernel, with its width set from samples X by default."""
        return make_kernel(
            self.kernel,
            X,
            gamma=self.gamma,
            kernel_params=self.kernel_params,
            random=random,
        )

    def _ensure_fitted(self):
        """Raise an error if the estimator is not fitted."""
        check_is_fitted(self)

    def _decide(self, X):
        """Return the decision values of samples X."""
        self._ensure_fitted()
        with single_threaded_libraries():
            return map_samples(self, X, self._model.decide)


class ClusterQualityMixin:
    """A score, and the most typical rows, for a clusterer with ``predict``."""

    predict: Any
    random_state: Any

    _preparation = Preparation()  # what the fit did to the rows

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        r"""Return how well the clusters of samples X are separated; higher is better.

        With the shares :math:`p_h` of the clusters that ``predict`` gives to X, it is

        .. math:: \left(1 - \sum_h p_h^2\right) \max(0, R^2)^2,

        where :math:`R^2` is the leave-one-out one of regularised least squares with a
        radial kernel that predicts the cluster of a sample from the other samples. The
        first factor is the probability that two samples are in different clusters, so
        that a few outliers, or one cluster, do not have a good score. It is between 0
        and 1 and needs no true labels. As it does not depend on the kernel of the
        estimator, the scores of all parameters, the number of clusters included, can
        be compared in ``GridSearchCV``, except ``scale``. It uses at most 1000 samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. Rows of a precomputed kernel are compared like other samples.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.

        Returns
        -------
        score : float
        """
        labels = self.predict(X)
        X = self._preparation(validate_samples(self, X, reset=False))
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries():
            random = check_random_state(self.random_state)
            return score_labels(X, labels, weights, random)

    def representatives(self, X: Any, sample_weight: Any = None) -> np.ndarray:
        """Return the number of one typical row of X for each cluster, its medoid.

        It is the row with the smallest mean distance to the other rows of its cluster,
        to 1000 of them if there are more. The clusters are those of ``predict(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or the kernel matrix of the training samples if
            ``kernel="precomputed"``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.

        Returns
        -------
        rows : ndarray of shape (n_found,)
            Row numbers, in the order of the clusters. A cluster without rows in X has
            none: ``predict(X)[rows]`` are the clusters.
        """
        labels = self.predict(X)
        X = self._preparation(validate_samples(self, X, reset=False))
        if precomputed := get_tags(self).input_tags.pairwise:
            check_affinities(X) if sp.issparse(X) else check_kernel_matrix(X)
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries():
            random = check_random_state(self.random_state)
            return typical_rows(X, labels, weights, precomputed, random)


class MarginClusterer(
    ClusterQualityMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    MarginEstimator,
):
    """A clusterer with a `MarginModel`."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each sample, the one with the largest decision value.

        Limits of cluster sizes are not enforced.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self._ensure_fitted()
        with single_threaded_libraries():
            return map_samples(self, X, self._model.label)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision value of each sample for each cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
            -inf for a cluster without samples.
        """
        return self._decide(X)

    def transform(self, X: Any) -> Any:
        """Return the values of ``decision_function`` as features, one per cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
            A data frame after ``set_output(transform="pandas")``.
        """
        return self.decision_function(X)

    @property
    def _n_features_out(self):
        """Return the number of columns of ``transform``."""
        self._ensure_fitted()
        return self.n_clusters_
