"""What the clusterers share: input, kernel, size limits, attributes, `predict`."""

import warnings
from collections.abc import Callable, Iterator
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
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.clustering.source_rows import join_samples
from maxmargin.clustering.table_rows import TableRows, set_encoder
from maxmargin.clustering.text_rows import check_no_encoder, encode_texts
from maxmargin.distances import check_magnitude
from maxmargin.engine.checks import check_weights
from maxmargin.engine.model import MarginModel
from maxmargin.engine.quality import score_labels, typical_rows
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.precision import accepted_types
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.sparse import with_short_indices
from maxmargin.smoothers.affinity_graph import check_affinities, check_affinity_rows
from maxmargin.smoothers.kernel import Kernel, check_kernel_matrix, make_kernel
from maxmargin.tables.objects import is_table
from maxmargin.texts.encoder import is_texts

Method = TypeVar("Method", bound=Callable[..., Any])


def validate_samples(estimator, X, *, reset, min_samples=2):
    """Return X as `validate_data` does, with the settings of this package.

    CSR matrices are accepted if the tags of the estimator allow sparse input, texts
    (`encode_texts`), tables of any library (`is_table`), see `TableRows`, and several
    sources, see `join_samples`.
    ``min_samples``, and the check of a kernel matrix, hold for ``fit``.
    """
    tags = get_tags(estimator).input_tags
    min_samples = min_samples if reset else 1
    X = join_samples(estimator, X, reset=reset)
    if is_table(X):
        X = TableRows(estimator, X, reset=reset).to_array(min_samples)
    else:
        if is_texts(X):
            X = encode_texts(estimator, X, reset=reset)
        elif reset:
            set_encoder(estimator, None)
        else:
            check_no_encoder(estimator)
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if tags.sparse else False,
            ensure_min_samples=min_samples,
            dtype=accepted_types(X),
            order="C",
        )
    X = with_short_indices(X)
    check_magnitude(X)
    if tags.pairwise:
        check_pairs(estimator, X, reset=reset)
    return X


def check_pairs(estimator, X, *, reset) -> None:
    """Raise an error if rows of a precomputed kernel or graph are not valid.

    A graph is sparse, and a kernel is not; what was fitted cannot be changed later.
    """
    if reset:
        estimator._of_graph = sp.issparse(X)
    elif getattr(estimator, "_of_graph", False) != sp.issparse(X):
        raise ValueError(
            f"{type(estimator).__name__} was fitted to a "
            f"{'sparse graph' if estimator._of_graph else 'dense kernel matrix'}, so "
            "it needs rows of the same kind: give them "
            f"{'sparse' if estimator._of_graph else 'dense'}."
        )
    if sp.issparse(X):
        check_affinities(X) if reset else check_affinity_rows(X)
    elif reset:
        check_kernel_matrix(X)


def map_samples(estimator, X, function: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Return ``function(X)``; the rows of a table are passed to it in blocks."""
    results = [function(part) for part in sample_blocks(estimator, X, reset=False)]
    return results[0] if len(results) == 1 else np.concatenate(results)


def sample_blocks(estimator, X, *, reset, whole: bool = False) -> Iterator[Any]:
    """Yield the rows of a table in blocks, other samples at once; at least one row.

    ``whole`` reads a table at once, too.
    """
    if whole or not is_table(X):
        yield validate_samples(estimator, X, reset=reset, min_samples=1)
        return
    join_samples(estimator, X, reset=reset)  # a table is one source
    rows = TableRows(estimator, X, reset=reset)
    n_rows = 0
    for block in rows.blocks():
        yield block
        n_rows += block.shape[0]
    rows.check_number(n_rows, 1)


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


def warn_if_empty(
    model: MarginModel, power: Any, n_samples: int, stacklevel: int = 4
) -> None:
    """Warn if clusters are empty because the power of the cluster sizes is 0."""
    n_clusters = len(model.offsets)
    n_empty = int(np.isneginf(model.offsets).sum())
    if n_empty and power == 0 and n_samples >= n_clusters:
        warnings.warn(
            f"{n_empty} of {n_clusters} clusters are empty, which power=0 allows: "
            "limit the sizes with balance, or choose a larger power.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


class MarginEstimator(BaseEstimator):
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
