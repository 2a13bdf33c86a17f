"""`EvolutionaryMaxMarginClustering`: search of labels by mutation and selection."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from maxmargin.engine.candidates import KERNEL_OBJECTIVE
from maxmargin.engine.checks import (
    check_choice,
    check_integer,
    check_n_init,
    check_n_jobs,
)
from maxmargin.engine.options import is_free
from maxmargin.published.base import SmootherClusterer, SolverTask
from maxmargin.published.parameters import check_init, check_ridge
from maxmargin.published.search.evolution import evolve, labels_within
from maxmargin.rows.sample import indicators
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.runs import best_of, default_starts, one_sample_each
from maxmargin.smoothers.distances import central_point, shift
from maxmargin.smoothers.smoother import LowRankSmoother, Smoother

INITS = ("random", "k-means")


class EvolutionaryMaxMarginClustering(SmootherClusterer):
    r"""Maximum margin clustering by evolutionary search: EvoMMC and FastEvoMMC.

    Finds the labels :math:`y` that a regularised least-squares classifier fits best,

    .. math:: \min_y F(y), \quad F(y) = \min_{f}
        \frac{1}{n} \sum_i (y_i - f(x_i))^2 + \lambda \|f\|^2
        = 1 - \frac{1}{n} y^T R y,

    with the smoother :math:`R = K (K + \lambda n I)^{-1}` and
    :math:`-l n \le \sum_i y_i \le l n`. Labels are flipped at random, and the best
    labellings survive. A mutation of s flips is evaluated in O(s r) for r landmarks;
    without landmarks, a single flip is evaluated in O(1). For k clusters with the
    indicators :math:`z_h`, the sum of :math:`z_h^T R z_h` over the clusters is
    maximised, which is the same problem for two clusters.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters. The method of [1]_ is for two; more are an extension.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, as in `MaxMarginClustering`.

    alpha : float, default=None
        The ridge parameter :math:`\lambda n`, in place of ``degrees_of_freedom``.

    balance : float, "free", "equal" or array-like, default=0.3
        Constraint on the cluster sizes, as in `MaxMarginClustering`: with a float l
        each size is between ``1 - l`` and ``1 + l`` times the mean size. ``"free"``,
        which [1]_ does not have, divides the terms of the sum by the sizes to the power
        0.7, so that no cluster becomes empty.

    landmarks : "auto", int, float, array-like or None, default=None
        The samples that span the functions: a number of them or, as a float below 1,
        a share, drawn at random, or the points themselves. ``None`` is all samples,
        EvoMMC; 0.1 or 0.01 is FastEvoMMC, the r = 0.1 n and 0.01 n of [1]_. ``"auto"``
        is exact up to 2000 samples, and two landmarks per degree of freedom beyond.

    population_size, n_offspring : int, default=10
        Number of labellings that survive a generation, :math:`\mu` in [1]_, and of
        mutations in a generation, :math:`\nu`. EvoMMC of [1]_ has 10 of both,
        FastEvoMMC 1 of both.

    n_flips : "decreasing" or int, default="decreasing"
        Number of labels flipped in a mutation. ``"decreasing"`` is
        ``max(1, n / (t + 1))`` in generation t.

    classification : bool, default=False
        Whether to relabel all samples by the fitted functions after rounds 1, 2, 4, 8
        and so on: the intermediate classification steps that [1]_ proposes.

    init : {"random", "k-means"} or array-like of shape (n_samples,), default="random"
        Starting labels: random ones, as in [1]_; given ones; or those of k-means on the
        samples (on the rows of a precomputed kernel), the preprocessing that [1]_
        proposes at its end. Labels that violate the size constraint are changed to meet
        it.

    n_init : "auto" or int, default=10
        Number of runs; the one with the best objective is kept. [1]_ makes ten, and
        keeps the one with the smallest error. With n samples, ``"auto"`` is
        ``max(4, min(10000 // n, 20) + 1000 // n)``. If ``init`` is an array, there is
        one run.

    patience : "auto" or int, default="auto"
        A run stops after this number of generations in which the best objective did not
        change, the rule of [1]_. ``"auto"`` is as many as make it unlikely (0.01) that
        a single flip that gains was missed; it grows with the number of samples.

    last_generation : int, default=None
        The :math:`\tau` of [1]_: generations are t = 0, 1, ..., :math:`\tau`, which are
        :math:`\tau + 1`. None for no limit but ``max_iter``.

    max_iter : int, default=1000
        Maximum number of rounds of a run; a round is n mutations of each member of the
        population.

    n_jobs : int, default=None
        Number of threads. ``None`` is the number that BLAS may use, by default that of
        the cores. As in scikit-learn, -1 stands for all cores, -2 for all but one, and
        numbers below minus the cores for one. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the mutations, the landmarks and the median distance.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. It equals ``predict(X)`` if ``balance="free"``; with
        size limits a few samples may differ.
    objective_ : float
        The objective of the best run, larger is better. For two clusters
        ``F = 1 + (1' R 1 - 2 objective_) / n`` if the sizes are limited.
    history_ : ndarray of shape (n_iter_ + 1,)
        The best objective of the population at the start of that run and after each
        round.
    alpha_, degrees_of_freedom_ : float
        The ridge parameter, and the trace of the smoother.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, of rounds of that run, and of features.
    n_generations_ : int
        The number of generations of that run.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Every row is a coordinate of y, equal rows too, as in [1]_, so that the labels
    depend on the order of the rows. A sample of weight 3 counts as three equal samples
    that always move together.

    References
    ----------
    .. [1] F. Gieseke, T. Pahikkala, O. Kramer. Fast evolutionary maximum margin
       clustering. Proceedings of the 26th International Conference on Machine Learning,
       2009. doi:10.1145/1553374.1553421

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from maxmargin.published import EvolutionaryMaxMarginClustering
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X[(y == 1) | (y == 7)]
    >>> clusters = EvolutionaryMaxMarginClustering(random_state=0).fit(X)
    >>> clusters.labels_.shape
    (361,)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: Any = "rbf",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        alpha: Any = None,
        balance: Any = 0.3,
        landmarks: Any = None,
        population_size: Any = 10,
        n_offspring: Any = 10,
        n_flips: Any = "decreasing",
        classification: Any = False,
        init: Any = "random",
        n_init: Any = 10,
        patience: Any = "auto",
        last_generation: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.alpha = alpha
        self.balance = balance
        self.landmarks = landmarks
        self.population_size = population_size
        self.n_offspring = n_offspring
        self.n_flips = n_flips
        self.classification = classification
        self.init = init
        self.n_init = n_init
        self.patience = patience
        self.last_generation = last_generation
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_integer("population_size", self.population_size)
        check_integer("n_offspring", self.n_offspring)
        check_ridge(self)
        check_n_init(self.n_init)
        check_n_jobs(self.n_jobs)
        if isinstance(self.n_flips, str):
            if self.n_flips != "decreasing":
                raise ValueError(
                    f"n_flips={self.n_flips!r} is not known: use 'decreasing' or an "
                    "int."
                )
        else:
            check_integer("n_flips", self.n_flips)
        if isinstance(self.init, str):
            check_choice("init", self.init, INITS, "or an array of labels")
        if self.patience != "auto":
            check_integer("patience", self.patience)
        if self.last_generation is not None:
            check_integer("last_generation", self.last_generation)

    @property
    def _objective(self):
        return KERNEL_OBJECTIVE if is_free(self.balance) else PLAIN_SUM

    def _set_attributes(self, run, task):
        super()._set_attributes(run, task)
        self.n_generations_ = run.n_generations

    def _search(self, task: SolverTask, smoother: Smoother):
        """Return the run with the best objective."""
        weights, balance, size = task.weights, task.balance, self.population_size
        if isinstance(smoother, LowRankSmoother):
            rows, whole = smoother.features * weights[:, None], False
        else:
            rows, whole = smoother.matrix(), True
        n_init = default_starts(len(weights)) if self.n_init == "auto" else self.n_init
        given = self._given_starts(task, n_init)

        def one(start: int, seed: int, report):
            random = np.random.RandomState(seed)
            if given:
                starts = given[start]
            else:
                starts = [labels_within(weights, balance, random) for _ in range(size)]
            return evolve(
                rows,
                weights,
                starts,
                balance,
                random,
                whole=whole,
                n_offspring=self.n_offspring,
                n_flips=None if self.n_flips == "decreasing" else self.n_flips,
                classification=self.classification,
                patience=None if self.patience == "auto" else self.patience,
                last_generation=self.last_generation,
                max_iter=self.max_iter,
                on_iteration=report,
            )

        n_init = len(given) or n_init
        return best_of(one, n_init, task.random, task.on_iteration)

    def _given_starts(self, task: SolverTask, n_init: int):
        """Return the starting labels of each member for each run.

        The list is empty for ``init="random"``: each run then draws its own.
        """
        n_samples, n_clusters = len(task.weights), task.n_clusters
        size = self.population_size
        init = check_init(self.init, n_clusters, task.sample)
        if n_samples <= n_clusters:
            return [[one_sample_each(task.weights, task.balance)] * size]
        within = partial(labels_within, task.weights, task.balance, task.random)
        if isinstance(init, np.ndarray):
            return [[within(indicators(init, n_clusters))] * size]
        if init == "random":
            return []
        return [
            [within(k_means_scores(task)) for _ in range(size)] for _ in range(n_init)
        ]


def k_means_scores(task: SolverTask) -> np.ndarray:
    """Return minus the distances of the samples to the centres of k-means (n x k)."""
    samples = task.X[task.sample.indices]
    samples = shift(samples, central_point(samples))
    means = KMeans(task.n_clusters, n_init=1, random_state=task.random)
    distances: np.ndarray = means.fit_transform(samples, sample_weight=task.weights)
    return -distances
