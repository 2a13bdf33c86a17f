"""What the published clusterers share: solvers that work on all samples."""

import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from maxmargin import progress
from maxmargin.clustering.base import (
    MarginClusterer,
    check_n_samples,
    unchanged_on_failure,
    warn_if_empty,
    warn_if_not_converged,
)
from maxmargin.clustering.samples import validate_samples
from maxmargin.engine.checks import check_integer
from maxmargin.engine.model import MarginModel, model_of_targets
from maxmargin.engine.options import is_free
from maxmargin.published.parameters import check_landmarks
from maxmargin.rows.sample import Sample, draw_sample, indicators
from maxmargin.rows.threads import count_threads, single_threaded_libraries
from maxmargin.rows.validation import check_weights
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.objective import MEANS, Objective
from maxmargin.search.state import OnIteration, SearchResult
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.distances import central_point, shift
from maxmargin.smoothers.feature_map import KernelColumns, ShiftedFeatures
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import Landmarks, make_smoother
from maxmargin.smoothers.smoother import Smoother


@dataclass(frozen=True)
class SolverTask:
    """The input of a solver: distinct samples, a kernel, and checked parameters."""

    X: Any  # all samples, dense or CSR; with a precomputed kernel its matrix
    sample: Sample  # the distinct ones: ``X[sample.indices]`` with ``sample.weights``
    kernel: Kernel
    landmarks: Landmarks
    n_clusters: int
    balance: Balance
    random: np.random.RandomState
    on_iteration: OnIteration | None

    @property
    def weights(self) -> np.ndarray:
        """Return the weights of the distinct samples."""
        return self.sample.weights

    def shifted(self, origin: np.ndarray) -> "SolverTask":
        """Return the task with samples and landmarks relative to an origin."""
        landmarks = self.landmarks
        if landmarks.are_points:
            landmarks = landmarks._replace(given=shift(landmarks.given, origin))
        return replace(self, X=shift(self.X, origin), landmarks=landmarks)


class KernelClusterer(MarginClusterer):
    """A solver that works on all distinct samples with one kernel.

    A subclass has the parameters ``n_clusters``, ``kernel``, ``gamma``,
    ``kernel_params``, ``balance``, ``random_state`` and ``verbose`` in the meaning of
    `MaxMarginClustering`, as well as ``landmarks`` and ``max_iter``, checks its own in
    ``_check`` and finds the clusters in ``_solve``.
    """

    @unchanged_on_failure
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
        threads = count_threads(getattr(self, "n_jobs", None))
        with single_threaded_libraries(threads):
            task = self._make_task(X, weights)
            if self._has_bias and self.kernel == "linear":
                run, self._model = self._solve_near_zero(task)
            else:
                run, self._model = self._solve(task)
            self._set_attributes(run, task)
        warn_if_not_converged(run.converged, self.max_iter)
        if self._objective.power == 0 and len(task.weights) >= self._n_clusters:
            warn_if_empty(
                int(np.isneginf(self._model.offsets).sum()),
                self._n_clusters,
                "which power=0 allows: limit the sizes with balance, or choose a "
                "larger power",
            )
        return self

    # Whether the functions have a bias, so that a shift of the samples does not matter.
    _has_bias = False
    # Whether equal samples are one with a weight, which changes no printed formula but
    # the steps of a search that moves one row at a time.
    _merges = True

    def _solve_near_zero(self, task: SolverTask) -> tuple[SearchResult, MarginModel]:
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
    def _objective(self) -> Objective:
        """Return the objective, which decides whether a cluster may be empty."""
        return MEANS

    @abstractmethod
    def _check(self):
        """Raise an error for invalid parameters of the subclass."""

    @abstractmethod
    def _solve(self, task: SolverTask) -> tuple[SearchResult, MarginModel]:
        """Return the best run and its decision functions."""

    def _make_task(self, X, weights):
        random = check_random_state(self.random_state)
        merge = self.kernel != "precomputed"
        sample = draw_sample(
            X, weights, merge=merge, limit=None, random=random, by_values=True
        )
        fewer = len(sample.indices) < self._n_clusters
        if not self._merges and not fewer:
            sample = draw_sample(X, weights, merge=False, limit=None, random=random)
        if fewer:
            warnings.warn(
                f"Only {len(sample.indices)} distinct samples for {self._n_clusters} "
                "clusters: each sample is a cluster, the other clusters are empty.",
                ConvergenceWarning,
                stacklevel=4,
            )
        kernel = self._make_kernel(X[sample.indices], random)
        balance = "free" if fewer else self.balance  # size limits cannot be met
        return SolverTask(
            X,
            sample,
            kernel,
            check_landmarks(self, X),
            self._n_clusters,
            make_balance(balance, self._n_clusters, sample.weights, self._objective),
            random,
            progress.round_callback(self.verbose),
        )

    def _set_attributes(self, run: SearchResult, task: SolverTask) -> None:
        """Set the attributes from the best run."""
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


class SmootherClusterer(KernelClusterer):
    """A search for the labels that regularised least squares fit best.

    It visits the rows in their order, equal ones one by one, as the papers do.

    A subclass has the parameters ``alpha`` and ``degrees_of_freedom`` as well, and
    searches in ``_search``.
    """

    _merges = False

    def _solve(self, task: SolverTask) -> tuple[SearchResult, MarginModel]:
        smoother = make_smoother(
            task.X,
            task.sample,
            task.kernel,
            Ridge(self.alpha, self.degrees_of_freedom),
            task.landmarks,
            task.random,
        )
        run = self._search(task, smoother)
        targets = indicators(run.labels, task.n_clusters)
        model, decisions = model_of_targets(smoother, targets, self._objective)
        if is_free(self.balance) and self._objective.power > 0:
            run = replace(run, labels=decisions.argmax(axis=1))
        self.alpha_ = smoother.alpha
        self.degrees_of_freedom_ = smoother.degrees_of_freedom
        return run, model

    @abstractmethod
    def _search(self, task: SolverTask, smoother: Smoother) -> SearchResult:
        """Return the run with the best objective."""


def one_cluster(task: SolverTask) -> tuple[SearchResult, MarginModel]:
    """Return the result for ``n_clusters=1``."""
    basis = task.kernel.take(task.X, task.sample.indices[:1])
    labels = np.zeros(len(task.weights), dtype=np.int64)
    run = SearchResult(labels, 0.0, (0.0,), 0, True)
    columns = KernelColumns(task.kernel, basis)
    return run, MarginModel(columns, np.zeros((1, 1)), np.zeros(1))
