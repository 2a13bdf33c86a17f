"""`SemiSupervisedMaxMargin`, a classifier for few labels and many samples."""

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.base import unchanged_on_failure
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.samples import scale_of, validate_samples
from maxmargin.engine.checks import check_integer
from maxmargin.engine.options import SEARCH_SAMPLES, Options, graph_size
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.sample import draw_sample
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import check_weights
from maxmargin.semi_supervised.given_labels import (
    GivenLabels,
    check_n_classes,
    check_pairs,
    join_classes,
    name_classes,
    split_labels,
)
from maxmargin.semi_supervised.kept import KeptValues
from maxmargin.semi_supervised.prediction import ClassPrediction
from maxmargin.semi_supervised.prior import make_prior
from maxmargin.semi_supervised.transduction import Transduction
from maxmargin.smoothers.scaled_graph import graph_inverse

# Clusters that were given have been seen: a row that nobody named leaves its own one
# only if the evidence is substantial on the scale of Jeffreys.
ODDS_OF_SEEN = 3.0
CORRECTED_SAMPLES = 10_000  # that clusters are corrected on; other rows follow these


class SemiSupervisedMaxMargin(KeptValues, ClassPrediction):
    r"""Maximum margin classification of samples of which few have a label.

    Given labels and pairs are kept. With ``kernel="auto"`` what is given decides:

    - A label of each class: labels spread. Walks along the graph of nearest neighbours,
      and least squares with two radial kernels, give scores :math:`E_e` to the classes;
      the probabilities

      .. math:: p_{ih} \propto \exp\left(\sum_e w_e E_e[i, h]\right)

      have weights for which given labels that are left out are most probable, and with
      few labels mostly those of the graph. They spread along the graph as soft labels
      in a second round.
    - Clusters to start from (``init``), or pairs and no label, for which these are the
      clusters of `MaxMarginClustering`: they are changed where labels and pairs
      contradict them, and stay elsewhere.
    - Labels of some classes: the search below, on the graph.

    With another kernel, missing labels are found as in maximum margin clustering: they
    maximise

    .. math:: \sum_h z_h^T S z_h / n_h^{0.7}

    with a smoother :math:`S`, the indicators :math:`z_h` of the classes and their sizes
    :math:`n_h`, from ``init`` or the labels that the smoother spreads [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        The number of classes, if there are more than in ``y`` and ``init``: the others
        are found like clusters.

    kernel : str or callable, default="auto"
        The similarity of samples. ``"auto"`` is described above, and count data
        (non-negative integers, at least 90 % zero) are compared as proportions.
        ``"neighbors"`` is the graph of mutual nearest neighbours. Other values are
        kernels as in `MaxMarginClustering`, ``"precomputed"`` included.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, as in `MaxMarginClustering`. If each class has a
        label, ``"auto"`` is three per label, on a graph plus a twentieth of the
        samples, and at most a fifth of them or 400. With ``kernel="auto"`` there is no
        single classifier, and a number is an error.

    balance : "free", "labels", "equal", float or array-like, default="free"
        Constraint on the sizes of the classes: the proportions of the given labels
        (``"labels"``), or as in `MaxMarginClustering`, with proportions in the order of
        ``classes_``. The limits hold for ``transduction_``; they are not enforced by
        ``predict``. With ``kernel="auto"`` the most probable classes within the limits
        are taken.

    init : array-like of shape (n_samples,), default=None
        The class of each sample to start from, with the names of ``y``. With
        ``kernel="auto"`` a sample that has no label and is in no pair leaves its class
        only if another one is three times as probable; ``label_distributions_`` has
        this factor.

    n_init : "auto" or int, default="auto"
        Number of starts of a search if some class has no label; the run with the best
        objective is kept. With a label of each class, or ``init``, there is one start.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        `MaxMarginClustering`.

    warm_start : bool, default=False
        Whether to keep what does not depend on labels and pairs for the next fit of
        the same samples: clusters without pairs, and what clusters are corrected with,
        or with ``kernel="neighbors"`` and a label of each class the smoother of the
        graph, for n^2 memory. The result is that of a new fit; only time is saved.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of moves, of the starts and of the samples that are searched.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of ``y`` and ``init``, sorted, followed by names for those without a
        label.
    transduction_ : ndarray of shape (n_samples,)
        The class of each sample; given labels are kept.
    labels_ : ndarray of shape (n_samples,)
        The positions of ``transduction_`` in ``classes_``.
    label_distributions_ : ndarray of shape (n_samples, n_classes) or None
        The probabilities of the classes of each sample, before labels and pairs are
        enforced; None after a search, which has none.
    objective_ : float
        The objective, on the samples that were searched; with ``kernel="auto"`` the
        mean log-probability of given labels that are left out, or that of corrections.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of the search and after each round.
    degrees_of_freedom_ : float
        The trace of the smoother; the number of features if clusters are corrected.
    columns_ : dict or None
        What the encoder made of each column of a table with categories or missing
        values, as in :class:`MaxMarginClustering`.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns; None if the columns are used as they are.
    n_iter_, n_features_in_ : int
        The numbers of rounds and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all of them are strings.

    Notes
    -----
    A missing label is -1 among numbers, ``"-1"`` among strings, and NaN, ``None`` or
    ``pandas.NA`` anywhere. Equal samples are merged in the search; if their labels
    differ, the one with more weight counts. Without any label, pair or ``init`` the
    classes are the clusters of `MaxMarginClustering`. Labels spread among all samples
    up to 150,000, and among one in 16 of those above. Clusters are corrected on at most
    10,000 samples, and a search works on at most 4000, those with a label or in a pair
    first.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-014-1414-0

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SemiSupervisedMaxMargin
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> few = np.full(500, -1)
    >>> few[:10] = y[:10]
    >>> model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    >>> float((model.transduction_ == y).mean())
    1.0
    """

    _encodes_tables = True  # columns of a table may be categories
    _preparation = Preparation()  # what the fit did to the rows

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        kernel: Any = "auto",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        balance: Any = "free",
        init: Any = None,
        n_init: Any = "auto",
        scale: Any = "auto",
        warm_start: bool = False,
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @unchanged_on_failure
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Find the labels that are missing.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels, -1 where a label is missing.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.
        must_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers of samples that belong to the same class.
        cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers of samples that belong to different classes.

        Returns
        -------
        self : object
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None: give -1 for each missing label."
            )
        X = validate_samples(self, X, reset=True)
        given = self._read(y, must_link, cannot_link, X.shape[0])
        weights = check_weights(sample_weight, X.shape[0])
        options = self._options(given, weights)
        with single_threaded_libraries():
            if given.empty and given.start is None:
                self._cluster(X, weights, options)
            else:
                self._fit(X, weights, given, options)
        self.transduction_ = self.classes_[self.labels_]
        self._remember(X)
        return self

    def _read(self, y, must_link, cannot_link, n_samples):
        """Return the given labels and pairs, and set the classes."""
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters)
        classes, numbers = split_labels(y, n_samples)
        start = None
        if self.init is not None:
            classes, numbers, start = join_classes(
                classes, numbers, self.init, n_samples
            )
        if self.n_clusters is None and not len(classes):
            raise ValueError(
                "y has no label, all are -1: give some labels or n_clusters."
            )
        check_n_classes(self.n_clusters, classes, start is not None)
        self.classes_ = name_classes(classes, self.n_clusters or 0)
        return GivenLabels(
            numbers,
            check_pairs("must_link", must_link, n_samples),
            check_pairs("cannot_link", cannot_link, n_samples),
            len(self.classes_),
            start,
        )

    def _options(self, given, weights):
        """Return the options of a fit, checked."""
        balance = self.balance
        if isinstance(balance, str) and balance == "labels":
            balance = given.proportions(weights)
        options = Options.of(
            self,
            n_clusters=given.n_classes,
            balance=balance,
            init=None,
            scale=scale_of(self),
        )
        if self.kernel == "auto" and not isinstance(self.degrees_of_freedom, str):
            raise ValueError(
                f"degrees_of_freedom={self.degrees_of_freedom!r} is of one classifier, "
                "and kernel='auto' combines several: give kernel='neighbors' or a "
                "kernel as well."
            )
        return options

    def _fit(self, X, weights, given, options):
        """Find the labels from given labels and pairs."""
        random = check_random_state(self.random_state)
        source = ArraySource(X, weights)
        preparation = options.prepare(X, weights, source.column_statistics)
        rows = preparation.lazily(X)
        automatic = self.kernel == "auto"
        if automatic and not given.n_labelled and given.start is None:
            start = self._cluster_first(preparation(X), weights, options)
            given = replace(given, start=start)
        corrects = automatic and given.start is not None
        spreads = automatic and given.complete and given.n_classes > 1
        if automatic and not (corrects or spreads):
            options = replace(options, kernel="neighbors")
        limit, first = self._limit(len(weights), corrects, spreads), None
        if not corrects:
            first = given.to_search_first(weights, limit, random)
        merge = self.kernel != "precomputed"
        sample = draw_sample(
            rows, weights, merge=merge, limit=limit, random=random, first=first
        )
        task = Transduction(rows, weights, sample, given, options)
        if corrects:
            odds = 1.0 if self.init is None else ODDS_OF_SEEN
            found = task.correct(self._make_prior(task), odds)
        elif spreads:
            found = task.spread()
        else:
            found = task.search(random, self._make_inverse)
        self._set_attributes(found, preparation)

    def _limit(self, n_samples, corrects, spreads):
        """Return the largest number of samples to label before the others."""
        if corrects:
            return CORRECTED_SAMPLES
        return graph_size(n_samples) if spreads else SEARCH_SAMPLES

    def _make_inverse(self, X, weights, degrees):
        """Return the smoother of the graph."""
        return self._keep(
            "inverse", X, weights, degrees, lambda: graph_inverse(X, weights, degrees)
        )

    def _make_prior(self, task):
        """Return what clusters are corrected with."""
        options = replace(task.options, balance="free")
        parameters = self._clustering(options, scale=False, verbose=0).get_params()

        def make():
            by_content = np.random.RandomState(0)
            kernel = options.make_kernel(task.X[task.sample.indices], by_content)
            return make_prior(task.X, task.sample, kernel, parameters)

        return self._keep("prior", task.X, task.weights, str(parameters), make)

    def _cluster_first(self, X, weights, options):
        """Return the clusters without pairs."""
        model = self._clustering(options, scale=False)
        make = partial(model.fit_predict, X, sample_weight=weights)
        return self._keep("start", X, weights, str(model.get_params()), make)

    def _clustering(self, options, **changes):
        """Return a clusterer with the parameters that it has in common with this."""
        clusterer = MaxMarginClustering()
        own = self.get_params(deep=False)
        shared = {name: own[name] for name in clusterer.get_params() if name in own}
        shared |= {"n_clusters": options.n_clusters, "balance": options.balance}
        return clusterer.set_params(**(shared | {"init": None} | changes))

    def _cluster(self, X, weights, options):
        """Find clusters, since there is neither a label nor a pair."""
        clusters = self._clustering(options, scale=options.scale)
        clusters.fit(X, sample_weight=weights)
        self._model, self._preparation = clusters._model, clusters._preparation
        self._sharpness = self.label_distributions_ = None
        self.labels_ = np.asarray(clusters.labels_)
        names = ("objective_", "history_", "n_iter_", "degrees_of_freedom_", "scale_")
        for name in names:
            setattr(self, name, getattr(clusters, name))

    def _set_attributes(self, found, preparation):
        """Set the attributes from what was found."""
        run = found.run
        self._model = found.model.for_given(preparation)
        self._preparation = preparation
        self._sharpness = found.sharpness
        self.labels_, self.label_distributions_ = found.labels, found.probabilities
        self.objective_, self.history_ = run.objective, np.array(run.history)
        self.n_iter_ = max(run.n_iter, 1)
        self.degrees_of_freedom_ = found.degrees_of_freedom
        self.scale_ = preparation.scale
