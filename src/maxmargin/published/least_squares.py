"""`LeastSquaresMaxMarginClustering`: Stoc-RLS, Steep-RLS, UMC-RLS and local subsets."""

import numbers
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin.engine.checks import (
    check_choice,
    check_decay,
    check_integer,
    check_n_jobs,
)
from maxmargin.published.base import SmootherClusterer, SolverTask
from maxmargin.published.parameters import check_init, check_known, check_ridge
from maxmargin.published.search.local import local_search, seed_by_features
from maxmargin.resources import available_memory, format_bytes
from maxmargin.search.balance import Balance
from maxmargin.search.constrained import partial_state
from maxmargin.search.objective import Objective
from maxmargin.search.runs import (
    best_of,
    fill_empty,
    one_sample_run,
    plus_plus_labels,
    random_labels,
    search_state,
)
from maxmargin.search.state import OnIteration, SearchResult
from maxmargin.smoothers.smoother import Smoother, features_of

SEARCHES = ("shaking", "steepest", "stochastic", "local")
INITS = ("random", "k-means++")


class LeastSquaresMaxMarginClustering(SmootherClusterer):
    r"""Maximum margin clustering with the square loss: UMC-RLS, Steep-RLS, Stoc-RLS.

    Finds the labels that a regularised least-squares classifier fits best. With the
    smoother :math:`R = K (K + a I)^{-1}` of a kernel matrix and the indicators
    :math:`z_h` of the clusters, it maximises

    .. math:: \sum_h z_h^T R z_h

    over all labellings, by moves of single samples that update
    :math:`R z_h` in O(n) [1]_. All samples are searched, without any preparation of the
    columns. `MaxMarginClustering` is made for the same problem on any data.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    alpha : float, default=None
        The ridge parameter :math:`a`, in place of ``degrees_of_freedom``.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, the trace of :math:`R`, as in
        `MaxMarginClustering`.

    balance : "free", "equal", float or array-like, default="free"
        Constraint on the cluster sizes, as in `MaxMarginClustering`. [1]_ has none.
        With limits, swaps of two samples follow the search.

    power : float, default=0.0
        The power of the cluster sizes by which the terms of the sum are divided,
        between 0 and 1. 0 is the sum above, as printed: clusters may become empty. A
        larger value is an option of this library, not of [1]_: then shaking is followed
        by single moves to a local optimum, and no cluster becomes empty.

    search : {"shaking", "steepest", "stochastic", "local"}, default="shaking"
        The search for labels: Algorithm 3 of [1]_ (UMC-RLS), 2 (Steep-RLS) or 1
        (Stoc-RLS), or moves of samples of small local subsets in turn, section 5 of
        [1]_, which with landmarks takes time linear in the number of samples.

    n_shakings : int, default=20
        The s of [1]_: shaking has the rounds i = 0, ..., s.

    shaking_decay : float or "linear", default=2.0
        The factor by which the numbers of samples that clusters claim in shaking
        decrease from round to round; [1]_ has 2. ``"linear"`` decreases them by the
        same number in each round.

    known_labels : array-like of shape (n_samples,), default=None
        Labels that shaking keeps, -1 for those that it searches: the semi-supervised
        extension of section 5 of [1]_. The cluster of a known label is that label.

    init : {"random", "k-means++"} or array-like of shape (n_samples,), default="random"
        Labels to start from: random ones of equal cluster sizes, or given labels;
        ``"k-means++"``, those of the nearest of k-means++ seeds in the space of the
        smoother, is an option of this library.

    n_init : int, default=1
        Number of starts; the run with the best objective is kept, where [1]_ reports
        each run. Given labels are one start.

    landmarks : "auto", int, array-like or None, default=None
        The samples that span the functions. ``None`` is all samples, the exact method.
        A number of them, or the points themselves, make the smoother of low rank.
        ``"auto"`` is exact up to 2000 samples, and two landmarks per degree of freedom
        beyond.

    landmark_selection : {"random", "k-means++", "leader"}, default="random"
        How landmarks are selected: samples drawn at random or by k-means++, or the
        centres of `LeaderClustering`.

    max_iter : int, default=1000
        Maximum number of rounds of single moves in a run.

    n_jobs : int, default=None
        Number of threads. ``None`` is the number that BLAS may use, by default that of
        the cores. As in scikit-learn, -1 stands for all cores, -2 for all but one, and
        numbers below minus the cores for one. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the landmarks and the median distance.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. It equals ``predict(X)`` if ``balance="free"`` and the
        power is not 0. Otherwise it has the labels of the search, for which single
        moves may still gain.
    objective_ : float
        The objective of the best run, larger is better.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of that run and after each round.
    alpha_, degrees_of_freedom_ : float
        The ridge parameter, and the trace of the smoother.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, of rounds of that run, and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Rows are visited in their order, each by itself, as in [1]_: labels depend on the
    order of the rows, and equal rows may have different labels during a search. A
    sample of weight 3 counts as three equal samples that always move together.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-014-1414-0

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.published import LeastSquaresMaxMarginClustering
    >>> X, y = load_iris(return_X_y=True)
    >>> clusters = LeastSquaresMaxMarginClustering(3, n_init=10, random_state=0).fit(X)
    >>> clusters.labels_.shape
    (150,)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        alpha: Any = None,
        degrees_of_freedom: Any = "auto",
        balance: Any = "free",
        power: float = 0.0,
        search: str = "shaking",
        n_shakings: int = 20,
        shaking_decay: Any = 2.0,
        known_labels: Any = None,
        init: Any = "random",
        n_init: int = 1,
        landmarks: Any = None,
        landmark_selection: str = "random",
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.degrees_of_freedom = degrees_of_freedom
        self.balance = balance
        self.power = power
        self.search = search
        self.n_shakings = n_shakings
        self.shaking_decay = shaking_decay
        self.known_labels = known_labels
        self.init = init
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_ridge(self)
        check_choice("search", self.search, SEARCHES)
        check_integer("n_shakings", self.n_shakings)
        check_decay(self.shaking_decay)
        if self.known_labels is not None and self.search != "shaking":
            raise ValueError("known_labels are for shaking: use search='shaking'.")
        if not isinstance(self.power, numbers.Real) or not 0 <= self.power <= 1:
            raise ValueError(f"power={self.power!r} must be a number from 0 to 1.")
        if isinstance(self.init, str):
            check_choice("init", self.init, INITS, "or an array of labels")
        check_integer("n_init", self.n_init)
        check_n_jobs(self.n_jobs)

    @property
    def _objective(self):
        return Objective(power=float(self.power))

    def _solve(self, task: SolverTask):
        if self.search != "local" and task.landmarks.given is not None:
            _check_pairs(len(task.weights), self.search)
        return super()._solve(task)

    def _search(self, task: SolverTask, smoother: Smoother) -> SearchResult:
        weights, n_clusters = task.weights, task.n_clusters
        init = check_init(self.init, n_clusters, task.sample)
        known = check_known(self.known_labels, n_clusters, task.sample)
        if len(weights) <= n_clusters:
            return one_sample_run(smoother.matrix(), weights, task.balance)
        seeds, search = self._functions(smoother, known)

        def one(_: int, seed: int, report: OnIteration | None) -> SearchResult:
            random = np.random.RandomState(seed)
            if isinstance(init, np.ndarray):
                labels = init
            elif init == "random":
                labels = random_labels(len(weights), n_clusters, random)
            else:
                labels = seeds(weights, n_clusters, random)
            if task.balance.objective.power > 0:
                labels = fill_empty(labels, n_clusters, random)
            if known is not None:
                labels = np.where(known >= 0, known, labels)
            return search(labels, task.balance, random, on_iteration=report)

        n_init = self.n_init if isinstance(init, str) else 1
        return best_of(one, n_init, task.random, task.on_iteration)

    def _functions(self, smoother: Smoother, known: np.ndarray | None):
        """Return the functions that draw k-means++ seeds, and that search."""
        weights = smoother.weights
        if self.search == "local":
            features = features_of(smoother)
            search = partial(local_search, features, weights, max_iter=self.max_iter)
            return partial(seed_by_features, features), search
        matrix = smoother.matrix()
        free = np.ones(len(weights), dtype=bool) if known is None else known < 0
        search = partial(
            search_free,
            matrix,
            weights,
            free,
            search=self.search,
            decay=self.shaking_decay,
            last_round=self.n_shakings,
            max_iter=self.max_iter,
        )
        return partial(plus_plus_labels, matrix), search


def search_free(
    matrix: np.ndarray,
    weights: np.ndarray,
    free: np.ndarray,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    **options: Any,
) -> SearchResult:
    """Search the labels of the free samples, those of the others being fixed.

    The fixed samples count in the sizes, and no move is theirs.
    """
    state = partial_state(
        matrix, weights, balance.limits, labels, free, balance.objective
    )
    run = search_state(state, balance, random, **options)
    found = labels.copy()
    found[free] = run.labels
    return replace(run, labels=found)


def _check_pairs(n_samples: int, search: str) -> None:
    """Raise an error if a matrix of all pairs needs more memory than is free."""
    needed, free = 3 * 8 * n_samples**2, available_memory()
    if needed > free:
        raise ValueError(
            f"search={search!r} needs about {format_bytes(needed)} for the pairs of "
            f"{n_samples} samples and {format_bytes(free)} are free: use "
            "search='local'."
        )
