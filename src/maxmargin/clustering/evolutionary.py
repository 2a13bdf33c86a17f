"""`EvolutionaryMaxMarginClustering`: labels found by mutation and selection."""

from dataclasses import replace

import numpy as np
from sklearn.cluster import KMeans

from maxmargin.clustering.base import KernelClusterer, Task
from maxmargin.clustering.candidates import KERNEL_POWER
from maxmargin.clustering.model import indicators, model_of_labels
from maxmargin.clustering.parameters import check_init, check_integer, check_ridge
from maxmargin.kernels.landmarks import make_smoother
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.kernels.smoother import Ridge, Smoother
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance
from maxmargin.search.evolution import evolve
from maxmargin.search.restarts import best_of, default_starts
from maxmargin.search.start import fill_empty, labels_within

STARTS = ("k-means", "random")


class EvolutionaryMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering by evolutionary search: EvoMMC and FastEvoMMC.

    Finds the labels :math:`y` that a least-squares classifier fits best,

    .. math:: \min_y F(y), \quad F(y) = \min_{f}
        \frac{1}{n} \sum_i (y_i - f(x_i))^2 + \lambda \|f\|^2
        = 1 - \frac{1}{n} y^T R y,

    with the smoother :math:`R = K (K + \lambda n I)^{-1}` and
    :math:`-l n \le \sum_i y_i \le l n`. Labels are flipped at random, and the best
    labellings survive. A mutation of s flips is evaluated in O(s r) for r landmarks;
    without landmarks, single flips in O(1). With k clusters the sum over the clusters
    of :math:`z_h^T R z_h` is maximised, :math:`z_h` being their indicators: for two
    clusters that is the same.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters; the published method has two.

    kernel : str or callable, default="rbf"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two
        samples, or ``"precomputed"``.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one, as in `MaxMarginClustering`.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    degrees_of_freedom : "auto" or float, default="auto"
        How flexible the classifier is, as in `MaxMarginClustering`.

    alpha : float, default=None
        The ridge parameter :math:`\lambda n`, if you want to give that instead.

    balance : float, "free", "equal", array-like or None, default=0.3
        What is known of the sizes. A share l between 0 and 1: they differ from their
        mean by at most that share. Other wishes are as in `MaxMarginClustering`; with
        ``"free"`` the parts of the sum are divided by the sizes to the power 0.7.

    landmarks : "auto", None, int or array-like, default="auto"
        Which samples span the functions. ``None``: all, EvoMMC, at a cost of n^2 memory
        and n^3 time. A number: so many, drawn at random, FastEvoMMC; [1]_ has a tenth
        or a hundredth of the samples. ``"auto"`` and arrays are as in
        `MaxMarginClustering`.

    population_size : int, default=1
        Number of labellings that survive a generation, :math:`\mu` in [1]_.

    n_offspring : int, default=1
        Number of mutations in a generation, :math:`\nu` in [1]_.

    n_flips : "decreasing" or int, default="decreasing"
        Number of labels flipped in a mutation. ``"decreasing"`` is
        ``max(1, n / (t + 1))`` in generation t.

    classification : bool, default=False
        Whether to label all samples anew by the fitted functions now and then: the
        intermediate classification steps that [1]_ proposes.

    init : {"k-means", "random"} or array-like of shape (n_samples,)
        Labels to start from: of k-means on the samples (on the rows of a precomputed
        kernel), the default, which [1]_ leaves to future work; random ones, as
        published; or given ones, for one start. They are brought within the size
        limits.

    n_init : "auto" or int, default="auto"
        Number of starts, of which the best objective wins: 20 up to 500 samples and 4
        from 2500 on.

    max_iter : int, default=1000
        Largest number of rounds of a run, n mutations of each member.

    n_jobs : int, default=None
        Number of threads for the starts. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the mutations and the landmarks.

    verbose : int, default=0
        1 prints the objective after each round.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. With ``balance="free"`` it equals ``predict(X)``.
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        The objective of the best run, larger is better. For two clusters
        ``F = 1 + (1' R 1 - 2 objective_) / n``.
    history_ : ndarray of shape (n_iter_ + 1,)
        The best objective at the start of that run and after each round.
    n_iter_ : int
        Number of rounds of that run.
    alpha_ : float
        The ridge parameter.
    degrees_of_freedom_ : float
        The trace of the smoother.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Equal samples are merged and always share a cluster.

    References
    ----------
    .. [1] F. Gieseke, T. Pahikkala, O. Kramer. Fast evolutionary maximum margin
       clustering. Proceedings of the 26th International Conference on Machine Learning,
       2009. doi:10.1145/1553374.1553421

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from maxmargin import EvolutionaryMaxMarginClustering
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X[(y == 1) | (y == 7)]
    >>> clusters = EvolutionaryMaxMarginClustering(random_state=0).fit(X)
    >>> clusters.labels_.shape
    (361,)
    """

    def __init__(
        self,
        n_clusters=2,
        *,
        kernel="rbf",
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        degrees_of_freedom="auto",
        alpha=None,
        balance=0.3,
        landmarks="auto",
        population_size=1,
        n_offspring=1,
        n_flips="decreasing",
        classification=False,
        init="k-means",
        n_init="auto",
        max_iter=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
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
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_integer("population_size", self.population_size)
        check_integer("n_offspring", self.n_offspring)
        check_ridge(self)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init)
        if isinstance(self.n_flips, str):
            if self.n_flips != "decreasing":
                raise ValueError(
                    f"n_flips={self.n_flips!r} is not known: use 'decreasing' or an "
                    "int."
                )
        else:
            check_integer("n_flips", self.n_flips)
        if isinstance(self.init, str) and self.init not in STARTS:
            raise ValueError(
                f"init={self.init!r} is not known: use {STARTS} or labels."
            )

    def _solve(self, task: Task):
        free = isinstance(self.balance, str) and self.balance == "free"
        balance = task.balance._replace(power=KERNEL_POWER if free else 0.0)
        smoother = make_smoother(
            task.X,
            task.sample,
            task.kernel,
            Ridge(self.alpha, self.degrees_of_freedom),
            task.landmarks,
            task.random,
            task.n_threads,
        )
        run = self._search(task, smoother, balance)
        model, decisions = model_of_labels(
            smoother, run.labels, task.n_clusters, balance.power
        )
        if free:  # what can still gain, gains
            run = replace(run, labels=decisions.argmax(axis=1))
        self.alpha_ = smoother.alpha
        self.degrees_of_freedom_ = smoother.degrees_of_freedom
        return run, model

    def _search(self, task: Task, smoother: Smoother, balance: Balance):
        """Return the best of the runs."""
        weights = task.weights
        if isinstance(smoother, LowRankSmoother):
            rows, whole = smoother.features * weights[:, None], False
        else:
            rows, whole = smoother.matrix(), True
        n_init = default_starts(len(weights)) if self.n_init == "auto" else self.n_init
        given = self._given_starts(task, balance, n_init)

        def one(start: int, seed: int):
            random = np.random.RandomState(seed)
            starts = (
                given[start]
                if given
                else [
                    labels_within(weights, balance, random)
                    for _ in range(self.population_size)
                ]
            )
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
                max_iter=self.max_iter,
                on_iteration=task.on_iteration,
            )

        return best_of(one, len(given) or n_init, self.n_jobs, task.random)

    def _given_starts(self, task: Task, balance: Balance, n_init: int):
        """Return the labels of each member for each start, none if they are random."""
        n_samples, n_clusters = len(task.weights), task.n_clusters
        init = check_init(self.init, n_clusters, task.sample)
        if n_samples <= n_clusters:
            return [[np.arange(n_samples)] * self.population_size]
        if isinstance(init, np.ndarray):
            wishes = indicators(init, n_clusters)
            return [[self._within(wishes, task, balance)] * self.population_size]
        if init == "random":
            return []
        return [
            [
                self._within(k_means_wishes(task), task, balance)
                for _ in range(self.population_size)
            ]
            for _ in range(n_init)
        ]

    def _within(self, wishes, task: Task, balance: Balance):
        labels = assign_within_limits(wishes, task.weights, balance.limits)
        return fill_empty(labels, task.n_clusters, task.random)


def k_means_wishes(task: Task) -> np.ndarray:
    """Return minus the distances of the samples to the centres of k-means (n x k)."""
    samples = task.X[task.sample.indices]
    means = KMeans(task.n_clusters, n_init=1, random_state=task.random)
    distances: np.ndarray = means.fit_transform(samples, sample_weight=task.weights)
    return -distances
