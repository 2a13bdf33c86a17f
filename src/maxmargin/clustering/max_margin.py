"""`MaxMarginClustering`, the estimator to reach for."""

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from maxmargin.clustering.base import MarginClusterer, print_round
from maxmargin.clustering.candidates import Similarity
from maxmargin.clustering.extension import make_reservoir
from maxmargin.clustering.fit import Request, fit_samples
from maxmargin.clustering.membership import fit_membership
from maxmargin.clustering.parameters import (
    check_landmarks,
    check_parameters,
    check_weights,
)
from maxmargin.clustering.wishes import Wishes
from maxmargin.kernels.counts import hellinger, looks_like_counts
from maxmargin.kernels.kernel import check_kernel_matrix
from maxmargin.kernels.memory import allowed_memory
from maxmargin.kernels.reservoir import Reservoir
from maxmargin.kernels.smoother import Ridge
from maxmargin.kernels.threads import single_threaded_libraries


def _can_come_in_blocks(estimator):
    if estimator.kernel == "precomputed":
        raise AttributeError(
            "A precomputed kernel cannot come in blocks: each row has a value for "
            "every sample. Use fit, or another kernel."
        )
    return True


class MaxMarginClustering(MarginClusterer):
    r"""Maximum margin clustering with the square loss.

    Finds the labels that a regularised least-squares classifier fits best, no label
    being given. With a smoother :math:`R`, the matrix that turns targets into fitted
    values, and the indicators :math:`z_h` of the clusters, it maximises

    .. math:: \sum_h z_h^T R z_h / n_h^p

    over all labellings, :math:`n_h` being the cluster sizes: how much of each cluster a
    classifier that was trained on it would recover. The smoother is that of the graph
    of nearest neighbours, :math:`R = (I + b L)^{-1}`, or of a kernel,
    :math:`R = K (K + a I)^{-1}`. How flexible it is, is told by its degrees of freedom,
    the trace of :math:`R`.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        The number of clusters; ``"auto"`` takes the one for which
        :func:`maxmargin.selection.select_n_clusters` gives the best score.

    kernel : str or callable, default="auto"
        What makes samples alike. ``"auto"`` tries the neighbour graph and the radial
        kernel and keeps the labels that a classifier predicts best for samples left
        out; counts (whole numbers, nine in ten zero) are compared as proportions.
        ``"neighbors"`` is the graph alone. Else a kernel of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two samples, or
        ``"precomputed"``: then ``fit`` takes the kernel matrix of the training samples,
        ``predict`` that of new samples with the training samples.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one. ``"median"`` is
        ``1 / (2 median squared distance)`` for ``"rbf"``, and the default of
        scikit-learn for kernels that are not functions of a distance.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    degrees_of_freedom : "auto" or float, default="auto"
        How flexible the classifier is: below 1 a share of the (distinct) samples, from
        1 on the effective number of parameters. ``"auto"`` is 1.35 for each cluster on
        the graph; with a kernel a fifth of the samples, at most 400 and at most half
        of the rank. Given with ``kernel="auto"``, it is that of the radial kernel.

    alpha : float, default=None
        The ridge parameter of a kernel, if you want to give that instead.

    balance : "free", "equal", float, array-like or None, default="free"
        What is known of the sizes: nothing (``"free"``); that they are equal up to one;
        by what share between 0 and 1 they may differ from their mean; ``n_clusters``
        proportions that add up to 1; or ``(minimum, maximum)`` sizes,
        ``None`` for no limit. They hold for ``labels_``, ``predict`` knows no limits.
        ``balance=None`` maximises the plain sum, p = 0, the objective of [1]_: with it,
        the searches are the published algorithms as printed. Else p is 1 on the graph
        and 0.7 with a kernel, where a sample far out would make a good cluster alone.

    search : {"auto", "shaking", "steepest", "stochastic"}, default="auto"
        How labels are searched: Algorithm 3, 2 or 1 of [1]_, shaking being followed by
        single moves to a local optimum. ``"auto"`` mixes the first and the last; on the
        graph it is k-means with relocation of centres, which has the same optima.

    init : {"auto", "random", "k-means++"} or array-like of shape (n_samples,)
        Labels to start from; an array of labels is used for one start. ``"auto"``, the
        default, is random for shaking and k-means++ for others.

    n_init : "auto" or int, default="auto"
        Number of starts, of which the best objective wins.

    landmarks : "auto", None, int, str, tuple or array-like, default="auto"
        Which samples span the functions fitted with a kernel. ``None``: all, at a cost
        of n^2 memory and n^3 time. A number: so many, drawn at random. ``"random"``,
        ``"k-means++"`` or ``"leader"`` (see :class:`LeaderClustering`): found that
        way, two for each degree of freedom; ``("leader", 500)``: at most so many. An
        array: these points. ``"auto"``: all up to 2000 samples, else as ``"random"``.
        Unless it is ``None``, beyond 4000 samples the search works on a random part,
        and beyond 80,000 there are up to five searches, each on its own part; with
        ``kernel`` or ``search`` given, there is one. A classifier with landmarks, the
        radial kernel for a graph, learns the labels found, improves them in passes over
        up to 50,000 samples, and labels all; the search with the best objective wins.

    memory_limit : int, str or None, default=None
        How much memory a fit may take beside its input, in bytes or as ``"1 GB"``;
        ``None`` is what is free. The parts that are searched and passed over shrink
        with it.

    max_iter : int, default=1000
        Largest number of rounds of single moves in a run.

    probability : bool, default=False
        Whether to enable ``predict_proba``, which takes twenty more fits, on halves of
        at most 2000 samples.

    n_jobs : int, default=None
        Number of threads for the starts. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts and the landmarks.

    verbose : int, default=0
        1 prints the objective after each round.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. With ``balance="free"`` it equals ``predict(X)``.
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        The objective of the best run, on the samples that the search worked on.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of that run and after each round.
    n_iter_ : int
        Number of rounds of that run.
    alpha_ : float
        The ridge parameter, or the penalty b of the graph.
    degrees_of_freedom_ : float
        The trace of the smoother.
    n_samples_seen_ : int
        Number of samples that ``partial_fit`` took in.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Equal samples are merged and always share a cluster; a sample of weight 3 is the
    same as three equal samples. The order of the rows does not matter.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-013-1414-0

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import MaxMarginClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> clusters = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
    >>> clusters.labels_.shape
    (200,)
    """

    _reservoir: Reservoir | None = None  # what `partial_fit` keeps

    def __init__(
        self,
        n_clusters=8,
        *,
        kernel="auto",
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        degrees_of_freedom="auto",
        alpha=None,
        balance="free",
        search="auto",
        init="auto",
        n_init="auto",
        landmarks="auto",
        memory_limit=None,
        max_iter=1000,
        probability=False,
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
        self.search = search
        self.init = init
        self.n_init = n_init
        self.landmarks = landmarks
        self.memory_limit = memory_limit
        self.max_iter = max_iter
        self.probability = probability
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

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
        self._reservoir = None
        check_parameters(self)
        X = self._validate(X, reset=True)
        return self._fit_rows(X, sample_weight, X.shape[0])

    @available_if(_can_come_in_blocks)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Take in a block of samples; the clusters are found when first asked for.

        Of all blocks together a random part of at most 50,000 samples is kept, fewer
        where memory is limited. ``predict`` and ``decision_function`` fit it, if blocks
        came since the last time, and label any sample; there is no ``labels_``. Limits
        of sizes hold among the samples kept.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self : object
        """
        check_parameters(self)
        reservoir = self._reservoir
        X = super()._validate(X, reset=reservoir is None, fewest=1)
        if reservoir is None:
            memory = allowed_memory(self.memory_limit)
            reservoir = make_reservoir(X.shape[1], memory, self.random_state)
        reservoir.add(X, check_weights(sample_weight, X.shape[0]))
        self._reservoir, self._pending = reservoir, True
        self.n_samples_seen_ = reservoir.n_seen
        return self

    def _be_fitted(self):
        super()._be_fitted()
        if self._reservoir is None or not self._pending:
            return
        rows, weights = self._reservoir.rows, self._reservoir.weights
        self._counts = self.kernel == "auto" and looks_like_counts(rows)
        rows = hellinger(rows) if self._counts else rows
        self._fit_rows(rows, weights, self.n_samples_seen_)
        del self.labels_  # of samples that nobody asked about
        self._pending = False

    def _fit_rows(self, X, sample_weight, n_seen):
        """Fit samples in the form in which the search takes them."""
        if self.kernel == "precomputed":
            check_kernel_matrix(X)
        if self.n_clusters != "auto":
            self._check_count(X.shape[0])
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries() as n_threads:
            random = check_random_state(self.random_state)
            request = self._request(X, n_threads)
            fit = fit_samples(X, weights, request, random, n_seen)
            self._keep(fit)
            self.labels_ = fit.labels
            if self.probability:
                self._membership = fit_membership(self, X, fit.found.sample, random)
        return self

    def _request(self, X, n_threads):
        """Return what is asked for in the form that a fit takes."""
        similarity = Similarity(
            self.kernel,
            self.gamma,
            self.degree,
            self.coef0,
            self.kernel_params,
            Ridge(self.alpha, self.degrees_of_freedom),
            check_landmarks(self.landmarks, X),
        )
        wishes = Wishes(
            self.n_clusters,
            self.balance,
            self.search,
            self.init,
            self.n_init,
            self.max_iter,
            self.n_jobs,
            print_round if self.verbose else None,
        )
        return Request(similarity, wishes, allowed_memory(self.memory_limit), n_threads)

    def _keep(self, fit):
        """Set the attributes from what was found."""
        self._warn_unless(fit.converged)
        self._model = fit.model
        self.n_clusters_ = fit.found.n_clusters
        self.objective_ = fit.found.run.objective
        self.history_ = np.array(fit.found.run.history)
        self.n_iter_ = fit.found.run.n_iter
        self.alpha_ = fit.found.candidate.smoother.alpha
        self.degrees_of_freedom_ = fit.found.candidate.smoother.degrees_of_freedom

    def decision_function(self, X):
        """Return how strongly each sample belongs to each cluster.

        Up to a constant of the sample, the value is minus the squared distance to the
        centre of the cluster in the space of the smoother, in units in which it does
        not depend on the number of samples; with ``balance=None`` it is the value of
        the function fitted to the cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
        """
        return super().decision_function(X)

    def _validate(self, X, reset, fewest=2):
        X = super()._validate(X, reset, fewest)
        if reset:
            self._counts = self.kernel == "auto" and looks_like_counts(X)
        return hellinger(X) if self._counts else X

    @available_if(lambda estimator: estimator.probability)
    def predict_proba(self, X):
        """Return the chance of each cluster for each sample, under resampling.

        Of the samples given 0.9 for a cluster, about nine in ten get that cluster when
        the clustering is done again on half of the samples. Needs ``probability=True``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        chances : ndarray of shape (n_samples, n_clusters)
        """
        decisions = self.decision_function(X)  # which checks that there was a fit
        return self._membership(decisions)
