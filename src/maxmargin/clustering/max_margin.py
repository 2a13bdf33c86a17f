"""`MaxMarginClustering`, the main estimator."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from maxmargin.clustering.base import (
    MarginClusterer,
    check_n_samples,
    sample_blocks,
    validate_samples,
    warn_if_empty,
    warn_if_not_converged,
)
from maxmargin.clustering.fit import fit_samples
from maxmargin.clustering.parameters import (
    GRAPH_PART,
    MAX_GRAPH_SAMPLES,
    SEARCH_SAMPLES,
    Options,
    check_parameters,
    check_weights,
    needs_all_rows,
)
from maxmargin.clustering.part_classifier import make_reservoir
from maxmargin.clustering.probability import fit_probability
from maxmargin.clustering.table_fit import fit_table
from maxmargin.clustering.table_rows import TableRows
from maxmargin.distances import check_magnitude
from maxmargin.resources import parse_memory_limit, single_threaded_libraries
from maxmargin.rows.blocks import Reservoir
from maxmargin.tables.objects import is_table


def _accepts_blocks(estimator):
    if estimator.kernel == "precomputed":
        raise AttributeError(
            "partial_fit is not available for a precomputed kernel, each row of which "
            "has a value for every sample: use fit, or another kernel."
        )
    return True


class MaxMarginClustering(MarginClusterer):
    r"""Maximum margin clustering with the square loss.

    Finds the labels that a regularised least-squares classifier fits best, without any
    given label. With a smoother :math:`R`, the matrix that maps targets to fitted
    values, and the indicators :math:`z_h` of the clusters, it maximises

    .. math:: \sum_h z_h^T R z_h / n_h^p

    over all labellings, where :math:`n_h` are the cluster sizes: the part of each
    cluster that a classifier trained on it recovers. The smoother is that of the graph
    of nearest neighbours, :math:`R = (I + b L)^{-1}`, or of a kernel,
    :math:`R = K (K + a I)^{-1}`. Its flexibility is measured by the degrees of freedom,
    the trace of :math:`R`.

    Columns on different scales are divided by their standard deviations if a rule finds
    that distances would ignore most of them, see ``scale``.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        The number of clusters; ``"auto"`` is the number with the best score of
        :func:`maxmargin.selection.select_n_clusters`.

    kernel : str or callable, default="auto"
        The similarity of samples. ``"auto"`` tries the neighbour graph and the radial
        kernel and keeps the labels with the smaller leave-one-out error of a
        classifier; count data (non-negative integers, at least 90 % zero) are
        compared as proportions. ``"neighbors"`` is the graph alone. Other values are
        a kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of
        two samples, or ``"precomputed"``: then ``fit`` takes the kernel matrix of the
        training samples, and ``predict`` that of new samples with the training samples.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one. ``"median"`` is
        ``1 / (2 median squared distance)`` for ``"rbf"``, and the default of
        scikit-learn for kernels that are not functions of a distance.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a callable kernel.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier: a value below 1 is a share of the distinct
        samples, a value >= 1 the effective number of parameters. ``"auto"`` is 1.35 per
        cluster on the graph; with a kernel it is a fifth of the samples, at most 400
        and at most half of the rank. If given with ``kernel="auto"``, the radial kernel
        is used.

    alpha : float, default=None
        The ridge parameter of a kernel, in place of ``degrees_of_freedom``.

    balance : "free", "equal", float or array-like, default="free"
        Constraint on the cluster sizes. ``"free"``: none. ``"equal"``: sizes differ by
        at most one. A float between 0 and 1: the share by which sizes may differ from
        their mean. ``n_clusters`` proportions that add up to 1. A pair
        ``(minimum, maximum)`` of sizes, ``None`` for no limit. The limits hold for
        ``labels_``; they are not enforced by ``predict``.

    power : "auto" or float, default="auto"
        The power p of the cluster sizes in the objective, between 0 and 1. ``"auto"``
        is 1 on the graph and 0.7 with a kernel, where an outlier would make a good
        cluster alone. ``power=0`` is the plain sum, the objective of [1]_: with
        ``balance="free"`` the searches are then the published algorithms as printed.

    search : {"auto", "shaking", "steepest", "stochastic", "local"}, default="auto"
        The search for labels: Algorithm 3, 2 or 1 of [1]_. With a positive power,
        shaking is followed by single moves to a local optimum. ``"local"`` moves
        samples of small local subsets in turn (section 5 of [1]_): with landmarks all
        samples are searched, in time linear in their number. ``"auto"`` mixes shaking
        and stochastic; on the graph it is k-means with relocation of centres, which has
        the same optima.

    shaking_decay : float or "linear", default=2.0
        The factor by which the numbers of samples that clusters claim in shaking
        decrease from round to round; [1]_ has 2. ``"linear"`` decreases them by the
        same number in each of 20 rounds.

    init : {"auto", "random", "k-means++"} or array-like of shape (n_samples,)
        Starting labels; an array of labels is used for one start. ``"auto"``, the
        default, is random for shaking and k-means++ for the other searches.

    n_init : "auto" or int, default="auto"
        Number of starts; the run with the best objective is kept. ``"auto"`` decreases
        with the number of samples, from 22 at 500 to 4 from 2500 on. On the graph it is
        two runs of k-means per cluster, 5 to 20 in all, followed by relocation.

    landmarks : "auto", int, array-like or None, default="auto"
        The samples that span the functions fitted with a kernel: a number, or the
        points themselves. ``None`` is all samples, the exact method, which takes n^2
        memory and n^3 time. ``"auto"`` is exact up to 2000 samples, and two landmarks
        per degree of freedom beyond. Unless it is ``None``, at most 4000 samples are
        searched with a kernel, drawn at random. A classifier with landmarks is then
        trained on the clusters, improved by passes over up to 50,000 samples, and
        labels all samples. On the graph all samples are searched up to 150,000, and
        40,000 of more samples; the others get the label of their nearest neighbours.

    landmark_selection : {"random", "k-means++", "leader"}, default="random"
        How landmarks are selected: samples drawn at random or by k-means++, or the
        centres of :class:`LeaderClustering`.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations. ``"auto"`` does so
        if more than half of the columns are negligible in distances: their range and
        their standard deviation are below a tenth of the largest ones. Standardised
        columns, images, spectra and coordinates in the plane are left as they are.
        So are counts, sparse samples, and samples with a callable kernel or a number
        for ``gamma``, which have the unit of the columns. ``True`` divides all of
        these; counts are then not compared as proportions. An array has the divisors.
        A precomputed kernel is never scaled.

    memory_limit : int, str or None, default=None
        Memory that a fit may use besides its input, in bytes or as ``"1 GB"``; ``None``
        is the memory that is free. Fewer samples are searched and passed over with
        less memory.

    max_iter : int, default=1000
        Maximum number of rounds of single moves in a run.

    probability : bool, default=False
        Whether to enable ``predict_proba``, which takes twenty more fits, on halves of
        at most 2000 samples, and up to sixty if they disagree.

    n_jobs : int, default=None
        Number of threads for the starts. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the landmarks and the samples that are searched.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. It equals ``predict(X)`` if ``balance="free"`` and
        ``power`` is not 0, up to 5000 samples. Of more samples ``predict`` uses some
        and differs for at most 1 %. With ``power=0`` it has the labels of the published
        search, for which single moves may still gain.
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        The objective of the best run, on the samples that were searched.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of that run and after each round.
    n_iter_ : int
        Number of rounds of that run.
    alpha_ : float
        The ridge parameter, or the penalty b of the graph.
    degrees_of_freedom_ : float
        The trace of the smoother.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns, also in ``predict``, ``transform``, ``score`` and
        ``representatives``; None if the columns are used as they are.
    n_samples_seen_ : int
        Number of samples passed to ``partial_fit``.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all of them are strings.

    Notes
    -----
    Equal samples are merged and have the same label; a sample of weight 3 is the same
    as three equal samples. The order of the rows does not matter if all samples are
    searched (see ``landmarks``), unless the kernel is precomputed.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-014-1414-0

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import MaxMarginClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> clusters = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
    >>> clusters.labels_.shape
    (200,)
    """

    search_samples = SEARCH_SAMPLES
    max_graph_samples = MAX_GRAPH_SAMPLES
    graph_part = GRAPH_PART
    _reservoir: Reservoir | None = None  # the samples that `partial_fit` keeps

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        kernel: Any = "auto",
        gamma: Any = "median",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        alpha: Any = None,
        balance: Any = "free",
        power: Any = "auto",
        search: str = "auto",
        shaking_decay: Any = 2.0,
        init: Any = "auto",
        n_init: Any = "auto",
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        scale: Any = "auto",
        memory_limit: Any = None,
        max_iter: int = 1000,
        probability: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.alpha = alpha
        self.balance = balance
        self.power = power
        self.search = search
        self.shaking_decay = shaking_decay
        self.init = init
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.scale = scale
        self.memory_limit = memory_limit
        self.max_iter = max_iter
        self.probability = probability
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix, table} of shape (n_samples, n_features)
            Samples, or their kernel matrix if ``kernel="precomputed"``. A table is a
            data frame of pandas or polars, a LazyFrame, a relation of DuckDB, a Table,
            Dataset or RecordBatchReader of pyarrow, or another object with the method
            ``__arrow_c_stream__``. If only some rows are searched, a table is read in
            blocks, several times, and never in memory as a whole; a reader, which is
            read once, is written to a temporary file.
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
        if is_table(X) and not needs_all_rows(self):
            self.labels_ = self._fit_table(X, sample_weight)
            return self
        X = validate_samples(self, X, reset=True)
        self.labels_ = self._fit(X, sample_weight, X.shape[0])
        return self

    @available_if(_accepts_blocks)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add a block of samples; the clusters are found when they are needed.

        A random part of at most 50,000 samples of all blocks is kept, fewer if memory
        is limited. The first call of ``predict`` or ``decision_function`` after a block
        was added fits it. There is no ``labels_``. Size limits hold among the samples
        that are kept, and ``scale_`` has their standard deviations.

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
        reset = self._reservoir is None
        if sample_weight is not None:  # one for each row: all rows at once
            X = validate_samples(self, X, reset=reset, min_samples=1)
            self._add_block(X, check_weights(sample_weight, X.shape[0]))
            return self
        kept = None if self._reservoir is None else self._reservoir.copy()
        before = dict(vars(self), _reservoir=kept)
        try:
            for block in sample_blocks(self, X, reset=reset):
                self._add_block(block, np.ones(block.shape[0]))
        except BaseException:  # a later block of a table is not valid
            self.__dict__ = before
            raise
        return self

    def _add_block(self, X, weights):
        """Add validated samples to those that are kept."""
        reservoir = self._reservoir
        if reservoir is None:
            self.__dict__.pop("labels_", None)  # of an earlier fit
            memory = parse_memory_limit(self.memory_limit)
            reservoir = make_reservoir(X.shape[1], memory, self.random_state)
        reservoir.add(X, weights)
        self._reservoir, self._pending = reservoir, True
        self.n_samples_seen_ = reservoir.n_seen

    def _ensure_fitted(self):
        """Raise an error if there were no samples; fit blocks that were added."""
        super()._ensure_fitted()
        if self._reservoir is not None and self._pending:
            rows, weights = self._reservoir.rows, self._reservoir.weights
            self._fit(rows, weights, self.n_samples_seen_)
            self._pending = False

    def _fit_table(self, X, sample_weight):
        """Fit the rows of a table, in blocks if not all of them are searched."""
        rows = TableRows(self, X, reset=True)
        options = Options.of(self, np.empty((0, rows.n_features)))
        result = fit_table(rows, sample_weight, options, self.random_state)
        if result is None:
            X = rows.to_array(2)
            check_magnitude(X)
            return self._fit(X, sample_weight, X.shape[0])
        self._set_attributes(result)
        return result.labels

    def _fit(self, X, sample_weight, n_seen):
        """Fit validated samples, a part of ``n_seen`` ones, and return their labels."""
        check_n_samples(X.shape[0], self.n_clusters)
        weights = check_weights(sample_weight, X.shape[0])
        with single_threaded_libraries():
            random = check_random_state(self.random_state)
            result = fit_samples(X, weights, Options.of(self, X), random, n_seen)
            self._set_attributes(result)
            if self.probability:
                rows, sample = result.clusters.X, result.clusters.sample
                rows = rows if self.scale_ is None else X
                self._probability = fit_probability(self, X, rows, sample, random)
        return result.labels

    def _set_attributes(self, result):
        """Set the attributes, except the labels, from the result of a fit."""
        n_samples = len(result.clusters.candidate.sample.indices)
        warn_if_not_converged(result.converged, self.max_iter, stacklevel=5)
        warn_if_empty(result.model, self.power, n_samples, stacklevel=5)
        run, smoother = result.clusters.run, result.clusters.candidate.smoother
        self._model = result.model
        self.n_clusters_ = result.clusters.n_clusters
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = len(run.history) - 1
        self.alpha_ = smoother.alpha
        self.degrees_of_freedom_ = smoother.degrees_of_freedom
        self.scale_ = result.scale

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision value of each sample for each cluster.

        Up to a constant per sample, the value is minus the squared distance to the
        centre of the cluster in the space of the smoother, in units that do not depend
        on the number of samples; with ``power=0`` it is the value of the function
        fitted to the cluster. An empty cluster has -inf.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
        """
        return super().decision_function(X)

    @available_if(lambda estimator: estimator.probability)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each cluster for each sample, under resampling.

        Of the samples with 0.9 for a cluster, about nine in ten get that cluster when
        half of the samples are clustered again. The largest probability of a sample is
        that of the cluster that ``predict`` returns; it may be below 1/2 if clustering
        again often moves the sample. Needs ``probability=True``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_clusters)
        """
        decisions = self.decision_function(X)
        return self._probability(decisions)
