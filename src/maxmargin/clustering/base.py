"""What the clusterers share: input, kernel, size limits, attributes, `predict`."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import (
    check_integer,
    check_landmarks,
    check_weights,
    round_callback,
)
from maxmargin.clustering.quality import score_labels, typical_rows
from maxmargin.clustering.table_rows import TableRows
from maxmargin.clustering.task import Task
from maxmargin.distances import central_point, check_magnitude
from maxmargin.kernels.feature_map import KernelColumns, ShiftedFeatures
from maxmargin.kernels.kernel import Kernel, check_kernel_matrix, make_kernel
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.sample import draw_sample
from maxmargin.rows.scaling import divide_columns
from maxmargin.rows.sparse import with_short_indices
from maxmargin.search.balance import make_balance
from maxmargin.search.state import SearchResult
from maxmargin.tables.objects import is_table


def validate_samples(estimator, X, *, reset, min_samples=2):
    """Return X as `validate_data` does, with the settings of this package.

    CSR matrices are accepted if the tags of the estimator allow sparse input, and
    tables of any library (`is_table`). ``min_samples``, and the check of a kernel
    matrix, hold for ``fit``.
    """
    tags = get_tags(estimator).input_tags
    min_samples = min_samples if reset else 1
    if is_table(X):
        X = TableRows(estimator, X, reset=reset).to_array(min_samples)
    else:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if tags.sparse else False,
            ensure_min_samples=min_samples,
            dtype=[np.float64, np.float32],
            order="C",
        )
    X = with_short_indices(X)
    check_magnitude(X)
    if reset and tags.pairwise:
        check_kernel_matrix(X)
    return X


def map_samples(estimator, X, function: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Return ``function(X)``; the rows of a table are passed to it in blocks."""
    results = [function(part) for part in sample_blocks(estimator, X, reset=False)]
    return results[0] if len(results) == 1 else np.concatenate(results)


def sample_blocks(estimator, X, *, reset) -> Iterator[Any]:
    """Yield the rows of a table in blocks, other samples at once; at least one row."""
    if not is_table(X):
        yield validate_samples(estimator, X, reset=reset, min_samples=1)
        return
    rows = TableRows(estimator, X, reset=reset)
    n_rows = 0
    for block in rows.blocks():
        yield block
        n_rows += len(block)
    rows.check_number(n_rows, 1)


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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _make_kernel(self, X, random) -> Kernel:
        """Return the kernel, with its width set from samples X by default."""
        return make_kernel(
            self.kernel,
            X,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
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

    def _divided(self, X):
        """Return samples with columns divided by ``scale_``, if the fit did so."""
        return divide_columns(X, getattr(self, "scale_", None))

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
        X = self._divided(validate_samples(self, X, reset=False))
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
        X = self._divided(validate_samples(self, X, reset=False))
        if precomputed := get_tags(self).input_tags.pairwise:
            check_kernel_matrix(X)
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


class KernelClusterer(MarginClusterer):
    """A solver that works on all distinct samples with one kernel.

    A subclass has the parameters ``n_clusters``, ``kernel``, ``gamma``, ``degree``,
    ``coef0``, ``kernel_params``, ``balance``, ``landmarks``, ``max_iter``,
    ``random_state`` and ``verbose`` in the meaning of `MaxMarginClustering`, checks its
    own in ``_check`` and finds the clusters in ``_solve``.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel matrix if ``kernel="precomputed"``.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.

        Returns
        -------
        self : object
        """
        check_integer("n_clusters", self._n_clusters)
        check_integer("max_iter", self.max_iter)
        self._check()
        X = validate_samples(self, X, reset=True)
        check_n_samples(X.shape[0], self._n_clusters)
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries():
            task = self._make_task(X, weights)
            if self._has_bias and self.kernel == "linear":
                run, self._model = self._solve_near_zero(task)
            else:
                run, self._model = self._solve(task)
            self._set_attributes(run, task)
        return self

    # Whether the functions have a bias, so that a shift of the samples does not matter.
    _has_bias = False

    def _solve_near_zero(self, task: Task) -> tuple[SearchResult, MarginModel]:
        """Solve the task on shifted samples, of which products lose no digits."""
        origin = central_point(task.X[task.sample.indices])
        run, model = self._solve(task.shifted(origin))
        features = ShiftedFeatures(model.feature_map, origin)
        return run, replace(model, feature_map=features)

    @property
    def _n_clusters(self):
        """Return the number of clusters, which some subclasses fix."""
        return self.n_clusters

    @property
    def _power(self):
        """Return the power of the cluster sizes in the objective."""
        return 1.0

    @abstractmethod
    def _check(self):
        """Raise an error for invalid parameters of the subclass."""

    @abstractmethod
    def _solve(self, task: Task) -> tuple[SearchResult, MarginModel]:
        """Return the best run and its decision functions."""

    def _make_task(self, X, weights):
        random = check_random_state(self.random_state)
        merge = self.kernel != "precomputed"
        sample = draw_sample(X, weights, merge=merge, limit=None, random=random)
        fewer = len(sample.indices) < self._n_clusters
        if fewer:
            warnings.warn(
                f"Only {len(sample.indices)} distinct samples for {self._n_clusters} "
                "clusters: each sample is a cluster, the other clusters are empty.",
                ConvergenceWarning,
                stacklevel=3,
            )
        kernel = self._make_kernel(X[sample.indices], random)
        balance = "free" if fewer else self.balance  # size limits cannot be met
        return Task(
            X,
            sample,
            kernel,
            check_landmarks(self, X),
            self._n_clusters,
            make_balance(balance, self._n_clusters, sample.weights, self._power),
            random,
            round_callback(self.verbose),
        )

    def _set_attributes(self, run: SearchResult, task: Task) -> None:
        """Set the attributes from the best run."""
        warn_if_not_converged(run.converged, self.max_iter)
        warn_if_empty(self._model, self._power, len(task.weights))
        self.n_clusters_ = self._n_clusters
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = max(run.n_iter, 1)
        inverse = task.sample.inverse
        labels = run.labels[inverse]
        without_weight = np.flatnonzero(inverse < 0)
        if len(without_weight):
            labels[without_weight] = self._model.label(task.X[without_weight])
        self.labels_ = labels


def one_cluster(task: Task) -> tuple[SearchResult, MarginModel]:
    """Return the result for ``n_clusters=1``."""
    basis = task.kernel.take(task.X, task.sample.indices[:1])
    labels = np.zeros(len(task.weights), dtype=np.int64)
    run = SearchResult(labels, 0.0, (0.0,), 0, True)
    columns = KernelColumns(task.kernel, basis)
    return run, MarginModel(columns, np.zeros((1, 1)), np.zeros(1))
