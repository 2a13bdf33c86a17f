"""What the clusterers share: input, kernel, balance, attributes, `predict`."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import (
    check_integer,
    check_landmarks,
    check_weights,
)
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import Kernel, check_kernel_matrix, make_kernel
from maxmargin.kernels.sample import Sample, draw_sample
from maxmargin.kernels.threads import single_threaded_libraries
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.result import OnIteration, SearchResult


class MarginClusterer(ClusterMixin, BaseEstimator):
    """A clusterer that leaves a `MarginModel` behind in ``_model``."""

    _model: MarginModel

    @property
    def _n_clusters(self):
        """Return the number of clusters; overridden where it is not a parameter."""
        return self.n_clusters

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def predict(self, X):
        """Return the cluster of each sample, the one with the largest decision value.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self._be_fitted()
        X = self._validate(X, reset=False)
        with single_threaded_libraries() as n_threads:
            return self._model.label(X, n_threads)

    def decision_function(self, X):
        """Return how strongly each sample belongs to each cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
        """
        self._be_fitted()
        X = self._validate(X, reset=False)
        with single_threaded_libraries() as n_threads:
            return self._model.decide(X, n_threads)

    def _be_fitted(self):
        """Refuse to go on without a fit."""
        check_is_fitted(self)

    def _validate(self, X, reset, fewest=2):
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=False if self.kernel == "precomputed" else "csr",
            ensure_min_samples=fewest if reset else 1,
            dtype=[np.float64, np.float32],
            order="C",
        )

    def _check_count(self, n_samples):
        if n_samples < self._n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= n_clusters={self._n_clusters}: "
                "give more samples or ask for fewer clusters."
            )

    def _warn_unless(self, converged):
        if not converged:
            warnings.warn(
                f"The search did not converge within max_iter={self.max_iter} rounds: "
                "raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )


@dataclass(frozen=True)
class Task:
    """What a solver is given: distinct samples, a kernel, and the wishes, checked."""

    X: Any  # all samples, dense or CSR; with a precomputed kernel its matrix
    sample: Sample  # the distinct ones: ``X[sample.indices]`` with ``sample.weights``
    kernel: Kernel
    landmarks: Any  # as `kernels.landmarks.choose_landmarks` takes them
    n_clusters: int
    balance: Balance
    random: np.random.RandomState
    n_threads: int
    on_iteration: OnIteration | None

    @property
    def weights(self) -> np.ndarray:
        """Return the weights of the distinct samples."""
        return self.sample.weights


class KernelClusterer(MarginClusterer):
    """A solver that works on all distinct samples with one kernel.

    A subclass has the parameters ``n_clusters``, ``kernel``, ``gamma``, ``degree``,
    ``coef0``, ``kernel_params``, ``balance``, ``landmarks``, ``max_iter``,
    ``random_state`` and ``verbose`` in the meaning of `MaxMarginClustering`, checks its
    own in ``_check`` and does the work in ``_solve``.
    """

    def fit(self, X, y=None, sample_weight=None):
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
        X = self._validate(X, reset=True)
        if self.kernel == "precomputed":
            check_kernel_matrix(X)
        self._check_count(X.shape[0])
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries() as n_threads:
            task = self._task(X, weights, n_threads)
            run, self._model = self._solve(task)
            self._keep(run, task)
        return self

    @abstractmethod
    def _check(self):
        """Refuse parameters of the subclass that no fit can use."""

    @abstractmethod
    def _solve(self, task: Task) -> tuple[SearchResult, MarginModel]:
        """Return the best run and the decision functions that go with it."""

    def _task(self, X, weights, n_threads):
        random = check_random_state(self.random_state)
        merge = self.kernel != "precomputed"
        sample = draw_sample(X, weights, merge=merge, limit=None, random=random)
        fewer = len(sample.indices) < self._n_clusters
        if fewer:
            warnings.warn(
                f"Only {len(sample.indices)} distinct samples for {self._n_clusters} "
                "clusters: each gets its own, others stay empty.",
                ConvergenceWarning,
                stacklevel=3,
            )
        kernel = make_kernel(
            self.kernel,
            X[sample.indices],
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random=random,
        )
        balance = "free" if fewer else self.balance  # no size can be kept
        return Task(
            X,
            sample,
            kernel,
            check_landmarks(self.landmarks, X),
            self._n_clusters,
            make_balance(balance, self._n_clusters, sample.weights),
            random,
            n_threads,
            print_round if self.verbose else None,
        )

    def _keep(self, run: SearchResult, task: Task) -> None:
        """Set the attributes from the best run."""
        self._warn_unless(run.converged)
        self.n_clusters_ = task.n_clusters
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = max(run.n_iter, 1)
        labels = run.labels[task.sample.inverse]
        without_weight = np.flatnonzero(task.sample.inverse < 0)
        if len(without_weight):
            decisions = self._model.decide(task.X[without_weight], task.n_threads)
            labels[without_weight] = decisions.argmax(axis=1)
        self.labels_ = labels


def one_cluster(task: Task) -> tuple[SearchResult, MarginModel]:
    """Return what there is to find when one cluster is asked for."""
    basis = task.kernel.take(task.X, task.sample.indices[:1])
    labels = np.zeros(len(task.weights), dtype=np.int64)
    run = SearchResult(labels, 0.0, (0.0,), 0, True)
    columns = KernelColumns(task.kernel, basis)
    return run, MarginModel(columns, np.zeros((1, 1)), np.zeros(1))


def print_round(iteration: int, objective: float) -> None:
    """Print how far a search has come."""
    print(f"round {iteration}: objective {objective:.6g}")
