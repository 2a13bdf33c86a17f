"""`MaxMarginClustering`, the main estimator."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from maxmargin.clustering.base import (
    MarginClusterer,
    check_n_samples,
    unchanged_on_failure,
    warn_if_empty,
)
from maxmargin.clustering.callbacks import (
    CallbackSupportMixin,
    told_to_callbacks,
    with_callbacks,
)
from maxmargin.clustering.partial_fits import PartialFitMixin
from maxmargin.clustering.samples import rows_to_fit, scale_of
from maxmargin.clustering.tree_levels import TreeLevelsMixin
from maxmargin.compiled import compilation_told
from maxmargin.engine.fit import fit_source
from maxmargin.engine.options import Options
from maxmargin.engine.probability import fit_probability
from maxmargin.rows.sources import Sources
from maxmargin.rows.threads import count_threads, single_threaded_libraries


def source_weights(
    estimator: Any, shares: np.ndarray | None
) -> dict[str, float] | None:
    """Return the weights of the sources of an estimator by their names."""
    if shares is None:
        return None
    return dict(zip(estimator._sources.names, map(float, shares), strict=True))


class MaxMarginClustering(
    TreeLevelsMixin, CallbackSupportMixin, MarginClusterer, PartialFitMixin
):
    r"""Maximum margin clustering with the square loss.

    Finds the labels that a regularised least-squares classifier fits best, without any
    given label. With a smoother :math:`R`, the matrix that maps targets to fitted
    values, and the indicators :math:`z_h` of the clusters, it maximises

    .. math:: \sum_h \left(z_h^T R z_h\right)^q / n_h^p

    over all labellings, where :math:`n_h` are the cluster sizes: the part of each
    cluster that a classifier trained on it recovers. The smoother is that of the graph
    of nearest neighbours, :math:`R = (I + b L)^{-1}` scaled to a constant diagonal,
    with :math:`q = 1/2` and :math:`p = 0`, the spherical k-means of its features; or of
    a kernel, :math:`R = K (K + a I)^{-1}` with :math:`q = 1` and :math:`p = 0.7`. Its
    flexibility is measured by the degrees of freedom, the trace of :math:`R`.

    On the graph all samples are searched up to 150,000, and one in 16 of those above,
    or 20,000 in all if there are gaps between their clusters; the others get the label
    of their nearest neighbours. With a kernel at most 4000 samples are
    searched. A classifier is then trained on the clusters, improved by passes over up
    to 50,000 samples, and labels all.

    Columns on different scales are divided by their standard deviations if a rule finds
    that distances would ignore most of them, see ``scale``. Categories in a table count
    as much as the other columns tell about them, see
    :class:`maxmargin.tables.TableEncoder`.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        The number of clusters; ``"auto"`` is the best one of
        :func:`maxmargin.selection.select_n_clusters`, 1 if there are no clusters. Size
        limits in ``balance`` limit the number, too: with ``balance=(50, None)`` there
        are at most as many clusters as can have 50 samples.

    kernel : str or callable, default="auto"
        The similarity of samples. ``"auto"`` tries the neighbour graph and the radial
        kernel and keeps the labels with the smaller leave-one-out error of a
        classifier; count data (non-negative integers, at least 90 % zero) are
        compared as proportions. ``"neighbors"`` is the graph alone. Other values are
        a kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of
        two samples, or ``"precomputed"``: then ``fit`` takes the kernel matrix of the
        training samples, and ``predict`` that of new samples with the training samples.
        A sparse matrix is a graph of affinities, symmetric and not negative, and is
        clustered in place of the neighbour graph.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one. ``"median"`` is
        ``1 / (2 median squared distance)`` for ``"rbf"``, and the default of
        scikit-learn for kernels that are not functions of a distance.

    kernel_params : dict, default=None
        Further parameters of the kernel: ``degree`` (3) and ``coef0`` (1) of polynomial
        and sigmoid kernels, or the arguments of a callable one.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier: a value below 1 is a share of the distinct
        samples, a value >= 1 the effective number of parameters. ``"auto"`` is 1.35 per
        cluster on the graph; with a kernel it is a fifth of the samples, at most 400
        and at most half of the rank. With ``kernel="auto"`` it is that of the graph.

    balance : "free", "equal", float or array-like, default="free"
        Constraint on the cluster sizes. ``"free"``: none. ``"equal"``: sizes differ by
        at most one. A float between 0 and 1: the share by which sizes may differ from
        their mean. ``n_clusters`` proportions that add up to 1. A pair
        ``(minimum, maximum)`` of sizes, ``None`` for no limit. The limits hold for
        ``labels_``; they are not enforced by ``predict``.

    init : array-like of shape (n_samples,) or (n_clusters, n_features), default=None
        Labels to start from, or centres, the nearest of which is taken. They take the
        place of the two fixed starts on the graph.

    n_init : "auto" or int, default="auto"
        Number of random starts; the run with the best objective is kept. On the graph,
        where there are two fixed starts as well, ``"auto"`` starts until the best
        objective was reached ten times, up to 60 times, fewer for large data. With a
        kernel it decreases with the number of samples, from 22 at 500 to 4 from 2500
        on. It is 0 if ``init`` is given. With ``kernel="auto"`` it is the number on the
        graph.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations. ``"auto"`` does so
        if more than half of the columns are negligible in distances: their range and
        their standard deviation are below a tenth of the largest ones. Standardised
        columns, images, spectra and coordinates in the plane are left as they are.
        So are counts, sparse samples, and samples with a callable kernel or a number
        for ``gamma``, which have the unit of the columns. ``True`` divides all of
        these; counts are then not compared as proportions. An array has the divisors.
        A precomputed kernel is never scaled. In a table with categories, numbers are
        standardised unless ``False``.

    probability : bool, default=False
        Whether to enable ``predict_proba``, which takes twenty more fits, on halves of
        at most 2000 samples, and up to sixty if they disagree.

    n_jobs : int, default=None
        Number of threads. ``None`` is the number that BLAS may use, by default that of
        the cores. As in scikit-learn, -1 stands for all cores, -2 for all but one, and
        numbers below minus the cores for one. The result does not depend on it.

    memory_limit : int, str or None, default=None
        Memory that a fit may use besides its input, in bytes or as ``"1 GB"``; ``None``
        is the memory that is free. Fewer samples are searched and passed over with
        less memory. ``float("inf")`` lifts all limits: every sample is in the graph.

    random_state : int, RandomState instance or None, default=None
        Seed of the random starts, and of the samples that are searched if not all are.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one,
        and that code is compiled if it is, once after an installation.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; after ``partial_fit``, of each sample of the block. It
        equals ``predict(X)`` if ``balance="free"``, up to 5000 samples. Of more samples
        ``predict`` uses some and differs for at most 1 %.
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        The objective of the best run, on the samples that were searched.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of that run and after each round.
    n_iter_ : int
        Number of rounds of that run.
    probabilities_ : ndarray of shape (n_samples,) or None
        How firmly each sample belongs to its cluster: about 0.9 inside, 1/2 at the
        border of two. It comes from the margin, at no cost. Over many data sets it is
        the share of refits that keep the label; ``predict_proba`` is calibrated for the
        data at hand. After ``partial_fit``, of each sample of the block. None for rows
        that are not in memory, and above 150,000.
    outlier_scores_ : ndarray of shape (n_samples,) or None
        The mean distance of each sample to its 15 nearest ones, in units of the median:
        large for a sample far from all others. None without a neighbour graph of all
        samples, so also for a given graph, which has no distances.
    tree_ : ClusterTree
        The tree of clusters, from fine to coarse, of which ``labels_`` are one level.
        See :class:`maxmargin.selection.ClusterTree`.
    layers_ : tuple of int
        The numbers of clusters of the levels of the tree that stand out, with
        ``n_clusters_`` among them. ``labels_at`` returns their labels.
    alternatives_ : tuple of Alternative
        Other levels of the tree: with ``n_clusters="auto"`` the next best numbers of
        clusters, the best first, then the other ``layers_``. Each has ``labels``, a
        ``description``, its ``agreement`` with ``labels_`` (adjusted Rand index),
        ``n_clusters``, and the ``score`` of the number, if it has one.
        ``find_alternatives`` adds other similarities, scales and methods.
    count_table_ : ClusterCountTable or None
        With ``n_clusters="auto"`` the scores of all numbers that were tried, for
        :class:`maxmargin.plots.ClusterCountDisplay`. Else None.
    degrees_of_freedom_ : float
        The trace of the smoother.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns, also in ``predict``, ``transform``, ``score`` and
        ``representatives``; None if the columns are used as they are.
    source_weights_ : dict or None
        The weight of each source in the sum of smoothers, by its name (``"0"``, ``"1"``
        and so on in a list); the larger, the better it agrees with the labels. None
        unless there are several sources.
    columns_ : dict or None
        What the encoder made of each column of a table with categories or missing
        values: ``role``, ``weight``, ``reason`` and ``n_missing``. None for numbers.
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
    searched, unless the kernel is precomputed.

    See Also
    --------
    maxmargin.published.LeastSquaresMaxMarginClustering : The published searches.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import MaxMarginClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> clusters = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
    >>> clusters.labels_.shape
    (200,)
    """

    _encodes_tables = True  # columns of a table may be categories
    _encoder: Any = None  # a `TableEncoder` or `TextEncoder`, if rows are encoded
    _takes_graphs = True
    _of_graph = False  # whether the fit had a sparse graph of affinities
    _takes_sources = True
    _sources: Sources | None = None  # if the fit had several
    _probability: Any = None  # a `MembershipProbability`, if asked for

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        kernel: Any = "auto",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        balance: Any = "free",
        init: Any = None,
        n_init: Any = "auto",
        scale: Any = "auto",
        probability: bool = False,
        n_jobs: int | None = None,
        memory_limit: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.balance = balance
        self.init = init
        self.n_init = n_init
        self.scale = scale
        self.probability = probability
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose

    @unchanged_on_failure
    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix, table} of shape (n_samples, n_features), \
                texts, or a list or dict of matrices
            Samples, or their kernel matrix if ``kernel="precomputed"``. Texts, a list,
            an array or a Series of them, are compared by their words, see
            :class:`maxmargin.texts.TextEncoder`. Several
            matrices are sources of the same samples, in the same order: the labels are
            those that are separated best in all of them, with the sum of their
            smoothers; ``predict`` takes the same sources. A table is a
            data frame of pandas or polars, a LazyFrame, a relation of DuckDB, a Table,
            Dataset or RecordBatchReader of pyarrow, or another object with the method
            ``__arrow_c_stream__``. If only some rows are searched, a table is read in
            blocks, several times, and never in memory as a whole; a reader, which is
            read once, is written to a temporary file. A table may have categories,
            booleans, dates and missing values: its columns are then encoded by a
            :class:`maxmargin.tables.TableEncoder`, and ``columns_`` says how. If there
            is nothing else in it, a column of texts is compared by its words.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.

        Returns
        -------
        self : object
        """
        self._reservoir = None
        is_graph = self.kernel == "precomputed" and sp.issparse(X)
        options = Options.of(self, affinities=is_graph)
        source = rows_to_fit(self, X, sample_weight, options)
        check_n_samples(source.n_samples, self.n_clusters)
        with told_to_callbacks(self, X, y):
            self.labels_ = self._fit(source, options)
        return self

    def _fit(self, source, options):
        """Fit the rows of a source, set the attributes, and return the labels."""
        options = replace(options, scale=scale_of(self), sources=self._sources)
        options.check()
        threads = count_threads(options.n_jobs)
        with single_threaded_libraries(threads), compilation_told(self._print):
            random = check_random_state(self.random_state)
            result = fit_source(source, options, random)
            probability = None
            if self.probability:
                probability = fit_probability(result, source.X, options, random)
        self._set_attributes(result)
        self._probability = probability
        self._warn_if_empty(result)
        return result.labels

    def _warn_if_empty(self, result):
        """Warn of empty clusters, unless distinct samples are too few for all."""
        labels, k = result.labels, self.n_clusters_
        n_found = k if labels is None else len(np.unique(labels))
        if n_found < min(k, len(result.clusters.candidate.sample.indices)):
            why = (
                "as this classifier separates no more: ask for fewer, use another "
                "kernel or more degrees_of_freedom, or limit the sizes with balance"
            )
            warn_if_empty(k - n_found, k, why, stacklevel=5)

    def _print(self, text):
        """Print a text if the user wants to read what is done."""
        if self.verbose:
            print(text)

    def _set_attributes(self, result):
        """Set the attributes, except the labels, from the result of a fit."""
        run, smoother = result.clusters.run, result.clusters.candidate.smoother
        self._model, self._preparation = result.model, result.preparation
        self.n_clusters_ = result.clusters.n_clusters
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = len(run.history) - 1
        self.degrees_of_freedom_ = smoother.degrees_of_freedom
        self.scale_ = result.preparation.scale
        shares = getattr(smoother.feature_map, "shares", None)
        self.source_weights_ = source_weights(self, shares)
        rows = (result.strengths, result.outliers)
        self.probabilities_, self.outlier_scores_ = (
            None if one is None else one.astype(np.float32) for one in rows
        )
        self._set_tree(result.tree, result.counts)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision value of each sample for each cluster.

        On the graph the value is proportional to the cosine of the angle between a
        sample and the centre of the cluster, in the space of the smoother. An empty
        cluster has -inf.

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
        return self._probability(self.decision_function(X))
